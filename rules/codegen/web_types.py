"""The TypeScript declarations of a WebAssembly library."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rules.codegen.web_model import Library, WebModel, function_names, inputs_of, outputs_of, type_names
from rules.codegen.web_module import comment
from rules.codegen.web_tokenizer import tokenizer_types
from rules.interface.description import Method, Range, Slot

_DECLARATIONS = """\
// Generated from {target}. Do not edit.

{runtime}
/** The variants of the library, the fastest first. */
export type Variant = {variants};
{classes}"""

_CLASS = """
{doc}export declare class {name} {{
  private constructor();
  /** Loads all methods. */
  static load(options?: LoadOptions<Variant>): Promise<{name}>;
{functions}  /** The size of the object's WebAssembly memory. */
  readonly memoryBytes: number;
  /** The number of threads of a call. */
  readonly threads: number;
  /** Resets the mutable buffers of all methods to their initial values. */
  reset(): void;
  /** Frees the memory. Later calls throw ExecutorchError. */
  dispose(): void;
  [Symbol.dispose](): void;
}}
{namespace}"""

ARRAYS: Mapping[str, str] = {
    "uint8": "Uint8Array",
    "int8": "Int8Array",
    "int16": "Int16Array",
    "int32": "Int32Array",
    "int64": "BigInt64Array",
    "float16": "Uint16Array",
    "float32": "Float32Array",
    "float64": "Float64Array",
    "complex64": "Float32Array",
    "complex128": "Float64Array",
    "bool": "Uint8Array",
    "bfloat16": "Uint16Array",
    "uint16": "Uint16Array",
    "uint32": "Uint32Array",
    "uint64": "BigUint64Array",
}

_SCALARS = {"int": "bigint", "bool": "boolean", "double": "number", "string": "string"}


def declarations(library: Library, runtime: str) -> str:
    """Return the declarations. `runtime` has those of bindings/web/runtime."""
    tokenizers = [tokenizer_types(tokenizer, comment(tokenizer.target)) for tokenizer in library.tokenizers]
    return _DECLARATIONS.format(
        target=comment(library.target),
        runtime=runtime,
        variants=" | ".join(f'"{variant}"' for variant in library.modules),
        classes="".join([*map(_class, library.models), *tokenizers]),
    )


def _class(entry: WebModel) -> str:
    interface = entry.model.interface
    names = zip(interface.methods, function_names(interface), type_names(interface), strict=True)
    functions, types = [], []
    for method, function, start in names:
        functions.append(_function(method, function, f"{entry.class_name}.{start}"))
        types.append(_interface(f"{start}Inputs", inputs_of(method), input_type))
        types.append(_interface(f"{start}Outputs", outputs_of(method), output_type))
    namespace = "".join(types)
    return _CLASS.format(
        doc=_doc("", f"Model `{interface.target}`.", interface.doc),
        name=entry.class_name,
        functions="".join(functions),
        namespace=f"export declare namespace {entry.class_name} {{\n{namespace}}}\n",
    )


def _function(method: Method, name: str, types: str) -> str:
    doc = _doc("  ", f"Runs method `{method.name}`.", method.doc, method.requirement)
    parameters = f"inputs: {types}Inputs" if method.arguments else f"inputs?: {types}Inputs"
    return f"{doc}  {name}({parameters}): {types}Outputs;\n"


def _interface(name: str, slots: Mapping[str, Slot], type_of: object) -> str:
    lines = (f"    /** {comment(_describe(slot))} */\n    {prop}: {type_of(slot)};\n" for prop, slot in slots.items())  # type: ignore[operator]
    return f"  interface {name} {{\n{''.join(lines)}  }}\n"


def _describe(slot: Slot) -> str:
    if slot.kind != "tensor":
        return str(slot.range or slot.kind)
    return f"{slot.dtype} [{', '.join(slot.size_texts)}]"


def input_type(slot: Slot) -> str:
    """Return the type of an argument."""
    if slot.kind != "tensor":
        return "number | bigint"
    array = ARRAYS[slot.dtype] + (" | Uint8ClampedArray" if slot.dtype == "uint8" else "")
    dynamic = sum(isinstance(size, Range) for size in slot.sizes)
    if not slot.is_dynamic or dynamic == 0:
        return array
    shaped = f"Shaped<{array}>"
    return shaped if dynamic > 1 or 0 in slot.sizes else f"{array} | {shaped}"


def output_type(slot: Slot) -> str:
    """Return the type of a result."""
    return f'Tensor<{ARRAYS[slot.dtype]}, "{slot.dtype}">' if slot.kind == "tensor" else _SCALARS[slot.kind]


def _doc(indent: str, *texts: str) -> str:
    """Return paragraphs as a documentation comment."""
    lines = list(_doc_lines(texts))
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def _doc_lines(texts: tuple[str, ...]) -> Iterator[str]:
    paragraphs = [part for text in texts for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]
    for index, paragraph in enumerate(paragraphs):
        if index:
            yield ""
        # `@` would start a tag.
        yield comment(" ".join(paragraph.split())).replace("@", "\\@")
