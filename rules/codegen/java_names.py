"""Names and texts in generated Java."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rules.codegen.model import CodegenError, check_distinct
from rules.interface.description import Interface, Method, Slot
from rules.interface.identifiers import RESERVED_WORDS, camel_case, identifier, joined_words, pascal_case

# Functions without parameters of every object, and those of generated classes.
_OBJECT_FUNCTIONS = frozenset(("clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"))
_CLASS_FUNCTIONS = _OBJECT_FUNCTIONS | {"close", "load", "reset"}

# A variable with the name of a package would hide the package.
_VARIABLES = frozenset(("call", "java", "options", "org"))


def function_names(interface: Interface) -> dict[str, str]:
    """Return the name of the function that calls each method."""
    names = {method.name: camel_case(method.identifier, "java", _CLASS_FUNCTIONS) for method in interface.methods}
    owners = [f"method '{method.name}'" for method in interface.methods]
    all_names = [*names.values(), *(into_name(name) for name in names.values())]
    check_distinct(all_names, [*owners, *(f"{owner} with buffers" for owner in owners)], interface.target, "Java")
    return names


def into_name(function: str) -> str:
    """Return the name of the function that writes outputs to buffers."""
    return f"{function.rstrip('_')}Into"


def output_classes(interface: Interface, class_name: str) -> dict[str, str]:
    """Return the name of the class with the outputs of each method."""
    names = {method.name: pascal_case(method.identifier, "java") + "Outputs" for method in interface.methods}
    names = {method: name + "_" * (name == class_name) for method, name in names.items()}
    owners = [f"the outputs of method '{name}'" for name in names]
    check_distinct([*names.values()], owners, interface.target, "Java")
    return names


def parameter_names(slots: Sequence[Slot], method: Method) -> dict[int, str]:
    """Return the variable of each input, by index."""
    names = {slot.index: camel_case(slot.name, "java", _VARIABLES) for slot in slots}
    check_distinct([*names.values()], [f"'{slot.name}'" for slot in slots], f"method '{method.name}'", "Java")
    return names


def accessor_names(slots: Sequence[Slot], method: Method) -> dict[int, str]:
    """Return the function that returns each output, by index.

    That of "scores" is "getScores", which Kotlin shows as a property.
    """
    names = {slot.index: _accessor(joined_words(slot.name)) for slot in slots}
    check_distinct([*names.values()], [f"'{slot.name}'" for slot in slots], f"method '{method.name}'", "Java")
    return names


def _accessor(name: str) -> str:
    return identifier(f"get{name[:1].upper()}{name[1:]}", "java", _OBJECT_FUNCTIONS)


def unused(name: str, used: Iterable[str]) -> str:
    """Return `name`, with '_' at its end until it is not in `used`."""
    taken = set(used)
    while name in taken:
        name += "_"
    return name


def check_class_name(name: str) -> None:
    if not _is_identifier(name) or name in ("java", "org"):
        raise CodegenError(
            f"class_name: '{name}' cannot be a name in Java; use letters, digits and '_', and no keyword"
        )


def check_package(package: str) -> None:
    if not all(map(_is_identifier, package.split("."))):
        raise CodegenError(f"package: '{package}' is not a Java package; pass a name such as 'com.example.app'")


def _is_identifier(name: str) -> bool:
    return name not in RESERVED_WORDS["java"] and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is not None


def javadoc(text: str) -> str:
    """Return `text` as one line of a documentation comment.

    Nothing in it is markup, ends the comment or is an escape. Unprintable characters become spaces.
    """
    return "".join(_javadoc_character(c) for c in text)


def _javadoc_character(character: str) -> str:
    if not character.isprintable():
        return " "
    if character.isascii() and character not in "&<>@*\\{}":
        return character
    return f"&#{ord(character)};"


def javadoc_lines(text: str, indent: str) -> str:
    """Return a docstring as paragraphs of a documentation comment."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]
    return "".join(f"{indent} *\n{indent} * <p>{javadoc(paragraph)}\n" for paragraph in paragraphs)
