"""The public providers of the rules, which your own rules can use and return."""

ExecutorchModelInfo = provider(
    doc = "A compiled model. `executorch_model` and `executorch_import` return it; the C rules use it.",
    fields = {
        "pte": "File: the program.",
        "weights": "File: the weights (.ptd) of `external_weights = True`, or None.",
        "manifest": "File: the manifest, JSON with methods, shapes, operators, backends and exact memory sizes (docs/reference/manifest.md).",
        "reference": "File: recorded calls of eager PyTorch, for parity tests; built on request. None for a prebuilt program.",
        "instruction_values": "File: the value of each instruction of these calls in eager PyTorch, with source lines; built on request. None if `reference` is None.",
        "prefix": "string: C identifier that C names start with: package and name.",
        "kernels": "depset[ExecutorchKernelsInfo]: the kernels that it was compiled for; libraries link them.",
        "backends": "depset[ExecutorchBackendInfo]: the backends that it was compiled for.",
    },
)

ExecutorchConfigInfo = provider(
    doc = "Compiler options. `executorch_config` returns it; `executorch_model` uses it.",
    fields = {
        "layers": "list[struct]: options in `file` (TOML) or `json` (text); later layers override earlier ones.",
    },
)

ExecutorchBackendInfo = provider(
    doc = "The compiler side (Python) and the runtime side (C) of a backend.",
    fields = {
        "id": "string: id of the backend in programs (`BackendDelegate.id`); '' for the portable backend, which delegates nothing.",
        "partitioner": "string: 'module.path:attribute' of the compiler side; '' for the portable backend.",
        "sources": "depset[File]: Python sources of the compiler side.",
        "imports": "depset[string]: import roots of these sources, as in PyInfo.",
        "data": "depset[File]: files that the compiler side reads.",
        "distributions": "depset[struct]: packages below the compiler side. Not public.",
        "tools": "list[FilesToRunProvider]: programs that the compiler side runs.",
        "kernels": "depset[ExecutorchKernelsInfo]: kernels that programs for this backend can call.",
        "measure": "FilesToRunProvider: program that measures a payload's delegate, for a backend without a compiler side; or None.",
        "symbol": "string: C symbol of the `et_backend`; '' without a runtime side.",
        "cc": "CcInfo: library that defines the symbol; or None.",
    },
)

ExecutorchKernelsInfo = provider(
    doc = "Kernels with the tables that describe them and their operators.",
    fields = {
        "operator_tables": "depset[File]: tables of operators that the built-in table does not contain.",
        "kernel_tables": "depset[File]: tables of the kernels.",
        "cc": "CcInfo: archives with one object per operator; programs link only the objects that they use.",
    },
)
