"""Write the typed header of a library of compiled models."""

from __future__ import annotations

from collections.abc import Sequence

from rules.codegen.constants import constants
from rules.codegen.identifiers import link_definitions, linked_names, method_prefix, planned_member
from rules.codegen.model import Borrowed, Model
from rules.codegen.names import c_comment, c_string
from rules.codegen.typed_functions import exported_names, handle, typed_functions
from rules.interface.description import Method

_HEAD = """\
/* Generated from {targets}. Do not edit. */
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

# Arguments of ET_METHOD_BYTES in order, except the last one.
_COUNTS = (
    "values",
    "tensors",
    "planned_tensors",
    "list_items",
    "instructions",
    "args",
    "delegates",
    "specs",
    "io_slots",
    "dims",
)

_MODEL = """
/* ---- {target} ---- */

/* Linker symbols contain a digest of the labels, so that //a:b_c and //a/b:c can be linked into
 * one program. */
{link_names}
{program}{registry}
/* 1 if the weights are from the file of the attribute 'weights'; 0 if the module initialized
 * them with a fixed seed. */
#define {upper}_WEIGHTS_FROM_FILE {weights_from_file:d}
"""

_REGISTRY = """
/* The kernels and backends that the program uses. */
extern const et_registry {prefix}_registry;
"""

_PROGRAM_BYTES = """\
#define {upper}_PROGRAM_BYTES {program_bytes}u
"""

_PROGRAM_DATA = """\
extern const uint8_t {prefix}_program_data[];
extern const size_t {prefix}_program_size;
"""

_PROGRAM = f"""\
/* The program's bytes, in read-only memory. */
{_PROGRAM_BYTES}{_PROGRAM_DATA}"""

_BORROWED_PROGRAM = """\
/* The program is not embedded: load functions take the bytes of its file, which is in the
 * runfiles of `bazel run` and `bazel test`. */
#define {upper}_PROGRAM_BYTES {program_bytes}u
#define {upper}_PROGRAM_FILE "{file}"
"""

_WEIGHTS = """
/* The program's weights are in a separate file (.ptd). */
#define {upper}_WEIGHTS_BYTES {weights_bytes}u
#define {upper}_WEIGHTS_SHA256 \\
  "{sha256}"
"""

_EMBEDDED = """extern const uint8_t {prefix}_weights_data[]; /* in read-only memory */
"""

_STATE = """
/* State that the program's methods share and keep between runs. It must be all zeros before
 * the first of them is loaded. Methods that share it must not run at the same time. */
#define {upper}_STATE_BYTES {state_bytes}u
typedef struct {prefix}_state {{
  et_state state;
  alignas(ET_MEMORY_ALIGNMENT) uint8_t bytes[{upper}_STATE_BYTES];
}} {prefix}_state;
"""

_METHOD = """
/* Exact memory requirements of method {comment}. */
#define {upper}_METHOD_BYTES \\
  {method_bytes}
{planned_defines}{scratch_define}
typedef struct {prefix}_memory {{
  et_program program;
{sources}  alignas(ET_MEMORY_ALIGNMENT) uint8_t method[{upper}_METHOD_BYTES];
{members}}} {prefix}_memory;
{handle}
/* Opens the program and loads the method into `memory`. The memory must stay in place and
 * unchanged until the method is unloaded. `options` may be NULL.{borrowed_program}{borrowed} */
et_status {load_parameters};
"""

_SOURCES = """\
  et_extent extents[2];
  et_data_source sources[2];
"""

_BORROWED_BYTES = """
 * `program` has the bytes of the program's file, 16-byte aligned; they must also stay
 * in place."""

_BORROWED_WEIGHTS = """
 * `weights` has the bytes of the .ptd file, 16-byte aligned; they must also stay
 * in place. Weights other than those that the program was compiled with are rejected."""

_SHARED_MEMORY = """
/* Memory for any one method of this library, for models that never run at the same time.
 * Loading a method invalidates the previous method and its outputs. */
