"""Write programs in all languages that run recorded calls of many models.

Usage: `python3 -m tests.languages.drivers [--model NAME PREFIX MANIFEST BORROWED LIBRARY NAME.c NAME.cc]… MAIN.c MAIN.cc MAIN.rs MAIN.java MAIN.mjs`.
NAME is the library `//tests/languages:NAME_cc` and the crate NAME. BORROWED is "files" if the caller provides the program and
the weights; otherwise "-". Each model has a file in C and C++, because models can have the same prefix.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rules.codegen.cpp_names import class_names
from rules.codegen.identifiers import method_prefix
from rules.codegen.model import Model, c_type, read_model
from rules.codegen.rust_crate import function_name, method_types
from rules.interface.description import Method, Slot
from rules.interface.identifiers import identifier
from tests.languages.java_driver import java_main
from tests.languages.web_driver import web_main

PACKAGE = "tests/languages"


@dataclass(frozen=True)
class Entry:
    """A model in the drivers.

    `type_name` is its class in C++, Java and JavaScript, and its type in Rust. `library` is the group of models in one module.
    """

    name: str
    model: Model
    borrows: bool
    library: str

    @property
    def type_name(self) -> str:
        return self.name.title().replace("_", "")

    @property
    def methods(self) -> list[tuple[int, Method]]:
        return list(enumerate(self.model.interface.methods))


def outputs_with_value(method: Method) -> list[Slot]:
    """Return all outputs except None."""
    return [slot for slot in method.outputs if slot.kind != "null"]


# ---- C ----

_C_MAIN = """\
// Generated.
#include "tests/languages/driver.h"

{declarations}
int main(int argc, char **argv) {{
  driver io = driver_open(argc, argv);
{dispatch}  driver_stop("unknown model");
}}
"""

_C_FILE = """\
// Generated.
#include "{package}/{name}_cc.h"
#include "executorch/random.h"
#include "tests/languages/driver.h"

int run_{name}(driver *io);
int run_{name}(driver *io) {{
{memories}  et_error error = ET_ERROR_INIT;
  et_random random = et_random_seeded(0);
  et_method_options options;
  memset(&options, 0, sizeof options);
  options.random = &random;
{loads}  for (uint32_t method = 0; driver_next_call(io, &method);) {{
    switch (method) {{
{cases}      default:
        driver_stop("unknown method");
    }}
  }}
{unloads}  return driver_close(io);
}}
"""

_C_DISPATCH = """\
  if (strcmp(argv[1], "{name}") == 0) {{
    return run_{name}(&io);
  }}
