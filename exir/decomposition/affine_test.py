"""Tests that lowered torchao operators have kernels and compute the same values."""

import pytest
import torch
import torchao.quantization.quant_primitives as primitives
from torch import Tensor, nn
from torch.export import export
from torchao.quantization.quant_primitives import MappingType

from exir.program import to_edge
from exir.testing.graphs import operator_names


class Rounded(nn.Module):
    """Quantizes a tensor blockwise, and dequantizes it."""

    def __init__(self, block: list[int], mapping: MappingType, dtype: torch.dtype = torch.int8) -> None:
        super().__init__()
        self.block, self.mapping, self.dtype = block, mapping, dtype

    def forward(self, x: Tensor) -> Tensor:
        parameters = primitives.choose_qparams_affine(
            x, self.mapping, self.block, self.dtype, zero_point_dtype=torch.int32
        )
        codes = primitives.quantize_affine(x, self.block, *parameters, self.dtype)
        return primitives.dequantize_affine(codes, self.block, *parameters, self.dtype)


BLOCKS = [
    ([1, 6], "per_token"),
    ([1, 3], "per_channel_group"),
    ([4, 1], "per_channel"),
    ([4, 6], None),
    ([2, 3], None),
]


@pytest.mark.parametrize("mapping", [MappingType.ASYMMETRIC, MappingType.SYMMETRIC])
@pytest.mark.parametrize(("block", "operator"), BLOCKS)
def test_affine_blocks_decompose_to_operators_with_kernels(
    block: list[int], operator: str | None, mapping: MappingType
) -> None:
    network, x = Rounded(block, mapping), torch.randn(4, 6, generator=torch.Generator().manual_seed(2))
    program = to_edge(export(network, (x,))).exported_program()
    names = operator_names(program)
    assert not [name for name in names if "torchao" in name]
    if operator is not None:
        assert [name for name in names if name.endswith(f"::dequantize_{operator}")]
    torch.testing.assert_close(program.module()(x), network(x))
    to_edge(export(network, (x,))).to_executorch()


@pytest.mark.parametrize("mapping", [MappingType.ASYMMETRIC, MappingType.SYMMETRIC])
def test_images_uint8_and_int16_are_accepted(mapping: MappingType) -> None:
    x = torch.randn(2, 4, 6, generator=torch.Generator().manual_seed(3))
    networks = [
        Rounded([1, 1, 6], mapping, torch.uint8),
        Rounded([1, 2, 3], mapping),
        Rounded([1, 2, 3], mapping, torch.int16),
    ]
    for network in networks:
        program = to_edge(export(network, (x,))).exported_program()
        torch.testing.assert_close(program.module()(x), network(x))


class Chosen(nn.Module):
    """Chooses one scale and one zero point for each row."""

    def __init__(self, keepdim: bool) -> None:
        super().__init__()
        self.keepdim = keepdim

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        choose = torch.ops.torchao.choose_qparams_affine.default
        return choose(x, "ASYMMETRIC", [1, 6], torch.int8, keepdim=self.keepdim)


@pytest.mark.parametrize("keepdim", [False, True])
def test_parameters_of_rows_have_the_requested_rank(keepdim: bool) -> None:
    network, x = Chosen(keepdim), torch.randn(4, 6)
    program = to_edge(export(network, (x,))).exported_program()
    assert not [name for name in operator_names(program) if "torchao" in name]
    for found, expected in zip(program.module()(x), network(x), strict=True):
        assert found.shape == ((4, 1) if keepdim else (4,)) == expected.shape


class Halved(nn.Module):
    """Dequantizes to float16, which exported programs pass as a positional argument."""

    def __init__(self, block: list[int]) -> None:
        super().__init__()
        self.block = block

    def forward(self, codes: Tensor, scale: Tensor) -> Tensor:
        dequantize = torch.ops.torchao.dequantize_affine.default
        return dequantize(codes, self.block, scale, None, torch.int8, -128, 127, torch.float16)


@pytest.mark.parametrize(("block", "scale"), [([1, 6], torch.rand(4)), ([2, 3], torch.rand(2, 2))])
def test_dtype_may_be_positional(block: list[int], scale: Tensor) -> None:
    network, codes = Halved(block), torch.arange(24, dtype=torch.int8).reshape(4, 6)
    program = to_edge(export(network, (codes, scale))).exported_program()
    assert not [name for name in operator_names(program) if "torchao" in name]
    torch.testing.assert_close(program.module()(codes, scale), network(codes, scale))
