"""Parse rules for kernel arguments, and check calls against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from exir.operators.document import Row, list_of_strings, table
from exir.operators.dtypes import DTYPE_CODES
from exir.operators.operators import Operator
from exir.operators.schemas import Argument

MAX_RANK = 16
MAX_GROUPS = 7  # ET_TENSOR_GROUPS of executorch/kernel.h, where 0 means none
LAYOUTS = {
    "any": "in any order",
    "contiguous": "in row-major order",
    "channels_last": "with channels last",
}

# Types of arguments that a rule can restrict, because programs store their values as constants.
_ATTRIBUTE_TYPES: Mapping[str, type] = MappingProxyType({"bool": bool, "str": str})

_RULE_KEYS = frozenset({"dtypes", "ranks", "layout"})

DtypeSets = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class TensorRule:
    """The accepted dtypes, ranks and layout of a tensor, or of each list element."""

    dtypes: tuple[str, ...]
    ranks: tuple[int, int] = (0, MAX_RANK)  # the minimum and the maximum
    layout: str = "any"  # a key of LAYOUTS


@dataclass(frozen=True)
class Rules:
    """The arguments that a kernel accepts.

    tensors: the rule of every tensor argument.
    same_dtype: groups of tensor arguments that must have equal dtypes.
    attributes: the accepted values of bool and str arguments, unless all are accepted.
    """

    tensors: Mapping[str, TensorRule]
    same_dtype: tuple[tuple[str, ...], ...] = ()
    attributes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class TensorInfo:
    """The properties of a tensor that are known before a program runs."""

    dtype: str
    dim_order: tuple[int, ...]
    shape: tuple[int, ...] = ()  # upper bounds; rules do not use them


@dataclass(frozen=True)
class Call:
    """The known arguments of a call before it runs.

    tensors: the tensors of each tensor argument; empty for an absent one.
    attributes: the other arguments whose values are in the program.
    numbers: the initial values of scalars and lists of integers, which can change at run time.
    """

    tensors: Mapping[str, Sequence[TensorInfo]]
    attributes: Mapping[str, object] = field(default_factory=dict)
    numbers: Mapping[str, float | Sequence[int]] = field(default_factory=dict)


def refusals(rules: Rules, call: Call) -> list[str]:
    """Return why the call does not match the rules; empty if it does."""
    return [
        *_tensor_refusals(rules, call),
        *_group_refusals(rules, call),
        *_attribute_refusals(rules, call),
    ]


def _tensor_refusals(rules: Rules, call: Call) -> Iterator[str]:
    """Yield each reason once, with all arguments that it applies to."""
    concerned: dict[tuple[str, str], dict[str, None]] = {}
    for name, rule in rules.tensors.items():
        for tensor in call.tensors.get(name, ()):
            misfit = _rule_mismatch(rule, tensor)
            if misfit is not None:
                concerned.setdefault(misfit, {})[name] = None
    for (found, supported), names in concerned.items():
        yield f"no kernel supports {found} for {_format_names(list(names))}; supported: {supported}"


def _rule_mismatch(rule: TensorRule, tensor: TensorInfo) -> tuple[str, str] | None:
    """Return the unsupported property of `tensor` and the supported ones, or None."""
    rank, (low, high) = len(tensor.dim_order), rule.ranks
    if tensor.dtype not in rule.dtypes:
        return tensor.dtype, ", ".join(rule.dtypes)
    if not low <= rank <= high:
        return f"{rank} dimensions", str(low) if low == high else f"{low} to {high}"
    if not has_layout(tensor.dim_order, rule.layout):
        return f"dim order ({', '.join(map(str, tensor.dim_order))})", f"tensors {LAYOUTS[rule.layout]}"
    return None


def _format_names(names: Sequence[str]) -> str:
    """Format names as `'a', 'b' and 'c'`."""
    quoted = [f"'{name}'" for name in names]
    return " and ".join([*filter(None, [", ".join(quoted[:-1])]), quoted[-1]])


def has_layout(dim_order: tuple[int, ...], layout: str) -> bool:
    rank = len(dim_order)
    if layout == "contiguous":
        return dim_order == tuple(range(rank))
    return layout == "any" or (rank >= 3 and dim_order == (0, *range(2, rank), 1))


def _group_refusals(rules: Rules, call: Call) -> Iterator[str]:
    for group in rules.same_dtype:
        found = dict.fromkeys(tensor.dtype for name in group for tensor in call.tensors.get(name, ()))
        if len(found) > 1:
            yield f"no kernel supports {' and '.join(found)} for {_format_names(group)}; use one dtype"


def _attribute_refusals(rules: Rules, call: Call) -> Iterator[str]:
    for name, allowed in rules.attributes.items():
        if name in call.attributes and call.attributes[name] not in allowed:
            yield (
                f"no kernel supports {name}={call.attributes[name]!r}; supported: "
                f"{', '.join(map(repr, allowed))}"
            )


def parse_rules(row: Row, operator: Operator, sets: DtypeSets) -> Rules:
    """Return the rules of a row of a kernel table. Raises ValueError."""
    names = [argument.name for argument in operator.tensors]
    argument_rules = table("arguments", row.get("arguments", {}))
    _check_names("arguments", argument_rules, names, "tensor argument")
    common = {key: row[key] for key in _RULE_KEYS & row.keys()}
    return Rules(
        tensors=MappingProxyType(
            {name: _parse_rule(name, common, argument_rules.get(name, {}), sets) for name in names}
        ),
        same_dtype=_parse_groups(row.get("same_dtype", []), names),
        attributes=_parse_attributes(table("attributes", row.get("attributes", {})), operator),
    )


def _parse_attributes(row: Row, operator: Operator) -> Mapping[str, tuple[object, ...]]:
    others = {argument.name: argument for argument in operator.arguments if not argument.is_tensor}
    _check_names("attributes", row, others, "non-tensor argument")
    return MappingProxyType(
        {name: _accepted_values(others[name], values) for name, values in row.items()}
    )


def _accepted_values(argument: Argument, values: object) -> tuple[object, ...]:
    accepted = _ATTRIBUTE_TYPES.get(argument.type)
    if accepted is None:
        raise ValueError(
            f"'attributes': '{argument.name}' is of type {argument.type}, but only bool and str arguments "
            "can be restricted; remove it, and check the value in the kernel"
        )
    if (
        not isinstance(values, list)
        or not values
        or not all(isinstance(each, accepted) for each in values)
    ):
        raise ValueError(
            f"'attributes': '{argument.name}' must be a list of {argument.type} values, got {values!r}"
        )
    return tuple(values)


def _check_names(key: str, names: Iterable[str], known: Iterable[str], kind: str) -> None:
    strangers = sorted(set(names) - set(known))
    if strangers:
        raise ValueError(f"'{key}': not a {kind}: {', '.join(strangers)}")


def _parse_rule(name: str, common: Row, row: object, sets: DtypeSets) -> TensorRule:
    if not isinstance(row, (str, dict)):
        raise ValueError(f"'{name}' must be a dtype set or a table, got {row!r}")
    fields = {**common, **({"dtypes": row} if isinstance(row, str) else row)}
    unknown = sorted(fields.keys() - _RULE_KEYS)
    if unknown:
        raise ValueError(f"'{name}': unknown keys: {', '.join(unknown)}; remove them")
    if "dtypes" not in fields:
        raise ValueError(f"'dtypes' for {name} is missing; add it")
    return TensorRule(
        _dtype_set(fields["dtypes"], sets),
        _parse_ranks(fields.get("ranks", [0, MAX_RANK])),
        _parse_layout(fields.get("layout", "any")),
    )


def _dtype_set(name: object, sets: DtypeSets) -> tuple[str, ...]:
    if not isinstance(name, str) or name not in sets:
        raise ValueError(f"unknown dtype set {name!r}; [dtypes] has: {', '.join(sorted(sets))}")
    return sets[name]


def _parse_ranks(value: object) -> tuple[int, int]:
    match value:
        case [int(low), int(high)] if type(low) is type(high) is int and 0 <= low <= high <= MAX_RANK:
            return low, high
    raise ValueError(f"'ranks' must be a minimum and a maximum from 0 to {MAX_RANK}, got {value!r}")


def _parse_layout(value: object) -> str:
    if not isinstance(value, str) or value not in LAYOUTS:
        raise ValueError(f"'layout' must be one of {', '.join(LAYOUTS)}, got {value!r}")
    return value


def _parse_groups(value: object, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list):
        raise ValueError(f"'same_dtype' must be a list of lists of tensor arguments, got {value!r}")
    groups = [list_of_strings("same_dtype", group) for group in value]
    grouped_names = [name for group in groups for name in group]
    _check_names("same_dtype", grouped_names, names, "tensor argument")
    if len(set(grouped_names)) < len(grouped_names) or len(groups) > MAX_GROUPS:
        raise ValueError(
            f"'same_dtype' must be at most {MAX_GROUPS} groups, with each argument in one of them"
        )
    return tuple(tuple(group) for group in groups)


def parse_dtype_sets(sets: Mapping[str, object]) -> DtypeSets:
    """Return the section [dtypes] of a kernel table. Raises ValueError."""
    return {name: _parse_dtype_set(name, dtypes) for name, dtypes in sets.items()}


def _parse_dtype_set(name: str, dtypes: object) -> tuple[str, ...]:
    if not isinstance(dtypes, list) or not all(dtype in tuple(DTYPE_CODES) for dtype in dtypes):
        raise ValueError(f"dtypes.{name}: must be a list of dtypes; valid: {', '.join(DTYPE_CODES)}")
    return tuple(dtypes)
