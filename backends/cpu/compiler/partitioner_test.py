"""Tests that supported nodes are delegated, and that rejections state a reason."""

import operator

import torch
from torch import Tensor, nn
from torch._higher_order_ops import while_loop
from torch.export import ExportedProgram, export
from torch.export.graph_signature import InputKind

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.partitioner import BACKEND, CpuPartitioner
from backends.cpu.compiler.testing.compare import assert_computes, lowered
from exir import to_edge
from exir.backend.tags import refusals_of, tag_of
from exir.backend.utils import get_non_lowered_nodes
from exir.delegate import delegate_calls, lowered_module_of
from exir.graph.control_flow import graphs, regions
from models.mobilenet import MobileNetV2


def test_mobilenet_is_one_delegate() -> None:
    torch.manual_seed(0)
    assert_computes(MobileNetV2().eval(), torch.randn(1, 3, 64, 64))


def test_operator_without_a_rule_is_refused_with_a_reason() -> None:
    program = lowered(lambda x: torch.logcumsumexp(x.relu(), 0).relu(), [torch.randn(3, 4)])
    assert len(delegate_calls(program.graph)) == 2
    (left,) = get_non_lowered_nodes(program.graph)
    assert refusals_of(left) == {"cpu": "aten.logcumsumexp.default is not supported"}


def test_operators_with_simpler_parts_are_decomposed() -> None:
    preserved, _ = CpuPartitioner().ops_to_not_decompose(export(nn.Linear(2, 2), (torch.ones(1, 2),)))
    assert torch.ops.aten.linear.default in preserved
    assert torch.ops.aten.select_scatter.default not in preserved


def test_unsupported_dtypes_are_named() -> None:
    program = lowered(torch.relu, [torch.ones(3, dtype=torch.float64)])
    (left,) = get_non_lowered_nodes(program.graph)
    assert refusals_of(left) == {"cpu": "'aten_relu_default' is torch.float64; only float32 is supported"}


def test_sizes_that_are_computed_with_fractions_are_left_to_kernels() -> None:
    def larger(x: Tensor) -> Tensor:
        return nn.functional.interpolate(x.relu(), scale_factor=1.5, mode="bilinear").relu()

    height = {2: torch.export.Dim("h", min=2, max=24)}
    program = lowered(larger, [torch.randn(1, 3, 4, 5)], dynamic_shapes=(height,))
    assert len(delegate_calls(program.graph)) == 1
    assert any("expression contains fractions" in reason for reason in _reasons(program))


def test_data_dependent_sizes_without_a_bound_are_not_delegated() -> None:
    program = lowered(lambda x: torch.combinations(x, 1), [torch.randn(4)])
    assert _reasons(program) == ["aten.masked_select.default is not supported"]


def _reasons(program: ExportedProgram) -> list[str]:
    return [reason for node in get_non_lowered_nodes(program.graph) for reason in refusals_of(node).values()]


def test_views_alone_are_not_delegated() -> None:
    assert delegate_calls(lowered(lambda x: x.t().reshape(4, 3), [torch.randn(3, 4)]).graph) == []


def test_constant_that_kernels_also_use_is_packed() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(4, 4))

        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.linear(x, self.weight) + torch.logcumsumexp(self.weight, 0)

    module = Tied().eval()
    program = lowered(module, [torch.randn(4, 4)])
    product = lowered_module_of(delegate_calls(program.graph)[0]).original_module
    assert len(compile_partition(product, Options()).named) == 2


def test_backend_entry_creates_the_partitioner() -> None:
    assert BACKEND.id == "cpu" and BACKEND.partitioner is CpuPartitioner
    assert CpuPartitioner(winograd="never", threads=2).options == Options("never", threads=2)
    assert CpuPartitioner().options.threads == 4


def test_a_size_that_kernels_use_is_computed_outside_the_delegate() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = torch.nn.functional.relu(x)
        return torch.logcumsumexp(y.new_ones(y.shape[0]), 0) + y.sum()

    program = lowered(function, [torch.randn(3)], ({0: torch.export.Dim("n", min=2, max=9)},))
    sizes = [node for node in get_non_lowered_nodes(program.graph) if "sym_size" in str(node.target)]
    assert len(sizes) == 1
    for call in delegate_calls(program.graph):
        results = lowered_module_of(call).original_module.graph.output_node().args[0]
        assert all(isinstance(each.meta["val"], torch.Tensor) for each in results)


def test_nodes_whose_size_no_argument_determines_are_left_to_kernels() -> None:
    """Argument sizes contain `n` and the width only as a sum; neither can be derived."""

    def part(x: Tensor, n: int) -> Tensor:
        pooled = nn.functional.max_pool2d(nn.functional.max_pool2d(x, 3, 2), 2)
        padded = nn.functional.pad(pooled.flatten(), (0, n))
        return nn.functional.gelu(padded.tensor_split(3, -1)[1])

    shapes = {3: torch.export.Dim("w", min=11, max=12)}, torch.export.Dim.DYNAMIC(min=0, max=5)
    program = lowered(part, [torch.randn(3, 1, 7, 11), 2], shapes)
    assert len(delegate_calls(program.graph)) == 2
    assert "no argument of its delegate determines the size of 'aten_slice_copy_tensor_1'" in _reasons(program)


def test_negative_integers_do_not_determine_sizes() -> None:
    def sliced(x: Tensor, n: int) -> Tensor:
        end = n - 5
        return x[:end] * torch.tensor(end)

    program = lowered(sliced, [torch.randn(3, 4), 2], (None, torch.export.Dim.DYNAMIC(min=2, max=5)))
    assert len(delegate_calls(program.graph)) == 1
    assert "no argument of its delegate determines the size of 'aten_slice_copy_tensor'" in _reasons(program)


class _Looped(nn.Module):
    """A branch in a loop. Both have layers, one of which is also used outside."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        def body(i: Tensor, a: Tensor) -> tuple[Tensor, Tensor]:
            a = torch.cond(a[0, 0] > 0, lambda b: self.one(b).relu(), lambda b: self.other(b).tanh(), (a,))
            return i + 1, nn.functional.layer_norm(self.one(a), (8,))

        return while_loop(lambda i, a: i < 3, body, (torch.tensor(0), self.one(x)))[1]


def test_bodies_of_control_flow_are_delegated_with_their_weights() -> None:
    program = lowered(_Looped().eval(), [torch.randn(2, 8)])
    left = [node for each in graphs(program.graph_module) for node in get_non_lowered_nodes(each.graph)]
    assert {str(node.target) for node in left if regions(node)} == {"cond", "while_loop"}
    assert all(regions(node) or node.target is operator.getitem for node in left)
    weights = [spec.target for spec in program.graph_signature.input_specs if spec.kind is InputKind.PARAMETER]
    assert weights == []
    for each in graphs(program.graph_module):
        for call in delegate_calls(each.graph):
            held = lowered_module_of(call).original_module.state_dict
            assert all(name.split(".")[0] in ("one", "other") for name in held)


def test_lowering_does_not_modify_its_program() -> None:
    program = torch.export.export(_Looped().eval(), (torch.randn(2, 8),))
    manager = to_edge(program)
    before = [str(each.graph) for each in graphs(manager.exported_program().graph_module)]
    manager.to_backend(CpuPartitioner())
    edge = manager.exported_program()
    assert [str(each.graph) for each in graphs(edge.graph_module)] == before
    assert all(tag_of(node) is None for each in graphs(edge.graph_module) for node in each.graph.nodes)
