"""Find variants of operators by schema."""

from typing import Any

import torch
from torch._C import FunctionSchema
from torch._ops import OpOverload

from exir.dialects.edge import EdgeOpOverload
from exir.dialects.out_variant import functional_of, is_in_place, out_variant_of


def unwrap_op_overload(target: Any) -> OpOverload:
    """Return the torch overload of an operator of any dialect."""
    inner = target if isinstance(target, OpOverload) else getattr(target, "_op", None)
    if not isinstance(inner, OpOverload):
        raise TypeError(f"{target!r} is not an operator")
    return inner


def to_out_variant(op_overload: OpOverload) -> tuple[OpOverload, tuple[str, ...]]:
    """Return the out variant and the names of its outputs.

    Raises RuntimeError without one.
    """
    outputs = get_out_args_from_opoverload(op_overload)
    if outputs:
        return op_overload, outputs
    found = out_variant_of(op_overload)
    if found is None:
        raise RuntimeError(_why_none(op_overload))
    return found.op, found.outputs


def _why_none(op: OpOverload) -> str:
    schemas = torch._C._jit_get_schemas_for_operator(op._schema.name)
    name = op.name()
    if any(argument.is_out for schema in schemas for argument in schema.arguments):
        return f"Found an out variant for operator name {name} but its schema mismatched with functional op."
    return f"There is no out variant of operator {name}"


def get_out_args_from_opoverload(op_overload: OpOverload) -> tuple[str, ...]:
    """Return the names of the out arguments."""
    return get_out_args_from_schema(op_overload._schema)


def get_out_args_from_schema(out_var_schema: FunctionSchema) -> tuple[str, ...]:
    """Return the names of the out arguments."""
    return tuple(argument.name for argument in out_var_schema.arguments if argument.is_out)


def get_op_overload(qualified_opname: str, overload: str) -> OpOverload:
    """Return the overload of an operator with a name such as `aten::add`."""
    namespace, name = parse_qualified_opname(qualified_opname)
    return getattr(getattr(getattr(torch.ops, namespace), name), overload or "default")


def parse_qualified_opname(qualified_opname: str) -> tuple[str, str]:
    """Split a name such as `aten::add` into namespace and name."""
    namespace, _, name = qualified_opname.partition("::")
    return namespace, name


def is_out_variant(qualified_opname: str, overload: str) -> bool:
    """Return true if an overload writes its results to out arguments."""
    return bool(get_out_args_from_opoverload(get_op_overload(qualified_opname, overload)))


def is_inplace_variant(qualified_opname: str, overload: str) -> bool:
    """Return true if an overload writes to one of its operands."""
    op = get_op_overload(qualified_opname, overload)
    return is_in_place(op) and not is_out_variant(qualified_opname, overload)


def output_to_aliased_input_map(schema: FunctionSchema) -> dict[int, int]:
    """Map each result that aliases a mutated operand to the first such operand."""
    found = {}
    for position, result in enumerate(schema.returns):
        for index, argument in enumerate(schema.arguments):
            if _same_written(result.alias_info, argument.alias_info):
                found[position] = index
                break
    return found


def _same_written(a: Any, b: Any) -> bool:
    return bool(a and b and a.is_write and b.is_write and set(a.before_set) & set(b.before_set))


def overload_schema(op_overload: OpOverload) -> FunctionSchema:
    """Return the schema of an overload."""
    return op_overload._schema


def gen_out_variant_schema(func_op_schema: str) -> str:
    """Return the schema of an operator's out variant, according to ATen's rules."""
    schema = torch._C.parse_schema(func_op_schema)
    in_place = schema.name.endswith("_")
    count = len(schema.returns)
    names = ["out"] if count == 1 else [f"out{index}" for index in range(count)]
    types = [f"Tensor({letter}!)" for letter in "abcdefgh"[:count]]
    outputs = ", ".join(f"{kind} {name}" for kind, name in zip(types, names))
    head, _, rest = func_op_schema.partition("(")
    arguments = _without_result(rest, count).replace("Tensor(a!) ", "Tensor ", 1 if in_place else 0)
    star = ", " if "*" in arguments else ", *, "
    returns = types[0] if count == 1 else f"({', '.join(types)})"
    return f"{_out_name(head)}({arguments}{star}{outputs}) -> {returns}"


def _without_result(rest: str, count: int) -> str:
    return rest.rpartition(" -> ")[0].rstrip().removesuffix(")")


def _out_name(head: str) -> str:
    name, _, overload = head.partition(".")
    return f"{name.removesuffix('_')}.{overload + '_out' if overload else 'out'}"


def to_variant(op: OpOverload, variant: Any) -> OpOverload:
    """Return the out or functional variant (`torchgen.model.SchemaKind`)."""
    return _out_variant(op) if variant.name == "out" else functional_of(op)


def edge_out_variant(edge_op: EdgeOpOverload) -> OpOverload:
    """Return the out variant of an edge operator."""
    return _out_variant(edge_op._op)


def _out_variant(op: OpOverload) -> OpOverload:
    try:
        return to_out_variant(op)[0]
    except RuntimeError as error:
        raise RuntimeError(f"SchemaKind.out variant of operator {op._schema.name} can't be found.") from error
