"""Typed functions that set a method's inputs, run it and read its outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rules.codegen.identifiers import method_prefix
from rules.codegen.model import Model, c_type, scalar_type
from rules.codegen.names import c_comment
from rules.interface.description import Method, Slot


@dataclass(frozen=True)
class TypedFunction:
    """A C function: comment, return type, name, parameters and body."""

    comment: str
    signature: str
    body: str

    @property
    def name(self) -> str:
        """Name of the function in the header."""
        return self.signature.partition("(")[0].split()[-1]

    @property
    def inline(self) -> str:
        """Definition as an inline function, for a header that is used with the runtime."""
        return f"\n{self.comment}static inline {self.signature} {{\n{self.body}}}\n"

    @property
    def declaration(self) -> str:
        """Declaration for the header of a shared library."""
        return f"\n{self.comment}{self.signature};\n"

    @property
    def definition(self) -> str:
        """Definition for the source of a shared library."""
        return f"\n{self.signature} {{\n{self.body}}}\n"


# Arguments are by value: C compilers accept another type of pointer with a warning only.
_HANDLE = """
/* The loaded method {comment}. Functions of the runtime, such as et_method_observe, take `base`.{requirement} */
typedef struct {prefix}_method {{
  et_method *base;
}} {prefix}_method;
"""

_STATIC_INPUT = TypedFunction(
    """\
/* Input {index}, {name}: {dtype} {shape}. Copies {count} elements. */
""",
    """\
et_status {prefix}_set_{name}({prefix}_method method, const {c_type} *data,
    et_error *out_error)""",
    """\
  static const int32_t sizes[] = {{{sizes}}};
  return et_method_set_input(method.base, {index}, {scalar_type}, sizes, {rank}, data,
                             {nbytes}u, out_error);
""",
)

_DYNAMIC_INPUT = TypedFunction(
    """\
/* Input {index}, {name}: {dtype} [{sizes}]. Copies `count` elements, the product of
 * the {rank} sizes. */
""",
    """\
et_status {prefix}_set_{name}({prefix}_method method, const {c_type} *data,
    size_t count, const int32_t *sizes, et_error *out_error)""",
    """\
  return et_method_set_input(method.base, {index}, {scalar_type}, sizes, {rank}, data,
                             count * {element_bytes}u, out_error);
""",
)

_INTEGER_INPUT = TypedFunction(
    """\
/* Input {index}, {name}: an integer, {range}. */
""",
    """\
et_status {prefix}_set_{name}({prefix}_method method, int64_t value,
    et_error *out_error)""",
    """\
  et_value given;
  given.tag = ET_VALUE_INT;
  given.u.as_int = value;
  return et_method_set_scalar_input(method.base, {index}, &given, out_error);
""",
)

_OUTPUT_LIFETIME = """
 * Valid until an input is set or the method runs again. INVALID_STATE unless the last run
 * succeeded and no input has been set since. */
"""

_STATIC_OUTPUT = TypedFunction(
    f"""\
