"""Passes that rewrite a graph or a program independently of other passes."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from exir.dialects.edge import EdgeOpOverload, edge_op, to_torch_overload
from exir.dialects.out_variant import is_in_place
from exir.graph.control_flow import graphs
from exir.graph.program_copy import with_copied_containers
from exir.graph.program_update import with_graph_module
from exir.pass_manager import run_passes
from exir.passes.drop_unused_constants import DropUnusedConstants

_ATEN = torch.ops.aten
_QUANTIZED = torch.ops.quantized_decomposed


def _dialect_variants(op: OpOverload) -> tuple[Any, Any]:
    """Return an operator in the ATen and the edge dialect."""
    return op, edge_op(op)


class CSEPass(PassBase):
    """Merge equal calls on the same operands (common subexpression elimination)."""

    def call(self, graph_module: GraphModule) -> PassResult:
        """Merge calls in all graphs. `modified` is true if any were merged."""
        merged = [_merge_equal_calls(subgraph) for subgraph in graphs(graph_module)]
        return PassResult(graph_module, any(merged))


def _merge_equal_calls(graph_module: GraphModule) -> bool:
    seen: dict[Any, Node] = {}
    changed = False
    for node in list(graph_module.graph.nodes):
        key = _call_key(node)
        first = node if key is None else seen.setdefault(key, node)
        if first is not node:
            node.replace_all_uses_with(first)
            graph_module.graph.erase_node(node)
            changed = True
    graph_module.recompile()
    return changed


def _call_key(node: Node) -> Any:
    """Return a key that equal calls share, or None for a call that must not be merged."""
    op = to_torch_overload(node.target)
    if node.op != "call_function" or op is None or is_in_place(op):
        return None
    if torch.Tag.nondeterministic_seeded in op.tags:
        return None
    return node.target, repr(node.args), repr(sorted(node.kwargs.items()))


class NormalizeViewCopyBasePass(PassBase):
    """Combine consecutive view copies."""

    def call(self, graph_module: GraphModule) -> PassResult:
        """Rewrite in graph order, so that a chain becomes one view copy."""
        targets = _dialect_variants(_ATEN.view_copy.default)
        changed = False
        for node in graph_module.graph.nodes:
            if node.target in targets and node.args[0].target in targets:
                node.args = (node.args[0].args[0], *node.args[1:])
                changed = True
        graph_module.recompile()
        return PassResult(graph_module, changed)


class PruneEmptyTensorsPass(PassBase):
    """Remove empty tensors from concatenations."""

    def call(self, graph_module: GraphModule) -> PassResult:
        """Remove empty operands of `cat`. If none remain, `cat` becomes `full`."""
        targets = _dialect_variants(_ATEN.cat.default)
        changed = False
        for node in list(graph_module.graph.nodes):
            if node.target in targets:
                changed |= _erase_unused(graph_module.graph, node)
        graph_module.graph.eliminate_dead_code()
        graph_module.recompile()
        return PassResult(graph_module, changed)


def _erase_unused(graph: Graph, node: Node) -> bool:
    operands = node.args[0]
    nonempty = [operand for operand in operands if not _is_empty(operand)]
    if len(nonempty) == len(operands):
        return False
    if nonempty:
        node.args = (nonempty, *node.args[1:])
        return True
    value = node.meta["val"]
    with graph.inserting_before(node):
        op = edge_op(_ATEN.full.default) if isinstance(node.target, EdgeOpOverload) else _ATEN.full.default
        full = graph.call_function(op, (list(value.shape), 0), {"dtype": value.dtype})
    full.meta = dict(node.meta)
    node.replace_all_uses_with(full)
    return True


def _is_empty(node: Node) -> bool:
    count = node.meta["val"].numel()
    return isinstance(count, int) and count == 0


def remove_unused_parameters_pass(ep: ExportedProgram) -> ExportedProgram:
    """Remove unused parameters and other constants."""
    return DropUnusedConstants().run(with_copied_containers(ep))


class DimOrderOpsRevertPass(PassBase):
    """Convert operators with dim orders to operators with memory formats."""

    def call(self, graph_module: GraphModule) -> PassResult:
        """Rewrite all graphs."""
        changed = False
        for subgraph in graphs(graph_module):
            for node in subgraph.graph.nodes:
                changed |= _revert_node(node)
            subgraph.recompile()
        return PassResult(graph_module, changed)


def _revert_node(node: Node) -> bool:
    plain = {
        "dim_order_ops::_to_dim_order_copy": _ATEN._to_copy.default,
        "dim_order_ops::_clone_dim_order": _ATEN.clone.default,
        "dim_order_ops::_empty_dim_order": _ATEN.empty.memory_format,
    }
    op = to_torch_overload(node.target)
    if op is None or op._schema.name not in plain:
        return False
    order = node.kwargs.get("dim_order")
    kwargs = {name: value for name, value in node.kwargs.items() if name != "dim_order"}
    if order is not None:
        is_last = len(order) == 4 and list(order) == [0, 2, 3, 1]
        kwargs["memory_format"] = torch.channels_last if is_last else torch.contiguous_format
    node.target, node.kwargs = edge_op(plain[op._schema.name]), kwargs
    return True


class LegalizePortableDimOrderPass(PassBase):
    """Insert row-major copies for operators whose kernels need row-major operands."""

    _TARGETS = (_ATEN.mean.dim, _ATEN.expand_copy.default)

    def call(self, graph_module: GraphModule) -> PassResult:
        """Insert copies before operands with another dim order."""
        targets = [target for op in self._TARGETS for target in _dialect_variants(op)]
        changed = False
        for node in list(graph_module.graph.nodes):
            operand = node.args[0] if node.target in targets else None
            if operand is not None and not operand.meta["val"].is_contiguous():
                _insert_row_major_copy(graph_module.graph, node, operand)
                changed = True
        graph_module.recompile()
        return PassResult(graph_module, changed)


def _insert_row_major_copy(graph: Graph, node: Node, operand: Node) -> None:
    value = operand.meta["val"]
    copy = edge_op(torch.ops.dim_order_ops._to_dim_order_copy.default)
    options = {"dtype": value.dtype, "dim_order": list(range(value.dim()))}
    with graph.inserting_before(node):
        copied = graph.call_function(copy, (operand,), options)
    copied.meta = {**operand.meta, "val": value.contiguous()}
    node.replace_input_with(operand, copied)


_DEQUANTIZE = (
    _QUANTIZED.dequantize_per_tensor.default,
    _QUANTIZED.dequantize_per_tensor.tensor,
    _QUANTIZED.dequantize_per_channel.default,
)
DEQUANTIZING = tuple(target for op in _DEQUANTIZE for target in _dialect_variants(op))


def eliminate_dq_q(graph_module: GraphModule, dequant_nodes: Iterable[Node]) -> None:
    """Remove dequantize-quantize pairs with equal parameters."""
    for node in dequant_nodes:
        for user in list(node.users):
            op = to_torch_overload(user.target)
            is_quantize = op is not None and op._schema.name.startswith("quantized_decomposed::quantize_")
            if is_quantize and user.args[1:] == node.args[1:]:
                user.replace_all_uses_with(node.args[0])
                graph_module.graph.erase_node(user)


def convert_constant_dim_order_pass(exported_program: ExportedProgram) -> ExportedProgram:
    """Convert constants that are neither row-major nor channels-last to row-major."""
    for tensors in (exported_program.constants, exported_program.state_dict):
        for name, tensor in list(tensors.items()):
            if isinstance(tensor, torch.Tensor) and not _is_plain(tensor):
                tensors[name] = _row_major(tensor)
    for node in exported_program.graph.find_nodes(op="placeholder"):
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and node.name not in exported_program.graph_signature.user_inputs:
            node.meta["val"] = value if _is_plain(value) else value.contiguous()
    return exported_program


def _is_plain(tensor: torch.Tensor) -> bool:
    if tensor.is_contiguous():
        return True
    return tensor.dim() == 4 and tensor.is_contiguous(memory_format=torch.channels_last)


def _row_major(tensor: torch.Tensor) -> torch.Tensor:
    copied = tensor.detach().contiguous()
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(copied, requires_grad=tensor.requires_grad)
    return copied


DEBUG_HANDLE_KEY = "debug_handle"
FROM_NODE_KEY = "from_node"
UNSET_DEBUG_HANDLE = 0


def get_greatest_ancestor_node_identifier(node: Node) -> str:
    """Return the name and the graph of the first node from which `node` was derived."""
    source = node.meta[FROM_NODE_KEY][-1]
    while source.from_node:
        source = source.from_node[-1]
    return f"{source.name}.{source.graph_id}"


class DebugHandleGeneratorPass(PassBase):
    """Assign the same debug handle to nodes derived from the same model node."""

    def call(self, graph_module: GraphModule) -> PassResult:
        """Assign handles from 1 in all graphs."""
        handles: dict[str, int] = {}
        for subgraph in graphs(graph_module):
            for node in subgraph.graph.nodes:
                if node.op not in ("placeholder", "output"):
                    node.meta[DEBUG_HANDLE_KEY] = handles.setdefault(_node_identity(node), len(handles) + 1)
        return PassResult(graph_module, True)


def _node_identity(node: Node) -> str:
    has_source = bool(node.meta.get(FROM_NODE_KEY))
    return get_greatest_ancestor_node_identifier(node) if has_source else f"{node.name}.{id(node.graph)}"


def generate_missing_debug_handles(ep: ExportedProgram) -> None:
    """Assign a new debug handle to each node without one."""
    nodes = [node for graph_module in graphs(ep.graph_module) for node in graph_module.graph.nodes]
    last = max((node.meta.get(DEBUG_HANDLE_KEY) or 0 for node in nodes), default=0)
    for node in nodes:
        if node.op not in ("placeholder", "output") and not node.meta.get(DEBUG_HANDLE_KEY):
            last += 1
            node.meta[DEBUG_HANDLE_KEY] = last


def lift_constant_tensor_pass(ep: ExportedProgram) -> ExportedProgram:
    """Lift tensor attributes of the graph module to constants of the program."""
    return with_graph_module(ep, ep.graph_module)


def transform(ep: ExportedProgram, *passes: Any, override_verifiers: Any = None) -> ExportedProgram:
    """Apply passes to a program, and replace its verifiers if some are given."""
    return _with_verifiers(run_passes(ep, passes), override_verifiers)


def _with_verifiers(ep: ExportedProgram, verifiers: Any) -> ExportedProgram:
    if not verifiers:
        return ep
    verified = with_copied_containers(ep)
    verified._verifiers = list(verifiers)
    return verified


def update_graph_module(ep: ExportedProgram, gm: GraphModule, override_verifiers: Any = None) -> ExportedProgram:
    """Return the program with another graph module of the same signature."""
    return _with_verifiers(with_graph_module(ep, gm), override_verifiers)


def remove_invalid_ops_for_not_decompose(preserve_ops: Iterable[OpOverload]) -> list[OpOverload]:
    """Return the operators that can be preserved: functional, and not views."""
    valid_ops = []
    for op in preserve_ops:
        aliased = any(result.alias_info is not None for result in op._schema.returns)
        if aliased or op._schema.is_mutable:
            logging.getLogger(__name__).warning("%s cannot be preserved: it returns or mutates an operand", op)
        else:
            valid_ops.append(op)
    return valid_ops


def default_decomposition_table(_use_old_decomp_table: bool = False) -> dict[OpOverload, Callable[..., Any]]:
    """Return core ATen's decompositions."""
    return dict(torch._decomp.core_aten_decompositions().items())
