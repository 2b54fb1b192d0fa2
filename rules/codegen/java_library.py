"""Write the Java classes of models, and a C source of their native library.

The classes use org.executorch.bazel in bindings/java, and the registry and data of the models' C library.

Usage: `python3 -m rules.codegen.java_library --target //app:net --library //app:net_cc --package com.example --name net
    --model PREFIX MANIFEST CLASS --out-classes net.srcjar --out-source net.c [--borrow-program] [--borrow-weights]`
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rules.codegen.archive import write_archive
from rules.codegen.java_names import (
    accessor_names,
    check_class_name,
    check_package,
    function_names,
    into_name,
    javadoc,
    javadoc_lines,
    output_classes,
    parameter_names,
    unused,
)
from rules.codegen.model import CodegenError, Model, read_model
from rules.codegen.names import c_comment, c_string
from rules.interface.description import InterfaceError, Method, Range, Slot
from rules.interface.identifiers import pascal_case, word

_API = "org.executorch.bazel"

# dtype: (element of arrays, start of the buffer's name).
_ELEMENTS = {
    "uint8": ("byte", "Byte"),
    "int8": ("byte", "Byte"),
    "int16": ("short", "Short"),
    "int32": ("int", "Int"),
    "int64": ("long", "Long"),
    "float16": ("short", "Short"),
    "float32": ("float", "Float"),
    "float64": ("double", "Double"),
    "complex64": ("float", "Float"),
    "complex128": ("double", "Double"),
    "bool": ("boolean", "Byte"),
    "bfloat16": ("short", "Short"),
    "uint16": ("short", "Short"),
    "uint32": ("int", "Int"),
    "uint64": ("long", "Long"),
}

# kind of an output: (Java type, function of `Call`).
_SCALARS = {
    "int": ("long", "getInt"),
    "bool": ("boolean", "getBool"),
    "double": ("double", "getDouble"),
    "string": ("java.lang.String", "getString"),
}

_CLASS = """\
// Generated from {target}. Do not edit.
package {package};

/**
 * Model {{@code {target}}}.
{doc} *
 * <p>An object has its own state. Any thread can use it; it runs one call at a time.
 */
public final class {name} implements java.lang.AutoCloseable {{
{constants}
  private final org.executorch.bazel.Methods methods;

  private {name}(org.executorch.bazel.Methods methods) {{
    this.methods = methods;
  }}

  /**
   * Loads all methods.
   *
{file_docs}   * @return the model; close it after use
   */
  public static {name} load({parameters}) {{
    return load({names}new org.executorch.bazel.Options());
  }}

  /**
   * Loads all methods, with options.
   *
{file_docs}   * @param options the options
   * @return the model; close it after use
   */
  public static {name} load({parameters_first}org.executorch.bazel.Options options) {{
    return new {name}(
        org.executorch.bazel.Methods.load(
            "{name}", {natives}.get(), {index}, {digest}L, SLOTS, {program}, {weights}, options));
  }}
{methods}
  /** Resets the mutable buffers of all methods to their initial values. */
  public void reset() {{
    this.methods.reset();
  }}

  /** Frees the native memory, after calls of other threads. Later calls of this function do nothing. */
  @Override
  public void close() {{
    this.methods.close();
  }}
{classes}}}
"""

_FUNCTION = """
  /**
   * {title}
{doc}{parameter_docs}   */
  public {result} {name}({parameters}) {{
{checks}    org.executorch.bazel.Call call = this.methods.begin({index});
    try {{
{sets}      call.run();
{value}    }} finally {{
      call.end();
    }}
  }}
"""

_OUTPUTS = """
  /** Outputs of {{@code {method}}}. */
  public static final class {name} {{
{fields}
    private {name}({parameters}) {{
{assignments}    }}
{accessors}  }}
"""

_ACCESSOR = """
    /**
     * Returns {description}.
     *
     * @return the output
     */
    public {type} {name}() {{
      return this.{name};
    }}
"""

_NATIVES = """\
// Generated from {target}. Do not edit.
package {package};

/** The native library of {{@code {target}}}. */
final class {name} extends org.executorch.bazel.Natives {{
  private static {name} loaded;

  private {name}() {{}}

