"""Read the rules, providers and macros that a .bzl file defines, with their docs.

Starlark has the syntax of Python, and the top level of a .bzl file only has definitions. Python can
therefore evaluate it, with stand-ins for Bazel's own names. Functions are never called, and files
of other repositories are not read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Attribute:
    """One attribute of a rule: `attr.<kind>(…)`."""

    kind: str
    mandatory: bool = False
    default: Any = None
    doc: str = ""


@dataclass(frozen=True)
class Rule:
    attributes: Mapping[str, Attribute]
    doc: str


@dataclass(frozen=True)
class Extension:
    """A module extension; its tag classes have attributes, like rules."""

    tag_classes: Mapping[str, Rule]


@dataclass(frozen=True)
class Provider:
    doc: str
    fields: Mapping[str, str]


class _Attributes:
    """A stand-in for Bazel's module `attr`."""

    def __getattr__(self, kind: str) -> Callable[..., Attribute]:
        def make(*, mandatory: bool = False, default: Any = None, doc: str = "", **_: Any) -> Attribute:
            return Attribute(kind, mandatory, default, doc)

        return make


class _Label(str):
    """A label of this repository."""

    workspace_name = ""


class _Opaque:
    """A stand-in for a value of Bazel or another repository that is only passed on."""

    def __getattr__(self, name: str) -> "_Opaque":
        return self

    def __call__(self, *arguments: Any, **named: Any) -> "_Opaque":
        return self

    def __radd__(self, other: Any) -> Any:
        return other

    def __add__(self, other: Any) -> Any:
        return other


def _aspect(doc: str = "", **_: Any) -> Rule:
    """Return an aspect as a rule without attributes."""
    return Rule({}, doc)


def _rule(attrs: Mapping[str, Attribute] | None = None, doc: str = "", **_: Any) -> Rule:
    return Rule(attrs or {}, doc)


def _module_extension(tag_classes: Mapping[str, Rule] | None = None, **_: Any) -> Extension:
    return Extension(tag_classes or {})


def _provider(doc: str = "", fields: Mapping[str, str] | None = None, **_: Any) -> Provider:
    return Provider(doc, fields or {})


@dataclass
class Workspace:
    """The .bzl files below `root`, each evaluated once."""

    root: Path
    files: dict[Path, Mapping[str, Any]] = field(default_factory=dict)

    def names_of(self, path: str) -> Mapping[str, Any]:
        """Return the definitions and loads of the file at `path`, by name."""
        file = self.root / path
        if file not in self.files:
            self.files[file] = self._evaluate(file)
        return self.files[file]

    def _evaluate(self, file: Path) -> Mapping[str, Any]:
        names: dict[str, Any] = {}
        package = file.parent.relative_to(self.root).as_posix()

        def load(label: str, *same: str, **renamed: str) -> None:
            wanted = {name: name for name in same} | renamed
            source = None if label.startswith("@") else self.names_of(_path(label, package))
            names.update({new: _Opaque() if source is None else source[old] for new, old in wanted.items()})

        opaque = (
            "native",
            "config",
            "platform_common",
            "config_common",
            "json",
            "struct",
            "depset",
            "repository_rule",
            "transition",
        )
        names |= {name: _Opaque() for name in opaque}
        names |= {
            "attr": _Attributes(),
            "rule": _rule,
            "aspect": _aspect,
            "provider": _provider,
            "tag_class": _rule,
            "module_extension": _module_extension,
            "load": load,
            "Label": _Label,
        }
        names |= {"select": dict}
        exec(compile(file.read_text(), str(file), "exec"), names)
        return names


def _path(label: str, package: str) -> str:
    """Return the path of `//a/b:c.bzl` or `:c.bzl` from the workspace's root."""
    if label.startswith("//"):
        return label[2:].replace(":", "/")
    return f"{package}/{label[1:]}"
