"""Fuse quantized patterns into the official package's operators."""

from typing import Any, ClassVar

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

import exir.dialects.quantized_decomposed_ops  # noqa: F401  (registers the operator used below)
from exir.dialects.edge import edge_op
from exir.graph.edit import insert_before, replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.int8_moves import move_int8_elements
from exir.graph.int8_tensors import QuantizedTensor, QuantParams, is_quantizing, quantize_params, quantized_source
from exir.pass_manager import ProgramPass
from exir.passes.propagate_constants import PropagateConstants

_ADD = edge_op(torch.ops.aten.add.Tensor)
_ADD_BYTES = torch.ops.quantized_decomposed.add.default


class QuantFusionPass(ProgramPass):
    """Fuse quantized additions, and let data movement operators move int8 values.

    A quantized addition becomes `quantized_decomposed::add`. `to_edge` already fuses embeddings and
    low-bit linear layers. Every node has a value in its metadata regardless of
    `_fix_node_meta_val`, and constants are found without `node_value_dict`.
    """

    name: ClassVar[str] = "quant_fusion"

    def __init__(self, _fix_node_meta_val: bool = False, node_value_dict: Any = None) -> None:
        pass

    def run(self, program: ExportedProgram) -> ExportedProgram:
        move_int8_elements(program)
        for quantize in list(filter(is_quantizing, program.graph.nodes)):
            fused = _fuse_quantize(quantize)
            if fused is not None:
                replace_and_erase(quantize, fused)
        program.graph.eliminate_dead_code()
        program.graph_module.recompile()
        return program


def quant_fusion_and_const_prop_pass(program: ExportedProgram) -> ExportedProgram:
    """Run `QuantFusionPass` and constant folding."""
    return PropagateConstants().run(QuantFusionPass().run(program))


def constant_values(program: ExportedProgram) -> dict[str, torch.Tensor]:
    """Return the stored parameters and buffers of a program by node name."""
    specs = program.graph_signature.input_specs
    stored = (
        spec
        for spec in specs
        if spec.kind in (InputKind.BUFFER, InputKind.PARAMETER) and spec.target in program.state_dict
    )
    return {spec.arg.name: program.state_dict[str(spec.target)] for spec in stored}


def _fuse_quantize(quantize: Node) -> Node | None:
    """Return an integer-only replacement for the result of `quantize`, or None."""
    params, floats = quantize_params(quantize), quantize.args[0]
    same = quantized_source(floats)
    if same is not None:
        return same.node if same.params == params else None
    if params is None or floats.target is not _ADD or floats.kwargs:
        return None
    operands = [quantized_source(arg) for arg in floats.args]
    found = [operand for operand in operands if operand is not None and operand.params.dtype == params.dtype]
    return _quantized_sum(quantize, found, params) if len(found) == 2 else None


def _quantized_sum(before: Node, operands: list[QuantizedTensor], params: QuantParams) -> Node:
    arguments = [value for operand in operands for value in (operand.node, *_affine_arguments(operand.params))]
    arguments += _affine_arguments(params)
    return insert_before(before, _ADD_BYTES, tuple(arguments), {}, fake_mode_of(before.graph))


def _affine_arguments(params: QuantParams) -> tuple[float, int, int, int]:
    return params.scale, params.zero_point, params.low, params.high
