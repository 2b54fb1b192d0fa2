"""Write the C++ header of a library of compiled models: a class per model.

The classes call only functions of the C header, so they are the same for static and shared libraries.
bindings/cc has the types that they use.
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
#include <cstddef>
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
{structs}{create}{methods}
  // Resets mutable buffers of all methods to their initial values.
  void reset_state() noexcept {{ methods_.reset_state(); }}

 private:
  struct Handles {{
{handles}
    void unload() noexcept {{
{unload}    }}
    void reset_state() noexcept {{
{reset_state}    }}
  }};
  using Methods = ::executorch::LoadedMethods<Memory, Handles>;

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

_CREATE_OWNED = """
  // {comment}{borrowed}
  static ::executorch::Result<{name}> create({parameters}const et_method_options &options = {{}}) noexcept {{
    ::executorch::Result<Methods> methods = Methods::{function}();
    if (!methods) {{
      return methods.error();
    }}
    return load(*std::move(methods), {arguments}options);
  }}
"""

_CREATE_IN_CALLER_MEMORY = """
  // Loads all methods into `memory`, which must outlive the object and any object it is moved to.{borrowed}
  static ::executorch::Result<{name}> create(Memory &memory, {parameters}const et_method_options &options = {{}}) noexcept {{
    return load(Methods(memory), {arguments}options);
  }}
"""

_FROM_HEAP = ("allocate", "Loads all methods into memory from the heap.")
_FROM_STATIC_MEMORY = (
    "claim",
    "Loads all methods into static memory. Fails with INVALID_STATE while another object uses it.",
)

# Values of the attribute cpp_memory.
MEMORY_POLICIES = ("any", "caller", "heap", "static")

_CLEAR_STATE = """\
    std::memset(static_cast<void *>(&memory.state), 0, sizeof memory.state);
"""

_LOAD = """\
    if ({prefix}_load(&memory.{member}, &options, {arguments}&methods.handles().method_{index}, error.get()) != ET_STATUS_OK) {{
      return error;
    }}