  /** Loads the library for the first caller. */
  static synchronized org.executorch.bazel.Natives get() {{
    if (loaded == null) {{
      if (org.executorch.bazel.NativeLibrary.isInstalled()) {{
        java.lang.System.loadLibrary("{library}");
      }} else {{
        java.lang.System.load(org.executorch.bazel.NativeLibrary.find({name}.class, "{library}"));
      }}
      loaded = new {name}();
    }}
    return loaded;
  }}

  @Override
  protected native long load(
      int model,
      long digest,
      java.nio.ByteBuffer frame,
      java.lang.Object[] files,
      long[] numbers,
      java.lang.Object[] texts);

  @Override
  protected native int run(long handle, int method, java.lang.Object[] tensors);

  @Override
  protected native int read(
      long handle, int method, int output, java.lang.Object target, long begin, boolean isDirect);

  @Override
  protected native byte[] text(long handle, int method, int output);

  @Override
  protected native void reset(long handle);

  @Override
  protected native void free(long handle);
}}
"""

_SOURCE = """\
/* Generated from {target}. Do not edit. */
#include "bindings/java/jni/model.h"

{declarations}
{methods}
const char *const et_java_natives_class = "{class_path}";

const et_java_spec et_java_specs[] = {{
{specs}}};

const size_t et_java_spec_count = {count};
"""

_SPEC = """\
    {{
        .digest = INT64_C({digest}),
        .registry = &{prefix}_registry,
        .program = {program},
        .weights = {weights},
        .has_weights = {has_weights},
        .check_weights = {check_weights},
        .methods = methods_{index},
        .method_count = {method_count},
    }},
"""


@dataclass(frozen=True)
class JavaModel:
    """A model of a library.

    name: name of the class; "" for the default.
    digest: of the manifest, which the class and the native library compare.
    """

    model: Model
    name: str
    digest: int

    @property
    def class_name(self) -> str:
        """The name, or the model's prefix without the words of its package."""
        if self.name:
            return self.name
        package = self.model.interface.target.rpartition("//")[2].partition(":")[0]
        return pascal_case(self.model.prefix.removeprefix(word(package) + "_"), "java")


@dataclass(frozen=True)
class Library:
    """The models of a native library.

    target: label, for comments.
    package: Java package of the classes.
    name: name of the target; that of the native library is `<name>_jni`.
    borrow_program, borrow_weights: whether the caller of `load` passes the file.
    """

    target: str
    package: str
    name: str
    models: Sequence[JavaModel]
    borrow_program: bool = False
    borrow_weights: bool = False

    @property
    def natives(self) -> str:
        return pascal_case(self.name, "java") + "Natives"

    def borrowed(self, model: Model) -> list[str]:
        """Return the files that the caller of `load` passes."""
        has_weights = model.interface.weights is not None
        return ["program"] * self.borrow_program + ["weights"] * (self.borrow_weights and has_weights)


def java_classes(library: Library) -> dict[str, str]:
    """Return the sources by path. Raises CodegenError."""
    check_package(library.package)
    names = [model.class_name for model in library.models]
    for name in names:
        check_class_name(name)
        if names.count(name) > 1 or name == library.natives:
            raise CodegenError(f"class_name: two classes are '{name}'; set other names")
    folder = library.package.replace(".", "/")
    sources = {f"{folder}/{library.natives}.java": _natives(library)}
    for index, model in enumerate(library.models):
        sources[f"{folder}/{model.class_name}.java"] = _class(library, index)
    return sources


def _natives(library: Library) -> str:
    return _NATIVES.format(
        target=javadoc(library.target), package=library.package, name=library.natives, library=f"{library.name}_jni"
    )


def _class(library: Library, index: int) -> str:
    entry = library.models[index]
    interface = entry.model.interface
    files = library.borrowed(entry.model)
    parameters = [f"{_API}.Data {file}" for file in files]
    writers = [_MethodWriter(entry, number) for number in range(len(interface.methods))]
    return _CLASS.format(
        target=javadoc(interface.target),
        package=library.package,
        name=entry.class_name,
        doc=javadoc_lines(interface.doc, ""),
        constants=_slot_counts(interface.methods) + "".join(writer.constants() for writer in writers),
        file_docs="".join(f"   * @param {file} the {file}\n" for file in files),
        parameters=", ".join(parameters),
        parameters_first="".join(f"{parameter}, " for parameter in parameters),
        names="".join(f"{file}, " for file in files),
        natives=library.natives,
        index=index,
        digest=entry.digest,
        program="program" if "program" in files else "null",
        weights="weights" if "weights" in files else "null",
        methods="".join(writer.functions() for writer in writers),
        classes="".join(writer.outputs_class() for writer in writers),
    )


