"""Properties of operators for passes and verifiers: columns of the operator table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from exir.operators.document import Row
from exir.operators.schemas import Argument

PROMOTIONS = ("default", "first", "int_to_float")
DTYPE_KINDS = ("floating", "index", "integral")

_BOOLEANS = ("noop_by_layout", "foldable", "beside_core")
_OPERANDS = ("factor", "view_of", "copy_of")
PROPERTY_KEYS = frozenset({"promoted", "promotion", "same_dtype", "dtypes", *_BOOLEANS, *_OPERANDS})


@dataclass(frozen=True)
class OperatorProperties:
    """The properties of an operator; `schema/operators.toml` defines them.

    Operands are named; "" means none.
    """

    promoted: tuple[str, ...] = ()
    promotion: str = "default"
    factor: str = ""
    same_dtype: tuple[str, ...] = ()
    dtypes: Mapping[str, str] = field(default_factory=dict)  # operand -> one of DTYPE_KINDS
    view_of: str = ""
    copy_of: str = ""
    noop_by_layout: bool = False
    foldable: bool = False
    beside_core: bool = False


def parse_properties(row: Row, arguments: Sequence[Argument]) -> OperatorProperties:
    """Return the properties of a row of an operator table. Raises ValueError."""
    operands = [argument.name for argument in arguments if argument.is_tensor and not argument.out]
    properties = {key: row[key] for key in PROPERTY_KEYS & row.keys()}
    for key in _BOOLEANS:
        _check_property(key, properties.get(key, True) is True, "true", properties.get(key))
    for key in _OPERANDS:
        _check_property(
            key, properties.get(key, "") in [*operands, ""], "a tensor operand", properties.get(key)
        )
    for key in ("promoted", "same_dtype"):
        names = properties.get(key, [])
        is_valid = isinstance(names, list) and all(name in operands for name in names)
        _check_property(key, is_valid, "a list of tensor operands", names)
        properties[key] = tuple(names)
    kinds = properties.get("dtypes", {})
    _check_property(
        "dtypes",
        isinstance(kinds, dict)
        and kinds.keys() <= set(operands)
        and all(kind in DTYPE_KINDS for kind in kinds.values()),
        "operand = kind",
        kinds,
    )
    properties["dtypes"] = MappingProxyType(dict(kinds))
    _check_property(
        "promotion",
        properties.get("promotion", "default") in PROMOTIONS,
        " or ".join(PROMOTIONS),
        row.get("promotion"),
    )
    return OperatorProperties(**properties)


def _check_property(key: str, holds: bool, expected: str, value: object) -> None:
    if not holds:
        raise ValueError(f"'{key}' must be {expected}, got {value!r}")
