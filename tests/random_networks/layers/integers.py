"""Steps on integer and boolean operands with exact results, and casts to float."""

from __future__ import annotations

import random

import torch
from torch import Tensor, nn

from tests.random_networks.network import Family, Shape, Step, layer, one_of


class Embedded(nn.Module):
    """Embeds tokens of arbitrary integers.

    kind: plain, tied (logits from the same table), bag (sums rows), or sine.
    """

    def __init__(self, width: int, kind: str) -> None:
        super().__init__()
        self.table = nn.Embedding(11, width)
        self.kind = kind

    def forward(self, tokens: Tensor) -> Tensor:
        tokens = tokens.long().abs() % 11
        y: Tensor = self.table(tokens)
        if self.kind == "tied":
            return torch.tanh(y) @ self.table.weight.t()
        if self.kind == "bag":
            return y.sum(-2)
        if self.kind == "sine":
            return torch.sin(y) + torch.arange(y.shape[-1]) * 0.1
        return y


_EXACT = (
    *(
        "{0} + 1",
        "{0} * 2",
        "{0} - {0}.amin()",
        "{0} % 3",
        "{0} // 2",
        "-{0}",
        "{0}.abs()",
        "{0}.clamp(1, 5)",
        "{0} & 3",
    ),
    *(
        "{0} | 1",
        "{0} ^ 5",
        "~{0}",
        "{0} >> 1",
        "{0} << 1",
        "torch.where({0} > 2, {0}, 0)",
        "{0}.sign()",
        "{0}.square() % 100",
    ),
    *(
        "{0}.to(torch.int32)",
        "{0}.to(torch.int64)",
        "{0}.to(torch.int16)",
        "{0}.clamp(0, 100).to(torch.uint8)",
        "{0}.to(torch.int8)",
    ),
    *(
        "{0} > 2",
        "{0} == 3",
        "{0} != {0}.flip(-1)",
        "({0} > 1) & ({0} < 5)",
        "{0}.bool()",
        "torch.remainder({0}, 4)",
        "torch.fmod({0}, 3)",
    ),
    *(
        "torch.bitwise_and({0}, 6)",
        "torch.maximum({0}, {0}.flip(0))",
        "torch.div({0}, 3, rounding_mode='trunc')",
        "{0}.masked_fill({0} > 4, 0)",
    ),
    *(
        "torch.div({0}, 3, rounding_mode='floor')",
        "torch.floor_divide({0}, 4)",
        "torch.bitwise_not({0})",
        "torch.isin({0}, torch.tensor([1, 4]))",
    ),
)
_ALONG_EXACT = (
    *(
        "{0}.cumsum(-1)",
        "{0}.sum(-1)",
        "{0}.sum()",
        "{0}.argmax(-1)",
        "{0}.argmin(0)",
        "{0}.sort(-1, stable=True)[1]",
        "{0}.sort(-1)[0]",
    ),
    *(
        "{0}.argsort(-1, stable=True)",
        "{0}.amax(-1, keepdim=True) - {0}",
        "{0}.prod(-1)",
        "{0}.any(-1)",
        "{0}.all(-1)",
        "{0}.flip(0)",
    ),
    *(
        "torch.cat([{0}, {0}], -1)",
        "{0}[..., 1:]",
        "{0}[..., :0]",
        "{0}.gather(-1, {0}.long().abs() % {0}.shape[-1])",
        "{0}.roll(1, -1)",
    ),
    *(
        "{0}.transpose(0, -1)",
        "F.pad({0}, (1, 0), value=2)",
        "{0}.unsqueeze(0)",
        "{0}.flatten()",
        "{0} + torch.arange({0}.shape[-1])",
    ),
    *(
        "F.one_hot({0}.long().abs() % 4, 4)",
        "{0}.count_nonzero(-1)",
        "torch.diff({0}, dim=-1)",
        "{0}.max(-1)[1]",
        "{0}.repeat_interleave(2, -1)",
    ),
    *(
        "torch.bincount({0}.flatten().long().abs() % 6, minlength=6)[:6]",
        "torch.searchsorted({0}.long().flatten().sort()[0], torch.tensor([1, 3]))",
    ),
    *(
        "{0}.scatter(-1, {0}.long().abs() % {0}.shape[-1], 1)",
        "torch.tril({0})",
        "{0}.new_zeros(2, 3)",
        "{0} * {0}.shape[-1]",
        "{0}[-1]",
    ),
    *(
        "torch.bucketize({0}, torch.tensor([1, 4, 6]))",
        "{0}.topk(1, -1)[0]",
        "{0}.amin()",
        "{0}.new_full((2,), 7)",
        "{0} - {0}.shape[0]",
    ),
    *(
        "{0}.index_select(-1, torch.tensor([0, 0]))",
        "{0}.long().cummax(-1)[0]",
        "{0}.flatten()[0]",
        "{0}.sum(0, dtype=torch.int32)",
    ),
)
_TO_FLOATS = (
    *(
        "{0}.float() * 0.5",
        "{0} / 3",
        "{0} * 0.25",
        "{0}.float().mean(-1)",
        "torch.sqrt({0}.abs())",
        "torch.where({0}.bool(), 0.5, -1.5)",
    ),
    *(
        "{0}.to(torch.float32)",
        "torch.sigmoid({0})",
        "{0}.double().mean(-1).float()",
        "torch.tanh({0} / 2)",
        "torch.exp(-{0}.abs())",
    ),
    *(
        "torch.softmax({0}.float(), -1)",
        "{0} + 0.5",
        "{0}.float().std()",
        "torch.sin({0})",
        "1.5 - {0}",
        "torch.log1p({0}.abs())",
    ),
)
# Exact, because they multiply the input's own floats by powers of two.
_FROM_INPUT = (
    *(
        "(v0 * 4).long()",
        "(v0 > 0)",
        "(v0 * 8).to(torch.int32)",
        "v0.argmax(-1)",
        "(v0 > 0).sum(-1)",
        "v0.flatten().argsort(stable=True)",
    ),
    *(
        "torch.arange(v0.shape[0])",
        "torch.arange(v0.shape[-1], dtype=torch.int32)",
        "v0.sign().to(torch.int8)",
        "v0.isnan()",
        "v0.floor().long()",
    ),
)


