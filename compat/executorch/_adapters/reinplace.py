"""Functional operators that become in-place ones where nobody reads the operand that they overwrite."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from exir.dialects.edge import EdgeOpOverload, edge_op, to_torch_overload
from exir.error import ConfigError
from exir.graph.program_update import with_names_of_graph
from exir.operators.operators import own_operators
from exir.out_variant import written_arguments
from exir.pass_manager import ProgramPass

DEFAULT_INPLACEABLE_OPS: frozenset[Any] = frozenset({edge_op(torch.ops.aten.index_put.default)})

_EXTRA = "'reinplace_extra_ops'"


def reinplace_pass(
    ep: ExportedProgram,
    ops_to_inplace: Iterable[Any] | None = None,
    inplace_overrides: Mapping[Any, Any] | None = None,
) -> ExportedProgram:
    """Rewrite calls of `ops_to_inplace`, last ones first, where shape and dtype stay and no later call reads the
    operand; an input or parameter of the program is never overwritten, a buffer that the program changes is."""
    wanted = DEFAULT_INPLACEABLE_OPS if ops_to_inplace is None else frozenset(ops_to_inplace)
    overrides = inplace_overrides or {}
    read_later: set[Node] = set(_results_that_stay(ep))
    for node in reversed(list(ep.graph.nodes)):
        in_place = _in_place_of(node, wanted, overrides)
        if in_place is not None and _may_overwrite(ep, node, read_later):
            node.target = in_place
            _rename(node)
        read_later.update(node.all_input_nodes if node.op != "output" else ())
    ep.graph_module.recompile()
    return with_names_of_graph(ep)


@dataclass(frozen=True)
class Reinplace(ProgramPass):
    """`reinplace_pass` as a pass of `to_executorch`.

    Before: operators are functional. After: calls of `ops` whose operand nobody reads afterwards change it where it lies.
    """

    ops: frozenset[Any] = DEFAULT_INPLACEABLE_OPS
    name: ClassVar[str] = "reinplace"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        return reinplace_pass(program, self.ops)


def _results_that_stay(ep: ExportedProgram) -> list[Node]:
    """What the program returns under another name than the one to be overwritten."""
    return list(ep.graph.output_node().all_input_nodes)


def _in_place_of(node: Node, wanted: frozenset[Any], overrides: Mapping[Any, Any]) -> Any:
    if node.op != "call_function" or node.target not in wanted:
        return None
    return overrides.get(node.target) or derived_in_place(node.target)


def derived_in_place(op: EdgeOpOverload) -> EdgeOpOverload:
    """The in-place operator of the same name and overload; raises `ValueError` where there is none."""
    torch_op: OpOverload = op._op
    packet = getattr(getattr(torch.ops, torch_op.namespace), f"{torch_op._opname}_", None)
    found = getattr(packet, torch_op._overloadname, None)
    if found is None or not written_arguments(found):
        raise ValueError(f"{torch_op} has no in-place variant of the same name and overload")
    return edge_op(found)


def check_in_place(ops: Iterable[Any]) -> None:
    """Raises `ConfigError` for what is no edge operator, has no in-place variant, or is PyTorch's and has no kernel in place.

    An operator of another namespace has the kernels that its owner brings.
    """
    for op in ops:
        if not isinstance(op, EdgeOpOverload):
            raise ConfigError(
                f"{_EXTRA}: {op} is no operator of the edge dialect, as ops.edge.aten.index_put.default is"
            )
        try:
            name = derived_in_place(op)._op.name()
        except ValueError as error:
            raise ConfigError(f"{_EXTRA}: {error}") from error
        if name.startswith("aten::") and name not in own_operators().operators:
            raise ConfigError(
                f"{_EXTRA}: no kernel computes {name}; kernels in place have {' and '.join(_in_place_kernels())}"
            )


def _in_place_kernels() -> list[str]:
    return [each.name for each in own_operators() if each.name.endswith("_")]


def _may_overwrite(ep: ExportedProgram, node: Node, read_later: set[Node]) -> bool:
    operand = node.args[0]
    if not isinstance(operand, Node) or operand in read_later:
        return False
    others = [each for each in node.all_input_nodes if each is operand]
    is_its_own_alias = any(each is operand for each in node.args[1:])
    return bool(others) and not is_its_own_alias and _same_kind(node, operand) and _is_ours(ep, operand)


def _same_kind(node: Node, operand: Node) -> bool:
    result, before = node.meta["val"], operand.meta["val"]
    return result.dtype == before.dtype and [str(n) for n in result.shape] == [str(n) for n in before.shape]


def _is_ours(ep: ExportedProgram, operand: Node) -> bool:
    """Whether an operand is a temporary, or a buffer or input that the program changes anyway."""
    if operand.op != "placeholder":
        return to_torch_overload(operand.target) is not None
    signature = ep.graph_signature
    spec = next(each for each in signature.input_specs if each.arg.name == operand.name)
    if spec.kind is InputKind.BUFFER:
        return spec.target in signature.buffers_to_mutate.values()
    return spec.kind is InputKind.USER_INPUT and operand.name in signature.user_inputs_to_mutate.values()


def _rename(node: Node) -> None:
    namespace, name = node.target._op.namespace, node.target._op.__name__
    node._rename(f"{namespace}_{name}".replace(".", "_").lower())
