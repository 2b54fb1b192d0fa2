"""Names in generated C++: namespaces, classes and members."""

from __future__ import annotations

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

# Members of every class, and names that the bodies of methods use.
_CLASS_MEMBERS = frozenset(("create", "reset_state", "load", "methods_", "state"))


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


def class_names(model: Model, package: str, namespace: str = "", name: str = "") -> ClassNames:
    """Return the names for a model of a library in `package`.

    `namespace` and `name` override the defaults: the package, and the model's prefix without its package.
    """
    parts = namespace.split("::") if namespace else [part for part in package.split("/") if part] or ["models"]
    members = {method.name: cpp_identifier(method.identifier, _CLASS_MEMBERS) for method in model.methods}
    types = {method.name: pascal_case(method.identifier) for method in model.methods}
    _check_distinct(model, types)
    return ClassNames("::".join(cpp_identifier(part) for part in parts), name or _default_name(model), members, types)


def _default_name(model: Model) -> str:
    """Return the model's prefix without the words of its package.

    With the prefix `app_net_encoder`, a model of //app/net has the class `Encoder`.
    """
    package = model.target.rpartition("//")[2].partition(":")[0]
    return pascal_case(model.prefix.removeprefix(c_word(package) + "_"))


def check_class_names(models: Sequence[Model], names: Sequence[ClassNames]) -> None:
    """Raise CodegenError if two models of a library have the same class name."""
    owners: dict[str, str] = {}
    for model, given in zip(models, names, strict=True):
        if given.name in owners:
            raise CodegenError(
                f"{owners[given.name]} and {model.target} have the same C++ class '{given.name}'; set another 'prefix'"
            )
        owners[given.name] = model.target


def _check_distinct(model: Model, types: dict[str, str]) -> None:
    owners: dict[str, str] = {}
    for method, name in types.items():
        if name in owners:
            raise CodegenError(
                f"methods '{owners[name]}' and '{method}' of {model.target} have the same C++ name '{name}'; rename one"
            )
        owners[name] = method
