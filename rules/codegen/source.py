"""The C source behind the typed header: the table of kernels, registries and load functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exir.operators.kernels import Kernel
from rules.codegen.header import load_parameters
from rules.codegen.identifiers import planned_member
from rules.codegen.kernel_table import table_definition
from rules.codegen.manifest_model import Method, Model
from rules.codegen.names import c_string

_HEAD = """\
/* Generated. */
#include "{include}"

"""

_SIZE = """
const size_t {prefix}_program_size = {upper}_PROGRAM_BYTES;
"""

# Declared first: et_linked_registry is in no header of the library.
_REGISTRY = """
extern const et_registry {name};
const et_registry {name} = {{&kernels, {backends}, {backend_count}, {parts}}};
"""

_LOAD = """
et_status {load_parameters} {{
  const et_span file = {{{model}_program_data, {model}_program_size}};
{planned}  const et_method_memory parts = {{
      {{memory->method, sizeof memory->method}}, {scratch}, {planned_list}, {planned_count}, {{NULL, 0}}}};
  ET_RETURN_IF_ERROR(et_program_load(file, &memory->program, out_error));
  return et_method_load(&memory->program, "{name}", &{model}_registry, options, &parts,
                        out_method, out_error);
}}
"""


@dataclass(frozen=True)
class LinkedBackend:
    """A backend's C side: the `et_backend` and those of its parts that are needed."""

    symbol: str
    parts: tuple[str, ...]


def source(
    include: str,
    models: Sequence[Model],
    registries: Sequence[str],
    kernels: Sequence[Kernel],
    backends: Sequence[LinkedBackend],
) -> str:
    """The source's text: `registries` are defined, all alike."""
    parts = [_HEAD.format(include=include), table_definition(kernels, "kernels", "static ")]
    parts += [_backends(backends), _backend_parts(backends)]
    parts += [_registry(name, backends) for name in registries]
    for model in models:
        parts.append(_SIZE.format(prefix=model.prefix, upper=model.prefix.upper()))
        parts += [_load(model, method) for method in model.methods]
    return "".join(parts)


def _registry(name: str, backends: Sequence[LinkedBackend]) -> str:
    return _REGISTRY.format(
        name=name,
        backends="backends" if backends else "NULL",
        backend_count=len(backends),
        parts="parts" if any(each.parts for each in backends) else "NULL",
    )


def _backends(backends: Sequence[LinkedBackend]) -> str:
    if not backends:
        return ""
    declarations = "".join(f"extern const et_backend {each.symbol};\n" for each in backends)
    items = ", ".join(f"&{each.symbol}" for each in backends)
    return f"\n{declarations}static const et_backend *const backends[] = {{{items}}};\n"


def _backend_parts(backends: Sequence[LinkedBackend]) -> str:
    """A list of parts for each backend, beside `backends`."""
    symbols = sorted({part for each in backends for part in each.parts})
    if not symbols:
        return ""
    lines = ["", *(f"extern const et_backend_part {symbol};" for symbol in symbols)]
    for index, each in enumerate(backends):
        items = ", ".join(f"&{part}" for part in each.parts) or "NULL"
        lines.append(f"static const et_backend_part *const parts_{index}[] = {{{items}}};")
    cells = ", ".join(f"{{parts_{index}, {len(each.parts)}}}" for index, each in enumerate(backends))
    return "\n".join([*lines, f"static const et_backend_parts parts[] = {{{cells}}};", ""])


def _load(model: Model, method: Method) -> str:
    return _LOAD.format(
        load_parameters=load_parameters(model, method),
        model=model.prefix,
        name=c_string(method.name),
        planned=_planned(method),
        planned_list="planned" if method.planned_bytes else "NULL",
        planned_count=len(method.planned_bytes),
        scratch=_span("scratch", len(method.scratch)),
    )


def _planned(method: Method) -> str:
    if not method.planned_bytes:
        return ""
    buffers = ", ".join(
        "{{state->bytes, sizeof state->bytes}, &state->state}"
        if index == method.shared
        else f"{{{_span(planned_member(index), size)}, NULL}}"
        for index, size in enumerate(method.planned_bytes)
    )
    return f"  const et_planned_buffer planned[] = {{{buffers}}};\n"


def _span(member: str, size: int) -> str:
    return f"{{memory->{member}, sizeof memory->{member}}}" if size else "{NULL, 0}"
