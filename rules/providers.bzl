"""What the rules hand to each other. Public: a rule of yours may take or give these."""

ExecutorchModelInfo = provider(
    doc = "A compiled model: what `executorch_model` gives and the C rules take.",
    fields = {
        "pte": "File: the program.",
        "manifest": "File: JSON; methods, shapes, operators and dtypes, backends, exact memory (docs/manifest.md).",
        "reference": "File: example calls with eager PyTorch's outputs, for parity tests. Built only when asked for.",
        "prefix": "string: C identifier that the model's names start with.",
        "operator_tables": "depset[File]: operators.toml files that its operators come from.",
        "backends": "depset[ExecutorchBackendInfo]: the backends it was compiled for.",
    },
)

ExecutorchBackendInfo = provider(
    doc = "A backend's two sides: the compiler's (Python) and the runtime's (C).",
    fields = {
        "id": "string: BackendDelegate.id in the program; '' for the portable backend, which delegates nothing.",
        "partitioner": "string: 'module.path:attribute' of the compiler side; '' for the portable backend.",
        "sources": "depset[File]: Python sources of the compiler side.",
        "symbol": "string: C symbol of the `et_backend`; '' when there is no runtime side.",
        "cc": "CcInfo: library that defines the symbol, or None.",
    },
)

ExecutorchKernelsInfo = provider(
    doc = "Kernels and the rows that describe them.",
    fields = {
        "operator_table": "File: operators.toml.",
        "cc": "CcInfo: archives with one object an operator; the linker takes only what a program names.",
    },
)
