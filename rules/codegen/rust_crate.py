"""Write the Rust crate of a model: a type with a function for each method.

The crate uses the `executorch` crate in bindings/rust, and the registry and data of the model's C library.

Usage: `python3 -m rules.codegen.rust_crate --target //app:net_rs --library //app:net_rs_cc --model PREFIX MANIFEST --out lib.rs
    [--borrow-program] [--borrow-weights] [--type-name Net]`
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rules.codegen.model import CodegenError, Model, read_model
from rules.interface.description import Interface, InterfaceError, Method, Range, Slot
from rules.interface.identifiers import RESERVED_WORDS, distinct, identifier, pascal_case

# dtype: Rust type.
_ELEMENT_TYPES = {
    "uint8": "u8",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float16": "::executorch::Float16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "::executorch::Complex<f32>",
    "complex128": "::executorch::Complex<f64>",
    "bool": "bool",
    "bfloat16": "::executorch::BFloat16",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}

# kind of an output: (Rust type, function of `Outputs`).
_SCALARS = {
    "int": ("i64", "int"),
    "bool": ("bool", "bool"),
    "double": ("f64", "double"),
    "string": ("&'a str", "string"),
}

# Functions that every model's type has.
_FUNCTIONS = frozenset(("load", "load_with", "reset_state"))

_FILE = """\
// Generated from {target}. Do not edit.
//! Model `{target}`.
#![no_std]
#![deny(unsafe_code)]
#![allow(clippy::all, non_camel_case_types, non_snake_case)]

/// Model `{target}`.
{doc}///
/// A value has its own state. It can move to another thread, but only one thread at a time can use
/// it.
pub struct {name} {{
    methods: ::executorch::generated::Methods<{method_count}>,
}}
{structs}
impl {name} {{
    /// Loads all methods.
    pub fn load({parameters}) -> ::executorch::Result<Self> {{
        Self::load_with({names}&::executorch::Options::default())
    }}

    /// Loads all methods, with options.
    pub fn load_with(
{parameter_lines}        options: &::executorch::Options,
    ) -> ::executorch::Result<Self> {{
        let files = ::executorch::generated::Files {{
            program: {program},
            weights: {weights},
            check_weights: {check_weights},
        }};
        let methods =
            ::executorch::generated::Methods::load(files, linked::registry(), &METHODS, options)?;
        ::core::result::Result::Ok({name} {{ methods }})
    }}
{methods}
    /// Resets the mutable buffers of all methods to their initial values.
    pub fn reset_state(&mut self) {{
        self.methods.reset_state();
    }}
}}

const METHODS: [::executorch::generated::MethodSpec; {method_count}] = [
{specs}];

/// Symbols of the model's C library.
#[allow(unsafe_code)]
mod linked {{
    extern "C" {{
{statistics}    }}
{functions}}}
"""

_STRUCT = """
/// {title} of `{method}`.
pub struct {name} {{
{fields}}}
"""

_METHOD = """
    /// Runs method `{comment}`.
{doc}{requirement}{lifetime}    pub fn {name}<'a>(&'a mut self{parameters}) -> ::executorch::Result<{result}> {{
        let {mutable}call = self.methods.call({index});
{sets}        let {outputs} = call.run()?;
{value}    }}
"""

_SPEC = """\
    ::executorch::generated::MethodSpec {{
        name: "{name}\\0",
        shared_memory_id: {shared},
    }},
"""

_DATA_STATIC = """\
        static {prefix}_{kind}_data: [u8; {size}];
"""

_REGISTRY_FUNCTION = """
    pub(super) fn registry() -> &'static ::executorch::generated::Registry {{
        // SAFETY: C code defines the registry as a constant.
        unsafe {{ &{prefix}_registry }}
    }}
"""

_DATA_FUNCTION = """
    pub(super) fn {kind}() -> &'static [u8] {{
        // SAFETY: C code defines the file's bytes as a constant of this size.
        unsafe {{ &{prefix}_{kind}_data }}
    }}