typedef union {prefix}_memory {{
{members}}} {prefix}_memory;
"""

# Exports the functions even if the user compiles with -fvisibility=hidden.
_EXPORTS_BEGIN = """
#pragma GCC visibility push(default)
"""

_EXPORTS_END = """
#pragma GCC visibility pop
"""

_TAIL = """
#ifdef __cplusplus
}}  /* extern "C" */
#endif
#endif /* {guard} */
"""


def header(
    guard: str, models: Sequence[Model], borrowed: Borrowed, shared_memory: str = "", is_shared_library: bool = False
) -> str:
    """Return the generated C header.

    `guard` is the include guard. `shared_memory` is the prefix of the union type that can hold the
    memory of any method, or empty if no such type is defined. With `is_shared_library`, the header
    declares the typed functions instead of defining them, and declares only exported names.
    """
    targets = c_comment(", ".join(model.interface.target for model in models))
    parts = [_HEAD.format(targets=targets, guard=guard, includes=_include_directives(models))]
    parts += [_EXPORTS_BEGIN] * is_shared_library
    for model in models:
        parts.append(_model_section(model, borrowed, is_shared_library))
        parts += [_weights_section(model, is_hidden=borrowed.weights or is_shared_library), _state_section(model)]
        parts += [_method_section(model, method, borrowed, is_shared_library) for method in model.interface.methods]
    parts += [_EXPORTS_END] * is_shared_library
    if shared_memory:
        parts.append(_shared_memory(shared_memory, models))
    return "".join(parts) + _TAIL.format(guard=guard)


def _include_directives(models: Sequence[Model]) -> str:
    """Return includes of the headers that the manifests' size expressions need."""
    headers = sorted({name for model in models for method in model.interface.methods for name in method.memory.headers})
    return "".join(f'#include "{name}"\n' for name in headers)


def _shared_memory(prefix: str, models: Sequence[Model]) -> str:
    methods = [method_prefix(model, method) for model in models for method in model.interface.methods]
    members = "".join(f"  {method}_memory {method};\n" for method in methods)
    return _SHARED_MEMORY.format(prefix=prefix, members=members)


def _model_section(model: Model, borrowed: Borrowed, is_shared_library: bool) -> str:
    return _MODEL.format(
        target=c_comment(model.interface.target),
        link_names=link_definitions(model, exported_names(model) if is_shared_library else linked_names(model)),
        program=_program_section(model, borrowed, is_shared_library),
        registry="" if is_shared_library else _REGISTRY.format(prefix=model.prefix),
        upper=model.prefix.upper(),
        weights_from_file=model.interface.weights_from_file,
    )


def _program_section(model: Model, borrowed: Borrowed, is_hidden: bool) -> str:
    names = {"prefix": model.prefix, "upper": model.prefix.upper(), "program_bytes": model.interface.program_bytes}
    if borrowed.programs:
        return _BORROWED_PROGRAM.format(file=c_string(borrowed.programs[model.prefix]), **names)
    return (_PROGRAM_BYTES if is_hidden else _PROGRAM).format(**names)


def _weights_section(model: Model, is_hidden: bool) -> str:
    if model.interface.weights is None:
        return ""
    text = _WEIGHTS.format(
        upper=model.prefix.upper(), weights_bytes=model.interface.weights.nbytes, sha256=model.interface.weights.sha256
    )
    return text if is_hidden else text + _EMBEDDED.format(prefix=model.prefix)


def private_declarations(model: Model, borrowed: Borrowed) -> str:
    """Return declarations of names that a shared library defines but does not export."""
    text = "\n" + link_definitions(model, [name for name in linked_names(model) if not name.endswith("_load")])
    text += _REGISTRY.format(prefix=model.prefix)
    if not borrowed.programs:
        text += _PROGRAM_DATA.format(prefix=model.prefix)
    if model.interface.weights is not None and not borrowed.weights:
        text += _EMBEDDED.format(prefix=model.prefix)
    return text


def _state_section(model: Model) -> str:
    if not model.interface.state_bytes:
        return ""
    return _STATE.format(prefix=model.prefix, upper=model.prefix.upper(), state_bytes=model.interface.state_bytes)


