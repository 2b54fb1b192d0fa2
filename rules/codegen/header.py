"""The typed header of a library of compiled models."""

from __future__ import annotations

from collections.abc import Sequence

from rules.codegen.identifiers import linked_names, method_prefix, planned_member
from rules.codegen.lent import Lent
from rules.codegen.manifest_model import Method, Model, Slot
from rules.codegen.names import c_comment, c_string

_HEAD = """\
/* Generated from {targets}. */
#ifndef {guard}
#define {guard}

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/method.h"
#include "executorch/method_layout.h"
#include "executorch/program.h"
{includes}
#ifdef __cplusplus
extern "C" {{
#endif
"""

# The arguments of ET_METHOD_BYTES, in its order, but for the last.
_COUNTS = (
    "values",
    "tensors",
    "planned_tensors",
    "list_items",
    "instructions",
    "args",
    "delegates",
    "specs",
    "ends",
    "dims",
)

_MODEL = """
/* ---- {target} ---- */

/* To the linker, a digest of the labels stands in the names: //a:b_c and //a/b:c can be in one
 * program. */
{link_names}
{program}
/* The kernels and backends that the program uses. */
extern const et_registry {prefix}_registry;

/* 1 when the weights came from the rule's 'weights' file; 0 when from the module
 * itself, seeded. */
#define {upper}_WEIGHTS_FROM_FILE {weights_from_file:d}
"""

_PROGRAM = """\
/* The program's bytes, in read-only memory. */
#define {upper}_PROGRAM_BYTES {program_bytes}u
extern const uint8_t {prefix}_program_data[];
extern const size_t {prefix}_program_size;
"""

_LENT_PROGRAM = """\
/* The program is no part of the library: load functions take the bytes of its file, and `bazel
 * run` and `bazel test` have that below their runfiles. */
#define {upper}_PROGRAM_BYTES {program_bytes}u
#define {upper}_PROGRAM_FILE "{file}"
"""

_WEIGHTS = """
/* The program's weights lie in a file of their own (.ptd). */
#define {upper}_WEIGHTS_BYTES {weights_bytes}u
#define {upper}_WEIGHTS_SHA256 \\
  "{sha256}"
"""

_EMBEDDED = """extern const uint8_t {prefix}_weights_data[]; /* in read-only memory */
"""

_STATE = """
/* What methods of the program keep from run to run and share. All zero before the first
 * of them is loaded; the methods that share it must not run at the same time. */
#define {upper}_STATE_BYTES {state_bytes}u
typedef struct {prefix}_state {{
  et_state state;
  alignas(ET_MEMORY_ALIGNMENT) uint8_t bytes[{upper}_STATE_BYTES];
}} {prefix}_state;
"""

_METHOD = """
/* Exactly what method {comment} needs. */
#define {upper}_METHOD_BYTES \\
  {method_bytes}
{planned_defines}{scratch_define}
typedef struct {prefix}_memory {{
  et_program program;
{sources}  alignas(ET_MEMORY_ALIGNMENT) uint8_t method[{upper}_METHOD_BYTES];
{members}}} {prefix}_memory;

/* Opens the program and loads the method into `memory`, which must stay in place, and be
 * used for nothing else, as long as *out_method is used. `options` may be NULL.{lent_program}{lent} */
et_status {load_parameters};
"""

_SOURCES = """\
  et_extent extents[2];
  et_data_source sources[2];
"""

_LENT_BYTES = """ `program`
 * is the program's file, aligned to 16 bytes, which stays in place too."""

_LENT = """ `weights`
 * is the .ptd file, aligned to 16 bytes, which stays in place too; its bytes are compared
 * with those that the program was compiled with."""

_STATIC_INPUT = """
/* Input {index}, {name}: {dtype} {shape}. Copies {count} elements. */
static inline et_status {prefix}_set_{name}(et_method *method, const {c_type} *data,
    et_error *out_error) {{
  static const int32_t sizes[] = {{{sizes}}};
  return et_method_set_input(method, {index}, {scalar_type}, sizes, {rank}, data,
                             {nbytes}u, out_error);
}}
"""

_DYNAMIC_INPUT = """
/* Input {index}, {name}: {dtype} [{sizes}]. Copies `count` elements, the product of
 * the {rank} sizes. */
static inline et_status {prefix}_set_{name}(et_method *method, const {c_type} *data,
    size_t count, const int32_t *sizes, et_error *out_error) {{
  return et_method_set_input(method, {index}, {scalar_type}, sizes, {rank}, data,
                             count * {element_bytes}u, out_error);
}}
"""