def _embedded(rng: random.Random, shape: Shape) -> Step | None:
    kind = rng.choice(["plain", "plain", "tied", "sine", *(["bag"] if shape else [])])
    return layer(f"integers.Embedded({rng.choice([4, 8, 16])}, '{kind}')") if len(shape) <= 3 else None


to_floats = one_of(_TO_FLOATS)

FAMILY: Family = [
    (4, one_of(_EXACT)),
    (4, one_of(_ALONG_EXACT, (1, 2, 3, 4))),
    (1, to_floats),
    (1.5, _embedded),
]

FROM_FLOATS: Family = [(0.4, one_of(_FROM_INPUT))]

# Functions of two integer or boolean operands.
TOGETHER = (
    *(
        "{0} + {1}",
        "{0} * {1}",
        "{0} - {1}.int()",
        "{0} == {1}",
        "{0} < {1}",
        "torch.maximum({0}, {1})",
        "torch.where({0} > {1}, {0}, {1})",
    ),
    *(
        "torch.logical_and({0}, {1})",
        "torch.logical_xor({0}, {1})",
        "{0} // ({1}.abs() + 1)",
        "{0} % ({1}.abs() + 1)",
        "torch.cat([{0}, {1}], -1)",
    ),
    *("{0} & {1}", "{0} | {1}", "torch.stack([{0}, {1}])", "torch.where({1} > 1, {0}, 2)", "{0} / ({1}.abs() + 1)"),
)
