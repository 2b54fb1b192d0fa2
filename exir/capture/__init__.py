"""Configuration of the compiler's stages."""

from exir.capture._edge_config import EdgeCompileConfig
from exir.capture._executorch_config import ExecutorchBackendConfig

__all__ = ["EdgeCompileConfig", "ExecutorchBackendConfig"]
