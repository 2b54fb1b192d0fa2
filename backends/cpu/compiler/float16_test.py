"""Tests of float16 and bfloat16 weights.

Weights keep their dtype in the program, and ops compute in float32.
"""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.testing.compare import Function, delegated, ops, specs
from backends.cpu.compiler.testing.interpreter import run_payload
from backends.cpu.schema.convolution import ConvF32, ConvF32F16w, DwconvF32, MbconvF32, WinogradF32
from backends.cpu.schema.embedding import Embedding
from backends.cpu.schema.gemm import GemmF32, GemmF32F16w
from backends.cpu.schema.quantization import Cast


class Multiplied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 16, 24))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight


LAYERS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], list[type]]] = {
    "linear": (lambda: nn.Linear(20, 40), (3, 20), [GemmF32F16w]),
    "pointwise": (lambda: nn.Conv2d(20, 24, 1), (2, 20, 5, 6), [GemmF32F16w]),
    "convolution": (lambda: nn.Conv2d(20, 24, 3, 2, 1), (2, 20, 9, 6), [ConvF32F16w]),
    "grouped": (lambda: nn.Conv2d(8, 12, 3, groups=2), (1, 8, 9, 6), [ConvF32F16w]),
    "row": (lambda: nn.Conv1d(8, 12, 3), (1, 8, 9), [ConvF32F16w]),
    "volume": (lambda: nn.Conv3d(8, 12, 3), (1, 8, 4, 5, 6), [ConvF32F16w]),
    "transposed": (lambda: nn.ConvTranspose2d(8, 12, 3, 2), (1, 8, 4, 5), [ConvF32F16w]),
    "depthwise": (lambda: nn.Conv2d(8, 8, 3, groups=8), (1, 8, 9, 6), [DwconvF32]),
    "planar": (lambda: nn.Conv2d(3, 12, 3), (1, 3, 9, 6), [ConvF32]),
    "matmul": (Multiplied, (3, 5, 16), []),
}


def found_of(module: nn.Module, *inputs: Tensor, **options: Any) -> list[Tensor]:
    payload = compile_partition(delegated(module, inputs, **options), Options(**options))
    return run_payload(payload.data, payload.named, inputs)


def widened(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(each.float() if each.dtype in FLOAT16_DTYPES else each for each in inputs)


def assert_is_as_float(module: nn.Module, *inputs: Tensor, **options: Any) -> None:
    """Assert that a 16-bit module returns the rounded results of its float32 copy."""
    with torch.no_grad():
        expected = torch.utils._pytree.tree_leaves(copy.deepcopy(module).float()(*widened(inputs)))
    for one, other in zip(found_of(module, *inputs, **options), expected, strict=True):
        op = torch.finfo(one.dtype).eps
        torch.testing.assert_close(one.float(), other, rtol=0.51 * op, atol=2e-6)


@pytest.mark.parametrize("dtype", FLOAT16_DTYPES)
@pytest.mark.parametrize("name", LAYERS)
def test_float16_layers_compute_in_float32(name: str, dtype: torch.dtype) -> None:
    make, sizes, kinds = LAYERS[name]
    module, x = make().to(dtype).eval(), torch.randn(sizes).to(dtype)
    found = [type(each) for each in specs(module, x)]
    assert [each for each in found if each in (GemmF32, GemmF32F16w, ConvF32, ConvF32F16w, DwconvF32)] == kinds
    assert found[0] == found[-1] == Cast
    assert_is_as_float(module, x)


@pytest.mark.parametrize("option", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", LAYERS)
def test_option_stores_float32_weights_as_float16(name: str, option: str) -> None:
    make, sizes, kinds = LAYERS[name]
    module, x = make().eval(), torch.randn(sizes)
    dtype = getattr(torch, option)
    found = specs(module, x, weights=option)
    assert [type(each) for each in found if not isinstance(each, Cast)][-1:] != [Cast]
    rounded = copy.deepcopy(module)
    with torch.no_grad():
        for each in rounded.parameters():
            if each.dim() > 1:
                each.copy_(each.to(dtype))
        expected = rounded(x)
    torch.testing.assert_close(found_of(module, x, weights=option)[0], expected, rtol=1e-5, atol=1e-5)
    if kinds in ([GemmF32F16w], [ConvF32F16w]):
        assert kinds[0] in map(type, found)


def test_float16_weights_can_be_stored_as_float32() -> None:
    module, x = nn.Linear(8, 8).half(), torch.randn(2, 8).half()
    assert GemmF32() in specs(module, x, weights="float32")
    assert_is_as_float(module, x, weights="float32")


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(40, 64)

    def forward(self, tokens: Tensor) -> Tensor:
        return F.linear(F.silu(self.table(tokens)), self.table.weight)


def bytes_of(module: nn.Module, *inputs: Tensor, **options: Any) -> int:
    payload = compile_partition(delegated(module, inputs, **options), Options(**options))
    return len(payload.data) + sum(map(len, payload.named.values()))


@pytest.mark.parametrize("dtype", FLOAT16_DTYPES)
def test_tied_embedding_is_stored_once(dtype: torch.dtype) -> None:
    module, tokens = Tied().to(dtype), torch.tensor([[1, 39, 7]])
    assert specs(module, tokens)[:2] == [Embedding(40), Cast()]
    assert_is_as_float(module, tokens)
    name = str(dtype).removeprefix("torch.")
    panels = -(-40 // 16) * 16 * 64 * 2
    for each, options in ((module, {}), (copy.deepcopy(module).float(), {"weights": name})):
        assert panels < bytes_of(each, tokens, **options) < panels + 1500


def test_float16_table_and_float32_layer_with_equal_values_are_stored_separately() -> None:
    class Mixed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.head = nn.Embedding(48, 64, dtype=torch.float16), nn.Linear(64, 48, bias=False)
            self.head.weight.data.copy_(self.table.weight)

        def forward(self, tokens: Tensor) -> Tensor:
            return self.head(self.table(tokens).float())

    module, tokens = Mixed(), torch.tensor([[1, 39, 7]])
    (lookup,) = (op for op in ops(module, tokens).ops if isinstance(op.spec, Embedding))
    assert lookup.inputs[0].dtype == torch.float16
    assert_is_as_float(module, tokens)


def test_float16_weights_halve_the_program_size() -> None:
    layers = nn.Conv2d(16, 64, 3), nn.ReLU(), nn.Conv2d(64, 64, 1), nn.Flatten(), nn.Linear(64 * 36, 100)
    module, x = nn.Sequential(*layers).eval(), torch.randn(1, 16, 8, 8)
    whole = bytes_of(module, x, winograd="never")
    assert bytes_of(module, x, weights="float16") < 0.51 * whole
    assert bytes_of(copy.deepcopy(module).bfloat16(), x.bfloat16()) < 0.51 * whole


class Network(nn.Module):
    """A convolution with batch norm, followed by an attention block."""

    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(8, 32, 3, padding=1), nn.BatchNorm2d(32), nn.GELU())
        self.norm, self.joined, self.out = nn.LayerNorm(32), nn.Linear(32, 96), nn.Linear(32, 32)
        self.scale = nn.Parameter(torch.randn(32))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        rows = self.image(x).flatten(2).transpose(1, 2)
        q, k, v = self.joined(self.norm(rows)).unflatten(2, (3, 4, 8)).permute(2, 0, 3, 1, 4).unbind()
        rows = rows + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)) * self.scale
        return rows.softmax(-1), rows.mean(1) > 0


