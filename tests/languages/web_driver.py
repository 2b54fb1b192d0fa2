"""Write the program in JavaScript that runs recorded calls of many models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from rules.codegen.model import Model
from rules.codegen.web_model import function_names, inputs_of, outputs_of
from rules.codegen.web_types import ARRAYS
from rules.interface.description import Method, Slot

_MAIN = """\
// Generated. TypeScript checks it as well.
import {{ DriverIo }} from "./DriverIo.mjs";
{imports}
/** @type {{Record<string, (io: DriverIo) => Promise<void>>}} */
const runs = {{
{runs}}};

const io = await DriverIo.open();
await runs[io.model]?.(io);
io.close();
"""

_RUN = """\
  {key}: async (io) => {{
    const net = await {type_name}.load({{ randomSeed: 0 }});
    for (let method = io.nextCall(); method >= 0; method = io.nextCall()) {{
      switch (method) {{
{cases}      }}
    }}
    net.dispose();
  }},
"""

_CASE = """\
        case {index}: {{
          const outputs = net.{function}({{ {inputs} }});
{writes}          break;
        }}
"""


class Entry(Protocol):
    """A model in the driver: `drivers.Entry`."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> Model: ...

    @property
    def library(self) -> str: ...

    @property
    def type_name(self) -> str: ...


def web_main(entries: Sequence[Entry]) -> str:
    libraries: dict[str, list[str]] = {}
    for entry in entries:
        libraries.setdefault(entry.library, []).append(entry.type_name)
    return _MAIN.format(
        imports="".join(
            f'import {{ {", ".join(names)} }} from "./web_{library}.mjs";\n' for library, names in libraries.items()
        ),
        runs="".join(map(_run, entries)),
    )


def _run(entry: Entry) -> str:
    interface = entry.model.interface
    cases = enumerate(zip(interface.methods, function_names(interface), strict=True))
    return _RUN.format(
        key=json.dumps(entry.name),
        type_name=entry.type_name,
        cases="".join(_case(index, method, name) for index, (method, name) in cases),
    )


def _case(index: int, method: Method, function: str) -> str:
    inputs = (f"{name}: io.{_reader(slot)}()" for name, slot in inputs_of(method).items())
    writes = (f"          io.write(outputs.{name});\n" for name in outputs_of(method))
    return _CASE.format(index=index, function=function, inputs=", ".join(inputs), writes="".join(writes))


def _reader(slot: Slot) -> str:
    return ARRAYS[slot.dtype] if slot.kind == "tensor" else "int"
