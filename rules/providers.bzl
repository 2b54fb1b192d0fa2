"""What the rules hand to each other. Public: a rule of yours may take or give these."""

ExecutorchModelInfo = provider(
    doc = "A compiled model: what `executorch_model` gives and the C rules take.",
    fields = {
        "pte": "File: the program.",
        "weights": "File: the weights (.ptd) of `external_weights = True`, or None.",
        "manifest": "File: JSON; methods, shapes, operators and dtypes, backends, exact memory (docs/manifest.md).",
        "reference": "File: example calls with eager PyTorch's outputs, for parity tests. Built only when asked for. None for a program that was made elsewhere.",
        "steps": "File: what PyTorch gives for each instruction of those calls, with lines of the model. Built only when asked for. None where `reference` is.",
        "prefix": "string: C identifier that the model's names start with: package and name.",
        "kernels": "depset[ExecutorchKernelsInfo]: the kernels it was compiled for; what links it brings them along.",
        "backends": "depset[ExecutorchBackendInfo]: the backends it was compiled for.",
    },
)

ExecutorchConfigInfo = provider(
    doc = "Compiler options: what `executorch_config` gives and `executorch_model` takes.",
    fields = {
        "layers": "list[struct]: `file`, a TOML file, or `json`, the same as text; a later layer goes over an earlier one.",
    },
)

ExecutorchBackendInfo = provider(
    doc = "A backend's two sides: the compiler's (Python) and the runtime's (C).",
    fields = {
        "id": "string: BackendDelegate.id in the program; '' for the portable backend, which delegates nothing.",
        "partitioner": "string: 'module.path:attribute' of the compiler side; '' for the portable backend.",
        "sources": "depset[File]: Python sources of the compiler side.",
        "imports": "depset[string]: folders that they are imported from, as in PyInfo.",
        "data": "depset[File]: files that the compiler side reads.",
        "tools": "list[FilesToRunProvider]: programs that the compiler side runs.",
        "kernels": "depset[ExecutorchKernelsInfo]: kernels that programs compiled for it may call.",
        "measure": "FilesToRunProvider: program that says what a payload's delegate needs, of a backend without a compiler side; or None.",
        "symbol": "string: C symbol of the `et_backend`; '' when there is no runtime side.",
        "cc": "CcInfo: library that defines the symbol, or None.",
    },
)

ExecutorchKernelsInfo = provider(
    doc = "Kernels, the rows that describe them, and those of operators that only they implement.",
    fields = {
        "operator_tables": "depset[File]: what the operators are, as far as our own table does not say.",
        "kernel_tables": "depset[File]: what the kernels implement.",
        "cc": "CcInfo: archives with one object an operator; the linker takes only what a program names.",
    },
)
