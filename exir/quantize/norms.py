"""Folds batch norms before quantization, or records why they remain.

torchao folds every batch norm after a convolution or a linear layer, even if the weight or the
result has other users. Norms are therefore folded here, and the remaining ones are hidden from
torchao.
"""

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from exir.graph.constants import ConstantTable
from exir.graph.edit import replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.norm_folding import affine_of, fold_constants, scale_kernel
from exir.quantize.families import operator_name

_ATEN = torch.ops.aten
_INFERENCE = _ATEN._native_batch_norm_legit_no_training.default
_NORMS = (_INFERENCE, _ATEN.batch_norm.default)
_CONVOLUTIONS = tuple(f"aten::conv{dims}d" for dims in (1, 2, 3))
_TRANSPOSED = tuple(f"aten::conv_transpose{dims}d" for dims in (1, 2, 3))
_LINEAR = "aten::linear"

# The position of `groups` among the arguments of all convolutions.
_GROUPS = 6

_HIDDEN = "exir_hides_batch_norm"


def fold_batch_norms(program: ExportedProgram) -> None:
    """Fold inference batch norms into the convolution or linear layer that feeds them.

    Weights and biases must be constants. Constants with another use keep their values.
    """
    constants = ConstantTable(program, fake_mode_of(program.graph))
    for node in list(program.graph.nodes):
        if node.target in _NORMS:
            _fold_norm(node, constants)
    constants.drop_unused()


def _fold_norm(norm: Node, constants: ConstantTable) -> None:
    producer, result = norm.args[0], _norm_result(norm)
    if result is None or not _can_fold_into(producer):
        return
    affine = affine_of(norm.args[1:5], norm.args[-1 if norm.target is _INFERENCE else 7], constants)
    if affine is None:
        return
    scale, name = affine.scale, operator_name(producer)
    groups = _argument_of(producer, _GROUPS, 1)

    def scaled(weight: Tensor) -> Tensor:
        if name == _LINEAR:
            return weight * scale.view(-1, 1)
        return scale_kernel(weight, scale, groups, name in _TRANSPOSED)

    folded = fold_constants(producer.args[1], _argument_of(producer, 2, None), affine, scaled, constants)
    if folded is not None:
        producer.args = (producer.args[0], *folded, *producer.args[3:])
        replace_and_erase(result, producer)
        if result is not norm:
            norm.graph.erase_node(norm)


def _norm_result(norm: Node) -> Node | None:
    """Return the normalized tensor of an inference norm if no other result is used."""
    if norm.target is not _INFERENCE:
        return None if norm.args[5] else norm
    users = list(norm.users)
    is_first = len(users) == 1 and users[0].target is operator.getitem and users[0].args[1] == 0
    return users[0] if is_first else None


def _can_fold_into(producer: Any) -> bool:
    """Return true if the norm has the producer's channels, and is its only user."""
    if not _is_producer(producer) or len(producer.users) != 1 or producer.kwargs:
        return False
    weight = producer.args[1]
    # Channels are in dimension 1, except for 3-D linear layers and unbatched convolutions.
    return bool(producer.meta["val"].dim() == weight.meta["val"].dim())


def _is_producer(node: Any) -> bool:
    return isinstance(node, Node) and operator_name(node) in (*_CONVOLUTIONS, *_TRANSPOSED, _LINEAR)


def _argument_of(node: Node, index: int, default: Any) -> Any:
    return node.args[index] if len(node.args) > index else default


def is_unfolded_norm(node: Node) -> bool:
    """Return true if `node` is an inference batch norm after a conv or linear layer."""
    return node.target in _NORMS and _is_producer(node.args[0])


def unfolded_reason(norm: Node) -> str:
    """Return why `norm`, for which `is_unfolded_norm` holds, was not folded."""
    producer = norm.args[0]
    assert isinstance(producer, Node)
    others = len(producer.users) - 1
    if others:
        return (
            f"the result of the preceding {operator_name(producer)} has {others} other "
            f"user{'s'[: others > 1]}"
        )
    if producer.meta["val"].dim() != producer.args[1].meta["val"].dim():
        return f"its channels are not the output channels of the preceding {operator_name(producer)}"
    return f"its statistics, or the weight of the preceding {operator_name(producer)}, are not constants"


def hide_norms(module: GraphModule) -> None:
    """Insert a node between each remaining norm and its producer, in all graphs."""
    for graph_module in _graph_modules(module):
        for norm in filter(is_unfolded_norm, list(graph_module.graph.nodes)):
            producer = norm.args[0]
            with norm.graph.inserting_before(norm):
                between = norm.graph.call_function(_ATEN.alias.default, (producer,))
            between.meta = {**producer.meta, _HIDDEN: True}
            norm.update_arg(0, between)
        graph_module.recompile()


def expose_norms(graph_module: GraphModule) -> None:
    """Remove the nodes that `hide_norms` has inserted into this graph."""
    for node in list(graph_module.graph.nodes):
        if node.meta.get(_HIDDEN):
            replace_and_erase(node, node.args[0])
    graph_module.recompile()


def _norm_for_inference(*args: Any) -> Any:
    return _INFERENCE(*args)


def _norm(*args: Any) -> Any:
    return _ATEN.batch_norm.default(*args)


_FUNCTIONS = {_INFERENCE: _norm_for_inference, _ATEN.batch_norm.default: _norm}


def replace_norms_by_functions(module: GraphModule) -> None:
    """Replace batch norms with calls of Python functions.

    If torchao finds a batch norm, it exports 96 patterns of quantization-aware training, which takes
    a minute and matches nothing here.
    """
    _replace_targets(module, _FUNCTIONS)


def restore_norms(module: GraphModule) -> None:
    """Undo `replace_norms_by_functions`."""
    _replace_targets(module, {function: op for op, function in _FUNCTIONS.items()})


def _replace_targets(module: GraphModule, targets: Mapping[Any, Any]) -> None:
    for graph_module in _graph_modules(module):
        for node in graph_module.graph.nodes:
            node.target = (
                targets.get(node.target, node.target) if node.op == "call_function" else node.target
            )
        graph_module.recompile()


def _graph_modules(module: GraphModule) -> Iterable[GraphModule]:
    return (graph_module for graph_module in module.modules() if isinstance(graph_module, GraphModule))
