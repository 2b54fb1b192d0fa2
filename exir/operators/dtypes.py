"""Names of dtypes in PyTorch, the tables and the manifest."""

from collections.abc import Mapping
from types import MappingProxyType

from exir.schema import ScalarType

_OWN_NAMES = {
    ScalarType.BYTE: "uint8",
    ScalarType.CHAR: "int8",
    ScalarType.SHORT: "int16",
    ScalarType.INT: "int32",
    ScalarType.LONG: "int64",
    ScalarType.HALF: "float16",
    ScalarType.FLOAT: "float32",
    ScalarType.DOUBLE: "float64",
}
# Dtypes with whole-byte elements, which the runtime supports and kernels can accept.
_RUNTIME = (
    *_OWN_NAMES,
    ScalarType.COMPLEX64,
    ScalarType.COMPLEX128,
    ScalarType.BOOL,
    ScalarType.BFLOAT16,
    ScalarType.UINT16,
    ScalarType.UINT32,
    ScalarType.UINT64,
)


def dtype_name(kind: ScalarType) -> str:
    """Return PyTorch's name of an element type, such as "float32"."""
    return _OWN_NAMES.get(kind, kind.name.lower())


# The code in program files of each dtype that a kernel can accept, by name.
DTYPE_CODES: Mapping[str, int] = MappingProxyType({dtype_name(kind): int(kind) for kind in _RUNTIME})
