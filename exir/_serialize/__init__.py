"""Serialization of programs as `.pte` files and of tensors as `.ptd` files."""

from exir._serialize._data_file import ExternalData, content_key, deserialize_ptd, serialize_ptd
from exir._serialize._flat_tensor import TensorLayout
from exir._serialize._flatbuffer_reader import read_root
from exir._serialize._named_data_store import DataEntry, NamedDataStore, NamedDataStoreOutput
from exir._serialize._pte_file import (
    HEADER,
    HEADER_AT,
    HEADER_MAGIC,
    IDENTIFIER,
    LEAST_HEADER,
    NamedBlob,
    PTEFile,
)
from exir._serialize._read_program import deserialize_pte_binary
from exir._serialize._segments import SerializedProgram, write_root
from exir._serialize._write_program import serialize_pte_binary

__all__ = [
    "HEADER",
    "HEADER_AT",
    "HEADER_MAGIC",
    "IDENTIFIER",
    "LEAST_HEADER",
    "DataEntry",
    "ExternalData",
    "NamedBlob",
    "NamedDataStore",
    "NamedDataStoreOutput",
    "PTEFile",
    "SerializedProgram",
    "TensorLayout",
    "content_key",
    "deserialize_ptd",
    "deserialize_pte_binary",
    "read_root",
    "serialize_ptd",
    "serialize_pte_binary",
    "write_root",
]
