"""C names that a model's header defines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rules.codegen.model import CodegenError, Model
from rules.interface.description import Method, Slot

_METHOD_NAMES = ("execute", "load", "memory", "method", "reset_state", "scratch", "unload")


def method_prefix(model: Model, method: Method) -> str:
    return f"{model.prefix}_{method.identifier}"


def constant_prefix(prefix: str, role: str, slot: Slot) -> str:
    """Return the prefix of a slot's macros, such as `NET_FORWARD_INPUT_IMAGE`."""
    number = f"{role}_{slot.index}"
    return f"{prefix}_{number if slot.name == number else f'{role}_{slot.name}'}".upper()


def planned_member(index: int) -> str:
    """Return the member name of planned buffer `index` (memory id index + 1)."""
    return f"planned_{index}"


def linked_names(model: Model) -> list[str]:
    """Return the names of a model that the linker sees."""
    return _model_names(model) + [f"{method_prefix(model, method)}_load" for method in model.interface.methods]


def link_definitions(model: Model, names: Iterable[str]) -> str:
    """Return macros that map each name of a model to the symbol that the linker sees."""
    suffixes = [name.removeprefix(model.prefix) for name in names]
    return "".join(f"#define {model.prefix}{suffix} {model.link_prefix}{suffix}\n" for suffix in suffixes)


def check_names(models: Sequence[Model]) -> None:
    """Raise CodegenError if two entities of one library would have the same name."""
    owners: dict[str, str] = {}
    for name, owner in (entry for model in models for entry in _names_and_owners(model)):
        if name in owners:
            raise CodegenError(f"{owners[name]} and {owner} have the same C name '{name}'; rename one")
        owners[name] = owner


def _model_names(model: Model) -> list[str]:
    names = ["program_data", "program_size", "registry"] + ["weights_data"] * (model.interface.weights is not None)
    return [f"{model.prefix}_{name}" for name in names]


def _names_and_owners(model: Model) -> Iterator[tuple[str, str]]:
    """Yield each name and a description of its owner.

    One macro per model and per method represents all macros with the same prefix.
    """
    yield f"{model.prefix.upper()}_PROGRAM_BYTES", model.interface.target
    yield from ((name, model.interface.target) for name in _model_names(model))
    if model.interface.state_bytes:
        yield f"{model.prefix}_state", model.interface.target
    for method in model.interface.methods:
        prefix, owner = method_prefix(model, method), f"method '{method.name}' of {model.interface.target}"
        yield f"{prefix.upper()}_METHOD_BYTES", owner
        yield from ((f"{prefix}_{name}", owner) for name in _METHOD_NAMES)
        yield from ((f"{prefix}_set_{slot.name}", owner) for slot in method.inputs)
        yield from ((f"{prefix}_get_{slot.name}", owner) for slot in method.outputs)
        for role, slots in (("input", method.inputs), ("output", method.outputs)):
            yield from ((constant_prefix(prefix, role, slot), f"{role} '{slot.name}' of {owner}") for slot in slots)
