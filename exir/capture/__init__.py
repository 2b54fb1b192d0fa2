"""Configuration of the compiler's stages."""

from exir.capture.edge_config import EdgeCompileConfig
from exir.capture.executorch_config import ExecutorchBackendConfig

__all__ = ["EdgeCompileConfig", "ExecutorchBackendConfig"]
