"""The ahead-of-time compiler: `torch.export` programs to ExecuTorch `.pte` files.

The API uses ExecuTorch's names. They are resolved on first use, so `import exir` is cheap.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "EdgeCompileConfig": "exir.capture",
    "EdgeProgramManager": "exir.program",
    "ExecutorchBackendConfig": "exir.capture",
    "ExecutorchProgramManager": "exir.program",
    "ExportedProgram": "torch.export",
    "ExportGraphSignature": "torch.export.graph_signature",
    "BlockWeight": "exir.weights.weights_file",
    "MethodSpec": "exir.model.spec",
    "ModelSpec": "exir.model.spec",
    "WeightsFile": "exir.weights.weights_file",
    "data_path": "exir.files.data_path",
    "dynamic_recurrence": "exir.decomposition.recurrence",
    "to_edge": "exir.program",
    "to_edge_transform_and_lower": "exir.program",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'exir' has no attribute '{name}'")
    # Imported here, because program readers have this file without the rest of the package.
    from exir.torch_versions import describe_installed, is_unsupported

    if is_unsupported():
        raise ImportError(f"exir.{name}: unsupported torch: {describe_installed()}")
    try:
        return getattr(import_module(_HOME[name]), name)
    except (AttributeError, ImportError) as error:
        # `from exir import name` hides the message of an AttributeError.
        raise ImportError(f"exir.{name}: import failed: {describe_installed()} ({error})") from error


def __dir__() -> list[str]:
    return __all__
