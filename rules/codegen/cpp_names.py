"""Names in generated C++: namespaces, classes and members."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.codegen.manifest_model import CodegenError, Model
from rules.codegen.names import c_word

# C++20, with the alternative tokens.
_KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq
    """.split()
)

# Names that every class declares.
_CLASS_MEMBERS = frozenset(("Memory", "Methods", "create", "load", "methods_", "reset_state", "state"))


@dataclass(frozen=True)
class ClassNames:
    """Names of a model's class."""

    namespace: str  # "models::classify"
    name: str  # "Classify"
    members: dict[str, str]  # C++ function of each method
    types: dict[str, str]  # by method: "Forward", the start of its types' names


def cpp_identifier(name: str, reserved: Iterable[str] = ()) -> str:
    """Return `name` as an identifier.

    A '_' follows a keyword or a reserved name, and precedes a digit.
    """
    word = c_word(name) or "unnamed"
    if word in _KEYWORDS or word in reserved:
        return word + "_"
    return "_" + word if word[0].isdigit() else word


def pascal_case(name: str) -> str:
    """Return `name` as the name of a type: "encode_image" as "EncodeImage"."""
    return cpp_identifier("".join(part[:1].upper() + part[1:] for part in c_word(name).split("_")))


def class_names(models: Sequence[Model], package: str, namespace: str = "", name: str = "") -> list[ClassNames]:
    """Return the names for the models of a library in `package`.

    `namespace` overrides the package. `name` overrides the name of the class, if there is one model. Raises
    CodegenError if one of them is not valid in C++.
    """
    for part in namespace.split("::") if namespace else ():
        _check_identifier(part, "cpp_namespace")
    if name:
        _check_identifier(name, "cpp_class")
    parts = namespace.split("::") if namespace else [cpp_identifier(part) for part in package.split("/") if part]
    classes = [name] if name else _distinct([_default_name(model) for model in models], [m.prefix for m in models])
    return [
        _names_of(model, "::".join(parts or ["models"]), class_name)
        for model, class_name in zip(models, classes, strict=True)
    ]


def _check_identifier(name: str, attribute: str) -> None:
    if name in _KEYWORDS | _CLASS_MEMBERS or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise CodegenError(
            f"{attribute}: '{name}' cannot be a name in C++; use letters, digits and '_', and no keyword"
        )


def _names_of(model: Model, namespace: str, class_name: str) -> ClassNames:
    names = [method.name for method in model.methods]
    identifiers = [method.identifier for method in model.methods]
    types = _distinct([pascal_case(identifier) for identifier in identifiers], identifiers)
    members = [cpp_identifier(identifier, {class_name, *_CLASS_MEMBERS}) for identifier in identifiers]
    return ClassNames(
        namespace, class_name, dict(zip(names, members, strict=True)), dict(zip(names, types, strict=True))
    )


def _default_name(model: Model) -> str:
    """Return the model's prefix without the words of its package.

    With the prefix `app_net_encoder`, a model of //app/net has the class `Encoder`.
    """
    package = model.target.rpartition("//")[2].partition(":")[0]
    name = pascal_case(model.prefix.removeprefix(c_word(package) + "_"))
    return name + "_" if name in _CLASS_MEMBERS else name


def _distinct(names: Sequence[str], unique: Sequence[str]) -> list[str]:
    """Return `names`, with duplicates replaced by their `unique` names."""
    return [
        name if names.count(name) == 1 else cpp_identifier(other) for name, other in zip(names, unique, strict=True)
    ]