"""


def _c_main(entries: Sequence[Entry]) -> str:
    return _C_MAIN.format(
        declarations="".join(f"int run_{entry.name}(driver *io);\n" for entry in entries),
        dispatch="".join(_C_DISPATCH.format(name=entry.name) for entry in entries),
    )


def _c_file(entry: Entry) -> str:
    prefixes = [method_prefix(entry.model, method) for _, method in entry.methods]
    state = f"  static {entry.model.prefix}_state state;\n" * bool(entry.model.interface.state_bytes)
    return _C_FILE.format(
        package=PACKAGE,
        name=entry.name,
        memories=state
        + "".join(f"  static {prefix}_memory memory_{index};\n" for index, prefix in enumerate(prefixes)),
        loads="".join(_c_load(entry, index, method) for index, method in entry.methods),
        cases="".join(_c_case(entry, index, method) for index, method in entry.methods),
        unloads="".join(f"  {prefix}_unload(method_{index});\n" for index, prefix in reversed([*enumerate(prefixes)])),
    )


def _c_load(entry: Entry, index: int, method: Method) -> str:
    prefix = method_prefix(entry.model, method)
    arguments = ["&state"] * (method.memory.shared is not None) + _c_files(entry)
    given = "".join(f"{argument}, " for argument in arguments)
    call = f"{prefix}_load(&memory_{index}, &options, {given}&method_{index}, &error)"
    return f"  {prefix}_method method_{index};\n  driver_check({call}, &error);\n"


def _c_files(entry: Entry) -> list[str]:
    return ["io->program.bytes", "io->weights.bytes"] if entry.borrows else []


def _c_case(entry: Entry, index: int, method: Method) -> str:
    prefix, handle = method_prefix(entry.model, method), f"method_{index}"
    sets = "".join(_c_set(prefix, handle, slot) for slot in method.arguments)
    gets = "".join(_c_get(prefix, handle, slot) for slot in outputs_with_value(method))
    frees = "".join(f"        free(input_{slot.index}.data);\n" for slot in method.arguments if slot.kind == "tensor")
    run = f"        driver_check({prefix}_execute({handle}, &error), &error);\n"
    return f"      case {index}: {{\n{sets}{run}{gets}{frees}        break;\n      }}\n"


def _c_set(prefix: str, handle: str, slot: Slot) -> str:
    name, setter = f"input_{slot.index}", f"{prefix}_set_{slot.name}"
    if slot.kind != "tensor":
        return f"        driver_check({setter}({handle}, driver_read_int(io), &error), &error);\n"
    shape = f"{name}.bytes / {slot.element_bytes}u, {name}.sizes, " if slot.is_dynamic else ""
    call = f"{setter}({handle}, {name}.data, {shape}&error)"
    return f"        const driver_input {name} = driver_read(io);\n        driver_check({call}, &error);\n"


# Kind of an output: C type, data and bytes of the value.
_C_SCALARS = {
    "int": ("int64_t", "&{0}", "sizeof {0}"),
    "bool": ("bool", "&{0}", "sizeof {0}"),
    "double": ("double", "&{0}", "sizeof {0}"),
    "string": ("et_string", "{0}.data", "{0}.size"),
}


def _c_get(prefix: str, handle: str, slot: Slot) -> str:
    name, getter = f"output_{slot.index}", f"{prefix}_get_{slot.name}"
    if slot.kind != "tensor":
        type_, data, size = (text.format(name) for text in _C_SCALARS[slot.kind])
        lines = [f"{type_} {name};", f"driver_check({getter}({handle}, &{name}, &error), &error);"]
        lines.append(f"driver_write(io, 0, NULL, {data}, {size});")
    elif slot.is_dynamic:
        lines = [f"const {c_type(slot)} *{name} = NULL;", f"const int32_t *sizes_{slot.index} = NULL;"]
        lines.append(f"size_t count_{slot.index} = 0;")
        arguments = f"{handle}, &{name}, &count_{slot.index}, &sizes_{slot.index}, &error"
        lines.append(f"driver_check({getter}({arguments}), &error);")
        size = f"count_{slot.index} * {slot.element_bytes}u"
        lines.append(f"driver_write(io, {len(slot.shape)}, sizes_{slot.index}, {name}, {size});")
    else:
        sizes = ", ".join(map(str, slot.shape)) or "0"
        lines = [f"static const int32_t sizes_{slot.index}[] = {{{sizes}}};"]
        lines.append(f"const {c_type(slot)} *{name} = NULL;")
        lines.append(f"driver_check({getter}({handle}, &{name}, &error), &error);")
        size = f"{slot.count * slot.element_bytes}u"
        lines.append(f"driver_write(io, {len(slot.shape)}, sizes_{slot.index}, {name}, {size});")
    return "".join(f"        {line}\n" for line in lines)


# ---- C++ ----

_CPP_MAIN = """\
// Generated.
#include "tests/languages/driver.hpp"

namespace tests::languages {{
{declarations}}}  // namespace tests::languages

int main(int argc, char **argv) {{
  driver io = driver_open(argc, argv);
  const std::string_view model = argv[1];
{dispatch}  driver_stop("unknown model");
}}
"""

_CPP_FILE = """\
// Generated.
#include "{package}/{name}_cc.hpp"
#include "executorch/random.h"
#include "tests/languages/driver.hpp"

namespace tests::languages {{

int run_{name}(driver &io);
int run_{name}(driver &io) {{
  et_random random = et_random_seeded(0);
  et_method_options options = {{}};
  options.random = &random;
  {type_name} net = value_of({type_name}::create({files}options));
  for (std::uint32_t method = 0; driver_next_call(&io, &method);) {{
    switch (method) {{
{cases}      default:
        driver_stop("unknown method");
    }}
  }}
  return driver_close(&io);
}}

}}  // namespace tests::languages
"""

_CPP_DISPATCH = """\
  if (model == "{name}") {{
    return tests::languages::run_{name}(io);
  }}