def load_parameters(model: Model, method: Method, borrowed: Borrowed) -> str:
    """Return the name and the parameters of a method's load function."""
    prefix = method_prefix(model, method)
    indent = " " * (len(prefix) + 16)
    extra = f"{indent}{model.prefix}_state *state,\n" if method.memory.shared is not None else ""
    extra += f"{indent}et_span program,\n" if borrowed.programs else ""
    extra += f"{indent}et_span weights,\n" if borrowed.weights and model.interface.weights is not None else ""
    return (
        f"{prefix}_load({prefix}_memory *memory, const et_method_options *options,\n{extra}"
        f"{indent}{prefix}_method *out_method, et_error *out_error)"
    )


def _method_section(model: Model, method: Method, borrowed: Borrowed, is_shared_library: bool) -> str:
    prefix = method_prefix(model, method)
    text = _METHOD.format(
        comment=c_comment(method.name),
        prefix=prefix,
        upper=prefix.upper(),
        method_bytes=_method_bytes(method),
        scratch_define=_scratch_define(prefix, method.memory.scratch),
        planned_defines=_planned_defines(prefix, method),
        members=_memory_members(prefix, method),
        handle=handle(model, method),
        load_parameters=load_parameters(model, method, borrowed),
        borrowed_program=_BORROWED_BYTES if borrowed.programs else "",
        borrowed=_BORROWED_WEIGHTS if borrowed.weights and model.interface.weights is not None else "",
        sources=_SOURCES if model.interface.weights is not None else "",
    )
    functions = typed_functions(model, method)
    return (
        text
        + constants(model, method)
        + "".join(function.declaration if is_shared_library else function.inline for function in functions)
    )


def _method_bytes(method: Method) -> str:
    """Return ET_METHOD_BYTES(…) with one argument per line, named as in the manifest."""
    persistent = " + ".join(f"ET_PERSISTENT_BYTES({expression})" for expression in method.memory.persistent) or "0"
    counts = "".join(f"      /* {name} */ {method.memory.counts[name]}u, \\\n" for name in _COUNTS)
    return f"ET_METHOD_BYTES( \\\n{counts}      /* persistent */ {persistent})"


def _scratch_define(prefix: str, expressions: Sequence[str]) -> str:
    """Return a macro for the size of the largest scratch expression.

    The size is that of a union. Nested two-operand maximum macros would double their text at each level.
    """
    if not expressions:
        return f"#define {prefix.upper()}_SCRATCH_BYTES 0u\n"
    members = "".join(f"  uint8_t call_{index}[1u + ({expression})];\n" for index, expression in enumerate(expressions))
    union = f"{prefix}_scratch"
    return (
        f"#define {prefix.upper()}_SCRATCH_BYTES (sizeof({union}) - 1u)\n"
        f"typedef union {union} {{ /* + 1u: C has no arrays of size 0 */\n{members}}} {union};\n"
    )


def _planned_defines(prefix: str, method: Method) -> str:
    return "".join(
        f"#define {prefix.upper()}_{planned_member(index).upper()}_BYTES {size}u\n"
        for index, size in enumerate(method.memory.planned_bytes)
    )


def _memory_members(prefix: str, method: Method) -> str:
    """Return the members of a method's memory: planned buffers, then scratch.

    Buffers that methods share are not members. Empty arrays are omitted, because C does not allow
    them.
    """
    own = [(index, size) for index, size in enumerate(method.memory.planned_bytes) if index != method.memory.shared]
    names = [planned_member(index) for index, size in own if size > 0]
    sizes = {name: f"{prefix.upper()}_{name.upper()}_BYTES" for name in names}
    if method.memory.scratch:
        sizes["scratch"] = f"ET_MAX({prefix.upper()}_SCRATCH_BYTES, 1u)"
    return "".join(f"  alignas(ET_MEMORY_ALIGNMENT) uint8_t {name}[{size}];\n" for name, size in sizes.items())
