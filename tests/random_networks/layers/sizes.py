"""Steps that compute with tensor sizes and with the integer input `n`."""

from __future__ import annotations

from tests.random_networks.network import Family, one_of

_SIZES = (
    *(
        "{0} * {0}.shape[0]",
        "{0} / {0}.shape[-1] ** 0.5",
        "{0} + {0}.shape[0] * {0}.shape[-1] / 100",
        "{0} - v0.shape[0] / 7",
    ),
    *("{0}[: {0}.shape[0] // 2 + 1]", "{0}[..., {0}.shape[-1] // 3 :]", "{0}[-({0}.shape[0] // 2 + 1) :]"),
    *("{0} + torch.arange({0}.shape[-1])", "{0} * torch.arange({0}.shape[0], 0, -1).float().mean()"),
    *("{0} + torch.arange({0}.shape[-1], dtype=torch.float32) / {0}.shape[-1]", "torch.arange({0}.shape[0]) * 0.5"),
    *("{0}.sum() + {0}.new_full(({0}.shape[0],), {0}.shape[-1] * 0.5)", "{0} * {0}.new_ones({0}.shape[-1]).cumsum(0)"),
    *(
        "F.pad({0}, (0, {0}.shape[-1] % 2))",
        "F.pad({0}, (1, max({0}.shape[-1] - 3, 0)))",
        "{0}[: min({0}.shape[0], 3)]",
    ),
    *(
        "{0}.reshape(-1, {0}.shape[-1])",
        "{0}.reshape({0}.numel())",
        "{0}.expand(2, *{0}.shape)",
        "{0} * {0}.numel() * 0.01",
    ),
    *("{0}.chunk(2, -1)[0]", "{0}.tensor_split(3, -1)[1]", "torch.zeros({0}.shape[0] + 1, {0}.shape[-1]) + {0}.mean()"),
    *("{0}.sum(0) / {0}.shape[0]", "{0} * ({0}.shape[0] > 3)", "torch.linspace(0, 1, {0}.shape[-1]) * {0}"),
    *("torch.where(torch.arange({0}.shape[-1]) < {0}.shape[0], {0}, 0.5)", "{0}.roll({0}.shape[0] // 2, -1)"),
    *("torch.full((2, {0}.shape[0] * 2), 0.5)", "torch.tensor({0}.shape[0]) * {0}", "{0} + float({0}.shape[0])"),
    *("{0} + math.sqrt({0}.shape[-1])", "{0} * (1 / ({0}.shape[0] + 2))", "{0}.flatten()[: {0}.shape[0]]"),
    *("torch.cat([{0}, {0}[: {0}.shape[0] // 2]])", "{0}.repeat_interleave(2, 0)[: {0}.shape[0]]"),
    *("{0}.unsqueeze(0).expand({0}.shape[0], *{0}.shape).sum(0)", "{0}.new_zeros({0}.shape).add({0}, alpha=2)"),
)
_SIZES_OF_MATRICES = (
    *("torch.eye({0}.shape[-1]) + {0}[..., :1, :]", "{0} @ {0}.new_ones({0}.shape[-1], {0}.shape[-2]) * 0.1"),
    *(
        "{0}.unflatten(-1, (1, {0}.shape[-1]))",
        "{0}.tril({0}.shape[-1] // 2)",
        "{0}.flatten(-2)",
        "{0}[..., -1:, :] * {0}.shape[-2]",
    ),
    *("torch.ones({0}.shape[-2], {0}.shape[-2]).tril() @ {0} * 0.2", "{0}.mT.reshape({0}.shape)"),
    *(
        "{0}.as_strided(({0}.shape[-2], 1), (1, 1))",
        "{0}.select(-2, {0}.shape[-2] - 1)",
        "{0}.narrow(-2, 0, {0}.shape[-2] // 2 + 1)",
    ),
)
_INT = (
    "{0}.shape[0]",
    "{0}.shape[-1] * 2 + 1",
    "{0}.numel()",
    "{0}.shape[0] // 2",
    "v0.shape[0] - {0}.shape[-1]",
    "{0}.dim()",
)

