"""Programs to and from `.pte` files."""

from exir._serialize._named_data_store import DataEntry, NamedDataStore, NamedDataStoreOutput
from exir._serialize._pte_file import NamedBlob, PTEFile
from exir._serialize._read_program import deserialize_pte_binary
from exir._serialize._write_program import SerializedProgram, serialize_pte_binary

__all__ = [
    "DataEntry",
    "NamedBlob",
    "NamedDataStore",
    "NamedDataStoreOutput",
    "PTEFile",
    "SerializedProgram",
    "deserialize_pte_binary",
    "serialize_pte_binary",
]
