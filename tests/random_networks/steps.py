"""The steps that networks are made of: each maker gives a step that fits an operand of `shape`, or None."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.random_networks.network import Step

Shape = tuple[int, ...]
Maker = Callable[[random.Random, Shape], Step | None]

# Of one operand of any shape, which they keep.
_ELEMENTWISE = (
    *("F.relu({0})", "F.relu6({0} * 3.0)", "F.hardtanh({0}, -0.7, 0.9)", "{0}.clamp(-0.3, 0.5)", "{0}.clamp(min=-0.2)"),
    *("F.gelu({0})", "F.gelu({0}, approximate='tanh')", "F.silu({0})", "F.hardswish({0})", "F.hardsigmoid({0})"),
    *("F.elu({0}, 0.7)", "F.leaky_relu({0}, 0.2)", "F.mish({0})", "F.softplus({0})", "F.selu({0})", "F.celu({0}, 1.3)"),
    *("F.logsigmoid({0})", "F.softsign({0})", "F.tanhshrink({0})", "torch.sigmoid({0})", "torch.tanh({0})", "-{0}"),
    *("torch.exp({0}.clamp(-3, 3))", "torch.log({0}.abs() + 0.5)", "torch.sqrt({0}.abs() + 0.1)", "{0}.abs()"),
    *("torch.rsqrt({0}.abs() + 0.2)", "torch.sin({0})", "torch.cos({0})", "torch.atan({0})", "torch.erf({0})"),
    *("torch.log1p({0}.abs())", "torch.expm1({0}.clamp(-2, 2))", "torch.reciprocal({0}.abs() + 0.5)", "{0}.pow(2)"),
    *("{0}.pow(3)", "({0}.abs() + 0.3) ** 0.7", "torch.asinh({0})", "torch.sinh({0}.clamp(-2, 2))"),
    *("{0} + 0.5", "{0} * 1.5", "1.0 - {0}", "{0} / 3.0", "{0} / ({0}.abs() + 1.0)", "{0} * torch.sigmoid({0})"),
    *("torch.maximum({0}, {0} * -0.5)", "torch.minimum({0}, {0} * 0.3)", "torch.where({0} > 0, {0}, {0} * 0.1)"),
    *("{0} + {0}", "{0}.clone()", "torch.lerp({0}, {0} * 2, 0.3)", "torch.addcmul({0}, {0}, {0}, value=0.2)"),
    *("{0}.masked_fill({0} < -1, -1.0)", "torch.where({0}.isnan(), 0.0, {0})", "F.threshold({0}, 0.1, -0.2)"),
    *("{0}.to(torch.float64).to(torch.float32)", "({0} > 0).to(torch.float32) + {0}", "torch.hypot({0}, {0} + 1)"),
)

# Of the last dimension, or of all: shapes may change.
_ALONG = (
    *("F.softmax({0}, -1)", "F.log_softmax({0}, -1)", "{0} - {0}.mean(-1, keepdim=True)", "F.normalize({0}, dim=-1)"),
    *("{0} - {0}.amax(-1, keepdim=True)", "torch.cumsum({0}, -1)", "{0}.flip(-1)", "torch.roll({0}, 1, -1)"),
    *("{0}.sort(-1)[0]", "{0}.logsumexp(-1, keepdim=True) + {0}", "{0} / ({0}.std(-1, keepdim=True) + 1.0)"),
    *("{0}.var(-1, keepdim=True, unbiased=False) + {0}", "F.pad({0}, (1, 2))", "F.pad({0}, (1, 0), value=0.5)"),
    *("torch.cat([{0}, {0} * 2], -1)", "torch.cat([{0}[..., :1], {0}], -1)", "{0}[..., 1:]", "{0}[..., ::2]"),
    *("torch.stack([{0}, -{0}], -1).amax(-1)", "{0}.unsqueeze(0).squeeze(0)", "{0}.transpose(-1, -2)"),
    *("{0}.gather(-1, {0}.argsort(-1))", "torch.tril({0})", "torch.triu({0}, 1) + {0}", "{0}.repeat_interleave(2, -1)"),
    *("{0}.amin(-1, keepdim=True) * 0.1 + {0}", "{0}.norm(dim=-1, keepdim=True) * 0.1 + {0}"),
    *("{0} + {0}.argmax(-1, keepdim=True).to({0}.dtype) * 0.1", "{0} * ({0}.sum(-1, keepdim=True) > 0)"),
    *("torch.cat(list(reversed({0}.split(1, 0))), 0)", "{0}.flatten().reshape({0}.shape)", "{0}.movedim(0, -1)"),
    *("{0}.topk(1, -1)[0] + {0}", "torch.diff({0}, dim=-1)", "{0}.cumsum(0)", "torch.cummax({0}, -1)[0]"),
    *(
        "{0}.scatter_add(-1, torch.zeros_like({0}, dtype=torch.int64), {0} * 0.1)",
        "{0}.index_select(0, {0}.new_zeros(2).long())",
    ),
)

_PICTURE = (
    *("F.max_pool2d({0}, 2)", "F.max_pool2d({0}, 3, 1, 1)", "F.max_pool2d({0}, (3, 2), 2, 1, ceil_mode=True)"),
    *("F.avg_pool2d({0}, 2)", "F.avg_pool2d({0}, 3, 1, 1, count_include_pad=False)", "F.avg_pool2d({0}, 3, 2)"),
    *(
        "F.avg_pool2d({0}, 3, 2, 1, ceil_mode=True)",
        "F.adaptive_avg_pool2d({0}, (3, 2))",
        "F.adaptive_max_pool2d({0}, 2)",
    ),
    *("F.adaptive_avg_pool2d({0}, 1)", "F.lp_pool2d({0}.abs() + 0.1, 2, 2)", "{0} + {0}.mean((2, 3), keepdim=True)"),
    *("F.interpolate({0}, scale_factor=2, mode='nearest')", "F.interpolate({0}, scale_factor=2, mode='bilinear')"),
    *(
        "F.interpolate({0}, size=(7, 9), mode='bilinear', align_corners=True)",
        "F.interpolate({0}, size=(6, 11), mode='bicubic')",
    ),
    *("F.interpolate({0}, scale_factor=1.5, mode='bilinear')", "F.interpolate({0}, size=(5, 8), mode='area')"),
    *(
        "F.pad({0}, (1, 2, 0, 1))",
        "F.pad({0}, (1, 1, 1, 1), mode='reflect')",
        "F.pad({0}, (1, 2, 0, 1), mode='replicate')",
    ),
    *(
        "F.pad({0}, (1, 1, 1, 0), mode='circular')",
        "torch.roll({0}, (1, -1), (2, 3))",
        "{0}[:, :, 1:]",
        "{0}[:, :, :, :-1]",
    ),
    *("{0}.transpose(2, 3)", "{0}.permute(0, 1, 3, 2)", "torch.cumsum({0}, 2)", "{0}.amax(1, keepdim=True) + {0}"),
    *(
        "{0}.var((2, 3), keepdim=True) + {0}",
        "{0}.contiguous(memory_format=torch.channels_last)",
        "torch.cat([{0}, {0}], 2)",
    ),
    *(
        "{0}.to(memory_format=torch.contiguous_format)",
        "{0}.permute(0, 2, 3, 1).permute(0, 3, 1, 2)",
        "F.pixel_unshuffle({0}, 1)",
    ),
    *(
        "{0}.permute(0, 2, 3, 1).flatten(1, 2).transpose(1, 2).reshape({0}.shape)",
        "F.unfold({0}, 1).reshape({0}.shape) + {0}",
    ),
    *(
        "F.fold(F.unfold({0}, 3, padding=1), {0}.shape[2:], 3, padding=1)",
        "F.local_response_norm({0}, 3)",
        "{0}.rot90(1, (2, 3))",
    ),
    *(
        "F.grid_sample({0}, F.affine_grid({0}.new_tensor([[[0.8, 0.1, 0.0], [-0.1, 0.9, 0.1]]]).expand({0}.shape[0], 2, 3), [{0}.shape[0], 1, 5, 6], align_corners=False), align_corners=False)",
    ),
)

_SEQUENCE = (
    *("{0}[:, -1:] + {0}", "torch.cat([{0}[:, :1], {0}], 1)", "{0} - {0}.mean(1, keepdim=True)", "{0}.flip(1)"),
    *("torch.einsum('btn,bsn->bts', {0}, {0}) @ {0} * 0.01", "torch.bmm({0}, {0}.transpose(1, 2)) @ {0} * 0.01"),
    *(
        "{0}.reshape(-1, {0}.shape[-1]).reshape({0}.shape)",
        "{0}.cumsum(1) * 0.1",
        "{0}.amax(1, keepdim=True).expand_as({0})",
    ),
    *(
        "F.avg_pool1d({0}.transpose(1, 2), 3, 1, 1).transpose(1, 2)",
        "F.glu(torch.cat([{0}, {0}], -1), -1)",
        "{0}[:, ::2]",
    ),
    *("torch.cdist({0}, {0}) * 0.1 @ {0}", "{0}.view({0}.shape[0], {0}.shape[1], 2, -1).flip(2).flatten(2)"),
)

_CONTROL = (
    "torch.cond({0}.sum() > 0, lambda v: torch.sin(v) + 1, lambda v: v * 0.5, ({0},))",
    "torch.cond({0}.mean() > 0.1, lambda v: F.relu(v).clone(), lambda v: -v, ({0},))",
    "while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 0.5 + torch.cos(v)), (torch.tensor(0), {0}))[1]",
    "map_rows(lambda row: torch.tanh(row) * 2 + 1, {0})",
    "scan(lambda c, row: (c * 0.5 + row, c - row), {0}[0] * 0, {0})[1]",
)

# Of two operands of one shape.
TOGETHER = (
    *("{0} + {1}", "{0} * torch.sigmoid({1})", "{0} - {1}", "torch.maximum({0}, {1})", "{0} / ({1}.abs() + 1)"),
    *("torch.where({0} > {1}, {0}, {1} * 0.5)", "torch.cat([{0}, {1}], 0)", "torch.stack([{0}, {1}]).mean(0)"),
    *("torch.add({0}, {1}, alpha=0.3)", "torch.atan2({0}, {1} + 3)", "F.relu({0} + {1})", "torch.cat([{0}, {1}], -1)"),
)


def _one_of(calls: Sequence[str], ranks: Sequence[int] = (1, 2, 3, 4)) -> Maker:
    return lambda rng, shape: Step(rng.choice(calls)) if len(shape) in ranks else None


def _layer(expression: str) -> Step:
    return Step("{m}({0})", expression)


def _convolution(rng: random.Random, shape: Shape) -> Step | None:
    if len(shape) != 4:
        return None
    channels = shape[1]
    groups = rng.choice([each for each in (1, 1, 1, 2, channels) if channels % each == 0])
    out = channels * rng.choice([1, 1, 2]) if groups == channels else groups * rng.randint(1, 9)
    kernel = (rng.choice([1, 2, 3, 3, 5]), rng.choice([1, 3, 3]))
    options = f"stride={rng.choice([1, 1, 2, (2, 1)])}, groups={groups}, bias={rng.random() < 0.7}"
    if rng.random() < 0.15:
        return _layer(f"nn.ConvTranspose2d({channels}, {out}, {kernel}, padding={rng.choice([0, 1])}, {options})")
    padding, dilation = rng.choice([0, 1, 1, (0, 1), 2]), rng.choice([1, 1, 1, 2])
    layer = f"nn.Conv2d({channels}, {out}, {kernel}, padding={padding}, dilation={dilation}, {options})"
    behind = [f"nn.BatchNorm2d({out})"] if rng.random() < 0.3 else []
    behind += rng.choice([[], [], ["nn.ReLU()"], ["nn.ReLU6()"], ["nn.Hardtanh(-0.2, 0.3)"], ["nn.SiLU()"]])
    return _layer(f"nn.Sequential({', '.join([layer, *behind])})")


def _picture_layer(rng: random.Random, shape: Shape) -> Step | None:
    if len(shape) != 4:
        return None
    channels = shape[1]
    groups = rng.choice([each for each in (1, 2, 4, channels) if channels % each == 0])
    activation = rng.choice(["ReLU6", "Hardswish", "SiLU", "ReLU"])
    layers = [
        f"blocks.InvertedResidual({channels}, {rng.choice([1, 3, 6])}, {rng.choice([3, 5])}, '{activation}', {rng.random() < 0.6})",
        f"blocks.SqueezeExcite({channels}, {max(1, channels // 4)})",
        f"nn.GroupNorm({groups}, {channels})",
        f"nn.InstanceNorm2d({channels}, affine=True)",
        f"nn.BatchNorm2d({channels})",
        f"nn.PReLU({channels})",
        f"nn.ChannelShuffle({groups})",
        f"nn.Linear({shape[-1]}, {rng.choice([3, 8, 16])})",
    ]
    return _layer(rng.choice(layers + [layers[0]] * 3 + (["nn.PixelShuffle(2)"] if channels % 4 == 0 else [])))


def _sequence_layer(rng: random.Random, shape: Shape) -> Step | None:
    if len(shape) != 3:
        return None
    width = shape[-1]
    heads = rng.choice([each for each in (1, 2, 4) if width % each == 0])
    kind = rng.choice(["plain", "causal", "masked", "by_hand", *(["grouped"] if heads > 1 else [])])
    groups = rng.choice([1, width])
    recurrent = rng.choice(["GRU", "LSTM", "RNN"])
    layers = [
        *[f"blocks.Attention({width}, {heads}, '{kind}')"] * 3,
        f"blocks.Gated({width}, {2 * width})",
        f"blocks.RootMeanSquare({width})",
        f"nn.LayerNorm({width})",
        *(["blocks.Rotary()"] if width % 2 == 0 else []),
        f"nn.Sequential(nn.Linear({width}, {2 * width}), nn.GELU(), nn.Linear({2 * width}, {width}))",
        f"blocks.First(nn.{recurrent}({width}, {width}, batch_first=True))",
        f"blocks.First(nn.{recurrent}({width}, {rng.choice([3, 8])}, batch_first=True, bidirectional=True))",
        f"nn.Linear({width}, {width})",
    ]
    if rng.random() < 0.15:
        return Step(
            "{m}({0}.transpose(1, 2)).transpose(1, 2)", f"nn.Conv1d({width}, {width}, 3, padding=1, groups={groups})"
        )
    if rng.random() < 0.05:
        return Step("{m}({0}, {0}, {0})[0]", f"nn.MultiheadAttention({width}, {heads}, batch_first=True)")
    return _layer(rng.choice(layers))


def _linear(rng: random.Random, shape: Shape) -> Step | None:
    if not 2 <= len(shape) <= 3:
        return None
    out = rng.choice([1, 3, 8, 16, 24, 32, 33, 64])
    return _layer(f"nn.Linear({shape[-1]}, {out}, bias={rng.random() < 0.7})")


_ANY: list[tuple[float, Maker]] = [
    (4, _one_of(_ELEMENTWISE)),
    (1.5, _one_of(_ALONG, (2, 3, 4))),
    (0.15, _one_of(_CONTROL)),
]

# Of each kind of network: makers with their weights.
KINDS: dict[str, list[tuple[float, Maker]]] = {
    "picture": [(4, _convolution), (2.5, _picture_layer), (2.5, _one_of(_PICTURE, (4,))), *_ANY],
    "sequence": [(5, _sequence_layer), (2, _one_of(_SEQUENCE, (3,))), (1, _linear), *_ANY],
    "table": [(4, _linear), *_ANY],
}


def random_step(rng: random.Random, kind: str, shape: Shape) -> Step | None:
    """One for an operand of that shape; None where the maker that was drawn has none."""
    weights, makers = zip(*KINDS[kind], strict=True)
    return rng.choices(makers, weights)[0](rng, shape)
