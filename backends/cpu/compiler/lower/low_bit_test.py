"""Tests that GEMMs and embeddings keep low-bit weights packed."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim, export

from backends.cpu.compiler.graph import Value
from backends.cpu.compiler.partitioner import CpuPartitioner
from backends.cpu.compiler.testing.compare import assert_computes, lowered, ops, specs
from backends.cpu.compiler.testing.low_bit import LIMITS, Layer, Weight
from backends.cpu.schema.embedding import EmbeddingQw
from backends.cpu.schema.gemm import GemmF32Qbw, GemmQd8Qbw
from backends.cpu.schema.kernel_sizes import QD8_MAX_GROUP
from backends.cpu.schema.records import ActivationFunction, LowBitFormat, WeightOffset
from exir import to_edge_transform_and_lower
from exir.backend.utils import get_non_lowered_nodes
from exir.weights.quantized_weights import packed

_OURS, _DECOMPOSED = torch.ops.quantized_weight, torch.ops.quantized_decomposed
EMBEDDINGS = {2: _DECOMPOSED.embedding_2bit, 4: _DECOMPOSED.embedding_4bit, 8: _DECOMPOSED.embedding_byte}


class Table(Weight):
    def forward(self, indices: Tensor) -> Tensor:
        return EMBEDDINGS[self.bits](*self.parts, *LIMITS[self.bits], indices)


class Float16Table(Weight):
    """A table with float16 or bfloat16 scales and float32 rows."""

    def forward(self, indices: Tensor) -> Tensor:
        embedding = EMBEDDINGS[self.bits].dtype
        return embedding(*self.parts, *LIMITS[self.bits], indices, dtype=torch.float32)


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize(("rows", "columns", "groups"), [(20, 64, 2), (5, 24, 1), (40, 96, 3)])
def test_linear_layers_keep_low_bit_weights(bits: int, rows: int, columns: int, groups: int, shifted: bool) -> None:
    layer = Layer(bits, rows, columns, groups, shifted, bias=rows != 5)
    for sizes in ((columns,), (7, columns), (2, 3, columns)):
        x = torch.randn(sizes)
        assert specs(layer, x) == [GemmF32Qbw(LowBitFormat(max(bits, 4), WeightOffset(shifted)))]
        assert_computes(layer, x)


class DynamicLayer(Layer):
    def forward(self, x: Tensor) -> Tensor:
        return _OURS.dynamic_linear(x, *self.parts, self.bias, self.bits)


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(("rows", "columns", "groups"), [(20, 64, 2), (5, 24, 1), (40, 1536, 1)])
def test_dynamically_quantized_layers_compute_in_integers(
    bits: int, rows: int, columns: int, groups: int, shifted: bool
) -> None:
    layer, x = DynamicLayer(bits, rows, columns, groups, shifted, bias=rows != 5), torch.randn(2, 3, columns)
    (op,) = ops(layer, x).ops
    assert op.spec == GemmQd8Qbw(LowBitFormat(bits, WeightOffset(shifted)))
    assert columns // op.inputs[2].dims[1] <= QD8_MAX_GROUP
    assert_computes(layer, x)


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_embeddings_keep_low_bit_weights(bits: int, shifted: bool) -> None:
    table, indices = Table(bits, 21, 48, 2, shifted), torch.tensor([[0, 20, 3]])
    assert specs(table, indices) == [EmbeddingQw(21, LowBitFormat(max(bits, 4), WeightOffset(shifted)))]
    assert_computes(table, indices)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_embeddings_with_a_dtype_argument_keep_bfloat16_scales(bits: int) -> None:
    table, indices = Float16Table(bits, 21, 48, 2, False), torch.tensor([[0, 20, 3]])
    table.scales = table.scales.bfloat16()
    [embedding] = ops(table, indices).ops
    assert embedding.spec == EmbeddingQw(21, LowBitFormat(max(bits, 4), WeightOffset.NONE))
    assert _elements(embedding.inputs[1]).dtype == torch.bfloat16
    assert_computes(table, indices)


def test_activation_and_residual_are_fused_into_low_bit_gemms() -> None:
    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = Layer(4, 48, 32, 1, True, True)
            self.second = Layer(8, 48, 48, 3, False, False)

        def forward(self, x: Tensor) -> Tensor:
            x = F.silu(self.first(x))
            return torch.relu(x + self.second(x))

    x = torch.randn(3, 32)
    found = [each for each in specs(Network(), x) if isinstance(each, GemmF32Qbw)]
    assert [each.activation.function for each in found] == [ActivationFunction.SILU, ActivationFunction.CLAMP]
    assert len(specs(Network(), x)) == 2
    assert_computes(Network(), x)


def test_layer_and_embedding_share_low_bit_weights() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = Table(4, 40, 64, 2, False)

        def forward(self, tokens: Tensor) -> Tensor:
            words = self.table(tokens)
            return _OURS.linear(words, *self.table.parts, None, 4)

    tokens = torch.tensor([1, 39, 7])
    embedding, product = ops(Tied(), tokens).ops
    assert torch.equal(_elements(embedding.inputs[0]), _elements(product.inputs[1]))
    shapes = ({0: Dim("tokens", min=2, max=9)},)
    others = [(torch.arange(size),) for size in (2, 9)]
    assert_computes(Tied(), tokens, dynamic_shapes=shapes, others=others)


def _elements(value: Value) -> Tensor:
    assert value.constant is not None
    return value.constant


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", [Layer, DynamicLayer])
def test_float16_scales_stay_float16(kind: type[Layer], dtype: torch.dtype) -> None:
    layer, x = kind(4, 20, 64, 2, True, True), torch.randn(3, 64)
    layer.scales = layer.scales.to(dtype)
    (op,) = ops(layer, x).ops
    assert op.inputs[2].dtype == dtype
    assert op.inputs[4].dtype == torch.float32
    assert_computes(layer, x)
    *_, points = layer.parts
    assert points is not None
    layer.points = points.to(dtype)
    assert ops(layer, x).ops[0].inputs[4].dtype == dtype
    assert_computes(layer, x)


def test_embedding_tables_keep_float16_scales() -> None:
    table, indices = Table(4, 21, 48, 2, True), torch.tensor([[0, 20, 3]])
    table.scales = table.scales.half()
    program = ops(lambda indices: table(indices).float() * 2, indices)
    assert program.ops[0].spec == EmbeddingQw(21, LowBitFormat(4, WeightOffset.ZERO_POINTS))
    assert program.ops[0].inputs[1].dtype == torch.float16


class MinimumLayer(Layer):
    def forward(self, x: Tensor) -> Tensor:
        return _OURS.linear_with_minimum(x, *self.parts, self.bias, self.bits)


class MinimumTable(Weight):
    def forward(self, indices: Tensor) -> Tensor:
        return _OURS.embedding(*self.parts, indices, self.bits)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize(("rows", "columns", "groups"), [(20, 64, 2), (5, 24, 1), (40, 96, 3)])
def test_weights_with_minima_stay_low_bit(bits: int, rows: int, columns: int, groups: int, dtype: torch.dtype) -> None:
    layer, table = (
        MinimumLayer(bits, rows, columns, groups, True, rows != 5),
        MinimumTable(bits, rows, columns, groups, True),
    )
    for module in (layer, table):
        module.scales, module.points = module.scales.to(dtype), module.points.to(dtype)
    for sizes in ((columns,), (7, columns)):
        x = torch.randn(sizes)
        (op,) = ops(layer, x).ops
        assert op.spec == GemmF32Qbw(LowBitFormat(max(bits, 4), WeightOffset.MINIMA))
        assert [op.inputs[place].dtype for place in (2, 4)] == [dtype, dtype]
        assert_computes(layer, x)
    indices = torch.tensor([[0, rows - 1, 3]])
    assert specs(table, indices) == [EmbeddingQw(rows, LowBitFormat(max(bits, 4), WeightOffset.MINIMA))]
    assert_computes(table, indices)


def test_a_tied_blockwise_embedding_is_stored_once() -> None:
    """A block of 32 int8 weights and a 16-bit scale has 8.5 bits per weight."""

    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = MinimumTable(8, 640, 64, 2, False)
            self.table.scales = self.table.scales.half()

        def forward(self, tokens: Tensor) -> Tensor:
            return _OURS.linear(self.table(tokens), *self.table.parts, None, 8)

    tokens = torch.tensor([1, 639, 7])
    embedding, product = ops(Tied(), tokens).ops
    assert torch.equal(_elements(embedding.inputs[0]), _elements(product.inputs[1]))
    assert torch.equal(_elements(embedding.inputs[1]), _elements(product.inputs[2]))
    assert_computes(Tied(), tokens)
    manager = to_edge_transform_and_lower(export(Tied(), (tokens,)), partitioner=[CpuPartitioner()])
    assert len(manager.to_executorch().buffer) < 640 * 64 * 8.5 / 8 + 8192


def test_minima_can_be_expressed_as_zero_points() -> None:
    """scale * q + minimum equals (q - zero_point) * scale.

    q is from 0 to 15, in blocks of 32.
    """
    generator = torch.Generator().manual_seed(0)
    codes = torch.randint(0, 16, (20, 3, 32), generator=generator)
    scales = (torch.rand(20, 3, 1, generator=generator) / 60 + 0.001).half()
    minima = -torch.rand(20, 3, 1, generator=generator).half()
    weight = scales.float() * codes + minima.float()
    layer = Layer(4, 20, 96, 3, True, True)
    layer.codes = packed((codes - 8).to(torch.int8).flatten(1), 4)
    layer.scales, layer.points = scales[..., 0], (-minima.float() / scales.float() - 8)[..., 0]
    x = torch.randn(5, 96)
    torch.testing.assert_close(layer(x), F.linear(x, weight.flatten(1), layer.bias), rtol=1e-5, atol=1e-5)
    assert_computes(layer, x)


def test_groups_with_partial_words_are_left_to_kernels() -> None:
    program = lowered(Layer(4, 20, 36, 3, False, True), (torch.randn(2, 36),))
    assert len(get_non_lowered_nodes(program.graph)) == 1
