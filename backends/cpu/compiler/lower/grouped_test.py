"""Tests that expert layers are one grouped GEMM each, and agree with PyTorch."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

import exir.dialects.grouped_ops  # noqa: F401  (registers the operator)
from backends.cpu.compiler.testing.compare import assert_computes, delegated, lowered, ops
from backends.cpu.schema.gemm import GroupedGemmF32, GroupedGemmF32F16w
from exir.backend.tags import refusals_of
from exir.backend.utils import get_non_lowered_nodes


class _Experts(nn.Module):
    """Two layers of `count` experts, like `grouped_mm` in transformers."""

    def __init__(self, count: int, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.randn(count, 40, 24).to(dtype) / 5)
        self.down = nn.Parameter(torch.randn(count, 20, 24).to(dtype).transpose(1, 2) / 5)

    def forward(self, x: Tensor, ends: Tensor) -> Tensor:
        gate, up = torch.ops.grouped.mm(x, self.up.transpose(1, 2), ends).chunk(2, -1)
        return torch.ops.grouped.mm(F.silu(gate) * up, self.down.transpose(1, 2), ends)


def _ends(*ends: int) -> Tensor:
    return torch.tensor(ends, dtype=torch.int32)


def test_expert_layers_with_any_groups_and_row_counts() -> None:
    module = _Experts(4).eval()
    rows = Dim("rows", min=2, max=50)
    calls = [
        (torch.randn(n, 24), _ends(*ends)) for n, ends in ((9, (2, 2, 7, 9)), (2, (0, 1, 1, 2)), (50, (1, 1, 1, 1)))
    ]
    assert_computes(module, *calls[0], dynamic_shapes=({0: rows}, None), others=calls[1:])


def test_each_layer_is_one_op() -> None:
    made = ops(_Experts(3).eval(), torch.randn(5, 24), _ends(1, 3, 5)).ops
    assert [type(op.spec) for op in made].count(GroupedGemmF32) == 2


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_grouped_float16_weights_stay_float16(dtype: torch.dtype) -> None:
    module = _Experts(3, dtype).eval()
    inputs = (torch.randn(5, 24).to(dtype), _ends(1, 3, 5))
    made = ops(module, *inputs).ops
    assert [type(op.spec) for op in made].count(GroupedGemmF32F16w) == 2


@pytest.mark.parametrize("weights", ["float16", "bfloat16"])
def test_an_option_stores_expert_weights_in_16_bits(weights: str) -> None:
    module = _Experts(3).eval()
    inputs = (torch.randn(5, 24), _ends(1, 3, 5))
    made = ops(module, *inputs, weights=weights).ops
    assert [type(op.spec) for op in made].count(GroupedGemmF32F16w) == 2
    narrow = _Experts(3).eval()
    for name, tensor in module.named_parameters():
        getattr(narrow, name).data = tensor.data.to(getattr(torch, weights)).float()
    module.load_state_dict(narrow.state_dict())
    assert_computes(module, *inputs, weights=weights)


def test_computed_expert_weights_are_left_to_kernels() -> None:
    def multiply(x: Tensor, weight: Tensor, ends: Tensor) -> Tensor:
        return torch.ops.grouped.mm(x.relu(), weight, ends)

    program = lowered(multiply, (torch.randn(5, 8), torch.randn(2, 8, 16), _ends(1, 5)))
    left = [node for node in get_non_lowered_nodes(program.graph) if "grouped" in str(node.target)]
    assert refusals_of(left[0]) == {"cpu": "the weight is not constant"}


def test_weights_are_stored_only_in_the_payload() -> None:
    partition = delegated(_Experts(3).eval(), (torch.randn(5, 24), _ends(1, 3, 5)))
    assert len(partition.state_dict) == 2
