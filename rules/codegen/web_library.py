"""Write the sources of a WebAssembly library.

These are the JavaScript module, its TypeScript declarations, and a C source of the .wasm files.

Usage: `python3 -m rules.codegen.web_library --target //app:net --library //app:net_cc --model PREFIX MANIFEST CLASS STEM
    --module plain net.plain.wasm --runtime errors.mjs… --types runtime.d.mts… --out-module net.mjs --out-types net.d.mts --out-source net.c
    [--embed] [--worker net.worker.mjs] [--tokenizer KIND CLASS LABEL TABLES SYMBOL HEADER FILE… --out-tokenizer tokenizer.c…]`.
STEM is the name of the model's files next to the module, without extension.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from rules.codegen.model import CodegenError, Model, read_model
from rules.codegen.names import c_comment
from rules.codegen.spec_source import Spec, spec_source
from rules.codegen.web_model import File, Library, WebModel, check_class_names
from rules.codegen.web_module import module_text
from rules.codegen.web_tokenizer import read_tokenizer, tokenizer_source
from rules.codegen.web_types import declarations
from rules.interface.description import InterfaceError

_SOURCE = """\
/* Generated from {target}. Do not edit. */
#include "bindings/web/wasm/instance.h"

{specs}"""


def _parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--target", required=True, help="label of the library")
    parser.add_argument("--library", required=True, help="label of the models' C library")
    parser.add_argument(
        "--model", nargs=4, action="append", required=True, metavar=("PREFIX", "MANIFEST", "CLASS", "STEM")
    )
    parser.add_argument("--module", nargs=2, action="append", required=True, metavar=("VARIANT", "FILE"))
    parser.add_argument(
        "--runtime", type=Path, action="append", required=True, help="module of the runtime; repeatable"
    )
    parser.add_argument(
        "--types", type=Path, action="append", required=True, help="declarations of the runtime; repeatable"
    )
    parser.add_argument(
        "--tokenizer",
        nargs=7,
        action="append",
        default=[],
        metavar=("KIND", "CLASS", "LABEL", "TABLES", "SYMBOL", "HEADER", "FILE"),
    )
    parser.add_argument("--worker", default="", help="name of the module of threads, if the library has them")
    parser.add_argument("--embed", action="store_true", help="the .wasm files contain the programs and weights")
    parser.add_argument("--out-module", type=Path, required=True, help="JavaScript module to write")
    parser.add_argument("--out-types", type=Path, required=True, help="TypeScript declarations to write")
    parser.add_argument("--out-source", type=Path, required=True, help="C file to write")
    parser.add_argument(
        "--out-tokenizer", type=Path, action="append", default=[], help="C file to write for each tokenizer"
    )
    return parser.parse_args(argv)


def _files(model: Model, stem: str) -> dict[str, File]:
    interface = model.interface
    files = {"program": File(f"{stem}.pte", interface.program_bytes, interface.program_sha256)}
    if interface.weights is not None:
        files["weights"] = File(f"{stem}.ptd", interface.weights.nbytes, interface.weights.sha256)
    return files


def _read_model(entry: Sequence[str], library: str, *, embed: bool) -> WebModel:
    prefix, manifest, class_name, stem = entry
    path = Path(manifest)
    model = read_model(path, prefix, library)
    # 63 bits of the manifest's SHA-256.
    digest = int.from_bytes(hashlib.sha256(path.read_bytes()).digest()[:8], "big") >> 1
    name = class_name.strip("-") or model.type_name("typescript")
    return WebModel(model, name, digest, {} if embed else _files(model, stem))


def main(argv: Sequence[str]) -> int:
    options = _parse_arguments(argv)
    try:
        models = [_read_model(entry, options.library, embed=options.embed) for entry in options.model]
        runtime = [path.read_text(encoding="utf-8") for path in options.runtime]
        tokenizers = [read_tokenizer(entry) for entry in options.tokenizer]
        names = [model.class_name for model in models] + [tokenizer.class_name for tokenizer in tokenizers]
        check_class_names(names, "\n".join(runtime))
        library = Library(options.target, models, dict(options.module), tokenizers, options.worker)
        module = module_text(library, runtime)
        types = declarations(library, "\n".join(path.read_text(encoding="utf-8") for path in options.types))
        specs = spec_source("et_web", [Spec(model.model, model.digest, list(model.files)) for model in models])
    except (CodegenError, InterfaceError) as error:
        print(f"{options.target}: {error}", file=sys.stderr)
        return 1
    options.out_module.write_text(module, encoding="utf-8")
    options.out_types.write_text(types, encoding="utf-8")
    options.out_source.write_text(_SOURCE.format(target=c_comment(options.target), specs=specs), encoding="utf-8")
    for tokenizer, path in zip(tokenizers, options.out_tokenizer, strict=True):
        path.write_text(tokenizer_source(tokenizer), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