_INTEGER_INPUT = """
/* Input {index}, {name}: an integer, {range}. */
static inline et_status {prefix}_set_{name}(et_method *method, int64_t value,
    et_error *out_error) {{
  et_value given;
  given.tag = ET_VALUE_INT;
  given.u.as_int = value;
  return et_method_set_scalar_input(method, {index}, &given, out_error);
}}
"""

_OUTPUT = """
/* Output {index}: {dtype} {sizes}. Valid until the next execute. INVALID_STATE unless
 * the last execute succeeded. */
static inline et_status {prefix}_get_{name}(const et_method *method, {out_type} **out_data,
    et_error *out_error) {{
  const et_value *value = NULL;
  ET_RETURN_IF_ERROR(et_method_get_output(method, {index}, &value, out_error));
  *out_data = {expression};
  return ET_STATUS_OK;
}}
"""

_SHARED_MEMORY = """
/* Room for any of the methods of this library: for models that never run together. Loading one
 * ends the one before it, whose outputs are gone then. */
typedef union {prefix}_memory {{
{members}}} {prefix}_memory;
"""

_TAIL = """
#ifdef __cplusplus
}}  /* extern "C" */
#endif
#endif /* {guard} */
"""


def header(guard: str, models: Sequence[Model], lent: Lent, shared_memory: str = "") -> str:
    """The header's text; `guard` is the macro that it is included once by.

    shared_memory: what the name of one type for the memory of any method begins with, where there is one.
    """
    targets = c_comment(", ".join(model.target for model in models))
    parts = [_HEAD.format(targets=targets, guard=guard, includes=_includes(models))]
    for model in models:
        parts += [_model(model, lent), _weights(model, lent.weights), _state(model)]
        parts += [_method(model, method, lent) for method in model.methods]
    if shared_memory:
        parts.append(_shared_memory(shared_memory, models))
    return "".join(parts) + _TAIL.format(guard=guard)


def _includes(models: Sequence[Model]) -> str:
    """What the expressions of the manifests need."""
    headers = sorted({name for model in models for method in model.methods for name in method.headers})
    return "".join(f'#include "{name}"\n' for name in headers)


def _link_definitions(model: Model) -> str:
    suffixes = [name.removeprefix(model.prefix) for name in linked_names(model)]
    return "".join(f"#define {model.prefix}{suffix} {model.link_prefix}{suffix}\n" for suffix in suffixes)


def _shared_memory(prefix: str, models: Sequence[Model]) -> str:
    methods = [method_prefix(model, method) for model in models for method in model.methods]
    members = "".join(f"  {method}_memory {method};\n" for method in methods)
    return _SHARED_MEMORY.format(prefix=prefix, members=members)


def _model(model: Model, lent: Lent) -> str:
    return _MODEL.format(
        target=c_comment(model.target),
        link_names=_link_definitions(model),
        prefix=model.prefix,
        upper=model.prefix.upper(),
        program=_program(model, lent),
        weights_from_file=model.weights_from_file,
    )


def _program(model: Model, lent: Lent) -> str:
    names = {"prefix": model.prefix, "upper": model.prefix.upper(), "program_bytes": model.program_bytes}
    if not lent.programs:
        return _PROGRAM.format(**names)
    return _LENT_PROGRAM.format(file=c_string(lent.programs[model.prefix]), **names)


def _weights(model: Model, lent: bool) -> str:
    if model.weights is None:
        return ""
    text = _WEIGHTS.format(upper=model.prefix.upper(), weights_bytes=model.weights.nbytes, sha256=model.weights.sha256)
    return text if lent else text + _EMBEDDED.format(prefix=model.prefix)


def _state(model: Model) -> str:
    if not model.state_bytes:
        return ""
    return _STATE.format(prefix=model.prefix, upper=model.prefix.upper(), state_bytes=model.state_bytes)


def load_parameters(model: Model, method: Method, lent: Lent) -> str:
    """The name of a method's load function and what it takes."""
    prefix = method_prefix(model, method)
    indent = " " * (len(prefix) + 16)
    extra = f"{indent}{model.prefix}_state *state,\n" if method.shared is not None else ""
    extra += f"{indent}et_span program,\n" if lent.programs else ""
    extra += f"{indent}et_span weights,\n" if lent.weights and model.weights is not None else ""
    return (
        f"{prefix}_load({prefix}_memory *memory, const et_method_options *options,\n{extra}"
        f"{indent}et_method **out_method, et_error *out_error)"
    )


