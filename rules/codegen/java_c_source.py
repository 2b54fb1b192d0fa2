"""The C source with the models of a Java library."""

from rules.codegen.java_model import JavaModel, Library
from rules.codegen.names import c_comment
from rules.codegen.spec_source import Spec, spec_source

_SOURCE = """\
/* Generated from {target}. Do not edit. */
#include "bindings/java/jni/model.h"

{specs}
const char *const et_java_natives_class = "{class_path}";

et_java_describe *const et_java_describe_program = NULL;
"""


def c_source(library: Library) -> str:
    """Return the C source with the models of the native library."""
    return _SOURCE.format(
        target=c_comment(library.target),
        class_path=f"{library.package}.{library.natives}".replace(".", "/"),
        specs=spec_source("et_java", [_spec(library, entry) for entry in library.models]),
    )


def _spec(library: Library, entry: JavaModel) -> Spec:
    borrowed = library.borrowed(entry.model)
    return Spec(entry.model, entry.digest, borrowed, {"check_weights": str("weights" in borrowed).lower()})
