"""Configuration of the stages, and capturing a model as an exported program."""

from exir.capture._config import CaptureConfig, EdgeCompileConfig, ExecutorchBackendConfig

__all__ = ["CaptureConfig", "EdgeCompileConfig", "ExecutorchBackendConfig"]