@pytest.mark.parametrize("dtype", FLOAT16_DTYPES)
def test_float16_networks_are_one_delegate(dtype: torch.dtype) -> None:
    module, x = Network().to(dtype).eval(), torch.randn(2, 8, 4, 4).to(dtype)
    one, other = found_of(module, x)
    with torch.no_grad():
        expected = copy.deepcopy(module).float()(x.float())
    torch.testing.assert_close(one.float(), expected[0], rtol=20 * torch.finfo(dtype).eps, atol=1e-3)
    assert one.dtype == dtype and other.dtype == torch.bool


def test_float16_tensors_have_dynamic_sizes() -> None:
    module, x = nn.Sequential(nn.Linear(8, 20), nn.ReLU(), nn.Linear(20, 8)).half(), torch.randn(3, 8).half()
    shapes = ({0: Dim("rows", min=1, max=9)},)
    payload = compile_partition(delegated(module, (x,), (shapes[0],)), Options())
    for rows in (1, 9):
        x = torch.randn(rows, 8).half()
        (found,) = run_payload(payload.data, payload.named, (x,))
        with torch.no_grad():
            expected = copy.deepcopy(module).float()(x.float()).half()
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)


class Kept(nn.Module):
    kept: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("kept", torch.zeros(4, dtype=torch.float16))

    def forward(self, x: Tensor) -> Tensor:
        self.kept.mul_(0.5).add_(x)
        return self.kept * 2


def test_float16_buffers_stay_float16() -> None:
    module = Kept()
    payload = compile_partition(delegated(module, (torch.randn(4).half(),)), Options())
    state, expected = torch.zeros(4).half(), torch.zeros(4).half()
    for _ in range(3):
        x = torch.randn(4).half()
        (found,) = run_payload(payload.data, payload.named, (x, state))
        expected = (expected.float() * 0.5 + x.float()).half()
        torch.testing.assert_close(state, expected, rtol=0, atol=0)
        torch.testing.assert_close(found, expected * 2, rtol=2e-3, atol=0)


def test_weights_outside_the_float16_range_stay_float32() -> None:
    module, x = nn.Linear(8, 8), torch.randn(2, 8)
    with torch.no_grad():
        module.weight[3, 4] = 1e6
    assert specs(module, x, weights="float16") == [GemmF32()]
    assert specs(module, x, weights="bfloat16") == [GemmF32F16w()]


def test_factors_fold_into_float16_weights() -> None:
    module = nn.Linear(8, 20).half()
    scale = torch.randn(20).half()
    found = specs(Function(lambda x: module(x) * scale), torch.randn(2, 8).half())
    assert [type(each) for each in found] == [Cast, GemmF32F16w, Cast]


def test_winograd_and_row_tiling_keep_float32_weights() -> None:
    wide, x = nn.Conv2d(64, 64, 3, padding=1).eval(), torch.randn(1, 64, 28, 28)
    assert WinogradF32 in map(type, specs(wide, x))
    assert ConvF32F16w in map(type, specs(wide, x, weights="float16"))
    assert WinogradF32 in map(type, specs(wide, x, weights="float16", winograd="always"))
    layers = nn.Conv2d(8, 48, 1), nn.Conv2d(48, 48, 3, groups=48), nn.Conv2d(48, 8, 1)
    graph = ops(nn.Sequential(*layers).eval(), torch.randn(1, 8, 6, 6), weights="float16", row_tiling="always")
    (block,) = [op for op in graph.ops if isinstance(op.spec, MbconvF32)]
    assert {value.dtype for value in block.inputs} == {torch.float32}
