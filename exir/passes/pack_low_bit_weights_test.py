"""Tests that groupwise quantized weights are packed, whatever their users."""

import torch
from torch import Tensor, nn

from exir import to_edge
from exir.passes.pack_low_bit_weights import PackLowBitWeights
from exir.testing.graphs import assert_same, operator_names, run, run_module
from exir.testing.models import Example

_OPS = torch.ops.quantized_decomposed


class Groups(nn.Module):
    """The sum of two matrices that are quantized in groups of 32."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        half = 1 << bits - 1
        for name in ("first", "second"):
            codes = torch.randint(-half, half, (6, 64), dtype=torch.int8)
            codes[0, 0] = -half
            self.register_buffer(f"{name}_codes", codes)
            self.register_buffer(f"{name}_scales", torch.rand(6, 2) + 0.1)
        self.register_buffer("points", torch.zeros(6, 2, dtype=torch.int32))

    def forward(self, x: Tensor) -> Tensor:
        for codes, scales in (
            (self.first_codes, self.first_scales),
            (self.second_codes, self.second_scales),
        ):
            limits = -128, 127, torch.int8, 32, torch.float32
            x = x + _OPS.dequantize_per_channel_group(codes, scales, self.points, *limits)
        return x


def _pack_weights(bits: int) -> tuple[list[str], int]:
    """Return the operators of the program, and the size of its constants in bytes."""
    example = Example(Groups(bits).eval(), (torch.randn(6, 64),))
    program = PackLowBitWeights().run(to_edge(example.export()).exported_program())
    assert_same(run(program, example.inputs), run_module(example.module, example.inputs))
    constants = [*program.state_dict.values(), *program.constants.values()]
    return operator_names(program), sum(tensor.nbytes for tensor in constants)


def test_quantized_values_are_packed_and_rows_numbered_once() -> None:
    scales, rows = 6 * 2 * 4, 6 * 8
    for bits, kind in ((2, "2bit"), (4, "4bit"), (8, "byte")):
        names, size = _pack_weights(bits)
        assert names == [f"quantized_decomposed::embedding_{kind}", "aten::add.Tensor"] * 2
        assert size == 2 * (6 * 64 * bits // 8 + scales) + rows


def test_weight_with_one_scale_per_channel_is_not_packed() -> None:
    class PerChannel(Groups):
        def forward(self, x: Tensor) -> Tensor:
            scales, points = self.first_scales[:, 0], self.points[:, 0]
            limits = 0, -8, 7, torch.int8
            return x + _OPS.dequantize_per_channel(self.first_codes, scales, points, *limits)

    example = Example(PerChannel(4).eval(), (torch.randn(6, 64),))
    program = PackLowBitWeights().run(to_edge(example.export()).exported_program())
    assert "quantized_decomposed::dequantize_per_channel" in operator_names(program)


def test_computed_weight_is_not_packed() -> None:
    class Computed(Groups):
        def forward(self, x: Tensor) -> Tensor:
            codes = x.to(torch.int8)
            limits = -128, 127, torch.int8, 32, torch.float32
            return _OPS.dequantize_per_channel_group(codes, self.first_scales, self.points, *limits)

    example = Example(Computed(4).eval(), (torch.randn(6, 64),))
    program = PackLowBitWeights().run(to_edge(example.export()).exported_program())
    assert "quantized_decomposed::dequantize_per_channel_group" in operator_names(program)