def _slot_counts(methods: Sequence[Method]) -> str:
    counts = (str(len(slots)) for method in methods for slots in (method.inputs, method.outputs))
    return f"  private static final int[] SLOTS = {{{', '.join(counts)}}};\n"


def element_type(slot: Slot) -> str:
    return _ELEMENTS[slot.dtype][0]


def buffer_type(slot: Slot) -> str:
    return f"java.nio.{_ELEMENTS[slot.dtype][1]}Buffer"


def _dtype(slot: Slot) -> str:
    return f"{_API}.Dtype.{slot.dtype.upper()}"


def _element_count(slot: Slot) -> int:
    """Return the number of Java elements. A complex number is two."""
    return slot.count * (2 if slot.dtype.startswith("complex") else 1)


def is_shaped(slot: Slot) -> bool:
    """Return true if the sizes do not follow from the number of elements."""
    dynamic = sum(isinstance(size, Range) for size in slot.sizes)
    return slot.is_dynamic and (dynamic != 1 or 0 in slot.sizes)


def _describe(slot: Slot) -> str:
    if slot.kind != "tensor":
        return str(slot.range or slot.kind)
    return f"{slot.dtype} [{', '.join(slot.size_texts)}]"


def _output_type(slot: Slot) -> str:
    return f"{_API}.Tensor<{element_type(slot)}[]>" if slot.kind == "tensor" else _SCALARS[slot.kind][0]


