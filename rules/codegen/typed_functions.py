"""Typed functions that set a method's inputs, read its outputs and run it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rules.codegen.identifiers import method_prefix
from rules.codegen.model import Model, c_type, scalar_type
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


_STATIC_INPUT = TypedFunction(
    """\
/* Input {index}, {name}: {dtype} {shape}. Copies {count} elements. */
""",
    """\
et_status {prefix}_set_{name}(et_method *method, const {c_type} *data,
    et_error *out_error)""",
    """\
  static const int32_t sizes[] = {{{sizes}}};
  return et_method_set_input(method, {index}, {scalar_type}, sizes, {rank}, data,
                             {nbytes}u, out_error);
""",
)

_DYNAMIC_INPUT = TypedFunction(
    """\
/* Input {index}, {name}: {dtype} [{sizes}]. Copies `count` elements, the product of
 * the {rank} sizes. */
""",
    """\
et_status {prefix}_set_{name}(et_method *method, const {c_type} *data,
    size_t count, const int32_t *sizes, et_error *out_error)""",
    """\
  return et_method_set_input(method, {index}, {scalar_type}, sizes, {rank}, data,
                             count * {element_bytes}u, out_error);
""",
)

_INTEGER_INPUT = TypedFunction(
    """\
/* Input {index}, {name}: an integer, {range}. */
""",
    """\
et_status {prefix}_set_{name}(et_method *method, int64_t value,
    et_error *out_error)""",
    """\
  et_value given;
  given.tag = ET_VALUE_INT;
  given.u.as_int = value;
  return et_method_set_scalar_input(method, {index}, &given, out_error);
""",
)

_OUTPUT = TypedFunction(
    """\
/* Output {index}: {dtype} {sizes}. Valid until an input is set or the method runs
 * again. INVALID_STATE unless the last run succeeded and no input has been set
 * since. */
""",
    """\
et_status {prefix}_get_{name}(const et_method *method, {out_type} **out_data,
    et_error *out_error)""",
    """\
  const et_value *value = NULL;
  ET_RETURN_IF_ERROR(et_method_get_output(method, {index}, &value, out_error));
  *out_data = {expression};
  return ET_STATUS_OK;
""",
)

# A shared library exports these functions instead of the runtime's.
_RUNNING = (
    TypedFunction(
        "/* Runs the method once: et_method_execute. */\n",
        "et_status {prefix}_execute(et_method *method, et_error *out_error)",
        "  return et_method_execute(method, out_error);\n",
    ),
    TypedFunction(
        "/* Resets mutable buffers to their initial values: et_method_reset_state. */\n",
        "void {prefix}_reset_state(et_method *method)",
        "  et_method_reset_state(method);\n",
    ),
    TypedFunction(
        "/* Unloads the method: et_method_unload. */\n",
        "void {prefix}_unload(et_method *method)",
        "  et_method_unload(method);\n",
    ),
)


def typed_functions(model: Model, method: Method) -> Iterator[TypedFunction]:
    """Yield setters of tensor and ranged inputs, and getters of tensor outputs."""
    prefix = method_prefix(model, method)
    for slot in method.arguments:
        yield _input_setter(prefix, slot)
    for slot in method.outputs:
        if slot.kind == "tensor":
            yield _output_getter(prefix, slot)


def exported_names(model: Model) -> Iterator[str]:
    """Yield the names of the functions that a shared library exports for a model."""
    for method in model.interface.methods:
        yield f"{method_prefix(model, method)}_load"
        for function in (*typed_functions(model, method), *running_functions(model, method)):
            yield function.name


def running_functions(model: Model, method: Method) -> Iterator[TypedFunction]:
    """Yield the functions that run, reset and unload the method."""
    for function in _RUNNING:
        yield _fill_template(function, prefix=method_prefix(model, method))


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
    tensor = "value->u.as_tensor"
    return _fill_template(
        _OUTPUT,
        prefix=prefix,
        sizes=f"[{', '.join(slot.size_texts)}]",
        out_type="const et_tensor" if slot.is_dynamic else f"const {c_type(slot)}",
        expression=tensor if slot.is_dynamic else f"(const {c_type(slot)} *){tensor}->data",
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