# Functions of a tensor and an integer that is computed from sizes or `n`.
TOGETHER = (
    *("{0} * {1}", "{0} + {1} / 3", "{0} - {1}", "{0}[: {1}]", "{0}[{1} :]", "{0}[..., : {1} % 4]", "{0} + float({1})"),
    *(
        "torch.where(torch.arange({0}.shape[-1]) < {1}, {0}, 0)",
        "torch.zeros({1} % 5) + {0}.sum()",
        "{0}.roll({1}, -1)",
    ),
    *(
        "F.pad({0}, (0, {1} % 3))",
        "torch.arange({1} % 7)",
        "{0} * torch.tensor({1})",
        "{0}.unsqueeze(0).repeat({1} % 3 + 1, *[1] * {0}.dim())",
    ),
)

_NUMBER = (
    *("{0} * n", "{0} + n / 4", "{0} - (n * n - 3)", "{0} * (n % 3)", "{0} + float(n)", "{0} / (n + 1) ** 0.5"),
    *(
        "{0} + torch.arange(n).sum()",
        "torch.arange(n) * 1.5",
        "torch.full((n,), 2.0)",
        "torch.zeros(n, 3) + {0}.mean()",
    ),
    *("torch.where(torch.arange({0}.shape[-1]) < n, {0}, 0)", "torch.linspace(0, 1, n + 2)", "torch.eye(n + 1)"),
    *("{0} + torch.tensor(n)", "{0} * (n > 2)", "torch.ones(2, n, 0).sum(2)", "torch.arange(n, n + 5) + {0}.mean()"),
    *(
        "torch.arange(n, 0, -1) * 0.5",
        "torch.arange(0, 2 * n, 2).float()",
        "torch.ones(n).sum() * {0}",
        "{0}.clamp(max=n)",
    ),
    *("torch.pow({0}.abs() + 0.1, n)", "torch.add({0}, {0}, alpha=n)", "{0}.masked_fill({0} < -1, n)"),
)
_NUMBER_AND_DIMENSION = (
    *("{0}[:n]", "{0}[n:]", "{0}[..., :n]", "{0}[..., n:]", "{0}[-n:]", "{0}[..., n : n + 2]", "F.pad({0}, (0, n))"),
    *(
        "F.pad({0}, (n, 1), value=0.5)",
        "{0}.repeat(n, *[1] * ({0}.dim() - 1))",
        "{0}.roll(n, -1)",
        "{0}.unsqueeze(0).expand(n, *{0}.shape)",
    ),
    *(
        "torch.cat([{0}, {0}.new_zeros(n, *{0}.shape[1:])])",
        "{0}.flatten()[n]",
        "{0}.flatten().narrow(0, n, 2)",
        "{0}.flatten()[: n * 2]",
    ),
    *(
        "{0}.flatten().index_select(0, torch.arange(n))",
        "{0}.repeat_interleave(n + 1, -1)",
        "{0}.select(-1, n % {0}.shape[-1])",
    ),
    *(
        "torch.cat([{0}.flatten()[n:], {0}.flatten()[:n]])",
        "{0}.flatten()[torch.arange(n)]",
        "{0}.cumsum(-1)[..., n - 1]",
    ),
    *(
        "{0}.new_zeros(n, {0}.shape[-1]) + {0}.flatten()[0]",
        "{0}.flatten()[torch.arange(n).flip(0)]",
        "{0}[..., :n].softmax(-1, torch.float32)",
    ),
    *(
        "{0}.flatten().unfold(0, 2, 1)[:n]",
        "torch.stack([{0}.flatten()[n], {0}.flatten()[0]])",
        "{0}.clone().index_fill(0, torch.tensor([0]), n)",
    ),
)
_SOME = (1, 2, 3, 4, 5)

FAMILY: Family = [
    (1.2, one_of(_SIZES, _SOME)),
    (0.5, one_of(_SIZES_OF_MATRICES, (2, 3, 4))),
    (0.2, one_of(_INT, _SOME)),
]

# For networks that have the input `n`.
NUMBER: Family = [
    (1.5, one_of(_NUMBER, _SOME)),
    (2.5, one_of(_NUMBER_AND_DIMENSION, _SOME)),
    (0.3, one_of(("n * 2 + 1", "n // 2", "n - 5", "n * {0}.shape[0]", "n % 2"), _SOME)),
]
