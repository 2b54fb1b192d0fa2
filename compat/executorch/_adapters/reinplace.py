"""Replace functional operators with in-place ones if the operand is dead."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from exir.dialects.edge import EdgeOpOverload, edge_op, to_torch_overload
from exir.dialects.out_variant import written_arguments
from exir.error import ConfigError
from exir.graph.program_update import with_names_of_graph
from exir.operators.operators import builtin_operators
from exir.pass_manager import ProgramPass

DEFAULT_INPLACEABLE_OPS: frozenset[Any] = frozenset({edge_op(torch.ops.aten.index_put.default)})

_EXTRA = "'reinplace_extra_ops'"


def reinplace_pass(
    ep: ExportedProgram,
    ops_to_inplace: Iterable[Any] | None = None,
    inplace_overrides: Mapping[Any, Any] | None = None,
) -> ExportedProgram:
    """Rewrite calls of `ops_to_inplace`, from the last to the first.

    A call is rewritten if its result has the operand's shape and dtype and no later node reads the
    operand. Inputs and buffers are overwritten only if the program mutates them. Parameters are
    never overwritten.
    """
    ops = DEFAULT_INPLACEABLE_OPS if ops_to_inplace is None else frozenset(ops_to_inplace)
    overrides = inplace_overrides or {}
    read_later: set[Node] = set(_results_that_stay(ep))
    for node in reversed(list(ep.graph.nodes)):
        in_place = _in_place_of(node, ops, overrides)
        if in_place is not None and _may_overwrite(ep, node, read_later):
            node.target = in_place
            _rename_node(node)
        read_later.update(node.all_input_nodes if node.op != "output" else ())
    ep.graph_module.recompile()
    return with_names_of_graph(ep)


@dataclass(frozen=True)
class Reinplace(ProgramPass):
    """`reinplace_pass` as a pass of `to_executorch`.

    Before: operators are functional. After: a call of `ops` overwrites its operand if no later node
      reads it.
    """

    ops: frozenset[Any] = DEFAULT_INPLACEABLE_OPS
    name: ClassVar[str] = "reinplace"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        return reinplace_pass(program, self.ops)


def _results_that_stay(ep: ExportedProgram) -> list[Node]:
    """Return the nodes that the program returns, which must not be overwritten."""
    return list(ep.graph.output_node().all_input_nodes)


def _in_place_of(node: Node, ops: frozenset[Any], overrides: Mapping[Any, Any]) -> Any:
    if node.op != "call_function" or node.target not in ops:
        return None
    return overrides.get(node.target) or derived_in_place(node.target)


def derived_in_place(op: EdgeOpOverload) -> EdgeOpOverload:
    """Return the in-place operator of the same name and overload, or raise ValueError."""
    torch_op: OpOverload = op._op
    packet = getattr(getattr(torch.ops, torch_op.namespace), f"{torch_op._opname}_", None)
    found = getattr(packet, torch_op._overloadname, None)
    if found is None or not written_arguments(found):
        raise ValueError(f"{torch_op} has no in-place variant with the same name and overload")
    return edge_op(found)


def check_in_place(ops: Iterable[Any]) -> None:
    """Raise ConfigError for an operator that cannot be replaced by an in-place one.

    These are operators outside the edge dialect, operators without an in-place variant, and PyTorch's
    operators without an in-place kernel. Operators of other namespaces have the kernels that their owner
    provides.
    """
    for op in ops:
        if not isinstance(op, EdgeOpOverload):
            raise ConfigError(
                f"{_EXTRA}: {op} is not an edge operator; pass operators such as ops.edge.aten.index_put.default"
            )
        try:
            name = derived_in_place(op)._op.name()
        except ValueError as error:
            raise ConfigError(f"{_EXTRA}: {error}") from error
        if name.startswith("aten::") and name not in builtin_operators().operators:
            raise ConfigError(f"{_EXTRA}: {name} has no kernel; in-place kernels: {' and '.join(_in_place_kernels())}")


def _in_place_kernels() -> list[str]:
    return [entry.name for entry in builtin_operators() if entry.name.endswith("_")]


def _may_overwrite(ep: ExportedProgram, node: Node, read_later: set[Node]) -> bool:
    operand = node.args[0]
    if not isinstance(operand, Node) or operand in read_later:
        return False
    others = [input_node for input_node in node.all_input_nodes if input_node is operand]
    is_its_own_alias = any(arg is operand for arg in node.args[1:])
    return bool(others) and not is_its_own_alias and _same_kind(node, operand) and _is_ours(ep, operand)


def _same_kind(node: Node, operand: Node) -> bool:
    result, before = node.meta["val"], operand.meta["val"]
    return result.dtype == before.dtype and [str(n) for n in result.shape] == [str(n) for n in before.shape]


def _is_ours(ep: ExportedProgram, operand: Node) -> bool:
    """Return true for a temporary, and for a buffer or input that the program mutates."""
    if operand.op != "placeholder":
        return to_torch_overload(operand.target) is not None
    signature = ep.graph_signature
    spec = next(input_spec for input_spec in signature.input_specs if input_spec.arg.name == operand.name)
    if spec.kind is InputKind.BUFFER:
        return spec.target in signature.buffers_to_mutate.values()
    return spec.kind is InputKind.USER_INPUT and operand.name in signature.user_inputs_to_mutate.values()


def _rename_node(node: Node) -> None:
    namespace, name = node.target._op.namespace, node.target._op.__name__
    node._rename(f"{namespace}_{name}".replace(".", "_").lower())
