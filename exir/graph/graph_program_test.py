"""Tests of programs around a bare graph."""

from torch import Tensor, nn, randn
from torch.export import Dim, export
from torch.export.graph_signature import SymIntArgument, TensorArgument

from exir.graph.graph_program import program_around


class _Scaled(nn.Module):
    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int]:
        return x * n, x.shape[0]


def test_program_around_a_graph_keeps_kinds_of_values_and_ranges() -> None:
    shapes = ({0: Dim("rows", min=2, max=9)}, Dim.DYNAMIC(min=2, max=5))
    exported = export(_Scaled(), (randn(3, 4), 3), dynamic_shapes=shapes)
    program = program_around(exported.graph_module)
    signature = program.graph_signature
    kinds = [type(spec.arg) for spec in (*signature.input_specs, *signature.output_specs)]
    assert kinds == [TensorArgument, SymIntArgument] * 2
    assert program.range_constraints.items() >= exported.range_constraints.items()
