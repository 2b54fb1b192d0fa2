"""Fuses operators between int8 tensors into int8 operators."""

from dataclasses import dataclass
from typing import ClassVar

from torch.export import ExportedProgram

import exir.dialects.quantized_bytes_ops  # noqa: F401  (registers the operators)
from exir.graph.int8_fusion import Int8Fusion
from exir.graph.int8_moves import move_int8_elements
from exir.graph.int8_tensors import is_quantizing
from exir.pass_manager import ProgramPass


@dataclass(frozen=True)
class FuseInt8(ProgramPass):
    """Fuses dequantize → operator → quantize into one operator of `quantized_bytes`.

    Before: the edge dialect, partitioned. After: operators that only move elements move int8 values.
    Linear layers, convolutions, sums, means and unary functions between int8 tensors compute in
    integers, in one instruction. Weights keep their storage. Other operators are unchanged, and
    `meta["stays_float"]` of a node that computes in float states the reason.
    """

    name: ClassVar[str] = "fuse_int8"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        if not any(map(is_quantizing, program.graph.nodes)):
            return program
        move_int8_elements(program)
        fusion = Int8Fusion(program)
        for node in list(filter(is_quantizing, program.graph.nodes)):
            fusion.visit(node)
        fusion.finish()
        return program
