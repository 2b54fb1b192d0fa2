"""Names in generated C++: namespaces, classes and members."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.codegen.model import CodegenError, Model
from rules.interface.identifiers import RESERVED_WORDS, distinct, identifier, pascal_case

# Names that every class declares.
_CLASS_MEMBERS = frozenset(("Handles", "Memory", "Methods", "create", "load", "methods_", "reset_state", "state"))


@dataclass(frozen=True)
class ClassNames:
    """Names of a model's class."""

    namespace: str  # "models::classify"
    name: str  # "Classify"
    members: dict[str, str]  # C++ function of each method
    types: dict[str, str]  # by method: "Forward", the start of its types' names


def class_names(models: Sequence[Model], package: str, namespace: str = "", name: str = "") -> list[ClassNames]:
    """Return the names for the models of a library in `package`.

    `namespace` overrides the package. `name` overrides the name of the class, if there is one model. Raises
    CodegenError if one of them is not valid in C++.
    """
    for part in namespace.split("::") if namespace else ():
        _check_identifier(part, "cpp_namespace")
    if name:
        _check_identifier(name, "cpp_class")
    parts = namespace.split("::") if namespace else [identifier(part, "cpp") for part in package.split("/") if part]
    prefixes = [identifier(model.prefix, "cpp") for model in models]
    classes = [name] if name else distinct(map(_default_name, models), prefixes)
    return [
        _names_of(model, "::".join(parts or ["models"]), class_name)
        for model, class_name in zip(models, classes, strict=True)
    ]


def _check_identifier(name: str, attribute: str) -> None:
    if name in RESERVED_WORDS["cpp"] | _CLASS_MEMBERS or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise CodegenError(
            f"{attribute}: '{name}' cannot be a name in C++; use letters, digits and '_', and no keyword"
        )


def _names_of(model: Model, namespace: str, class_name: str) -> ClassNames:
    names = [method.name for method in model.interface.methods]
    words = [method.identifier for method in model.interface.methods]
    types = distinct([pascal_case(name, "cpp") for name in words], [identifier(name, "cpp") for name in words])
    members = [identifier(name, "cpp", {class_name, *_CLASS_MEMBERS}) for name in words]
    return ClassNames(
        namespace, class_name, dict(zip(names, members, strict=True)), dict(zip(names, types, strict=True))
    )


def _default_name(model: Model) -> str:
    name = model.type_name("cpp")
    return name + "_" if name in _CLASS_MEMBERS else name
