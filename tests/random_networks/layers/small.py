"""Steps with zero-dimensional and empty tensors."""

from __future__ import annotations

from tests.random_networks.network import Family, one_of

# Reductions to a scalar, and concatenations with empty tensors.
_TO_SCALAR = (
    *("{0}.sum()", "{0}.mean()", "{0}.amax()", "{0}.amin()", "{0}.norm()", "{0}.std()", "{0}.max() - {0}.min()"),
    *("{0}.flatten()[0]", "{0}.reshape(-1)[-1]", "torch.logsumexp({0}.flatten(), 0)", "{0}.median()"),
    *("torch.dot({0}.flatten(), {0}.flatten()) * 0.01", "(v0 > 0).sum() * {0}.mean()", "v0.argmax() + {0}.sum()"),
    *("torch.tensor(2.5) * {0}.mean()", "{0}.new_zeros(()) + {0}.amax()", "{0}.new_full((), 3.0)"),
)
_FROM_SCALAR = (
    *("{0}.expand(2, 3)", "{0}.reshape(1)", "{0}[None]", "{0}.unsqueeze(0).repeat(4)", "{0}.view(1, 1) + v0.flatten()"),
    *("{0} * v0", "v0 - {0}", "torch.where({0} > 0, v0 * 1, -v0)", "torch.stack([{0}, {0} * 2])", "{0}.squeeze()"),
    *("torch.full_like(v0, 1) * {0}", "torch.maximum(v0 * 1.0, {0})", "{0}.clone()", "{0}.broadcast_to(v0.shape) + 1"),
    *("torch.cat([{0}[None], {0}.reshape(1)])", "{0}.sum(0)", "{0}.softmax(0)", "{0}.cumsum(0)", "{0}.amax(-1)"),
    *(
        "v0.masked_fill(v0 > 0.5, 0).float() + {0}",
        "torch.clamp(v0 * 1.0, max={0}.abs())",
        "{0}.pow({0}.abs().clamp(max=2))",
    ),
    *("torch.lerp(v0 * 1.0, {0}, 0.3)", "torch.addcmul({0}, {0}, {0})", "{0} / ({0}.abs() + 1)", "{0}.flip(())"),
)
_EMPTY_AND_BACK = (
    *("{0}[:0].sum(0)", "{0}[:0].sum() + {0}", "{0}[..., :0].prod(-1)", "torch.cat([{0}[:0], {0}])"),
    *(
        "torch.cat([{0}, {0}[:0], {0}[:0]])",
        "{0}[..., :0].sum(-1, keepdim=True) + {0}",
        "{0}[:0].mean().nan_to_num(0.5)",
    ),
    *(
        "{0}[..., :0].any(-1).float()",
        "{0}[..., :0].all(-1) * 1.0",
        "F.pad({0}[:0], (0,) * (2 * {0}.dim() - 1) + (2,), value=0.5)",
    ),
    *(
        "{0}[..., :0] @ {0}[..., :0].transpose(-1, -2)",
        "{0}.new_empty(0).sum() + {0}",
        "torch.stack([{0}[:0], {0}[:0]]).sum((0, 1))",
    ),
    *(
        "{0} + {0}[:0].norm()",
        "{0}[:0].cumsum(0).sum() + {0}",
        "{0}[:0].reshape(0, 2).sum(0)",
        "{0}.new_ones(3, 0).sum(1)",
    ),
    *("{0}.index_select(0, {0}.new_zeros(0).long()).sum() + {0}", "{0}.narrow(0, 0, 0).sum(0, keepdim=True)"),
    *("{0}[:0].var(0, correction=0).nan_to_num()", "torch.where({0}[:0] > 0, {0}[:0], 1.0).sum() - {0}"),
    *("{0}.clone().index_put(({0}.new_zeros(0).long(),), {0}[:0])", "{0}.scatter(0, {0}[:0].long(), 1.0)"),
)
_EMPTY = (
    *("{0}[:0]", "{0}[..., :0]", "{0}.new_zeros(0, 3)", "{0}[:0] * 2", "{0}.narrow(-1, 0, 0)", "F.relu({0})[:0]"),
    *(
        "{0}.reshape(-1)[:0].sort()[0]",
        "{0}[:0].softmax(-1, torch.float32)",
        "{0}[:0].flatten()",
        "{0}[:0].clone().abs()",
    ),
    *("{0}[:0].transpose(0, -1)", "{0}.new_empty(0)"),
)
_SOME = (1, 2, 3, 4, 5)

FAMILY: Family = [
    (0.5, one_of(_TO_SCALAR, _SOME)),
    (4, one_of(_FROM_SCALAR, (0,))),
    (0.7, one_of(_EMPTY_AND_BACK, _SOME)),
    (0.1, one_of(_EMPTY, _SOME)),
]

OF_EMPTY: Family = [
    (2, one_of(_EMPTY_AND_BACK, _SOME)),
    (1, one_of(("v0 + {0}.sum()", "{0}.sum()", "torch.cat([{0}.flatten(), v0.flatten()])", "{0}.sum(-1)", "{0} + 1"))),
    (1, one_of(("{0}.prod()", "{0}.sum(0)", "{0}.flatten().cumsum(0).sum() - v0", "{0}.new_ones(2, 3) * {0}.sum()"))),
]