/* Output {{index}}, {{name}}: {{dtype}} {{shape}}.{_OUTPUT_LIFETIME}""",
    """\
et_status {prefix}_get_{name}({prefix}_method method, const {c_type} **out_data,
    et_error *out_error)""",
    """\
  const et_value *value = NULL;
  ET_RETURN_IF_ERROR(et_method_get_output(method.base, {index}, &value, out_error));
  *out_data = (const {c_type} *)value->u.as_tensor->data;
  return ET_STATUS_OK;
""",
)

_DYNAMIC_OUTPUT = TypedFunction(
    f"""\
/* Output {{index}}, {{name}}: {{dtype}} [{{sizes}}]. *out_count is the product of
 * the {{rank}} sizes.{_OUTPUT_LIFETIME}""",
    """\
et_status {prefix}_get_{name}({prefix}_method method, const {c_type} **out_data,
    size_t *out_count, const int32_t **out_sizes, et_error *out_error)""",
    """\
  const et_value *value = NULL;
  ET_RETURN_IF_ERROR(et_method_get_output(method.base, {index}, &value, out_error));
  *out_data = (const {c_type} *)value->u.as_tensor->data;
  *out_count = value->u.as_tensor->numel;
  *out_sizes = value->u.as_tensor->sizes;
  return ET_STATUS_OK;
""",
)

_SCALAR_OUTPUT = TypedFunction(
    f"""\
/* Output {{index}}, {{name}}: {{kind}}.{_OUTPUT_LIFETIME}""",
    """\
et_status {prefix}_get_{name}({prefix}_method method, {c_type} *out_value,
    et_error *out_error)""",
    """\
  const et_value *value = NULL;
  ET_RETURN_IF_ERROR(et_method_get_output(method.base, {index}, &value, out_error));
  *out_value = value->u.{member};
  return ET_STATUS_OK;
""",
)

# Kind in the manifest: (C type, member of et_value).
_SCALARS = {
    "int": ("int64_t", "as_int"),
    "bool": ("bool", "as_bool"),
    "double": ("double", "as_double"),
    "string": ("et_string", "as_string"),
}

_RUNNING = (
    TypedFunction(
        "/* Runs the method once: et_method_execute. */\n",
        "et_status {prefix}_execute({prefix}_method method, et_error *out_error)",
        "  return et_method_execute(method.base, out_error);\n",
    ),
    TypedFunction(
        "/* Resets mutable buffers to their initial values: et_method_reset_state. */\n",
        "void {prefix}_reset_state({prefix}_method method)",
        "  et_method_reset_state(method.base);\n",
    ),
    TypedFunction(
        "/* Unloads the method: et_method_unload. */\n",
        "void {prefix}_unload({prefix}_method method)",
        "  et_method_unload(method.base);\n",
    ),
)


def handle(model: Model, method: Method) -> str:
    """Return the type of a loaded method, which no other method has."""
    requirement = c_comment(f" {method.requirement}".rstrip())
    return _HANDLE.format(prefix=method_prefix(model, method), comment=c_comment(method.name), requirement=requirement)


def typed_functions(model: Model, method: Method) -> Iterator[TypedFunction]:
    """Yield setters of arguments, running functions, and getters of outputs."""
    prefix = method_prefix(model, method)
    for slot in method.arguments:
        yield _input_setter(prefix, slot)
    for function in _RUNNING:
        yield _fill_template(function, prefix=prefix)
    for slot in method.outputs:
        if slot.kind == "tensor" or slot.kind in _SCALARS:
            yield _output_getter(prefix, slot)


def exported_names(model: Model) -> Iterator[str]:
    """Yield the names of the functions that a shared library exports for a model."""
    for method in model.interface.methods:
        yield f"{method_prefix(model, method)}_load"
        for function in typed_functions(model, method):
            yield function.name


def _input_setter(prefix: str, slot: Slot) -> TypedFunction:
    if slot.kind != "tensor":
        return _fill_template(_INTEGER_INPUT, prefix=prefix, index=slot.index, name=slot.name, range=slot.range)
    return _fill_template(
        _DYNAMIC_INPUT if slot.is_dynamic else _STATIC_INPUT,
        prefix=prefix,
        sizes=", ".join(slot.size_texts) or "0",
        nbytes=slot.count * slot.element_bytes,
        **_slot_fields(slot),
    )


def _output_getter(prefix: str, slot: Slot) -> TypedFunction:
    if slot.kind != "tensor":
        scalar_c_type, member = _SCALARS[slot.kind]
        return _fill_template(
            _SCALAR_OUTPUT,
            prefix=prefix,
            index=slot.index,
            name=slot.name,
            kind=slot.kind,
            c_type=scalar_c_type,
            member=member,
        )
    return _fill_template(
        _DYNAMIC_OUTPUT if slot.is_dynamic else _STATIC_OUTPUT,
        prefix=prefix,
        sizes=", ".join(slot.size_texts),
        **_slot_fields(slot),
    )


def _fill_template(template: TypedFunction, **facts: object) -> TypedFunction:
    return TypedFunction(
        template.comment.format(**facts), template.signature.format(**facts), template.body.format(**facts)
    )


def _slot_fields(slot: Slot) -> dict[str, object]:
    return {
        "index": slot.index,
        "name": slot.name,
        "dtype": slot.dtype,
        "shape": list(slot.shape),
        "count": slot.count,
        "rank": len(slot.shape),
        "c_type": c_type(slot),
        "scalar_type": scalar_type(slot),
        "element_bytes": slot.element_bytes,
    }
