"""Write the C++ header of a library of compiled models: a class per model.

The classes call the functions of the C header. bindings/cc has the types that they use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rules.codegen.cpp_names import ClassNames
from rules.codegen.identifiers import method_prefix
from rules.codegen.model import Borrowed, Model, c_type
from rules.codegen.names import c_comment
from rules.interface.description import Method, Slot
from rules.interface.identifiers import identifier

_FILE = """\
// Generated from {targets}. Do not edit.
#ifndef {guard}
#define {guard}

#include <complex>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "executorch/loaded_methods.hpp"
#include "executorch/result.hpp"
#include "executorch/tensor.hpp"
#include "{c_header}"
{classes}
#endif  // {guard}
"""

_CLASS = """
namespace {namespace} {{

// {target}
//
// An object has its own state. Different threads may use different objects at the same time, but
// not the same object.
class {name} {{
 public:
  // The memory of all methods. It needs no initial value.
  struct Memory {{
{members}  }};
{structs}
  // Loads all methods into memory from the heap.{borrowed}
  static ::executorch::Result<{name}> create({parameters}const et_method_options &options = {{}}) noexcept {{
    ::executorch::Result<Methods> methods = Methods::allocate();
    if (!methods) {{
      return methods.error();
    }}
    return load(*std::move(methods), {arguments}options);
  }}

  // Loads all methods into `memory`, which must outlive the object and any object it is moved to.
  static ::executorch::Result<{name}> create(Memory &memory, {parameters}const et_method_options &options = {{}}) noexcept {{
    return load(Methods(memory), {arguments}options);
  }}
{methods}
  // Resets mutable buffers of all methods to their initial values.
  void reset_state() noexcept {{ methods_.reset_state(); }}

 private:
  using Methods = ::executorch::LoadedMethods<Memory, {method_count}>;

  explicit {name}(Methods methods) noexcept : methods_(std::move(methods)) {{}}

  static ::executorch::Result<{name}> load(Methods methods, {parameters}const et_method_options &options) noexcept {{
    ::executorch::Error error;
    Memory &memory = methods.memory();
{loads}    return {name}(std::move(methods));
  }}

  Methods methods_;
}};

}}  // namespace {namespace}
"""

_CLEAR_STATE = """\
    std::memset(static_cast<void *>(&memory.state), 0, sizeof memory.state);
"""

_LOAD = """\
    {prefix}_method loaded_{index} = {{}};
    if ({prefix}_load(&memory.{member}, &options, {arguments}&loaded_{index}, error.get()) != ET_STATUS_OK) {{
      return error;
    }}
    methods.set({index}, loaded_{index}.base);
"""

_METHOD = """
  // Runs method {comment}.{requirement}{lifetime}
  ::executorch::Result<{result}> {name}({parameters}) noexcept {{
    et_method *const method = methods_[{index}];
    if (method == nullptr) {{
      return ::executorch::not_loaded();
    }}
    ::executorch::Error error;
{sets}    if (et_method_execute(method, error.get()) != ET_STATUS_OK) {{
      return error;
    }}
{gets}    return {value};
  }}
"""

_LIFETIME = """
  //
  // The outputs are valid until the next call on this object."""

_CHECK_SIZE = """\
    if (!::executorch::has_expected_size({member}, error)) {{
      return error.at("{name}");
    }}
"""

_SET = """\
    if ({prefix}_set_{name}({{method}}, {arguments}, error.get()) != ET_STATUS_OK) {{
      return error.at("{name}");
    }}
"""

_GET = """\
    const et_value *value_{index} = nullptr;
    if (et_method_get_output(method, {index}, &value_{index}, error.get()) != ET_STATUS_OK) {{
      return error;
    }}
"""

# kind of the manifest: (C++ type, expression of an et_value).
_SCALARS = {
    "int": ("std::int64_t", "{value}->u.as_int"),
    "bool": ("bool", "{value}->u.as_bool"),
    "double": ("double", "{value}->u.as_double"),
    "string": ("std::string_view", "std::string_view({value}->u.as_string.data, {value}->u.as_string.size)"),
}
_CPP_TYPES = {"et_complex64": "std::complex<float>", "et_complex128": "std::complex<double>"}


@dataclass(frozen=True)
class _Output:
    """An output that C++ code can read; `expression` is its value."""

    index: int
    member: str
    type: str
    expression: str


def cpp_header(
    guard: str, c_header: str, models: Sequence[Model], borrowed: Borrowed, names: Sequence[ClassNames]
) -> str:
    """Return the generated C++ header.

    `guard` is the include guard, and `c_header` the include path of the C header. `names` are the names
    of each model's class.
    """
    classes = "".join(_class_text(model, borrowed, name) for model, name in zip(models, names, strict=True))
    targets = ", ".join(model.interface.target for model in models)
    return _FILE.format(guard=guard, c_header=c_header, targets=targets, classes=classes)


def _class_text(model: Model, borrowed: Borrowed, names: ClassNames) -> str:
    spans = ["program"] * bool(borrowed.programs) + ["weights"] * (
        borrowed.weights and model.interface.weights is not None
    )
    return _CLASS.format(
        namespace=names.namespace,
        name=names.name,
        target=model.interface.target,
        members="".join(_memory_members(model, names)),
        structs="".join(_structs(model, names)),
        borrowed=_borrowed_comment(spans),
        parameters="".join(f"et_span {span}, " for span in spans),
        arguments="".join(f"{span}, " for span in spans),
        methods="".join(_method_text(model, index, names) for index in range(len(model.interface.methods))),
        method_count=len(model.interface.methods),
        loads=_CLEAR_STATE * bool(model.interface.state_bytes) + "".join(_loads(model, borrowed, names)),
    )


