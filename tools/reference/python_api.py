"""Read the public names of Python modules from their sources.

Nothing is imported, so no package is needed.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Definition = ast.ClassDef | ast.FunctionDef

_LONGEST_LINE = 100
# The packages whose definitions are documented, and their folders; definitions in others are only
# named.
_PACKAGES = {"executorch_runtime": "bindings/python", "exir": "."}


@dataclass(frozen=True)
class Sources:
    """The Python modules below `root`."""

    root: Path

    def tree(self, module: str) -> ast.Module:
        base = self.root / _PACKAGES.get(module.split(".", maxsplit=1)[0], ".") / module.replace(".", "/")
        path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
        return ast.parse(path.read_text(encoding="utf-8"))

    def public_names(self, module: str) -> list[str]:
        """Return `__all__`, the names of `_HOME`, or the public definitions."""
        tree = self.tree(module)
        home, stated = _home(tree), _assigned(tree, "__all__")
        if isinstance(stated, ast.List):
            return sorted(ast.literal_eval(stated))
        if home:
            return sorted(home)
        defined = (node.name for node in tree.body if isinstance(node, Definition))
        return [name for name in defined if not name.startswith("_")]

    def definition(self, module: str, name: str) -> Definition | str:
        """Return the definition of a class or function, or another value's name."""
        if module.split(".", maxsplit=1)[0] not in _PACKAGES:
            return f"{module}.{name}"
        tree = self.tree(module)
        for node in tree.body:
            if isinstance(node, Definition) and node.name == name:
                return node
            if isinstance(node, ast.ImportFrom) and node.module and name in (alias.name for alias in node.names):
                return self.definition(node.module, name)
        if name in _home(tree):
            return self.definition(_home(tree)[name], name)
        value = _assigned(tree, name)
        if value is not None:
            return ast.unparse(value)
        raise LookupError(f"{module} exports '{name}', but does not define it")


def _assigned(tree: ast.Module, name: str) -> ast.expr | None:
    """Return the value that a module assigns to a name."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and ast.unparse(node).startswith((f"{name} = ", f"{name}: ")):
            return node.value
    return None


def _home(tree: ast.Module) -> dict[str, str]:
    """Return the names that a package resolves on first use, with their modules."""
    value = _assigned(tree, "_HOME")
    return ast.literal_eval(value) if isinstance(value, ast.Dict) else {}


def signature(node: Definition) -> str:
    """Return a signature such as `f(x: int) -> str`; a class lists its fields."""
    if isinstance(node, ast.FunctionDef):
        returned = f" -> {_type(node.returns)}" if node.returns else ""
        return _head(node.name, _parameters(node), returned)
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            return _head(node.name, _parameters(member))
    fields = [ast.unparse(member) for member in node.body if _is_field(member)]
    return _head(node.name, fields or [ast.unparse(base) for base in node.bases])


def _head(name: str, inside: list[str], returned: str = "") -> str:
    """Return a signature on one line if it fits, or with a line for each parameter."""
    head = f"{name}({', '.join(inside)}){returned}"
    if len(head) > _LONGEST_LINE:
        head = "\n".join([f"{name}(", *(f"    {parameter}," for parameter in inside), f"){returned}"])
    return head


def _type(annotation: ast.expr) -> str:
    """Return an annotation without the quotes of forward references."""
    return ast.unparse(annotation).replace("'", "")


def methods(node: Definition) -> Iterator[ast.FunctionDef]:
    """Yield the public methods and properties that have a docstring."""
    for member in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and ast.get_docstring(member):
            yield member


def is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator) in ("property", "cached_property") for decorator in node.decorator_list)


def _is_field(member: ast.stmt) -> bool:
    return isinstance(member, ast.AnnAssign) and not ast.unparse(member.annotation).startswith("ClassVar")


def _parameters(node: ast.FunctionDef) -> list[str]:
    """Return the parameters without `self`, with annotations and defaults."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    required = len(plain) - len(arguments.defaults)
    defaults = [None] * required + list(arguments.defaults)
    found = [_parameter(argument, default) for argument, default in zip(plain, defaults, strict=True)]
    found += [f"*{arguments.vararg.arg}"] if arguments.vararg else ["*"] if arguments.kwonlyargs else []
    found += [
        _parameter(argument, default)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    found += [f"**{arguments.kwarg.arg}"] if arguments.kwarg else []
    return found[1:] if plain and plain[0].arg in ("self", "cls") else found


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    annotated = f"{argument.arg}: {_type(argument.annotation)}" if argument.annotation else argument.arg
    return annotated + (f" = {ast.unparse(default)}" if default else "")