"""


def _cpp_main(entries: Sequence[Entry]) -> str:
    return _CPP_MAIN.format(
        declarations="".join(f"int run_{entry.name}(driver &io);\n" for entry in entries),
        dispatch="".join(_CPP_DISPATCH.format(name=entry.name) for entry in entries),
    )


def _cpp_file(entry: Entry) -> str:
    (names,) = class_names([entry.model], PACKAGE, name=entry.type_name)
    files = ["io.program.bytes", "io.weights.bytes"] if entry.borrows else []
    return _CPP_FILE.format(
        package=PACKAGE,
        name=entry.name,
        type_name=entry.type_name,
        files="".join(f"{file}, " for file in files),
        cases="".join(
            _cpp_case(index, method, f"{entry.type_name}::{names.types[method.name]}", names.members[method.name])
            for index, method in entry.methods
        ),
    )


def _cpp_case(index: int, method: Method, types: str, member: str) -> str:
    lines = [f"const Input input_{slot.index}(io);" for slot in method.arguments]
    given = ", ".join(f"input_{slot.index}" for slot in method.arguments)
    call = f"value_of(net.{member}({f'{types}Inputs{{{given}}}' if given else ''}))"
    outputs = [f"output_{slot.index}" for slot in outputs_with_value(method)]
    if len(outputs) > 1:
        lines.append(f"const auto [{', '.join(outputs)}] = {call};")
    else:
        lines.append(f"const auto {outputs[0]} = {call};" if outputs else f"{call};")
    lines += [f"write(io, {output});" for output in outputs]
    body = "".join(f"        {line}\n" for line in lines)
    return f"      case {index}: {{\n{body}        break;\n      }}\n"


# ---- Rust ----

_RUST_MAIN = """\
//! Generated.

use driver_io::Driver;
use executorch::{{Data, Options}};
{functions}
fn main() {{
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut driver = Driver::new(std::fs::read(&arguments[1]).unwrap());
    let files: Vec<Data> = arguments[3..].iter().map(|path| Data::read(path).unwrap()).collect();
    let run = match arguments[0].as_str() {{
{dispatch}        name => panic!("unknown model {{}}", name),
    }};
    let mut options = Options::default();
    options.random_seed = Some(0);
    if let Err(error) = run(&mut driver, &files, &options) {{
        eprintln!("{{}}", error);
        std::process::exit(1);
    }}
    std::fs::write(&arguments[2], driver.outputs()).unwrap();
}}
"""

_RUST_FUNCTION = """
fn run_{name}(driver: &mut Driver, _files: &[Data], options: &Options) -> executorch::Result<()> {{
    let mut net = {name}::{type_name}::load_with({files}options)?;
    while let Some(method) = driver.next_call() {{
        match method {{
{cases}            _ => panic!("unknown method"),
        }}
    }}
    Ok(())
}}
"""


def _rust_main(entries: Sequence[Entry]) -> str:
    return _RUST_MAIN.format(
        functions="".join(map(_rust_function, entries)),
        dispatch="".join(f'        "{entry.name}" => run_{entry.name},\n' for entry in entries),
    )


def _rust_function(entry: Entry) -> str:
    types = method_types(entry.model.interface, entry.type_name)
    return _RUST_FUNCTION.format(
        name=entry.name,
        type_name=entry.type_name,
        files="_files[0].clone(), _files[1].clone(), " if entry.borrows else "",
        cases="".join(
            _rust_case(index, method, f"{entry.name}::{types[method.name]}") for index, method in entry.methods
        ),
    )


def _rust_case(index: int, method: Method, types: str) -> str:
    arguments, outputs = method.arguments, outputs_with_value(method)
    lines = [f"let input_{slot.index} = driver.read();" for slot in arguments]
    values = [f"input_{slot.index}.get()" for slot in arguments]
    if len(values) > 1:
        pairs = zip(arguments, values, strict=True)
        fields = ", ".join(f"{identifier(slot.name, 'rust')}: {value}" for slot, value in pairs)
        values = [f"{types}Inputs {{ {fields} }}"]
    call = f"net.{function_name(method)}({', '.join(values)})?"
    lines.append(f"let outputs = {call};" if outputs else f"{call};")
    if len(outputs) == 1:
        lines.append("driver.write(outputs);")
    else:
        lines += [f"driver.write(outputs.{identifier(slot.name, 'rust')});" for slot in outputs]
    body = "".join(f"                {line}\n" for line in lines)
    return f"            {index} => {{\n{body}            }}\n"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", nargs=7, action="append", required=True)
    parser.add_argument("mains", nargs=5, type=Path)
    options = parser.parse_args(argv)
    entries = []
    for name, prefix, manifest, files, library, *sources in options.model:
        model = read_model(Path(manifest), prefix, f"//{PACKAGE}:{name}_cc")
        entries.append(Entry(name, model, files == "files", library))
        for path, write_file in zip(sources, (_c_file, _cpp_file), strict=True):
            Path(path).write_text(write_file(entries[-1]), encoding="utf-8")
    writers: list[Callable[[Sequence[Entry]], str]] = [_c_main, _cpp_main, _rust_main, java_main, web_main]
    for path, write_main in zip(options.mains, writers, strict=True):
        path.write_text(write_main(entries), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
