"""Write the Java classes of models, and a C source of their native library.

The classes use org.executorch.bazel in bindings/java, and the registry and data of the models' C library.

Usage: `python3 -m rules.codegen.java_library --target //app:net --library //app:net_cc --package com.example --name net
    --model PREFIX MANIFEST CLASS --out-classes net.srcjar --out-source net.c [--borrow-program] [--borrow-weights]`
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rules.codegen.archive import write_archive
from rules.codegen.java_c_source import c_source
from rules.codegen.java_classes import java_classes
from rules.codegen.java_model import JavaModel, Library, interface_digest
from rules.codegen.model import CodegenError, read_model
from rules.interface.description import InterfaceError


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
