"""Serialize programs whose operators may be backend operators."""

from torch._export.serde.serialize import register_extension

from executorch._adapters.dialects import BackendOpOverload, backend_op
from exir.serde import SerializedArtifact, deserialize, load, save, serialize
from exir.serde.stand_ins import EdgeHandler, torch_overload


class _BackendHandler(EdgeHandler):
    """A handler that stores backend operators by their torch names."""

    @classmethod
    def namespace(cls) -> str:
        return "backend"

    @classmethod
    def from_op_name(cls, name: str) -> BackendOpOverload:
        return backend_op(torch_overload(name))


register_extension(BackendOpOverload, _BackendHandler)

__all__ = ["SerializedArtifact", "deserialize", "load", "save", "serialize"]
