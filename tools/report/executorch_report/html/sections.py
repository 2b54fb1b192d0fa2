"""The sections of a report page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from executorch_report.delegates import steps_of
from executorch_report.facts import Delegate, MethodFacts, Weight
from executorch_report.html.elements import Cell, Markup, bar, details, element, joined, section, size_text, table
from executorch_report.html.memory_diagram import memory_diagram
from executorch_report.html.module_tree import tree_markup
from executorch_report.html.record import Record
from executorch_report.memory import Buffer, alive_at
from executorch_report.text import count_text, value_text

_SHOWN = 20  # maximum number of rows that a long table shows


def summary(record: Record) -> Markup:
    facts = record.facts
    costs = [_costs(record, method) for method in facts.methods]
    cards = [("file", size_text(facts.nbytes)), ("method" if len(costs) == 1 else "methods", str(len(costs)))]
    if facts.named:
        cards.append(("named data of delegates", size_text(sum(size for _, size in facts.named))))
    if len(costs) == 1:
        cards += costs[0]
    shown = joined(element("div", element("b", value), element("span", name), class_="card") for name, value in cards)
    signatures = joined(element("p", element("code", _signature(method))) for method in facts.methods)
    methods = _methods(facts.methods, costs) if len(costs) > 1 else ""
    return section("summary", "Summary", element("div", shown, class_="cards"), signatures, methods, _parts(record))


def _methods(methods: Sequence[MethodFacts], costs: Sequence[Sequence[tuple[str, str]]]) -> Markup:
    """Compare the costs of several methods, with one row per cost."""
    rows = [(same[0][0], *(value for _, value in same)) for same in zip(*costs, strict=True)]
    return table(("", *(method.name for method in methods)), rows)


def _costs(record: Record, method: MethodFacts) -> list[tuple[str, str]]:
    cards = [
        ("planned memory", size_text(method.arena_bytes)),
        ("constants", size_text(sum(weight.nbytes for weight in method.weights))),
        ("instructions", f"{len(method.instructions):,}"),
        ("operators outside delegates", f"{method.kernel_calls:,}"),
        ("delegates", str(len(method.delegates))),
    ]
    scratch = _scratch_bytes(record, method)
    if scratch is not None:
        cards.insert(1, ("scratch memory", size_text(scratch)))
    total = sum(record.times.values())
    return cards + ([("traced", f"{total / 1e6:.3f} ms")] if total else [])


def _scratch_bytes(record: Record, method: MethodFacts) -> int | None:
    """Return the scratch bytes of the call that needs most.

    None without a manifest, or if only the C compiler knows a size.
    """
    sizes = [text.removesuffix("u") for text in record.of_method(method).get("memory", {}).get("scratch", ())]
    return max(map(int, sizes)) if sizes and all(map(str.isdigit, sizes)) else None


def _signature(method: MethodFacts) -> str:
    taken, given = (", ".join(map(value_text, values)) for values in (method.inputs, method.outputs))
    return f"{method.name}({taken}) → ({given})"


def _parts(record: Record) -> Markup:
    rows = [(segment.what, segment.offset, segment.nbytes) for segment in record.facts.segments if segment.nbytes]
    return details("parts of the file", table(("part", "at", "bytes"), rows))


def graph(record: Record, method: MethodFacts) -> Markup:
    known = "" if record.sources else " Source lines are unknown; pass the source map with --sources."
    text = element("p", f"Instructions by module.{known}", class_="soft")
    return section(f"graph-{method.name}", f"Graph of {method.name}", text, tree_markup(record, method))


def operators(record: Record, method: MethodFacts) -> Markup:
    """List the operators and backends with their calls, tensor bytes and times."""
    calls: dict[str, list[int]] = defaultdict(list)
    for instruction in method.instructions:
        if instruction.kind in ("kernel", "delegate"):
            calls[instruction.name].append(instruction.index)
    touched = {name: sum(_bytes_of(method, index) for index in indices) for name, indices in calls.items()}
    most = max(touched.values(), default=0) or 1
    total = sum(record.times.values()) or 1.0
    rows: list[list[Cell]] = []
    for name, indices in sorted(calls.items(), key=lambda item: -_weight(record, touched, item)):
        row: list[Cell] = [name, len(indices), touched[name], bar(touched[name] / most)]
        time = sum(record.times.get(index, 0.0) for index in indices)
        rows.append([*row, time / 1e6, bar(time / total)] if record.times else row)
    head = ["operator", "calls", "bytes of its tensors", ""] + (["ms", "share"] if record.times else [])
    return section(f"operators-{method.name}", f"Operators of {method.name}", table(head, rows))


def _weight(record: Record, touched: Mapping[str, int], item: tuple[str, list[int]]) -> float:
    name, indices = item
    return sum(record.times.get(index, 0.0) for index in indices) if record.times else touched[name]


def _bytes_of(method: MethodFacts, index: int) -> int:
    sizes = method.value_bytes
    return sum(sizes.get(value, 0) for value in dict.fromkeys(method.instructions[index].args))


def memory(record: Record, method: MethodFacts) -> Markup:
    parts = [_buffer(method, buffer) for buffer in method.planned]
    bound = record.of_method(method).get("memory", {}).get("lower_bound_bytes", 0)
    if bound and parts:
        together = " for all planned memory" if len(parts) > 1 else ""
        parts.insert(0, element("p", f"Lower bound of any plan: {bound:,} bytes{together}."))
    return section(
        f"memory-{method.name}", f"Memory plan of {method.name}", *(parts or [element("p", "No memory is planned.")])
    )


def _buffer(method: MethodFacts, buffer: Buffer) -> Markup:
    shared = ", shared with other methods" if buffer.memory_id == method.shared_memory_id else ""
    name = method.instructions[buffer.peak_at].name if method.instructions else ""
    head = element("h3", f"Memory {buffer.memory_id}: {size_text(buffer.nbytes)}{shared}")
    words = f"Peak: {buffer.peak:,} of {buffer.nbytes:,} bytes at instruction {buffer.peak_at} ({name})."
    rows = [
        (block.text, block.nbytes, block.offset, f"{block.first} to {block.last}")
        for block in alive_at(buffer, buffer.peak_at)
    ]
    head_of_alive = f"{count_text(len(rows), 'tensor')} alive at the peak"
    alive = details(head_of_alive, table(("tensor", "bytes", "at", "instructions"), rows), is_open=len(rows) <= _SHOWN)
    axes = element(
        "p", "Instructions from left to right, bytes from bottom to top; the line marks the peak.", class_="soft"
    )
    return joined([head, element("p", words), memory_diagram(method, buffer), axes, alive])


def delegates(record: Record, method: MethodFacts) -> Markup:
    parts = [_delegate(record, method, delegate) for delegate in method.delegates]
    left = record.of_method(method).get("not_delegated", ())
    if left:
        rows = [(call["backend"], call["operator"], call["source"], call.get("reason", "")) for call in left]
        parts.append(element("h3", f"Not delegated: {len(rows)}"))
        parts.append(table(("backend", "operator", "line", "reason"), rows))
    return section(f"delegates-{method.name}", f"Delegates of {method.name}", *(parts or [element("p", "None.")]))


def _delegate(record: Record, method: MethodFacts, delegate: Delegate) -> Markup:
    calls = [instruction.index for instruction in method.instructions if instruction.delegate == delegate.index]
    steps = [(index, step.name, " ".join(step.tensors)) for index, step in enumerate(steps_of(delegate))]
    nodes = [
        (node["operator"], node["module"], node["source"]) for index in calls for node in record.nodes(method, index)
    ]
    head = f"{delegate.index}: {delegate.backend}, {size_text(delegate.nbytes)}, called by {_listed(calls)}"
    return joined(
        [
            element("h3", head),
            _steps_by_time(record, calls),
            details(count_text(len(steps), "step"), table(("#", "step", "tensors"), steps)) if steps else "",
            details(f"{count_text(len(nodes), 'node')} in the delegate", table(("operator", "module", "line"), nodes))
            if nodes
            else "",
        ]
    )


def _steps_by_time(record: Record, calls: Sequence[int]) -> Markup:
    """Return the time of each kind of step in a delegate; empty without a trace."""
    times: dict[str, list[float]] = defaultdict(list)
    for call in calls:
        for name, taken in record.step_times.get(call, {}).items():
            times[name] += taken
    if not times:
        return Markup("")
    total = sum(map(sum, times.values())) or 1.0
    ordered = sorted(times.items(), key=lambda item: -sum(item[1]))
    rows = [(name, len(taken), sum(taken) / 1e6, bar(sum(taken) / total)) for name, taken in ordered]
    return table(("step", "times", "ms", "share"), rows)


def _listed(indices: Sequence[int]) -> str:
    word = "instruction" if len(indices) == 1 else "instructions"
    return f"{word} {', '.join(map(str, indices))}" if indices else "no instruction"


def weights(record: Record, method: MethodFacts) -> Markup:
    ordered = sorted(method.weights, key=lambda constant: -constant.nbytes)
    total = sum(constant.nbytes for constant in ordered) or 1
    rows = [_weight_row(record, method, constant, total) for constant in ordered]
    named = [(key, size, bar(size / (sum(s for _, s in record.facts.named) or 1))) for key, size in record.facts.named]
    parts = [_folded(("constant", "tensor", "bytes", ""), rows)] if rows else [element("p", "No constants.")]
    if named:
        parts.append(details(f"named data of delegates: {len(named)}", table(("key", "bytes", ""), named)))
    return section(f"weights-{method.name}", f"Constants of {method.name}", *parts)


def _folded(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Markup:
    """Return a table whose further rows are folded."""
    rest = rows[_SHOWN:]
    return joined([table(head, rows[:_SHOWN]), details(f"{len(rest)} more", table(head, rest)) if rest else ""])


def _weight_row(record: Record, method: MethodFacts, weight: Weight, total: int) -> list[Cell]:
    modules = (node["module"] for index in weight.users for node in record.nodes(method, index) if node["module"])
    name = weight.name or next(iter(modules), "") or f"value {weight.value}"
    return [name, f"{weight.dtype}{list(weight.shape)}", weight.nbytes, bar(weight.nbytes / total)]


def quantization(record: Record) -> Markup:
    found: Mapping[str, Any] = record.manifest.get("quantization", {})
    if not found:
        return Markup("")
    parts = [element("p", f"Recipe {found['recipe']}.")]
    for method in found["methods"]:
        parts += [_decisions(f"quantized in {method['name']}", method["quantized"], ("module", "operator", "source"))]
        parts += [_decisions(f"float in {method['name']}", method["float"], ("module", "operator", "source", "reason"))]
    return section("quantization", "Quantization", *parts)


def _decisions(title: str, rows: Iterable[Mapping[str, str]], keys: Sequence[str]) -> Markup:
    listed = [tuple(row[key] for key in keys) for row in rows]
    return details(f"{title}: {len(listed)}", table(keys, listed)) if listed else element("p", f"{title}: none")