"""


@dataclass(frozen=True)
class _File:
    """The program or its weights.

    The caller of `load` passes a borrowed file. `size` is in bytes.
    """

    kind: str
    size: int
    is_borrowed: bool

    @property
    def expression(self) -> str:
        return f"{self.kind}.into()" if self.is_borrowed else f"linked::{self.kind}().into()"


def rust_crate(model: Model, *, borrow_program: bool = False, borrow_weights: bool = False, type_name: str = "") -> str:
    """Return the source of the crate.

    The caller of `load` passes the program or the weights if they are borrowed. `type_name` overrides the
    name of the model's type. Raises CodegenError.
    """
    interface = model.interface
    program = _File("program", interface.program_bytes, borrow_program)
    weights = _File("weights", interface.weights.nbytes, borrow_weights) if interface.weights is not None else None
    files = [program] if weights is None else [program, weights]
    parameters = [f"{file.kind}: impl ::core::convert::Into<::executorch::Data>" for file in files if file.is_borrowed]
    name = type_name or model.type_name("rust")
    _check_type_name(name)
    types = method_types(interface, name)
    return _FILE.format(
        target=_comment(interface.target),
        doc=_doc_lines(interface.doc, "", "///\n"),
        name=name,
        method_count=len(interface.methods),
        structs="".join(_structs(interface, types)),
        parameters=", ".join(parameters),
        names="".join(f"{file.kind}, " for file in files if file.is_borrowed),
        parameter_lines="".join(f"        {parameter},\n" for parameter in parameters),
        program=program.expression,
        weights=f"::core::option::Option::Some({weights.expression})" if weights else "::core::option::Option::None",
        check_weights=str(weights is not None and weights.is_borrowed).lower(),
        methods="".join(_method_text(interface, index, types) for index in range(len(interface.methods))),
        specs="".join(_spec(method) for method in interface.methods),
        statistics=_statics(model, files),
        functions=_linked_functions(model, files),
    )


def _statics(model: Model, files: Sequence[_File]) -> str:
    data = (
        _DATA_STATIC.format(prefix=model.link_prefix, kind=file.kind, size=file.size)
        for file in files
        if not file.is_borrowed
    )
    return f"        static {model.link_prefix}_registry: ::executorch::generated::Registry;\n" + "".join(data)


def _linked_functions(model: Model, files: Sequence[_File]) -> str:
    data = (_DATA_FUNCTION.format(prefix=model.link_prefix, kind=file.kind) for file in files if not file.is_borrowed)
    return _REGISTRY_FUNCTION.format(prefix=model.link_prefix) + "".join(data)


def _check_type_name(name: str) -> None:
    if name in RESERVED_WORDS["rust"] or name == "linked" or not re.fullmatch(r"[A-Za-z]\w*|_\w+", name, re.ASCII):
        raise CodegenError(f"type_name: '{name}' cannot be a name in Rust; use letters, digits and '_', and no keyword")


def method_types(interface: Interface, type_name: str) -> dict[str, str]:
    """Return the start of the names of each method's types.

    No name is that of the model's type.
    """
    words = [method.identifier for method in interface.methods]
    names = distinct([pascal_case(name, "rust") for name in words], [identifier(name, "rust") for name in words])
    own = {f"{name}{end}" for name in names for end in ("Inputs", "Outputs")}
    if type_name in own:
        names = [f"{name}Method" for name in names]
    return {method.name: name for method, name in zip(interface.methods, names, strict=True)}


def function_name(method: Method) -> str:
    """Return the name of the function that calls a method."""
    return identifier(method.identifier, "rust", _FUNCTIONS)


def _structs(interface: Interface, types: dict[str, str]) -> Iterator[str]:
    """Yield structs of several inputs, and of several outputs."""
    for method in interface.methods:
        start = types[method.name]
        if len(method.arguments) > 1:
            yield _struct(method, "Inputs", start, [(slot, _input_type(slot)) for slot in method.arguments])
        outputs = _outputs(method)
        if len(outputs) > 1:
            yield _struct(method, "Outputs", start, [(slot, _output_type(slot)) for slot in outputs])


def _struct(method: Method, role: str, start: str, fields: Sequence[tuple[Slot, str]]) -> str:
    lines = "".join(f"    /// {_describe(slot)}\n    pub {_field(slot)}: {text},\n" for slot, text in fields)
    name = start + role + _lifetime("'a", [text for _, text in fields])
    return _STRUCT.format(title=role, method=_comment(method.name), name=name, fields=lines)


def _lifetime(lifetime: str, types: Iterable[str]) -> str:
    """Return the lifetime parameter of a struct; empty if no field borrows."""
    return f"<{lifetime}>" if any("'a" in text for text in types) else ""


def _field(slot: Slot) -> str:
    return identifier(slot.name, "rust")


def _describe(slot: Slot) -> str:
    if slot.kind != "tensor":
        return str(slot.range or slot.kind)
    return f"{slot.dtype} `[{', '.join(slot.size_texts)}]`"


def _dynamic_count(slot: Slot) -> int:
    return sum(isinstance(size, Range) for size in slot.sizes)


def _is_shaped(slot: Slot) -> bool:
    """Return true if the sizes do not follow from the number of elements."""
    return slot.is_dynamic and (_dynamic_count(slot) != 1 or 0 in slot.sizes)


def _input_type(slot: Slot) -> str:
    if slot.kind != "tensor":
        return "i64"
    element = _ELEMENT_TYPES[slot.dtype]
    return f"::executorch::Shaped<'a, {element}, {len(slot.shape)}>" if _is_shaped(slot) else f"&'a [{element}]"


def _output_type(slot: Slot) -> str:
    if slot.kind != "tensor":
        return _SCALARS[slot.kind][0]
    return f"::executorch::Tensor<'a, {_ELEMENT_TYPES[slot.dtype]}, {len(slot.shape)}>"


def _outputs(method: Method) -> list[Slot]:
    """Return the outputs that have a value in Rust: all except None."""
    return [slot for slot in method.outputs if slot.kind == "tensor" or slot.kind in _SCALARS]


def _requirement(method: Method) -> str:
    """Return the conditions of a method as a documentation comment."""
    if not method.conditions:
        return ""
    return f"    ///\n    /// Each call requires `{_comment('; '.join(method.conditions))}`.\n"


def _method_text(interface: Interface, index: int, types: dict[str, str]) -> str:
    method = interface.methods[index]
    outputs = _outputs(method)
    name = function_name(method)
    return _METHOD.format(
        comment=_comment(method.name),
        doc=_doc_lines(method.doc, "    ", "    ///\n"),
        requirement=_requirement(method),
        lifetime="    ///\n    /// The outputs borrow the object until they are dropped.\n" if outputs else "",
        name=name,
        parameters=_parameters(method, types[method.name]),
        result=_result_type(outputs, types[method.name]),
        mutable="mut " if method.arguments else "",
        index=index,
        sets="".join(_set_statement(slot, len(method.arguments) > 1) for slot in method.arguments),
        outputs="outputs" if outputs else "_",
        value=_value(outputs, types[method.name]),
    )


def _parameters(method: Method, start: str) -> str:
    if not method.arguments:
        return ""
    if len(method.arguments) > 1:
        lifetime = _lifetime("'_", map(_input_type, method.arguments))
        return f", inputs: {start}Inputs{lifetime}"
    (slot,) = method.arguments
    return f", {_parameter(slot)}: {_input_type(slot)}".replace("'a ", "").replace("'a,", "'_,")


def _parameter(slot: Slot) -> str:
    """Return the name of a parameter, which differs from local variables."""
    return identifier(slot.name, "rust", {"call"})


def _result_type(outputs: Sequence[Slot], start: str) -> str:
    if len(outputs) == 1:
        return _output_type(outputs[0])
    lifetime = _lifetime("'a", map(_output_type, outputs))
    return f"{start}Outputs{lifetime}" if outputs else "()"


def _set_statement(slot: Slot, in_struct: bool) -> str:
    value = f"inputs.{_field(slot)}" if in_struct else _parameter(slot)
    name = f'"{slot.name}"'
    if slot.kind != "tensor":
        return f"        call.set_int({slot.index}, {name}, {value})?;\n"
    if _is_shaped(slot):
        return f"        call.set_shaped({slot.index}, {name}, {value})?;\n"
    dynamic = "::executorch::generated::DYNAMIC"
    function = "set_inferred" if slot.is_dynamic else "set_fixed"
    sizes = slot.sizes if slot.is_dynamic else slot.shape
    texts = ", ".join(dynamic if isinstance(size, Range) else str(size) for size in sizes)
    return f"        call.{function}({slot.index}, {name}, [{texts}], {value})?;\n"


def _value(outputs: Sequence[Slot], start: str) -> str:
    if not outputs:
        return "        ::core::result::Result::Ok(())\n"
    if len(outputs) == 1:
        return f"        {_read(outputs[0])}\n"
    fields = "".join(f"            {_field(slot)}: {_read(slot)}?,\n" for slot in outputs)
    return f"        ::core::result::Result::Ok({start}Outputs {{\n{fields}        }})\n"


def _read(slot: Slot) -> str:
    function = "tensor" if slot.kind == "tensor" else _SCALARS[slot.kind][1]
    return f"outputs.{function}({slot.index})"


def _spec(method: Method) -> str:
    if "\0" in method.name:
        raise CodegenError(f"method {method.name!r} has a NUL in its name; rename it")
    shared = 0 if method.memory.shared is None else method.memory.shared + 1
    return _SPEC.format(name=_rust_string(method.name), shared=shared)


def _rust_string(text: str) -> str:
    """Escape `text` for a string literal."""
    return "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else f"\\u{{{ord(c):x}}}" for c in text)


def _comment(text: str) -> str:
    """Return `text` as one line of a comment, inside backticks.

    Control characters and other unprintable characters, which Rust rejects in comments, become spaces.
    """
    return "".join(c if c.isprintable() else " " for c in text).replace("`", "'")


def _doc_lines(text: str, indent: str, before: str = "") -> str:
    """Return a docstring as documentation comments, without tests for rustdoc."""
    lines = [_comment(line).strip() for line in text.strip().splitlines()]
    if not any(lines):
        return ""
    return before + "".join(f"{indent}/// {line}".rstrip() + "\n" for line in lines)


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--target", required=True, help="label of the Rust library, for errors")
    parser.add_argument("--library", required=True, help="label of the model's C library")
    parser.add_argument("--model", nargs=2, required=True, metavar=("PREFIX", "MANIFEST"))
    parser.add_argument("--borrow-program", action="store_true", help="take the program from the caller")
    parser.add_argument("--borrow-weights", action="store_true", help="take the weights from the caller")
    parser.add_argument("--type-name", default="", help="name of the model's type")
    parser.add_argument("--out", type=Path, required=True, help="Rust file to write")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    options = _parse_arguments(argv)
    prefix, manifest = options.model
    try:
        text = rust_crate(
            read_model(Path(manifest), prefix, options.library),
            borrow_program=options.borrow_program,
            borrow_weights=options.borrow_weights,
            type_name=options.type_name,
        )
    except (CodegenError, InterfaceError) as error:
        print(f"{options.target}: {error}", file=sys.stderr)
        return 1
    options.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
