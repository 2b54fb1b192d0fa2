"""The models of a WebAssembly library, and the names in their JavaScript classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.codegen.model import CodegenError, Model, check_distinct
from rules.codegen.web_tokenizer import Tokenizer
from rules.interface.description import Interface, Method, Slot
from rules.interface.identifiers import RESERVED_WORDS, camel_case, pascal_case

# Kinds of outputs that have a value.
VALUE_KINDS = frozenset(("tensor", "int", "bool", "double", "string"))

_OBJECT_MEMBERS = frozenset(("hasOwnProperty", "isPrototypeOf", "toLocaleString", "toString", "valueOf"))

# `await` would call a method `then`.
_CLASS_MEMBERS = _OBJECT_MEMBERS | {"dispose", "load", "memoryBytes", "reset", "then", "threads"}

_COMMENT = re.compile(r"//[^\n]*|/\*(?:(?!\*/).)*\*/", re.DOTALL)

# Globals and other names, without those of properties.
_IDENTIFIER = re.compile(r"(?<![\w.#])[A-Za-z_]\w*")

# Names that the module and its declarations use.
_TAKEN_CLASSES = frozenset(
    """
    AbortSignal AnyArray ArrayBuffer BigInt64Array BigUint64Array ChatMessage ChatOptions Dtype EncodeOptions
    ExecutorchError Float32Array Float64Array Int16Array Int32Array Int8Array IntRange LoadOptions MethodDescription
    Object OpenOptions Program Progress Promise Record RunInput RunOutput Shaped SizeRange SlotDescription Source Status
    Symbol SymbolConstructor Tensor TokenArray TokenizerOptions URL Uint16Array Uint32Array Uint8Array
    Uint8ClampedArray Variant WebAssembly WordpieceOptions Error executorch library
    """.split()
)


@dataclass(frozen=True)
class File:
    """A file that `load` reads: the name next to the module, the size and the SHA-256."""

    name: str
    nbytes: int
    sha256: str


@dataclass(frozen=True)
class WebModel:
    """A model of a library.

    digest: of the manifest, which the module and the .wasm file compare.
    files: the files that `load` reads by role, "program" and "weights". The .wasm file contains the others.
    """

    model: Model
    class_name: str
    digest: int
    files: Mapping[str, File]


@dataclass(frozen=True)
class Library:
    """The models of a .wasm file, and tokenizers, each with its own .wasm file.

    target: label, for comments.
    modules: names of the .wasm files by variant, the fastest first.
    worker: name of the module of threads, if the library has them.
    """

    target: str
    models: Sequence[WebModel]
    modules: Mapping[str, str]
    tokenizers: Sequence[Tokenizer] = ()
    worker: str = ""


def check_class_names(names: Sequence[str], code: str) -> None:
    """Raise CodegenError for a class name that is not valid or not unused.

    code: the modules of the runtime, whose names are used.
    """
    taken = RESERVED_WORDS["typescript"] | _TAKEN_CLASSES | frozenset(_IDENTIFIER.findall(_COMMENT.sub("", code)))
    for name in names:
        is_identifier = re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None
        if not is_identifier or name in taken or re.fullmatch(r"(model|tokenizer)\d+", name):
            raise CodegenError(
                f"class_name: '{name}' cannot be a name of the module; use letters, digits and '_', and no keyword "
                "or name of its API"
            )
        if names.count(name) > 1:
            raise CodegenError(f"class_name: two classes are '{name}'; set other names")


def function_names(interface: Interface) -> list[str]:
    """Return the function that calls each method."""
    names = [camel_case(method.identifier, "typescript", _CLASS_MEMBERS) for method in interface.methods]
    check_distinct(names, [f"method '{method.name}'" for method in interface.methods], interface.target, "JavaScript")
    return names


def type_names(interface: Interface) -> list[str]:
    """Return the start of the names of each method's types, such as `Forward`."""
    names = [pascal_case(method.identifier, "typescript") for method in interface.methods]
    owners = [f"the types of method '{method.name}'" for method in interface.methods]
    check_distinct(names, owners, interface.target, "TypeScript")
    return names


def property_names(slots: Sequence[Slot], method: Method) -> dict[str, Slot]:
    """Return the inputs or outputs by the names of their properties."""
    names = [camel_case(slot.name, "typescript", _OBJECT_MEMBERS) for slot in slots]
    check_distinct(names, [f"'{slot.name}'" for slot in slots], f"method '{method.name}'", "JavaScript")
    return dict(zip(names, slots, strict=True))


def inputs_of(method: Method) -> dict[str, Slot]:
    """Return the arguments of a call by the names of their properties."""
    return property_names(method.arguments, method)


def outputs_of(method: Method) -> dict[str, Slot]:
    """Return the outputs with a value by the names of their properties."""
    return property_names([slot for slot in method.outputs if slot.kind in VALUE_KINDS], method)