def _borrowed_comment(spans: Sequence[str]) -> str:
    if not spans:
        return ""
    files = " and ".join(f"`{span}`" for span in spans)
    return f"\n  //\n  // The 16-byte aligned bytes of {files} must outlive the object, and must not move."


def _memory_members(model: Model, names: ClassNames) -> Iterator[str]:
    if model.interface.state_bytes:
        yield f"    {model.prefix}_state state;\n"
    for method in model.interface.methods:
        yield f"    {method_prefix(model, method)}_memory {names.members[method.name]};\n"


def _loads(model: Model, borrowed: Borrowed, names: ClassNames) -> Iterator[str]:
    for index, method in enumerate(model.interface.methods):
        arguments = ["&memory.state"] * (method.memory.shared is not None)
        arguments += ["program"] * bool(borrowed.programs)
        arguments += ["weights"] * (borrowed.weights and model.interface.weights is not None)
        yield _LOAD.format(
            prefix=method_prefix(model, method),
            member=names.members[method.name],
            arguments="".join(f"{argument}, " for argument in arguments),
            index=index,
        )


def _structs(model: Model, names: ClassNames) -> Iterator[str]:
    """Yield structs of each method's inputs, and of several outputs."""
    for method in model.interface.methods:
        inputs = [f"    {_input_type(slot)} {_member(slot)};  // {_describe(slot)}\n" for slot in method.arguments]
        if inputs:
            yield f"\n  struct {names.types[method.name]}Inputs {{\n{''.join(inputs)}  }};\n"
        outputs = _outputs(method)
        if len(outputs) > 1:
            members = "".join(
                f"    {output.type} {output.member};  // {_describe(method.outputs[output.index])}\n"
                for output in outputs
            )
            yield f"\n  struct {names.types[method.name]}Outputs {{\n{members}  }};\n"


def _member(slot: Slot) -> str:
    return identifier(slot.name, "cpp")


def _describe(slot: Slot) -> str:
    if slot.kind != "tensor":
        return str(slot.range or slot.kind)
    return f"{slot.dtype} [{', '.join(slot.size_texts)}]"


def _cpp_type(slot: Slot) -> str:
    return _CPP_TYPES.get(c_type(slot), f"std::{c_type(slot)}" if c_type(slot).endswith("_t") else c_type(slot))


def _input_type(slot: Slot) -> str:
    if slot.kind != "tensor":
        return "std::int64_t"
    if not slot.is_dynamic:
        return f"::executorch::Elements<{_cpp_type(slot)}, {slot.count}>"
    sizes = [str(size) if isinstance(size, int) else "::executorch::kDynamic" for size in slot.sizes]
    return f"::executorch::DynamicElements<{', '.join([_cpp_type(slot), *sizes])}>"


def _method_text(model: Model, index: int, names: ClassNames) -> str:
    method = model.interface.methods[index]
    outputs = _outputs(method)
    inputs = method.arguments
    result = _result_type(names.types[method.name], outputs)
    return _METHOD.format(
        comment=c_comment(method.name),
        requirement=f"\n  // {c_comment(method.requirement)}" if method.conditions else "",
        lifetime=_LIFETIME if outputs else "",
        result=result,
        name=names.members[method.name],
        parameters=f"const {names.types[method.name]}Inputs &inputs" if inputs else "",
        index=index,
        sets="".join(_set_statements(method_prefix(model, method), inputs)),
        gets="".join(_GET.format(index=output.index) for output in outputs),
        value=_value(result, outputs),
    )


def _result_type(type_name: str, outputs: Sequence[_Output]) -> str:
    if not outputs:
        return "void"
    return outputs[0].type if len(outputs) == 1 else f"{type_name}Outputs"


def _value(result: str, outputs: Sequence[_Output]) -> str:
    expressions = ", ".join(output.expression for output in outputs)
    if not outputs:
        return "{}"
    return expressions if len(outputs) == 1 else f"{result}{{{expressions}}}"


def _set_statements(prefix: str, inputs: Iterable[Slot]) -> Iterator[str]:
    for slot in inputs:
        member = f"inputs.{_member(slot)}"
        if slot.kind != "tensor":
            arguments = member
        elif slot.is_dynamic:
            arguments = f"{_c_pointer(slot)}, {member}.size(), {member}.sizes().data()"
        else:
            yield _CHECK_SIZE.format(member=member, name=slot.name)
            arguments = _c_pointer(slot)
        yield _SET.format(prefix=prefix, name=slot.name, arguments=arguments)


def _c_pointer(slot: Slot) -> str:
    pointer = f"inputs.{_member(slot)}.data()"
    return f"reinterpret_cast<const {c_type(slot)} *>({pointer})" if c_type(slot) in _CPP_TYPES else pointer


def _outputs(method: Method) -> list[_Output]:
    """Return the outputs that have a value in C++: all except None."""
    return [_output(slot) for slot in method.outputs if slot.kind == "tensor" or slot.kind in _SCALARS]


def _output(slot: Slot) -> _Output:
    value = f"value_{slot.index}"
    if slot.kind != "tensor":
        cpp_type, expression = _SCALARS[slot.kind]
        return _Output(slot.index, _member(slot), cpp_type, expression.format(value=value))
    cpp_type = f"::executorch::Tensor<const {_cpp_type(slot)}, {len(slot.shape)}>"
    return _Output(slot.index, _member(slot), cpp_type, f"{cpp_type}(*{value}->u.as_tensor)")
