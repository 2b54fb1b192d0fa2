"""The JavaScript module of a WebAssembly library."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from rules.codegen.model import CodegenError
from rules.codegen.web_model import Library, WebModel, function_names, inputs_of, outputs_of
from rules.codegen.web_tokenizer import RUNTIME_CLASSES, tokenizer_class

_MODULE = """\
// Generated from {target}. Do not edit.

// The modules of the variants, the fastest first. Bundlers find these URLs.
const library = {{
  compiled: {{}},
  modules: {{
{modules}  }},
{worker}}};

const executorch = (() => {{
{runtime}
  return {{ {names} }};
}})();

export const {{ ExecutorchError }} = executorch;

/** Any program whose kernels this library contains. */
export class Program extends executorch.GenericProgram {{
  static open(source, options) {{
    return executorch.GenericProgram.opening(library, Program, source, options);
  }}
}}
{classes}"""

# Names of bindings/web/runtime that the classes use.
_NAMES = ("checkLoaded", "DISPOSE", "ExecutorchError", "GenericProgram", "loadModel")
_TOKENIZER_NAMES = (*RUNTIME_CLASSES.values(), "loadTokenizer")

_WORKER = """\
  worker: () => new Worker(new URL({file}, import.meta.url), {{ type: "module" }}),
  workerUrl: () => new URL({file}, import.meta.url),
"""

_CLASS = """
const model{index} = {{
  name: {name},
  index: {index},
  digest: {digest}n,
{files}  methods: [
{methods}  ],
}};

/** Model `{target}`. */
export class {class_name} {{
  #model;

  constructor(model) {{
    this.#model = executorch.checkLoaded(model, {name});
  }}

  static async load(options) {{
    return new {class_name}(await executorch.loadModel(library, model{index}, options));
  }}
{functions}
  get memoryBytes() {{
    return this.#model.memoryBytes;
  }}

  get threads() {{
    return this.#model.threads;
  }}

  reset() {{
    this.#model.reset();
  }}

  dispose() {{
    this.#model.dispose();
  }}

  [executorch.DISPOSE]() {{
    this.#model.dispose();
  }}
}}
"""

_FUNCTION = """
  {name}(inputs) {{
    return this.#model.run({index}, inputs);
  }}
"""

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.mjs";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async |class |const |function )", re.MULTILINE)
_DECLARATION = re.compile(r"^(?:async )?(?:class|const|function\*?|let) (\w+)", re.MULTILINE)


def javascript(value: Any) -> str:
    """Return a literal. ASCII only, so no character ends a line or the text."""
    return json.dumps(value, ensure_ascii=True)


def bundle(sources: Sequence[str]) -> str:
    """Return modules that import each other as one scope.

    Raises CodegenError if two declare the same name.
    """
    texts = [_EXPORT.sub("", _IMPORT.sub("", source)).strip() + "\n" for source in sources]
    names = [name for text in texts for name in _DECLARATION.findall(text)]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise CodegenError(f"modules of the runtime declare the same names: {', '.join(repeated)}")
    return "\n".join(texts)


def module_text(library: Library, runtime: Sequence[str]) -> str:
    """Return the module.

    `runtime` has the contents of bindings/web/runtime, each after those that it imports.
    """
    tokenizers = [
        tokenizer_class(index, tokenizer, comment(tokenizer.target))
        for index, tokenizer in enumerate(library.tokenizers)
    ]
    return _MODULE.format(
        target=comment(library.target),
        names=", ".join([*_NAMES, *(_TOKENIZER_NAMES if tokenizers else ())]),
        modules="".join(
            f"    {variant}: () => new URL({javascript('./' + file)}, import.meta.url),\n"
            for variant, file in library.modules.items()
        ),
        runtime=bundle(runtime),
        worker=_WORKER.format(file=javascript("./" + library.worker)) if library.worker else "",
        classes="".join([*(_class(index, entry) for index, entry in enumerate(library.models)), *tokenizers]),
    )


def comment(text: str) -> str:
    """Return `text` as part of one line of a comment, which it cannot end."""
    return "".join(c if c.isprintable() else " " for c in text).replace("*/", "*\u200b/")


def _class(index: int, entry: WebModel) -> str:
    interface = entry.model.interface
    return _CLASS.format(
        index=index,
        target=comment(interface.target),
        name=javascript(entry.class_name),
        class_name=entry.class_name,
        digest=entry.digest,
        files="".join(
            f"  {role}: {{\n    url: () => new URL({javascript('./' + file.name)}, import.meta.url),\n"
            f"    bytes: {file.nbytes},\n    sha256: {javascript(file.sha256)},\n  }},\n"
            for role, file in entry.files.items()
        ),
        methods="".join(f"    {javascript(table)},\n" for table in _method_tables(entry)),
        functions="".join(
            _FUNCTION.format(name=name, index=number) for number, name in enumerate(function_names(interface))
        ),
    )


def _method_tables(entry: WebModel) -> list[dict[str, Any]]:
    """Return the tables that the runtime needs for each method.

    They have names for errors, and the properties of arguments and results.
    """
    return [
        {
            "inputs": [slot.name for slot in method.inputs],
            "outputs": [slot.name for slot in method.outputs],
            "arguments": [[name, slot.index] for name, slot in inputs_of(method).items()],
            "results": [[name, slot.index] for name, slot in outputs_of(method).items()],
        }
        for method in entry.model.interface.methods
    ]
