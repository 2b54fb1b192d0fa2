"""Lookup tables for elementwise functions of one int8 tensor."""

from typing import Any

import torch
from torch import Tensor
from torch.fx import Node, map_arg

from exir.dialects.edge import EdgeOpOverload
from exir.graph.constants import ConstantTable
from exir.graph.int8_tensors import QuantizedTensor, QuantParams, quantize_params, quantized_source


class Int8Tables:
    """Computes the lookup tables for the nodes of one graph."""

    def __init__(self, constants: ConstantTable) -> None:
        self._constants = constants

    def find(self, quantize: Node) -> tuple[Node, Tensor] | None:
        """Return the only quantized source of `quantize`, and the table of results.

        The table contains one result for each quantized value of the source.
        """
        sources = self._chain_sources(quantize)
        params = quantize_params(quantize)
        if params is None or len(sources) != 1:
            return None
        (source,) = sources
        if not _has_shape_of(source.node, quantize):
            return None
        return source.node, _quantize_values(self._table_values(quantize.args[0], source, {}), params)

    def _chain_sources(self, quantize: Node) -> set[QuantizedTensor]:
        """Return the quantized tensors at the start of the elementwise chains.

        The result is empty if other operators contribute.
        """
        found, visited, left = set(), set(), [quantize.args[0]]
        while left:
            node = left.pop()
            quantized = quantized_source(node)
            if quantized is not None:
                found.add(quantized)
            elif node not in visited and self._scalar_constant(node) is None:
                if not _is_elementwise(node):
                    return set()
                visited.add(node)
                left += node.all_input_nodes
        return found

    def _table_values(self, node: Node, source: QuantizedTensor, found: dict[Node, Tensor]) -> Tensor:
        """Return the result of `node` for each quantized value of `source`."""
        if node not in found:
            found[node] = self._compute_values(node, source, found)
        return found[node]

    def _compute_values(self, node: Node, source: QuantizedTensor, found: dict[Node, Tensor]) -> Tensor:
        if quantized_source(node) is not None:
            return source.params.values()
        number = self._scalar_constant(node)
        if number is not None:
            return number
        values = {
            input_node: self._table_values(input_node, source, found)
            for input_node in node.all_input_nodes
        }
        args: Any = map_arg(node.args, values.__getitem__)
        kwargs: Any = map_arg(node.kwargs, values.__getitem__)
        result: Tensor = node.target._op(*args, **kwargs)
        return result

    def _scalar_constant(self, node: Node) -> Tensor | None:
        """Return a constant with one element."""
        tensor = self._constants.tensor(node)
        return tensor.reshape(()) if tensor is not None and tensor.numel() == 1 else None


def _is_elementwise(node: Node) -> bool:
    return isinstance(node.target, EdgeOpOverload) and torch.Tag.pointwise in node.target._op.tags


def _has_shape_of(node: Node, other: Node) -> bool:
    """Compare shapes as expressions, because comparing symbols would add guards."""
    shapes = [[str(size) for size in operand.meta["val"].shape] for operand in (node, other)]
    return shapes[0] == shapes[1]


def _quantize_values(values: Tensor, params: QuantParams) -> Tensor:
    steps = torch.round(values * (1.0 / params.scale)) + params.zero_point
    return steps.clamp(params.low, params.high).to(params.dtype)
