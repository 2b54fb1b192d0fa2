"""Group the instructions of a method by the modules of the model."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from executorch_report.facts import Instruction, MethodFacts
from executorch_report.html.elements import Cell, Markup, details, element, joined, table
from executorch_report.html.record import Record
from executorch_report.text import count_text


@dataclass
class Module:
    """A module, with its instructions and submodules in program order."""

    name: str
    items: list[Instruction | Module] = field(default_factory=list)

    def instructions(self) -> list[Instruction]:
        found: list[Instruction] = []
        for item in self.items:
            found += item.instructions() if isinstance(item, Module) else [item]
        return found


def module_tree(record: Record, method: MethodFacts) -> Module:
    """Return the tree of modules.

    Consecutive instructions of a module share one entry. A later run of the same module has its own
    entry.
    """
    root = Module(method.name)
    for instruction in method.instructions:
        if instruction.kind != "free":
            _place(root, _path(record, method, instruction), instruction)
    return root


def _path(record: Record, method: MethodFacts, instruction: Instruction) -> list[str]:
    """Return the path of the innermost module that contains the instruction's nodes."""
    paths = [node["module"].split(".") for node in record.nodes(method, instruction.index) if node["module"]]
    common: list[str] = []
    for parts in zip(*paths):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return common


def _place(root: Module, path: Sequence[str], instruction: Instruction) -> None:
    at = root
    for name in path:
        last = at.items[-1] if at.items else None
        if not isinstance(last, Module) or last.name != name:
            last = Module(name)
            at.items.append(last)
        at = last
    at.items.append(instruction)


def tree_markup(record: Record, method: MethodFacts) -> Markup:
    return element("div", _module(record, method, module_tree(record, method), is_open=True), class_="tree")


def _module(record: Record, method: MethodFacts, module: Module, is_open: bool = False) -> Markup:
    parts: list[Cell] = []
    rows: list[Instruction] = []
    for item in module.items:
        if isinstance(item, Module):
            parts += [_rows(record, method, rows), _module(record, method, item)]
            rows = []
        else:
            rows.append(item)
    parts.append(_rows(record, method, rows))
    return details(_summary(record, module), *parts, is_open=is_open)


def _summary(record: Record, module: Module) -> Markup:
    instructions = module.instructions()
    count = count_text(len(instructions), "instruction")
    time = sum(record.times.get(instruction.index, 0.0) for instruction in instructions)
    times = f", {time / 1e6:.3f} ms" if record.times else ""
    return joined([element("b", module.name), " ", element("span", count + times, class_="soft")])


def _rows(record: Record, method: MethodFacts, instructions: Sequence[Instruction]) -> Markup:
    if not instructions:
        return Markup("")
    head = ["#", "operator", "tensors", "line", *(["µs"] if record.times else [])]
    return table(head, [_row(record, method, instruction) for instruction in instructions])


def _row(record: Record, method: MethodFacts, instruction: Instruction) -> list[Cell]:
    lines = dict.fromkeys(node["source"] for node in record.nodes(method, instruction.index) if node["source"])
    shown = ", ".join(list(lines)[:4]) + (f" and {len(lines) - 4} more" if len(lines) > 4 else "")
    times: list[Cell] = [record.times.get(instruction.index, 0.0) / 1e3] if record.times else []
    return [instruction.index, instruction.name, _tensors(instruction.tensors), shown, *times]


def _tensors(texts: Sequence[str]) -> str:
    """Format tensors as a list.

    Consecutive equal tensors have a count, such as "60 x float32[2, 3]". For example, a delegate
    can have the KV caches of all layers.
    """
    counted = ((text, len(list(alike))) for text, alike in itertools.groupby(texts))
    return " ".join(text if count == 1 else f"{count} x {text}" for text, count in counted)
