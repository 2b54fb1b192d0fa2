"""The models of a Java library, and the names of their classes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from rules.codegen.model import Model
from rules.interface.identifiers import pascal_case


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
        return self.name or self.model.type_name("java")


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


def interface_digest(manifest: bytes) -> int:
    """Return 63 bits of the manifest's SHA-256."""
    return int.from_bytes(hashlib.sha256(manifest).digest()[:8], "big") >> 1
