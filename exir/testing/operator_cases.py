"""Functions that together cover most operators."""

import torch
import torch.nn.functional as F
from torch import Tensor

from exir.testing.case import Cases, case
from exir.torch_versions import can_export

CASES: Cases = {}


@case(CASES, (2, 4, 6), (2, 6, 5))
def matrix_products(a: Tensor, b: Tensor) -> list[Tensor]:
    return [a @ b, torch.einsum("bij,bjk->bki", a, b), torch.bmm(a, b), a.transpose(1, 2) @ a]


@case(CASES, (2, 4, 5, 8))
def attention(x: Tensor) -> list[Tensor]:
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    attend = F.scaled_dot_product_attention
    return [attend(x, x, x), attend(x, x, x, is_causal=True), attend(x, x, x, attn_mask=mask)]


@case(CASES, (2, 3, 8, 8))
def pooling(x: Tensor) -> list[Tensor]:
    adaptive = [F.adaptive_avg_pool2d(x, size) for size in (1, 3, 4)]
    return [F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 2), *adaptive]


@case(CASES, (2, 3, 8, 8))
def resizing(x: Tensor) -> list[Tensor]:
    scaled = [F.interpolate(x, scale_factor=2.0), F.interpolate(x, size=(5, 5), mode="bilinear")]
    padded = [F.pad(x, (1, 1, 1, 1)), F.pad(x, (1, 1, 1, 1), mode="reflect")]
    return [*scaled, *padded, F.pixel_shuffle(x.repeat(1, 4, 1, 1), 2)]


@case(CASES, (4, 6))
def views(x: Tensor) -> list[Tensor]:
    left, right = x.chunk(2, 1)
    middle = torch.split(x, [1, 3, 2], 1)[1]
    shaped = [x.flatten(), x.view(2, 2, 6).permute(2, 0, 1).contiguous(), x.T.reshape(-1)]
    views = [x[1:, ::2], x.narrow(0, 1, 2), x.diagonal(), x.unfold(1, 3, 2), x.movedim(0, 1)]
    joined = [torch.stack(x.unbind(0), 1), torch.cat([left, right], 0)]
    return [left + right, middle.t() + 1, x[:, None].expand(4, 3, 6) * 1, *shaped, *views, *joined]


@case(CASES, (4, 6), batch=True)
def dynamic_views(x: Tensor) -> list[Tensor]:
    n = x.shape[0]
    shaped = [x.reshape(-1), x.view(n, 2, 3).sum(1), x.flatten().unflatten(0, (-1, 6)), x[:, 1:]]
    made = [torch.zeros(n, 2) + n, torch.arange(n), torch.cat([x, x]), x.repeat(2, 1)]
    return [*shaped, *made, x.mean(0), x / n]


@case(CASES, (4, 6), batch=True)
def dynamic_size_of_no_operand(x: Tensor) -> Tensor:
    return torch.zeros(x.shape[0], 2)


