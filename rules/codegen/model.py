"""A model of a C library: the interface of a program, and its C names and types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rules.codegen.names import link_prefix
from rules.interface.description import Interface, Slot, read_interface
from rules.interface.identifiers import pascal_case, word

# dtype: (C type, ET_SCALAR_TYPE_…).
_C_TYPES = {
    "uint8": ("uint8_t", "UINT8"),
    "int8": ("int8_t", "INT8"),
    "int16": ("int16_t", "INT16"),
    "int32": ("int32_t", "INT32"),
    "int64": ("int64_t", "INT64"),
    "float16": ("uint16_t", "FLOAT16"),
    "float32": ("float", "FLOAT32"),
    "float64": ("double", "FLOAT64"),
    "complex64": ("et_complex64", "COMPLEX64"),
    "complex128": ("et_complex128", "COMPLEX128"),
    "bool": ("bool", "BOOL"),
    "bfloat16": ("uint16_t", "BFLOAT16"),
    "uint16": ("uint16_t", "UINT16"),
    "uint32": ("uint32_t", "UINT32"),
    "uint64": ("uint64_t", "UINT64"),
}


class CodegenError(Exception):
    """The models cannot be converted to C or C++.

    The message states the place and the reason.
    """


@dataclass(frozen=True)
class Model:
    """One compiled program in a C library.

    prefix: C identifier that all names of the model start with.
    link_prefix: prefix of the model's linker symbols.
    """

    interface: Interface
    prefix: str
    link_prefix: str

    def type_name(self, language: str) -> str:
        """Return the default name of the model's type.

        It is the prefix without the words of the package, in Pascal case. With the prefix `app_net_encoder`, a model of //app/net has the type `Encoder`.
        """
        package = self.interface.target.rpartition("//")[2].partition(":")[0]
        return pascal_case(self.prefix.removeprefix(word(package) + "_"), language)


@dataclass(frozen=True)
class Borrowed:
    """Data that the caller of a load function provides.

    `programs` maps a model's prefix to the path of its program below the runfiles; empty if programs are
    embedded. `weights` is true if the caller provides the weights files.
    """

    programs: Mapping[str, str] = field(default_factory=dict)
    weights: bool = False


def read_model(path: Path, prefix: str, library: str) -> Model:
    """Read a manifest for the library with this label. Raises InterfaceError."""
    interface = read_interface(path)
    return Model(interface, prefix, link_prefix(prefix, library, interface.target))


def c_type(slot: Slot) -> str:
    """Return the C type of the elements of a tensor."""
    return _C_TYPES[slot.dtype][0]


def scalar_type(slot: Slot) -> str:
    """Return the C constant of the dtype of a tensor."""
    return "ET_SCALAR_TYPE_" + _C_TYPES[slot.dtype][1]


def check_distinct(names: Sequence[str], owners: Sequence[str], place: str, language: str) -> None:
    """Raise CodegenError if two owners have the same name in a language."""
    for index, name in enumerate(names):
        if name in names[:index]:
            raise CodegenError(
                f"{place}: {owners[names.index(name)]} and {owners[index]} are both '{name}' in {language}; rename one"
            )
