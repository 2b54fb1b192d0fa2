"""Programs to and from bytes, where operators may be a backend's own."""

from torch._export.serde.serialize import register_extension

from executorch._adapters.dialects import BackendOpOverload, backend_op
from exir.serde import SerializedArtifact, deserialize, load, save, serialize
from exir.serde.stand_ins import EdgeHandler, torch_overload


class _BackendHandler(EdgeHandler):
    """Operators of a backend, likewise by the names of torch's."""

    @classmethod
    def namespace(cls) -> str:
        return "backend"

    @classmethod
    def from_op_name(cls, name: str) -> BackendOpOverload:
        return backend_op(torch_overload(name))


register_extension(BackendOpOverload, _BackendHandler)

__all__ = ["SerializedArtifact", "deserialize", "load", "save", "serialize"]
