"""Passes that choose the upper bounds of symbolic sizes for memory planning."""

from dataclasses import dataclass
from typing import ClassVar

from torch.export import ExportedProgram

from exir.graph.size_bounds import Bound, hint_bound
from exir.passes.spec_prop_pass import SpecPropPass


@dataclass(frozen=True)
class ConstraintBasedSymShapeEvalPass(SpecPropPass):
    """`SpecPropPass` with the upper bounds from the program's range constraints."""

    name: ClassVar[str] = "constraint_based_sym_shape_eval"


@dataclass(frozen=True)
class HintBasedSymShapeEvalPass(SpecPropPass):
    """`SpecPropPass` with the sizes of the example inputs as upper bounds."""

    name: ClassVar[str] = "hint_based_sym_shape_eval"

    def bound(self, program: ExportedProgram) -> Bound:
        return hint_bound
