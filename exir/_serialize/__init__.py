"""Programs to and from `.pte` files."""

from exir._serialize._program import (
    NamedBlob,
    PTEFile,
    SerializedProgram,
    deserialize_pte_binary,
    serialize_pte_binary,
)

__all__ = [
    "NamedBlob",
    "PTEFile",
    "SerializedProgram",
    "deserialize_pte_binary",
    "serialize_pte_binary",
]
