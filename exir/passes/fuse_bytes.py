"""What lies in bytes and is quantized again is computed in whole numbers."""

from dataclasses import dataclass
from typing import ClassVar

from torch.export import ExportedProgram

import exir.dialects.quantized_bytes_ops  # noqa: F401  (registers the operators)
from exir.graph.byte_codes import is_quantizing
from exir.graph.byte_fusion import ByteFusion
from exir.graph.byte_moves import move_bytes
from exir.pass_manager import ProgramPass


@dataclass(frozen=True)
class FuseBytes(ProgramPass):
    """Fuses dequantizing, an operator and quantizing to an operator of `quantized_bytes`.

    Before: the edge dialect, partitioned. After: what gives the elements that it takes moves bytes, and products, sums,
    means and functions of one tensor between bytes are computed in whole numbers, in one instruction. Weights stay
    where they lie. The rest is as it was, and `meta["stays_float"]` of what computes the floats says why.
    """

    name: ClassVar[str] = "fuse_bytes"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        if not any(map(is_quantizing, program.graph.nodes)):
            return program
        move_bytes(program)
        fusion = ByteFusion(program)
        for node in list(filter(is_quantizing, program.graph.nodes)):
            fusion.visit(node)
        fusion.finish()
        return program
