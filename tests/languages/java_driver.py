"""Write the program in Java that runs recorded calls of many models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rules.codegen.java_names import accessor_names, function_names, into_name
from rules.codegen.java_types import buffer_type, element_type, is_shaped
from rules.codegen.model import Model
from rules.interface.description import Method, Slot

_MAIN = """\
// Generated.
package tests.languages;

import org.executorch.bazel.Data;
import org.executorch.bazel.Options;

final class DriverMain {{
  private DriverMain() {{}}

  public static void main(String[] arguments) throws Exception {{
    DriverIo io = new DriverIo(arguments);
    Data[] files = io.files();
    switch (arguments[0]) {{
{dispatch}      default:
        throw new IllegalArgumentException("unknown model");
    }}
    io.close();
  }}
{functions}}}
"""

_DISPATCH = """\
      case "{name}":
        run{type_name}(io, files);
        break;
"""

_FUNCTION = """
  private static void run{type_name}(DriverIo io, Data[] files) throws Exception {{
    try ({type_name} net = {type_name}.load({files}new Options().randomSeed(0))) {{
      for (int method; (method = io.nextCall()) >= 0;) {{
        switch (method) {{
{cases}          default:
            throw new IllegalArgumentException("unknown method");
        }}
      }}
    }}
  }}
"""

_CASE = """\
          case {index}: {{
{reads}            if (io.hasBuffers()) {{
{with_buffers}            }} else {{
{with_arrays}            }}
            break;
          }}
"""


class Entry(Protocol):
    """A model in the driver: `drivers.Entry`."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> Model: ...

    @property
    def borrows(self) -> bool: ...

    @property
    def type_name(self) -> str: ...


def java_main(entries: Sequence[Entry]) -> str:
    return _MAIN.format(
        dispatch="".join(_DISPATCH.format(name=entry.name, type_name=entry.type_name) for entry in entries),
        functions="".join(map(_function, entries)),
    )


def _function(entry: Entry) -> str:
    methods = entry.model.interface.methods
    names = function_names(entry.model.interface)
    return _FUNCTION.format(
        type_name=entry.type_name,
        files="files[0], files[1], " if entry.borrows else "",
        cases="".join(_case(index, method, names[method.name]) for index, method in enumerate(methods)),
    )


def _case(index: int, method: Method, name: str) -> str:
    reads = [f"DriverIo.Input input{slot.index} = io.read();" for slot in method.arguments]
    outputs = [slot for slot in method.outputs if slot.kind != "null"]
    are_fixed = bool(outputs) and all(slot.kind == "tensor" and not slot.is_dynamic for slot in outputs)
    with_buffers = _into if are_fixed else _call
    return _CASE.format(
        index=index,
        reads="".join(f"            {line}\n" for line in reads),
        with_buffers=_lines(with_buffers(method, outputs, name, has_buffers=True)),
        with_arrays=_lines(_call(method, outputs, name, has_buffers=False)),
    )


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"              {line}\n" for line in lines)


def _values(method: Method, *, has_buffers: bool) -> list[str]:
    """Return the arguments of the call."""
    values = []
    for slot in method.arguments:
        name = f"input{slot.index}"
        if slot.kind != "tensor":
            values.append(f"{name}.value()")
            continue
        values.append(f"{name}.{element_type(slot)}{'Buffer' if has_buffers else 's'}()")
        if is_shaped(slot):
            values.append(f"{name}.sizes()")
    return values


def _call(method: Method, outputs: Sequence[Slot], name: str, *, has_buffers: bool) -> list[str]:
    call = f"net.{name}({', '.join(_values(method, has_buffers=has_buffers))})"
    if len(outputs) <= 1:
        return [f"io.write({call});" if outputs else f"{call};"]
    accessors = accessor_names(outputs, method).values()
    return [f"var outputs = {call};", *(f"io.write(outputs.{accessor}());" for accessor in accessors)]


def _into(method: Method, outputs: Sequence[Slot], name: str, *, has_buffers: bool) -> list[str]:
    names = [f"output{slot.index}" for slot in outputs]
    lines = [
        f"java.nio.ByteBuffer {target} = DriverIo.allocate({slot.count * slot.element_bytes});"
        for slot, target in zip(outputs, names, strict=True)
    ]
    views = [
        target
        if buffer_type(slot).endswith("ByteBuffer")
        else f"{target}.as{buffer_type(slot).removeprefix('java.nio.')}()"
        for slot, target in zip(outputs, names, strict=True)
    ]
    lines.append(f"net.{into_name(name)}({', '.join([*_values(method, has_buffers=has_buffers), *views])});")
    lines += [
        f"io.write(new int[] {{{', '.join(map(str, slot.shape))}}}, {target});"
        for slot, target in zip(outputs, names, strict=True)
    ]
    return lines
