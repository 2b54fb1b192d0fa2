"""Observes comparisons of sizes that torch.export resolves without a guard.

torch.export traces a backed size as a number from 2 on, even if a named `Dim` allows 0 or 1.
`if x.shape[0] == 1:` is then false for all sizes, so that torch.export records no guard.
"""

import functools
import importlib.util
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import sympy
import torch
from torch import SymBool, SymFloat, SymInt
from torch.fx.experimental.sym_node import SymNode
from torch.fx.experimental.symbolic_shapes import (
    ShapeEnv,
    statically_known_false,
    statically_known_true,
)

_ATTRIBUTE = "exir_comparisons"
_TORCH = Path(torch.__file__).parent
# The parts of torch that implement modules in Python. Their branches are recorded like those of users.
_MODULES = (_TORCH / "nn", _TORCH / "functional.py")
# The parts of this compiler that compare sizes within operators.
_COMPILER = tuple(Path(__file__).parent.parent / name for name in ("decomposition", "graph", "passes"))
# Its quantization operators are Python code.
_TORCHAO = importlib.util.find_spec("torchao")
_OPERATORS = (
    *_COMPILER,
    *(Path(path) for path in (_TORCHAO and _TORCHAO.submodule_search_locations) or ()),
)
_RELATIONS = {
    "__eq__": (sympy.Eq, sympy.Ne),
    "__ne__": (sympy.Ne, sympy.Eq),
    "__lt__": (sympy.Lt, sympy.Ge),
    "__le__": (sympy.Le, sympy.Gt),
    "__gt__": (sympy.Gt, sympy.Le),
    "__ge__": (sympy.Ge, sympy.Lt),
}
# The relation of the first operand to the second if `torch.sym_max` and `torch.sym_min` return it.
_SELECTIONS = {"__sym_max__": sympy.Ge, "__sym_min__": sympy.Le}
_SWAPPED = {sympy.Ge: sympy.Le, sympy.Le: sympy.Ge}
# Files whose functions call methods of SymInt for Python code.
_FORWARDING = frozenset({torch.__file__, str(Path(__file__).parent.parent / "model/tracing.py")})
# The same for `max` and `min`, which torch.export replaces by overridable functions.
_SELECTING = _FORWARDING | {
    str(_TORCH / name)
    for name in (
        "_export/non_strict_utils.py",
        "_export/utils.py",
        "fx/experimental/proxy_tensor.py",
        "overrides.py",
    )
}

# Generates code that compares sizes, to decide whether it can reuse compiled functions.
_DYNAMO = _TORCH / "_dynamo"
_GENERATED = "<string>"

# Returns the relation of two operands that the result of an operation assumes.
_Assumed = Callable[[Any, Any, Any], type[sympy.Rel] | None]


@dataclass(frozen=True)
class Comparison:
    """A relation of sizes that a trace assumes, and the line that compares them.

    left, right: expressions, kept apart because sympy resolves their relation as torch.export does.
    """

    relation: type[sympy.Rel]
    left: sympy.Expr
    right: sympy.Expr
    file: str
    line: int

    def in_terms_of(self, shape_env: ShapeEnv) -> sympy.Rel:
        """Return the relation over the final symbols of `shape_env`, without resolving it."""
        left, right = (shape_env.replace(side) for side in (self.left, self.right))
        return self.relation(left, right, evaluate=False)


def observe_comparisons() -> None:
    """Record comparisons of symbolic sizes from now on; repeated calls have no effect."""
    for number in (SymInt, SymFloat):
        for name, relations in _RELATIONS.items():
            _observe(number, name, partial(_assumed, *relations), _FORWARDING)
        for name, relation in _SELECTIONS.items():
            _observe(number, name, partial(_selected, relation), _SELECTING)


def _observe(number: type, name: str, assumed: _Assumed, forwarding: frozenset[str]) -> None:
    operation = getattr(number, name)
    if not hasattr(operation, _ATTRIBUTE):
        setattr(number, name, _observed(operation, assumed, forwarding))


def comparisons(shape_env: ShapeEnv) -> tuple[Comparison, ...]:
    """Return the recorded comparisons of sizes of `shape_env`."""
    return tuple(dict.fromkeys(getattr(shape_env, _ATTRIBUTE, ())))


@functools.lru_cache(maxsize=4096)
def is_outside_operators(file: str) -> bool:
    """Return true if Python code in `file` is part of a model, not of an operator."""
    path = Path(file)
    if any(path.is_relative_to(part) for part in _OPERATORS):
        return False
    return not path.is_relative_to(_TORCH) or any(path.is_relative_to(part) for part in _MODULES)


def _observed(
    operation: Callable[[Any, Any], Any], assumed: _Assumed, forwarding: frozenset[str]
) -> Callable[[Any, Any], Any]:
    @functools.wraps(operation)
    def observed(self: Any, other: Any) -> Any:
        result = operation(self, other)
        frame = _caller(sys._getframe(1), forwarding)
        if frame is not None and _is_model(frame):
            relation = assumed(self, other, result)
            if relation is not None:
                _record(self, other, relation, frame)
        return result

    setattr(observed, _ATTRIBUTE, True)
    return observed


def _is_model(frame: FrameType) -> bool:
    """Return true if a frame runs code of a model, not of an operator or of Dynamo."""
    file, caller = frame.f_code.co_filename, frame.f_back
    if file == _GENERATED and caller is not None:
        return not Path(caller.f_code.co_filename).is_relative_to(_DYNAMO)
    return is_outside_operators(file)


def _caller(frame: FrameType | None, forwarding: frozenset[str]) -> FrameType | None:
    """Return the caller of functions such as `SymInt.__bool__`."""
    while frame is not None and frame.f_code.co_filename in forwarding:
        frame = frame.f_back
    return frame


def _assumed(
    relation: type[sympy.Rel], opposite: type[sympy.Rel], left: Any, right: Any, result: Any
) -> type[sympy.Rel] | None:
    """Return the relation that a comparison assumes without a guard."""
    if not isinstance(result, (bool, SymBool)):
        return None
    if statically_known_true(result):
        return relation
    return opposite if statically_known_false(result) else None


def _selected(relation: type[sympy.Rel], left: Any, right: Any, result: Any) -> type[sympy.Rel] | None:
    """Return the relation of the operands that a maximum or minimum assumes."""
    found = _expression(result)
    if found is not None and found == _expression(left):
        return relation
    is_right = found is not None and found == _expression(right)
    return _SWAPPED[relation] if is_right else None


def _record(left: Any, right: Any, relation: type[sympy.Rel], frame: FrameType) -> None:
    sides = [_expression(left), _expression(right)]
    if None in sides or not any(side.free_symbols for side in sides):
        return
    shape_env = next(value.node.shape_env for value in (left, right) if _is_symbolic(value))
    found = vars(shape_env).setdefault(_ATTRIBUTE, [])
    found.append(Comparison(relation, sides[0], sides[1], frame.f_code.co_filename, frame.f_lineno))


def _is_symbolic(value: Any) -> bool:
    if not isinstance(value, (SymInt, SymFloat)) or not isinstance(value.node, SymNode):
        return False
    return isinstance(value.node.shape_env, ShapeEnv)


def _expression(value: Any) -> Any:
    """Return the expression of a finite number; None of another value."""
    if type(value) in (int, float):
        return sympy.sympify(value) if math.isfinite(value) else None
    return value.node.expr if _is_symbolic(value) else None