@case(CASES, (4, 6), torch.arange(24).reshape(4, 6) % 3, torch.arange(24).reshape(4, 6) % 2 == 0)
def mixed_dtypes(x: Tensor, i: Tensor, b: Tensor) -> list[Tensor]:
    mixed = [i + x, b * x, x.half() + i, x.double() + x, torch.maximum(i, x), torch.cat([x, i])]
    numbers = [x * 2 + 1, i / 2, i * 2.5, i + True, 1 - x, 1 / x, x**2, 2**x, torch.rsub(x, 3)]
    integers = [i // 2, i % 3, i & 1, i << 1, -i, i.clamp(0, 2), (i == 1).sum()]
    chosen = [torch.where(b, x, 0.0), torch.where(b, i, x), x.masked_fill(b, -1.0)]
    return [*mixed, *numbers, *integers, *chosen, x > i, b & b, ~b, x.to(torch.int32), i.bool()]


@case(CASES, (4, 6))
def reductions(x: Tensor) -> list[Tensor]:
    reductions = [x.sum(), x.std(), x.norm(), x.prod(), x.min(), x.argmax()]
    along = [x.mean(1), *x.max(1), x.var(1), x.amax(0), x.cumsum(1), torch.logsumexp(x, 1)]
    rows = [x.softmax(1), x.log_softmax(0), *x.topk(2), x.sort(1)[0], F.normalize(x)]
    return [*reductions, *along, *rows]


@case(CASES, (4, 6), torch.tensor([0, 2]))
def indexing(x: Tensor, i: Tensor) -> list[Tensor]:
    selections = [x[i], x[:, i], x.index_select(0, i), x.gather(1, i[None]), F.embedding(i, x)]
    put = [torch.zeros(4, 6).index_put((i,), x[i]), torch.zeros(4, 6).scatter(0, i[None], x)]
    made = [torch.arange(6) + i.sum(), torch.zeros_like(x), torch.eye(3), F.one_hot(i, 4)]
    return [*selections, *put, *made, x.roll(1, 0), x.flip(0), x.tril(), x.repeat_interleave(2, 0)]


@case(CASES, (4, 6))
def activations(x: Tensor) -> list[Tensor]:
    plain = [F.relu6(x), F.leaky_relu(x), F.elu(x), F.gelu(x), F.gelu(x, approximate="tanh")]
    smooth = [F.silu(x), F.mish(x), F.softplus(x), F.logsigmoid(x), F.selu(x), F.glu(x)]
    hard = [F.hardsigmoid(x), F.hardswish(x), F.hardtanh(x), F.threshold(x, 0.1, 0.2)]
    written = [F.relu_(x * 1), F.silu(x * 1, inplace=True), F.leaky_relu_(x + 0)]
    return [*plain, *smooth, *hard, *written, F.dropout(x, training=False)]


@case(CASES, (4, 6))
def elementwise(x: Tensor) -> list[Tensor]:
    functions = (torch.sin, torch.exp, torch.abs, torch.erf, torch.round, torch.frac, torch.sign)
    more = [torch.atan2(x, x + 1), torch.fmod(x, 2), x.nan_to_num(), torch.lerp(x, x + 1, 0.3)]
    return [*(function(x) for function in functions), *more, torch.addcmul(x, x, x), x.isnan()]


@case(CASES, (1, 3, 8, 8))
def memory_formats(x: Tensor) -> list[Tensor]:
    last = x.to(memory_format=torch.channels_last)
    return [F.relu(last) + x, last.contiguous(), last.clone()]


@case(CASES, (4, 6))
def lifted_constants(x: Tensor) -> list[Tensor]:
    return [x + torch.tensor([1.0, 2, 3, 4, 5, 6]), x * torch.tensor(2.0)]


@case(CASES, (4, 6))
def data_dependent_sizes(x: Tensor) -> list[Tensor]:
    return [x.nonzero(), x[x > 0]]


@case(CASES, (4, 6))
def branches(x: Tensor) -> Tensor:
    def doubled(x: Tensor) -> Tensor:
        return x.view(24) * 2

    def lowered(x: Tensor) -> Tensor:
        return x.t().reshape(24) - 1

    return torch.cond(x.sum() > 0, doubled, lowered, (x,))


@case(CASES, (4, 6))
def no_gradients(x: Tensor) -> Tensor:
    with torch.no_grad():
        y = x * 2
    return y.detach() + 1


@case(CASES, (4, 6))
def mapped(x: Tensor) -> list[Tensor]:
    return [torch.vmap(torch.dot)(x, x + 1), torch.vmap(torch.vmap(torch.sin))(x)]


if can_export("torch.func.grad and torch.func.jvp"):

    @case(CASES, (4, 6))
    def forward_derivative(x: Tensor) -> list[Tensor]:
        return list(torch.func.jvp(torch.sin, (x,), (x + 1,)))
