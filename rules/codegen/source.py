"""Write the C source of a library: kernel table, registries, load functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exir.operators.kernels import Kernel
from rules.codegen.header import load_parameters, private_declarations
from rules.codegen.identifiers import planned_member
from rules.codegen.kernel_table import table_definition
from rules.codegen.lent import Lent
from rules.codegen.manifest_model import Method, Model
from rules.codegen.names import c_string
from rules.codegen.typed_functions import TypedFunction, running_functions, typed_functions

_VIEW = "executorch_prim::et_view.default"

_HEAD = """\
/* Generated. */
#include "{include}"

"""

_SIZE = """
const size_t {prefix}_program_size = {upper}_PROGRAM_BYTES;
"""

# The definition follows a declaration, because no header of the library declares
# et_linked_registry.
_REGISTRY = """
extern const et_registry {name};
const et_registry {name} = {{{members}}};
"""

_OPEN_BOTH = """
static et_status open_both(et_span program, et_span weights, et_extent *extents,
                           et_data_source *sources, et_program *out_program,
                           et_error *out_error) {
  static const char *const names[] = {"program", "weights"};
  const et_span files[] = {program, weights};
  for (size_t i = 0; i < 2; i++) {
    const et_extent extent = {0, files[i]};
    const et_data_source source = {names[i], files[i].size, &extents[i], 1, NULL, NULL};
    extents[i] = extent;
    sources[i] = source;
  }
  return et_program_load_sources(sources, 2, out_program, out_error);
}
"""

_OPEN = """\
  ET_RETURN_IF_ERROR(et_program_load(file, &memory->program, out_error));
"""

_OPEN_WITH_WEIGHTS = """\
  ET_RETURN_IF_ERROR(open_both(file, weights, memory->extents, memory->sources,
                               &memory->program, out_error));
"""

_CHECK_CONTENTS = """\
  ET_RETURN_IF_ERROR(et_program_check_contents(&memory->program, out_error));
"""

_EMBEDDED = """\
  const et_span weights = {{{model}_weights_data, {upper}_WEIGHTS_BYTES}};
"""

_LOAD = """
et_status {load_parameters} {{
  const et_span file = {file};
{embedded}{planned}  const et_method_memory parts = {{
      {{memory->method, sizeof memory->method}}, {scratch}, {planned_list}, {planned_count}, {{NULL, 0}}}};
{open}  return et_method_load(&memory->program, "{name}", &{model}_registry, options, &parts,
                        out_method, out_error);
}}
"""


@dataclass(frozen=True)
class LinkedBackend:
    """The C side of a backend: its `et_backend`, and the parts that the models need."""

    symbol: str
    parts: tuple[str, ...]


def source(
    include: str,
    models: Sequence[Model],
    registries: Sequence[str],
    kernels: Sequence[Kernel],
    backends: Sequence[LinkedBackend],
    lent: Lent,
    is_shared_library: bool = False,
) -> str:
    """Return the text of the source.

    `registries` are the names of registries to define, all with the same content.
    """
    parts = [_HEAD.format(include=include)]
    if is_shared_library:
        parts += [private_declarations(model, lent) for model in models]
    parts += [table_definition(kernels, "kernels", "static ")]
    parts += [_backends(backends), _backend_parts(backends)]
    members = ", ".join(_members(models, kernels, backends))
    parts += [_REGISTRY.format(name=name, members=members) for name in registries]
    parts += [_OPEN_BOTH] * any(model.weights is not None for model in models)
    for model in models:
        parts += [_SIZE.format(prefix=model.prefix, upper=model.prefix.upper())] * (not lent.programs)
        parts += [_load(model, method, lent) for method in model.methods]
    if is_shared_library:
        parts += [function.definition for model in models for function in _functions(model)]
    return "".join(parts)


def _functions(model: Model) -> Iterator[TypedFunction]:
    for method in model.methods:
        yield from typed_functions(model, method)
        yield from running_functions(model, method)


def _members(models: Sequence[Model], kernels: Sequence[Kernel], backends: Sequence[LinkedBackend]) -> Iterator[str]:
    """Yield the members of a registry.

    A member links an optional feature of the runtime. Only features that the programs use are members.
    """
    yield ".kernels = &kernels"
    if backends:
        yield f".backends = backends, .backend_count = {len(backends)}"
    if any(each.parts for each in backends):
        yield ".parts = parts"
    if backends:
        yield ".delegation = &et_delegation"
    if any(kernel.prepare for kernel in kernels):
        yield ".preparation = &et_preparation"
    if any(kernel.operator.name == _VIEW for kernel in kernels):
        yield ".views = &et_views"
    if any(method.branches for model in models for method in model.methods):
        yield ".branching = &et_branching"
    if any(slot.has_range for model in models for method in model.methods for slot in method.ends):
        yield ".ranges = &et_ranges"


def _backends(backends: Sequence[LinkedBackend]) -> str:
    if not backends:
        return ""
    declarations = "".join(f"extern const et_backend {each.symbol};\n" for each in backends)
    items = ", ".join(f"&{each.symbol}" for each in backends)
    return f"\n{declarations}static const et_backend *const backends[] = {{{items}}};\n"


def _backend_parts(backends: Sequence[LinkedBackend]) -> str:
    """Return the parts of each backend, in the order of `backends`."""
    symbols = sorted({part for each in backends for part in each.parts})
    if not symbols:
        return ""
    lines = ["", *(f"extern const et_backend_part {symbol};" for symbol in symbols)]
    for index, each in enumerate(backends):
        items = ", ".join(f"&{part}" for part in each.parts) or "NULL"
        lines.append(f"static const et_backend_part *const parts_{index}[] = {{{items}}};")
    cells = ", ".join(f"{{parts_{index}, {len(each.parts)}}}" for index, each in enumerate(backends))
    return "\n".join([*lines, f"static const et_backend_parts parts[] = {{{cells}}};", ""])


def _load(model: Model, method: Method, lent: Lent) -> str:
    return _LOAD.format(
        load_parameters=load_parameters(model, method, lent),
        file="program" if lent.programs else f"{{{model.prefix}_program_data, {model.prefix}_program_size}}",
        embedded="" if lent.weights else _embedded(model),
        open=_open(model, lent.weights),
        model=model.prefix,
        name=c_string(method.name),
        planned=_planned(method),
        planned_list="planned" if method.planned_bytes else "NULL",
        planned_count=len(method.planned_bytes),
        scratch=_span("scratch", len(method.scratch)),
    )


def _embedded(model: Model) -> str:
    return "" if model.weights is None else _EMBEDDED.format(model=model.prefix, upper=model.prefix.upper())


def _open(model: Model, lends_weights: bool) -> str:
    """Return the C statements that open the program and its weights.

    Weights that the caller provides are compared with the SHA-256 in the program. Embedded weights are not
    checked.
    """
    if model.weights is None:
        return _OPEN
    return _OPEN_WITH_WEIGHTS + (_CHECK_CONTENTS if lends_weights else "")


def _planned(method: Method) -> str:
    if not method.planned_bytes:
        return ""
    buffers = ", ".join(
        "{{state->bytes, sizeof state->bytes}, &state->state, &et_sharing}"
        if index == method.shared
        else f"{{{_span(planned_member(index), size)}, NULL, NULL}}"
        for index, size in enumerate(method.planned_bytes)
    )
    return f"  const et_planned_buffer planned[] = {{{buffers}}};\n"


def _span(member: str, size: int) -> str:
    return f"{{memory->{member}, sizeof memory->{member}}}" if size else "{NULL, 0}"
