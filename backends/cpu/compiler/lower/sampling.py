"""Lowering of grid sampling."""

import torch
from torch._ops import OpOverload
from torch.fx import Node

from backends.cpu.compiler.lower.builder import Builder, channels_last
from backends.cpu.compiler.lower.rule import Rule
from backends.cpu.schema.resampling import GridSample, PaddingMode, SampleMode

_PICTURE = channels_last(4)


def _lower(builder: Builder, node: Node) -> None:
    x, grid, mode, padding, align_corners = node.args
    spec = GridSample(SampleMode(mode), PaddingMode(padding), bool(align_corners))
    inputs = [builder.read(x, _PICTURE), builder.read(grid)]
    builder.op(spec, inputs, builder.write(node, _PICTURE), node)


RULES: dict[OpOverload, Rule] = {torch.ops.aten.grid_sampler_2d.default: Rule(_lower)}