def _method(model: Model, method: Method, lent: Lent) -> str:
    prefix = method_prefix(model, method)
    text = _METHOD.format(
        comment=c_comment(method.name),
        prefix=prefix,
        upper=prefix.upper(),
        method_bytes=_method_bytes(method),
        scratch_define=_scratch_define(prefix, method.scratch),
        planned_defines=_planned_defines(prefix, method),
        members=_members(prefix, method),
        load_parameters=load_parameters(model, method, lent),
        lent_program=_LENT_BYTES if lent.programs else "",
        lent=_LENT if lent.weights and model.weights is not None else "",
        sources=_SOURCES if model.weights is not None else "",
    )
    text += "".join(_input(prefix, slot) for slot in method.inputs if slot.kind == "tensor" or slot.range)
    return text + "".join(_output(prefix, slot) for slot in method.outputs if slot.kind == "tensor")


def _method_bytes(method: Method) -> str:
    """The macro with an argument a line, as the manifest names them."""
    kept = " + ".join(f"ET_KEPT_BYTES({each})" for each in method.kept) or "0"
    counts = "".join(f"      /* {name} */ {method.counts[name]}u, \\\n" for name in _COUNTS)
    return f"ET_METHOD_BYTES( \\\n{counts}      /* kept */ {kept})"


def _scratch_define(prefix: str, expressions: Sequence[str]) -> str:
    """The largest of them. A union finds it: a macro of two operands, nested, would double its text each time."""
    if not expressions:
        return f"#define {prefix.upper()}_SCRATCH_BYTES 0u\n"
    members = "".join(f"  uint8_t call_{index}[1u + ({expression})];\n" for index, expression in enumerate(expressions))
    union = f"{prefix}_scratch"
    return (
        f"#define {prefix.upper()}_SCRATCH_BYTES (sizeof({union}) - 1u)\n"
        f"typedef union {union} {{ /* each a byte longer: it may be none */\n{members}}} {union};\n"
    )


def _planned_defines(prefix: str, method: Method) -> str:
    return "".join(
        f"#define {prefix.upper()}_{planned_member(index).upper()}_BYTES {size}u\n"
        for index, size in enumerate(method.planned_bytes)
    )


def _members(prefix: str, method: Method) -> str:
    """One array a planned buffer of its own, then scratch; empty ones are left out, as C requires."""
    own = [(index, size) for index, size in enumerate(method.planned_bytes) if index != method.shared]
    names = [planned_member(index) for index, size in own if size > 0]
    sizes = {name: f"{prefix.upper()}_{name.upper()}_BYTES" for name in names}
    if method.scratch:
        sizes["scratch"] = f"ET_LARGER({prefix.upper()}_SCRATCH_BYTES, 1u)"
    return "".join(f"  alignas(ET_MEMORY_ALIGNMENT) uint8_t {name}[{size}];\n" for name, size in sizes.items())


def _input(prefix: str, slot: Slot) -> str:
    if slot.kind != "tensor":
        return _INTEGER_INPUT.format(prefix=prefix, index=slot.index, name=slot.name, range=slot.range)
    template = _DYNAMIC_INPUT if slot.is_dynamic else _STATIC_INPUT
    return template.format(
        prefix=prefix,
        sizes=", ".join(slot.sizes if slot.is_dynamic else map(str, slot.shape)) or "0",
        nbytes=slot.count * slot.element_bytes,
        **_facts(slot),
    )


def _output(prefix: str, slot: Slot) -> str:
    tensor = "value->u.as_tensor"
    return _OUTPUT.format(
        prefix=prefix,
        sizes=f"[{', '.join(slot.sizes or map(str, slot.shape))}]",
        out_type="const et_tensor" if slot.is_dynamic else f"const {slot.c_type}",
        expression=tensor if slot.is_dynamic else f"(const {slot.c_type} *){tensor}->data",
        **_facts(slot),
    )


def _facts(slot: Slot) -> dict[str, object]:
    return {
        "index": slot.index,
        "name": slot.name,
        "dtype": slot.dtype,
        "shape": list(slot.shape),
        "count": slot.count,
        "rank": len(slot.shape),
        "c_type": slot.c_type,
        "scalar_type": slot.scalar_type,
        "element_bytes": slot.element_bytes,
    }
