"""Groups of tensors with the same quantization parameters."""

from collections.abc import Iterable
from typing import TypeAlias

from torch.fx import Node
from torchao.quantization.pt2e.quantizer import (
    QuantizationAnnotation,
    QuantizationSpec,
    QuantizationSpecBase,
    SharedQuantizationSpec,
)

_ANNOTATION = "quantization_annotation"

# An operand, as the pair of tensor and operator, or the result of an operator.
_Place: TypeAlias = tuple[Node, Node] | Node


class SharedRanges:
    """Annotates operators so that each group of tensors has one range.

    The first place of a group has a spec, and all others refer to it or to an earlier place. torchao
    would share the ranges of a tensor's operands by itself, but can then make two specs refer to each
    other.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[Node, QuantizationSpec], _Place] = {}

    def annotate(
        self, node: Node, operands: dict[Node, QuantizationSpec], result: QuantizationSpec | None = None
    ) -> None:
        """Annotate an operator; its result gets its own range, or none."""
        inputs = {operand: self._operand(operand, node, spec) for operand, spec in operands.items()}
        _set_annotation(node, inputs, result)
        if result is not None:
            self._first[node, result] = node

    def annotate_shared(self, node: Node, operands: Iterable[Node], spec: QuantizationSpec) -> None:
        """Annotate an operator whose operands and result have one range."""
        inputs = {operand: self._operand(operand, node, spec) for operand in operands}
        _set_annotation(node, inputs, None)
        first = self._merge([self._first[operand, spec] for operand in inputs])
        node.meta[_ANNOTATION].output_qspec = SharedQuantizationSpec(first)
        self._first[node, spec] = first

    def _operand(self, operand: Node, user: Node, spec: QuantizationSpec) -> QuantizationSpecBase:
        """Return `spec` for the first place of a tensor, and a reference for others."""
        first = self._first.setdefault((operand, spec), (operand, user))
        return spec if first == (operand, user) else SharedQuantizationSpec(first)

    def _merge(self, places: list[_Place]) -> _Place:
        """Merge groups; return the place that has the spec."""
        roots = sorted({_root(place) for place in places}, key=_position)
        for root in roots[1:]:
            _set_spec(root, SharedQuantizationSpec(roots[0]))
        return roots[0]


def _position(place: _Place) -> tuple[Node, int]:
    """Return a key for the order in which torchao makes observers."""
    if isinstance(place, Node):
        return place, len(place.all_input_nodes)
    operand, user = place
    return user, list(user.meta[_ANNOTATION].input_qspec_map).index(operand)


def _root(place: _Place) -> _Place:
    """Return the place with the spec of the group."""
    spec = _spec_of(place)
    while isinstance(spec, SharedQuantizationSpec):
        place = spec.edge_or_node
        spec = _spec_of(place)
    return place


def _spec_of(place: _Place) -> QuantizationSpecBase | None:
    if isinstance(place, Node):
        return place.meta[_ANNOTATION].output_qspec
    operand, user = place
    return user.meta[_ANNOTATION].input_qspec_map[operand]


def _set_spec(place: _Place, spec: QuantizationSpecBase) -> None:
    if isinstance(place, Node):
        place.meta[_ANNOTATION].output_qspec = spec
    else:
        operand, user = place
        user.meta[_ANNOTATION].input_qspec_map[operand] = spec


def _set_annotation(
    node: Node, inputs: dict[Node, QuantizationSpecBase | None], output: QuantizationSpecBase | None
) -> None:
    node.meta[_ANNOTATION] = QuantizationAnnotation(inputs, output, allow_implicit_sharing=False)
