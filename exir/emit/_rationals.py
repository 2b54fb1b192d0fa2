"""Rewrites conditions with true divisions and floats as conditions on integers."""

import sympy
from sympy.logic.boolalg import Boolean
from torch.utils._sympy import functions

_DIVISIONS = (functions.IntTrueDiv, functions.FloatTrueDiv)
_FLOORS = (functions.FloorToInt, functions.TruncToInt)
_INEXACT = (*_DIVISIONS, *_FLOORS, functions.CeilToInt, functions.ToFloat, sympy.Float)


def as_integers(condition: sympy.Basic) -> sympy.Basic:
    """Return a condition without true divisions and floats, as far as possible.

    `n / d < 2` becomes `n < 2 * d and d != 0`. Floats are taken as decimal fractions, so that
    `n / 10 == 0.1` is true for 1, as in Python. Sizes are not negative.
    """
    if not condition.has(*_INEXACT):
        return condition
    if isinstance(condition, sympy.core.relational.Relational):
        return _compared(condition)
    if isinstance(condition, (sympy.And, sympy.Or, sympy.Not)):
        return condition.func(*map(as_integers, condition.args), evaluate=False)
    return condition


def _compared(relation: sympy.Rel) -> Boolean:
    """Multiply both sides of a relation by their denominators."""
    left, right = (_fraction(side) for side in relation.args)
    number, divisor = sympy.fraction(sympy.together(left - right))
    if divisor.is_number:
        return _relation(relation, number if divisor > 0 else -number)
    if not divisor.is_nonnegative:
        # The sign of the quotient is that of the product.
        compared = _relation(relation, number * divisor)
    else:
        compared = _relation(relation, number)
    return sympy.And(compared, sympy.Ne(divisor, 0, evaluate=False), evaluate=False)


def _relation(relation: sympy.Rel, difference: sympy.Expr) -> Boolean:
    """Return the relation of the positive to the negative terms of a difference."""
    terms = sympy.Add.make_args(sympy.expand(difference))
    negative = [term for term in terms if term.could_extract_minus_sign()]
    positive = [term for term in terms if term not in negative]
    return relation.func(sympy.Add(*positive), -sympy.Add(*negative), evaluate=False)


def _fraction(expr: sympy.Basic) -> sympy.Expr:
    """Return an expression as a quotient of integers."""
    if isinstance(expr, sympy.Float):
        return sympy.Rational(str(float(expr)))
    if not expr.args or not expr.has(*_INEXACT):
        return expr
    arguments = [_fraction(argument) for argument in expr.args]
    if isinstance(expr, functions.ToFloat):
        return arguments[0]
    if isinstance(expr, _DIVISIONS):
        return arguments[0] / arguments[1]
    if isinstance(expr, _FLOORS):
        return functions.FloorDiv(*_quotient(arguments[0]))
    if isinstance(expr, functions.CeilToInt):
        number, divisor = _quotient(arguments[0])
        return -functions.FloorDiv(-number, divisor)
    return expr.func(*arguments)


def _quotient(expr: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    number, divisor = sympy.fraction(sympy.together(expr))
    return number, divisor
