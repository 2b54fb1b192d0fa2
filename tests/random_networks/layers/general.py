"""Steps for float operands of any rank.

These are elementwise ops, ops along a dimension, control flow, and linear layers.
"""

from __future__ import annotations

import random

from tests.random_networks.network import Family, Shape, Step, layer, one_of

# Shape-preserving functions of one operand.
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

# Functions of one operand along a dimension; the shape can change.
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

_CONTROL = (
    "torch.cond({0}.sum() > 0, lambda v: torch.sin(v) + 1, lambda v: v * 0.5, ({0},))",
    "torch.cond({0}.mean() > 0.1, lambda v: F.relu(v).clone(), lambda v: -v, ({0},))",
    "while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 0.5 + torch.cos(v)), (torch.tensor(0), {0}))[1]",
    "map_rows(lambda row: torch.tanh(row) * 2 + 1, {0})",
    "scan(lambda c, row: (c * 0.5 + row, c - row), {0}[0] * 0, {0})[1]",
)

# Functions of two operands of one shape.
TOGETHER = (
    *("{0} + {1}", "{0} * torch.sigmoid({1})", "{0} - {1}", "torch.maximum({0}, {1})", "{0} / ({1}.abs() + 1)"),
    *("torch.where({0} > {1}, {0}, {1} * 0.5)", "torch.cat([{0}, {1}], 0)", "torch.stack([{0}, {1}]).mean(0)"),
    *("torch.add({0}, {1}, alpha=0.3)", "torch.atan2({0}, {1} + 3)", "F.relu({0} + {1})", "torch.cat([{0}, {1}], -1)"),
)


def linear(rng: random.Random, shape: Shape) -> Step | None:
    if not 2 <= len(shape) <= 3:
        return None
    out = rng.choice([1, 3, 8, 16, 24, 32, 33, 64])
    return layer(f"nn.Linear({shape[-1]}, {out}, bias={rng.random() < 0.7})")


FAMILY: Family = [
    (4, one_of(_ELEMENTWISE)),
    (1.5, one_of(_ALONG, (2, 3, 4))),
    (0.15, one_of(_CONTROL, (1, 2, 3, 4))),
]