class _MethodWriter:
    """Writes the functions of one method."""

    def __init__(self, entry: JavaModel, index: int) -> None:
        interface = entry.model.interface
        self._index = index
        self._method = method = interface.methods[index]
        self._name = function_names(interface)[method.name]
        self._class = output_classes(interface, entry.class_name)[method.name]
        self._arguments = method.arguments
        self._outputs = [slot for slot in method.outputs if slot.kind == "tensor" or slot.kind in _SCALARS]
        self._variables = parameter_names(self._arguments, method)
        self._accessors = accessor_names(self._outputs, method)
        names = list(self._variables.values())
        self._size_variables = {
            slot.index: unused(f"{self._variables[slot.index]}Sizes", names)
            for slot in self._arguments
            if slot.kind == "tensor" and is_shaped(slot)
        }
        taken = [*names, *self._size_variables.values(), "call", "java", "org"]
        self._targets = {slot.index: unused(name, taken) for slot, name in zip(self._outputs, self._accessors.values())}

    def constants(self) -> str:
        """Return the sizes of inputs and the dim orders of outputs."""
        lines = [
            (
                f"SIZES_{self._index}_{slot.index}",
                [-1 if isinstance(size, Range) else size for size in self._sizes(slot)],
            )
            for slot in self._arguments
            if slot.kind == "tensor" and slot.index not in self._size_variables
        ]
        lines += [
            (f"ORDER_{self._index}_{slot.index}", list(slot.dim_order))
            for slot in self._outputs
            if slot.kind == "tensor"
        ]
        return "".join(
            f"  private static final int[] {name} = {{{', '.join(map(str, ints))}}};\n" for name, ints in lines
        )

    def _sizes(self, slot: Slot) -> Sequence[int | Range]:
        return slot.sizes if slot.is_dynamic else slot.shape

    def functions(self) -> str:
        has_tensors = any(slot.kind == "tensor" for slot in self._arguments)
        texts = [self._function(with_buffers=False)]
        if has_tensors:
            texts.append(self._function(with_buffers=True))
        if self._outputs and all(slot.kind == "tensor" for slot in self._outputs):
            texts.append(self._into_function())
        return "".join(texts)

    def _function(self, *, with_buffers: bool) -> str:
        returned = self._return_doc()
        return _FUNCTION.format(
            title=self._title(" with elements of buffers, from position to limit" if with_buffers else ""),
            doc=self._doc(),
            parameter_docs=self._docs([*self._input_docs(), *returned]),
            result=self._result_type(),
            name=self._name,
            parameters=", ".join(self._parameters(with_buffers)),
            checks="",
            index=self._index,
            sets="".join(map(self._set, self._arguments)),
            value=self._value(),
        )

    def _into_function(self) -> str:
        targets = [(slot, self._targets[slot.index]) for slot in self._outputs]
        docs = [
            f"@param {name} receives {javadoc(slot.name)}, {javadoc(_describe(slot))}; its limit becomes the end of the elements"
            for slot, name in targets
        ]
        checks = (
            f'    {_API}.Call.checkTarget("{slot.name}", {name}, {0 if slot.is_dynamic else _element_count(slot)});\n'
            for slot, name in targets
        )
        copies = (
            f'      call.copyTo({slot.index}, "{slot.name}", {_dtype(slot)}, {len(slot.shape)}, {name});\n'
            for slot, name in targets
        )
        return _FUNCTION.format(
            title=self._title(", and copies the outputs to buffers"),
            doc=self._doc(),
            parameter_docs=self._docs([*self._input_docs(), *docs]),
            result="void",
            name=into_name(self._name),
            parameters=", ".join([*self._parameters(True), *(f"{buffer_type(slot)} {name}" for slot, name in targets)]),
            checks="".join(checks),
            index=self._index,
            sets="".join(map(self._set, self._arguments)),
            value="".join(copies),
        )

    def _title(self, end: str) -> str:
        return f"Runs method {{@code {javadoc(self._method.name)}}}{end}."

    def _doc(self) -> str:
        text = javadoc_lines(self._method.doc, "  ")
        return text + javadoc_lines(self._method.requirement, "  ")

    def _docs(self, lines: Sequence[str]) -> str:
        return "   *\n" * bool(lines) + "".join(f"   * {line}\n" for line in lines)

    def _input_docs(self) -> Iterator[str]:
        for slot in self._arguments:
            yield f"@param {self._variables[slot.index]} {javadoc(_describe(slot))}"
            if slot.index in self._size_variables:
                yield f"@param {self._size_variables[slot.index]} the {len(slot.shape)} sizes of {javadoc(slot.name)}"

    def _return_doc(self) -> list[str]:
        if len(self._outputs) == 1:
            return [f"@return {javadoc(_describe(self._outputs[0]))}"]
        return ["@return the outputs"] if self._outputs else []

    def _parameters(self, with_buffers: bool) -> Iterator[str]:
        for slot in self._arguments:
            if slot.kind != "tensor":
                yield f"long {self._variables[slot.index]}"
                continue
            yield f"{buffer_type(slot) if with_buffers else f'{element_type(slot)}[]'} {self._variables[slot.index]}"
            if slot.index in self._size_variables:
                yield f"int[] {self._size_variables[slot.index]}"

    def _set(self, slot: Slot) -> str:
        variable = self._variables[slot.index]
        if slot.kind != "tensor":
            return f'      call.setInt({slot.index}, "{slot.name}", {variable});\n'
        sizes = f"SIZES_{self._index}_{slot.index}"
        if slot.index in self._size_variables:
            sizes = f'{_API}.Call.checkSizes("{slot.name}", {self._size_variables[slot.index]}, {len(slot.shape)})'
        return f'      call.set({slot.index}, "{slot.name}", {_dtype(slot)}, {variable}, {sizes});\n'

    def _result_type(self) -> str:
        if len(self._outputs) == 1:
            return _output_type(self._outputs[0])
        return self._class if self._outputs else "void"

    def _value(self) -> str:
        values = [self._read(slot) for slot in self._outputs]
        if len(values) == 1:
            return f"      return {values[0]};\n"
        lines = ",\n          ".join(values)
        return f"      return new {self._class}(\n          {lines});\n" if values else ""

    def _read(self, slot: Slot) -> str:
        if slot.kind != "tensor":
            return f"call.{_SCALARS[slot.kind][1]}({slot.index})"
        return f"call.get{element_type(slot).capitalize()}s({slot.index}, {_dtype(slot)}, ORDER_{self._index}_{slot.index})"

    def outputs_class(self) -> str:
        """Return the class of several outputs. Java 11 has no records."""
        if len(self._outputs) < 2:
            return ""
        members = [(slot, _output_type(slot), self._accessors[slot.index]) for slot in self._outputs]
        return _OUTPUTS.format(
            method=javadoc(self._method.name),
            name=self._class,
            fields="".join(f"    private final {type_} {name};\n" for _, type_, name in members),
            parameters=", ".join(f"{type_} {name}" for _, type_, name in members),
            assignments="".join(f"      this.{name} = {name};\n" for _, _, name in members),
            accessors="".join(
                _ACCESSOR.format(description=f"{javadoc(slot.name)}, {javadoc(_describe(slot))}", type=type_, name=name)
                for slot, type_, name in members
            ),
        )


