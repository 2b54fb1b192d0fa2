"""The C source with the models of a Java library."""

from rules.codegen.java_model import JavaModel, Library
from rules.codegen.model import CodegenError, Model
from rules.codegen.names import c_comment, c_string
from rules.interface.description import Method

_SOURCE = """\
/* Generated from {target}. Do not edit. */
#include "bindings/java/jni/model.h"

{declarations}
{methods}
const char *const et_java_natives_class = "{class_path}";

const et_java_spec et_java_specs[] = {{
{specs}}};

const size_t et_java_spec_count = {count};

et_java_describe *const et_java_describe_program = NULL;
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
