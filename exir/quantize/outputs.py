"""Quantization parameters of a program's outputs."""

from dataclasses import dataclass

from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind
from torch.fx import Node

from exir.quantize.families import operator_name

_DEQUANTIZE = "quantized_decomposed::dequantize_per_tensor"
_QUANTIZE = "quantized_decomposed::quantize_per_tensor"

# These operators return the elements of their operand.
_SAME_ELEMENTS = tuple(
    f"aten::{name}"
    for name in "view reshape flatten permute transpose squeeze unsqueeze clone contiguous alias".split()
)


@dataclass(frozen=True)
class Steps:
    """The values that the elements of a tensor can have.

    step: the distance between adjacent values; 0 if there is none.
    scale, zero_point: a quantized element represents (element - zero_point) * scale.
    """

    step: float = 0.0
    scale: float = 1.0
    zero_point: int = 0


def output_steps(program: ExportedProgram) -> list[Steps]:
    """Return the steps of each user output, in order."""
    nodes = {node.name: node for node in program.graph.nodes}
    specs = [
        spec for spec in program.graph_signature.output_specs if spec.kind is OutputKind.USER_OUTPUT
    ]
    return [_steps_of_output(nodes.get(getattr(spec.arg, "name", ""))) for spec in specs]


def _steps_of_output(node: Node | None) -> Steps:
    while node is not None and operator_name(node) in _SAME_ELEMENTS:
        node = node.all_input_nodes[0]
    if node is None or operator_name(node) not in (_QUANTIZE, _DEQUANTIZE):
        return Steps()
    scale, zero_point = node.args[1:3]
    if not isinstance(scale, float):
        return Steps()
    return Steps(1.0, scale, zero_point) if operator_name(node) == _QUANTIZE else Steps(scale)