def c_source(library: Library) -> str:
    """Return the C source with the models of the native library."""
    models = list(enumerate(library.models))
    return _SOURCE.format(
        target=c_comment(library.target),
        declarations="".join(_declarations(library, entry.model) for _, entry in models),
        methods="".join(_c_methods(index, entry.model) for index, entry in models),
        class_path=f"{library.package}.{library.natives}".replace(".", "/"),
        specs="".join(_c_spec(library, index, entry) for index, entry in models),
        count=len(models),
    )


def _embedded(library: Library, model: Model) -> dict[str, int]:
    """Return the sizes of the files that the library contains."""
    sizes = {"program": model.interface.program_bytes}
    if model.interface.weights is not None:
        sizes["weights"] = model.interface.weights.nbytes
    return {file: size for file, size in sizes.items() if file not in library.borrowed(model)}


def _declarations(library: Library, model: Model) -> str:
    prefix = model.link_prefix
    files = (
        f"extern const uint8_t {prefix}_{file}_data[{size}];\n" for file, size in _embedded(library, model).items()
    )
    return f"extern const et_registry {prefix}_registry;\n" + "".join(files)


def _c_methods(index: int, model: Model) -> str:
    lines = (_c_method(method) for method in model.interface.methods)
    return f"static const et_java_method methods_{index}[] = {{\n{''.join(lines)}}};\n"


def _c_method(method: Method) -> str:
    if "\0" in method.name:
        raise CodegenError(f"method {method.name!r} has a NUL in its name; rename it")
    shared = 0 if method.memory.shared is None else method.memory.shared + 1
    return f'    {{"{c_string(method.name)}", {shared}}},\n'


def _c_spec(library: Library, index: int, entry: JavaModel) -> str:
    embedded = _embedded(library, entry.model)
    spans = {
        file: f"{{{entry.model.link_prefix}_{file}_data, {embedded[file]}}}" if file in embedded else "{0}"
        for file in ("program", "weights")
    }
    has_weights = entry.model.interface.weights is not None
    return _SPEC.format(
        digest=entry.digest,
        prefix=entry.model.link_prefix,
        program=spans["program"],
        weights=spans["weights"],
        has_weights=str(has_weights).lower(),
        check_weights=str("weights" in library.borrowed(entry.model)).lower(),
        index=index,
        method_count=len(entry.model.interface.methods),
    )


def interface_digest(manifest: bytes) -> int:
    """Return 63 bits of the manifest's SHA-256."""
    return int.from_bytes(hashlib.sha256(manifest).digest()[:8], "big") >> 1


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--target", required=True, help="label of the Java library")
    parser.add_argument("--library", required=True, help="label of the models' C library")
    parser.add_argument("--package", required=True, help="Java package")
    parser.add_argument("--name", required=True, help="name of the Java library")
    parser.add_argument("--model", nargs=3, action="append", required=True, metavar=("PREFIX", "MANIFEST", "CLASS"))
    parser.add_argument("--borrow-program", action="store_true", help="take the program from the caller")
    parser.add_argument("--borrow-weights", action="store_true", help="take the weights from the caller")
    parser.add_argument("--out-classes", type=Path, required=True, help="source jar to write")
    parser.add_argument("--out-source", type=Path, required=True, help="C file to write")
    return parser.parse_args(argv)


def _read_models(options: argparse.Namespace) -> Iterator[JavaModel]:
    for prefix, manifest, name in options.model:
        path = Path(manifest)
        yield JavaModel(read_model(path, prefix, options.library), name.strip("-"), interface_digest(path.read_bytes()))


def main(argv: Sequence[str]) -> int:
    options = _parse_arguments(argv)
    try:
        library = Library(
            target=options.target,
            package=options.package,
            name=options.name,
            models=list(_read_models(options)),
            borrow_program=options.borrow_program,
            borrow_weights=options.borrow_weights,
        )
        classes = java_classes(library)
        source = c_source(library)
    except (CodegenError, InterfaceError) as error:
        print(f"{options.target}: {error}", file=sys.stderr)
        return 1
    write_archive(options.out_classes, {path: text.encode() for path, text in classes.items()})
    options.out_source.write_text(source, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
