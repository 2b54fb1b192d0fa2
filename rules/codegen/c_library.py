"""Write the C and C++ sides of compiled models.

The files are typed headers, a registry, and the embedded program.

Usage: `python3 -m rules.codegen.c_library --target //models:mobilenet_cc --include models/mobilenet_cc.h --out-header … --out-source …
    --out-data … --kernels kernels/portable/kernels.toml --model PREFIX MANIFEST PTE [--model …] [--backend ID=SYMBOL …]
    [--weights PREFIX PTD …] [--borrow-weights] [--borrow-program PREFIX PATH …] [--shared-memory PREFIX]
    [--out-exports … [--export SYMBOL …]]
    [--out-cpp-header … --cpp-include models/mobilenet_cc.hpp [--cpp-namespace NAMESPACE] [--cpp-class NAME]
    [--cpp-memory any|caller|heap|static]]`

With --out-exports, the files are for a shared library. The option names a linker version script that lists
the exported symbols.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from exir.operators.document import TableError
from rules.codegen.cpp_header import MEMORY_POLICIES, cpp_header
from rules.codegen.cpp_names import class_names
from rules.codegen.data_file import data_source
from rules.codegen.header import header
from rules.codegen.identifiers import check_names
from rules.codegen.kernel_table import SelectionError, add_table_flags, choose, load_tables
from rules.codegen.model import Borrowed, CodegenError, Model, read_model
from rules.codegen.names import header_guard
from rules.codegen.source import LinkedBackend, source
from rules.codegen.typed_functions import exported_names
from rules.interface.description import InterfaceError


def _parse_arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("--target", required=True, help="label of the library")
    parser.add_argument("--include", required=True, help="include path of the header")
    parser.add_argument("--model", action="append", nargs=3, required=True, metavar=("PREFIX", "MANIFEST", "PTE"))
    parser.add_argument("--weights", action="append", default=[], nargs=2, metavar=("PREFIX", "PTD"), help="to embed")
    parser.add_argument(
        "--borrow-weights", action="store_true", help="take the weights from the caller instead of embedding them"
    )
    parser.add_argument(
        "--borrow-program",
        action="append",
        default=[],
        nargs=2,
        metavar=("PREFIX", "PATH"),
        help="take the program from the caller instead of embedding it",
    )
    parser.add_argument(
        "--shared-memory", default="", metavar="PREFIX", help="define a type that can hold the memory of any method"
    )
    add_table_flags(parser)
    parser.add_argument(
        "--backend", action="append", default=[], help="ID=SYMBOL: C symbol of the et_backend of backend ID"
    )
    parser.add_argument("--linked-registry", action="store_true", help="also define et_linked_registry")
    parser.add_argument("--out-exports", type=Path, help="version script of a shared library")
    parser.add_argument("--export", action="append", default=[], help="another function to export; repeatable")
    parser.add_argument("--out-header", type=Path, required=True)
    parser.add_argument("--out-source", type=Path, required=True)
    parser.add_argument("--out-data", type=Path, required=True)
    parser.add_argument("--out-cpp-header", type=Path, help="C++ header")
    parser.add_argument("--cpp-include", default="", help="include path of the C++ header")
    parser.add_argument("--cpp-namespace", default="", help="instead of the package")
    parser.add_argument("--cpp-class", default="", help="name of the class of a single model")
    parser.add_argument("--cpp-memory", default="any", choices=MEMORY_POLICIES, help="memory of objects of the class")
    return parser.parse_args(argv)


def _linked_backends(models: list[Model], entries: list[str]) -> list[LinkedBackend]:
    known = dict(entry.split("=", 1) for entry in entries)
    needed = sorted({backend for model in models for backend in model.interface.backends})
    for backend in needed:
        if backend not in known:
            users = ", ".join(model.interface.target for model in models if backend in model.interface.backends)
            raise CodegenError(
                f"{users}: delegates to '{backend}', but no backend target in 'backend' has a runtime for it; add one"
            )
    return [LinkedBackend(known[backend], _needed_parts(models, backend)) for backend in needed]


def _needed_parts(models: list[Model], backend: str) -> tuple[str, ...]:
    """Return the symbols of the backend's parts that at least one of the models needs."""
    return tuple(sorted({part for model in models for part in model.interface.parts.get(backend, ())}))


def _embedded_weights(options: argparse.Namespace, models: list[Model]) -> dict[str, list[str]]:
    """Map the path of each distinct weights file to the models that use it.

    Equal files, by SHA-256, are embedded once.
    """
    paths = {} if options.borrow_weights else dict(options.weights)
    path_of: dict[str, str] = {}
    users: dict[str, list[str]] = {}
    for model in models:
        if model.interface.weights is not None and model.prefix in paths:
            path = path_of.setdefault(model.interface.weights.sha256, paths[model.prefix])
            users.setdefault(path, []).append(model.link_prefix)
    return users


def _generate_library(options: argparse.Namespace) -> None:
    models = [read_model(Path(manifest), prefix, options.target) for prefix, manifest, _ in options.model]
    check_names(models)
    kernels = choose(load_tables(options), [Path(manifest) for _, manifest, _ in options.model])
    backends = _linked_backends(models, options.backend)
    borrowed = Borrowed(dict(options.borrow_program), options.borrow_weights)
    embedded = [] if borrowed.programs else zip(models, options.model, strict=True)
    programs = [(model.link_prefix, pte) for model, (_, _, pte) in embedded]
    guard = header_guard(options.include, options.target)
    is_shared = options.out_exports is not None
    text = header(guard, models, borrowed, options.shared_memory, is_shared)
    options.out_header.write_text(text, encoding="utf-8")
    registries = [f"{model.prefix}_registry" for model in models] + ["et_linked_registry"] * options.linked_registry
    text = source(options.include, models, registries, kernels, backends, borrowed, is_shared)
    options.out_source.write_text(text, encoding="utf-8")
    if is_shared:
        options.out_exports.write_text(_version_script(models, options.export), encoding="utf-8")
    options.out_data.write_text(data_source(programs, _embedded_weights(options, models)), encoding="utf-8")
    if options.out_cpp_header:
        options.out_cpp_header.write_text(_cpp_header_text(options, models, borrowed), encoding="utf-8")


def _cpp_header_text(options: argparse.Namespace, models: list[Model], borrowed: Borrowed) -> str:
    if options.cpp_class and len(models) > 1:
        raise CodegenError("cpp_class is set for several models; remove it, or make a library for each model")
    package = options.target.rpartition("//")[2].partition(":")[0]
    names = class_names(models, package, options.cpp_namespace, options.cpp_class)
    guard = header_guard(options.cpp_include, options.target)
    return cpp_header(guard, options.include, models, borrowed, names, options.cpp_memory)


def _version_script(models: list[Model], additional: list[str]) -> str:
    """Return a linker version script that exports the models and `additional`."""
    names = [model.link_prefix + name.removeprefix(model.prefix) for model in models for name in exported_names(model)]
    lines = "".join(f"    {name};\n" for name in sorted({*names, *additional}))
    return f"{{\n  global:\n{lines}  local:\n    *;\n}};\n"


def main(argv: list[str]) -> int:
    options = _parse_arguments(argv)
    try:
        _generate_library(options)
    except (CodegenError, InterfaceError, SelectionError, TableError) as error:
        print(f"{options.target}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