"""

_METHOD = """
  // Runs method {comment}.{requirement}{lifetime}
  ::executorch::Result<{result}> {name}({parameters}) noexcept {{
    const {prefix}_method method = methods_.handles().method_{index};
    if (method.base == nullptr) {{
      return ::executorch::not_loaded();
    }}
    ::executorch::Error error;
{sets}    if ({prefix}_execute(method, error.get()) != ET_STATUS_OK) {{
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
    if ({prefix}_set_{name}(method, {arguments}, error.get()) != ET_STATUS_OK) {{
      return error.at("{name}");
    }}
"""

_GET = """\
{variables}    if ({prefix}_get_{name}(method, {arguments}, error.get()) != ET_STATUS_OK) {{
      return error;
    }}
"""

# kind of the manifest: (C++ type, C type, expression of a value of the C type).
_SCALARS = {
    "int": ("std::int64_t", "std::int64_t", "{value}"),
    "bool": ("bool", "bool", "{value}"),
    "double": ("double", "double", "{value}"),
    "string": ("std::string_view", "et_string", "std::string_view({value}.data, {value}.size)"),
}
_CPP_TYPES = {"et_complex64": "std::complex<float>", "et_complex128": "std::complex<double>"}


@dataclass(frozen=True)
class _Output:
    """An output that C++ code can read.

    variables: C type and name of each variable that the getter sets.
    expression: the value as an expression of the variables.
    """

    slot: Slot
    member: str
    type: str
    variables: tuple[tuple[str, str], ...]
    expression: str


def cpp_header(
    guard: str,
    c_header: str,
    models: Sequence[Model],
    borrowed: Borrowed,
    names: Sequence[ClassNames],
    memory_policy: str = "any",
) -> str:
    """Return the generated C++ header.

    `guard` is the include guard, and `c_header` the include path of the C header. `names` are the names
    of each model's class. `memory_policy` is one of MEMORY_POLICIES.
    """
    classes = "".join(
        _class_text(model, borrowed, name, memory_policy) for model, name in zip(models, names, strict=True)
    )
    targets = ", ".join(model.interface.target for model in models)
    return _FILE.format(guard=guard, c_header=c_header, targets=targets, classes=classes)


def _class_text(model: Model, borrowed: Borrowed, names: ClassNames, memory_policy: str) -> str:
    spans = ["program"] * bool(borrowed.programs) + ["weights"] * (
        borrowed.weights and model.interface.weights is not None
    )
    prefixes = [method_prefix(model, method) for method in model.interface.methods]
    return _CLASS.format(
        namespace=names.namespace,
        name=names.name,
        target=model.interface.target,
        members="".join(_memory_members(model, names)),
        structs="".join(_structs(model, names)),
        create="".join(_create_functions(names, spans, memory_policy)),
        parameters="".join(f"et_span {span}, " for span in spans),
        methods="".join(_method_text(model, index, names) for index in range(len(model.interface.methods))),
        handles="".join(f"    {prefix}_method method_{index};\n" for index, prefix in enumerate(prefixes)),
        unload=_each_handle(prefixes, "unload"),
        reset_state=_each_handle(prefixes, "reset_state"),
        loads=_CLEAR_STATE * bool(model.interface.state_bytes) + "".join(_loads(model, borrowed, names)),
    )


def _each_handle(prefixes: Sequence[str], function: str) -> str:
    """Return statements that call a function of each method."""
    return "".join(f"      {prefix}_{function}(method_{index});\n" for index, prefix in enumerate(prefixes))


def _create_functions(names: ClassNames, spans: Sequence[str], memory_policy: str) -> Iterator[str]:
    fields = {
        "name": names.name,
        "borrowed": _borrowed_comment(spans),
        "parameters": "".join(f"et_span {span}, " for span in spans),
        "arguments": "".join(f"{span}, " for span in spans),
    }
    if memory_policy != "caller":
        function, comment = _FROM_STATIC_MEMORY if memory_policy == "static" else _FROM_HEAP
        yield _CREATE_OWNED.format(function=function, comment=comment, **fields)
    if memory_policy in ("any", "caller"):
        yield _CREATE_IN_CALLER_MEMORY.format(**fields)


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
                f"    {output.type} {output.member};  // {_describe(output.slot)}\n" for output in outputs
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
        prefix=method_prefix(model, method),
        index=index,
        sets="".join(_set_statements(method_prefix(model, method), inputs)),
        gets="".join(_get_statement(method_prefix(model, method), output) for output in outputs),
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
            yield _SET.format(prefix=prefix, name=slot.name, arguments=member)
            continue
        yield _CHECK_SIZE.format(member=member, name=slot.name)
        sizes = f", {member}.size(), {member}.sizes().data()" if slot.is_dynamic else ""
        yield _SET.format(prefix=prefix, name=slot.name, arguments=_c_pointer(slot) + sizes)


def _c_pointer(slot: Slot) -> str:
    pointer = f"inputs.{_member(slot)}.data()"
    return f"reinterpret_cast<const {c_type(slot)} *>({pointer})" if c_type(slot) in _CPP_TYPES else pointer


def _outputs(method: Method) -> list[_Output]:
    """Return the outputs that have a value in C++: all except None."""
    return [_output(slot) for slot in method.outputs if slot.kind == "tensor" or slot.kind in _SCALARS]


def _get_statement(prefix: str, output: _Output) -> str:
    return _GET.format(
        prefix=prefix,
        name=output.slot.name,
        variables="".join(f"    {kind}{name} = {{}};\n" for kind, name in output.variables),
        arguments=", ".join(f"&{name}" for _, name in output.variables),
    )


def _output(slot: Slot) -> _Output:
    value = f"value_{slot.index}"
    if slot.kind != "tensor":
        cpp_type, scalar_type, expression = _SCALARS[slot.kind]
        return _Output(slot, _member(slot), cpp_type, ((f"{scalar_type} ", value),), expression.format(value=value))
    cpp_type = f"::executorch::Tensor<const {_cpp_type(slot)}, {len(slot.shape)}>"
    data = f"reinterpret_cast<const {_cpp_type(slot)} *>({value})" if c_type(slot) in _CPP_TYPES else value
    variables = [(f"const {c_type(slot)} *", value)]
    sizes = f"{{{', '.join(map(str, slot.shape))}}}"
    if slot.is_dynamic:
        variables += [("std::size_t ", f"count_{slot.index}"), ("const std::int32_t *", f"sizes_{slot.index}")]
        sizes = f"::executorch::sizes_at<{len(slot.shape)}>(sizes_{slot.index})"
    return _Output(slot, _member(slot), cpp_type, tuple(variables), f"{cpp_type}({data}, {sizes})")
