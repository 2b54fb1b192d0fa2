"""Functions and modules that between them use most of what PyTorch can express.

Each is a case of the tests that compare a lowered program with PyTorch; `CASES` has them by name.
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from exir.testing.models import Example

CASES: dict[str, Callable[[], Example]] = {}
_BATCH = Dim("batch", min=2, max=8)


class _Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *args: Tensor) -> Any:
        return self._function(*args)


def _case(*shapes_or_inputs: Any, batch: bool = False) -> Callable[[Any], Any]:
    """Register a function or module class with inputs: tensors, or shapes of random ones.

    batch: the first dimension of the one input is dynamic.
    """

    def register(made: Any) -> Any:
        CASES[made.__name__.strip("_").lower()] = lambda: _example(made, shapes_or_inputs, batch)
        return made

    return register


def _example(made: Any, shapes_or_inputs: tuple[Any, ...], batch: bool) -> Example:
    torch.manual_seed(0)
    is_class = isinstance(made, type)
    module = (made() if is_class else _Function(made)).eval()
    _randomise_statistics(module)
    inputs = tuple(
        given if isinstance(given, Tensor) else torch.randn(given) for given in shapes_or_inputs
    )
    shapes = ({0: _BATCH},) if batch else None
    return Example(module, inputs, shapes if is_class or shapes is None else (shapes,))


def _randomise_statistics(module: nn.Module) -> None:
    for name, buffer in module.named_buffers():
        if name.endswith("running_mean"):
            nn.init.uniform_(buffer, -0.5, 0.5)
        elif name.endswith("running_var"):
            nn.init.uniform_(buffer, 0.5, 2.0)


@_case((2, 8, 16))
class _TransformerLayer(nn.TransformerEncoderLayer):
    def __init__(self) -> None:
        super().__init__(16, 4, 32, batch_first=True)


@_case((4, 5, 8), batch=True)
class _DynamicTransformerLayer(nn.TransformerEncoderLayer):
    def __init__(self) -> None:
        super().__init__(8, 2, 32, batch_first=True)


@_case((2, 5, 8))
class _Lstm(nn.LSTM):
    def __init__(self) -> None:
        super().__init__(8, 6, 2, batch_first=True)


@_case((2, 5, 8))
class _Gru(nn.GRU):
    def __init__(self) -> None:
        super().__init__(8, 6, batch_first=True, bidirectional=True)


@_case(torch.tensor([[1, 2, 3]]))
class _TiedEmbedding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.head = nn.Linear(8, 10, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.embedding(tokens))


@_case((1, 4, 8, 8))
class _ResidualBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.conv(x))
        y += x
        return self.relu(y)


@_case((1, 4, 5, 5))
class _TransposedConvolution(nn.Sequential):
    def __init__(self) -> None:
        conv = nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2)
        super().__init__(conv, nn.BatchNorm2d(6), nn.SiLU(inplace=True))


@_case((1, 4, 8))
class _Convolution1d(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Conv1d(4, 6, 3, groups=2), nn.BatchNorm1d(6), nn.Hardswish())


@_case((3, 8))
class _NormalisedLinear(nn.Sequential):
    def __init__(self) -> None:
        hidden = (nn.Linear(8, 6), nn.BatchNorm1d(6))
        super().__init__(*hidden, nn.Linear(6, 5, bias=False), nn.BatchNorm1d(5, affine=False))


@_case((1, 4, 8, 8))
class _SharedConvolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.first, self.second = nn.BatchNorm2d(4), nn.BatchNorm2d(4)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.conv(self.first(self.conv(x))))


@_case((4, 3, 8, 8), batch=True)
class _DynamicConvolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(True))
        self.head = nn.Linear(4 * 64, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.flatten(self.conv(x), 1))


@_case((4, 5, 8), batch=True)
class _DynamicLinear(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4, bias=False))


@_case((2, 4, 8))
class _Normalisations(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.group = nn.LayerNorm(8), nn.GroupNorm(2, 4)
        self.instance, self.rms = nn.InstanceNorm1d(4), nn.RMSNorm(8)

    def forward(self, x: Tensor) -> list[Tensor]:
        return [self.layer(x), self.group(x), self.instance(x), self.rms(x)]


@_case((1, 8, 4, 4))
class _SlicedCache(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 8, 6, 4))

    def forward(self, x: Tensor) -> Tensor:
        self.keys[:, :, 1:5] = x
        return self.keys.sum(2)


@_case((4,))
class _Counters(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(4))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        self.total.copy_(x + self.total)
        self.calls += 1
        return self.total * 2, self.calls


@_case((2, 4, 6), (2, 6, 5))
def matrix_products(a: Tensor, b: Tensor) -> list[Tensor]:
    return [a @ b, torch.einsum("bij,bjk->bki", a, b), torch.bmm(a, b), a.transpose(1, 2) @ a]


@_case((2, 4, 5, 8))
def attention(x: Tensor) -> list[Tensor]:
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    attend = F.scaled_dot_product_attention
    return [attend(x, x, x), attend(x, x, x, is_causal=True), attend(x, x, x, attn_mask=mask)]


@_case((2, 3, 8, 8))
def pooling(x: Tensor) -> list[Tensor]:
    adaptive = [F.adaptive_avg_pool2d(x, size) for size in (1, 3, 4)]
    return [F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 2), *adaptive]


@_case((2, 3, 8, 8))
def resizing(x: Tensor) -> list[Tensor]:
    scaled = [F.interpolate(x, scale_factor=2.0), F.interpolate(x, size=(5, 5), mode="bilinear")]
    padded = [F.pad(x, (1, 1, 1, 1)), F.pad(x, (1, 1, 1, 1), mode="reflect")]
    return [*scaled, *padded, F.pixel_shuffle(x.repeat(1, 4, 1, 1), 2)]


@_case((4, 6))
def views(x: Tensor) -> list[Tensor]:
    left, right = x.chunk(2, 1)
    middle = torch.split(x, [1, 3, 2], 1)[1]
    shaped = [x.flatten(), x.view(2, 2, 6).permute(2, 0, 1).contiguous(), x.T.reshape(-1)]
    taken = [x[1:, ::2], x.narrow(0, 1, 2), x.diagonal(), x.unfold(1, 3, 2), x.movedim(0, 1)]
    joined = [torch.stack(x.unbind(0), 1), torch.cat([left, right], 0)]
    return [left + right, middle.t() + 1, x[:, None].expand(4, 3, 6) * 1, *shaped, *taken, *joined]


@_case((4, 6), batch=True)
def dynamic_views(x: Tensor) -> list[Tensor]:
    n = x.shape[0]
    shaped = [x.reshape(-1), x.view(n, 2, 3).sum(1), x.flatten().unflatten(0, (-1, 6)), x[:, 1:]]
    made = [torch.zeros(n, 2) + n, torch.arange(n), torch.cat([x, x]), x.repeat(2, 1)]
    return [*shaped, *made, x.mean(0), x / n]


@_case((4, 6), torch.arange(24).reshape(4, 6) % 3, torch.arange(24).reshape(4, 6) % 2 == 0)
def mixed_dtypes(x: Tensor, i: Tensor, b: Tensor) -> list[Tensor]:
    mixed = [i + x, b * x, x.half() + i, x.double() + x, torch.maximum(i, x), torch.cat([x, i])]
    numbers = [x * 2 + 1, i / 2, i * 2.5, i + True, 1 - x, 1 / x, x**2, 2**x, torch.rsub(x, 3)]
    integers = [i // 2, i % 3, i & 1, i << 1, -i, i.clamp(0, 2), (i == 1).sum()]
    chosen = [torch.where(b, x, 0.0), torch.where(b, i, x), x.masked_fill(b, -1.0)]
    return [*mixed, *numbers, *integers, *chosen, x > i, b & b, ~b, x.to(torch.int32), i.bool()]


@_case((4, 6))
def reductions(x: Tensor) -> list[Tensor]:
    whole = [x.sum(), x.std(), x.norm(), x.prod(), x.min(), x.argmax()]
    along = [x.mean(1), *x.max(1), x.var(1), x.amax(0), x.cumsum(1), torch.logsumexp(x, 1)]
    rows = [x.softmax(1), x.log_softmax(0), *x.topk(2), x.sort(1)[0], F.normalize(x)]
    return [*whole, *along, *rows]


@_case((4, 6), torch.tensor([0, 2]))
def indexing(x: Tensor, i: Tensor) -> list[Tensor]:
    taken = [x[i], x[:, i], x.index_select(0, i), x.gather(1, i[None]), F.embedding(i, x)]
    put = [torch.zeros(4, 6).index_put((i,), x[i]), torch.zeros(4, 6).scatter(0, i[None], x)]
    made = [torch.arange(6) + i.sum(), torch.zeros_like(x), torch.eye(3), F.one_hot(i, 4)]
    return [*taken, *put, *made, x.roll(1, 0), x.flip(0), x.tril(), x.repeat_interleave(2, 0)]


@_case((4, 6))
def activations(x: Tensor) -> list[Tensor]:
    plain = [F.relu6(x), F.leaky_relu(x), F.elu(x), F.gelu(x), F.gelu(x, approximate="tanh")]
    smooth = [F.silu(x), F.mish(x), F.softplus(x), F.logsigmoid(x), F.selu(x), F.glu(x)]
    hard = [F.hardsigmoid(x), F.hardswish(x), F.hardtanh(x), F.threshold(x, 0.1, 0.2)]
    written = [F.relu_(x * 1), F.silu(x * 1, inplace=True), F.leaky_relu_(x + 0)]
    return [*plain, *smooth, *hard, *written, F.dropout(x, training=False)]


@_case((4, 6))
def elementwise(x: Tensor) -> list[Tensor]:
    functions = (torch.sin, torch.exp, torch.abs, torch.erf, torch.round, torch.frac, torch.sign)
    more = [torch.atan2(x, x + 1), torch.fmod(x, 2), x.nan_to_num(), torch.lerp(x, x + 1, 0.3)]
    return [*(function(x) for function in functions), *more, torch.addcmul(x, x, x), x.isnan()]


@_case((1, 3, 8, 8))
def memory_formats(x: Tensor) -> list[Tensor]:
    last = x.to(memory_format=torch.channels_last)
    return [F.relu(last) + x, last.contiguous(), last.clone()]


@_case((4, 6))
def lifted_constants(x: Tensor) -> list[Tensor]:
    return [x + torch.tensor([1.0, 2, 3, 4, 5, 6]), x * torch.tensor(2.0)]


@_case((4, 6))
def writes_to_fresh_values(x: Tensor) -> Tensor:
    y = x * 2
    y.add_(1).mul_(x)
    y.clamp_(0, 2)
    return y + y.relu_()


@_case((4, 6))
def write_through_a_view(x: Tensor) -> Tensor:
    y = x * 2
    y[0].add_(1)
    return y


@_case((4, 6))
def write_seen_through_a_view(x: Tensor) -> Tensor:
    y = x * 2
    v = y.view(6, 4)
    y.add_(1)
    return v


@_case((4, 6))
def write_to_a_view_whose_base_is_dead(x: Tensor) -> Tensor:
    return (x * 2).view(6, 4).relu_()


@_case((4, 6))
def assignment_to_slices(x: Tensor) -> Tensor:
    y = x.clone()
    y[:, 1:3] = 0
    y[0] = 1.0
    return y


@_case((4, 6))
def writes_through_chains_of_views(x: Tensor) -> list[Tensor]:
    y = x * 2
    row = y.view(2, 2, 6)[1].t()
    row[2:4].mul_(3)
    row.add_(1)
    y[:, None, 0].zero_()
    return [y, y.view(24)[3:]]


@_case((4, 6))
def write_through_overlapping_views(x: Tensor) -> list[Tensor]:
    y = x * 2
    left, right = y.split(3, 1)
    left.add_(1)
    return [y, right]


@_case((4, 6), batch=True)
def dynamic_write_through_a_view(x: Tensor) -> Tensor:
    y = x * 2
    y.view(x.shape[0], 2, 3)[:, 0].add_(1)
    y[:, 4:] = 0
    return y


@_case((4, 6))
def write_to_an_input(x: Tensor) -> Tensor:
    x.add_(1)
    return x * 2


@_case((4, 6), torch.ones(4, 6, dtype=torch.int64))
def writes_that_keep_their_dtype(x: Tensor, i: Tensor) -> list[Tensor]:
    y = x.half()
    y.add_(x)
    return [y, (i * 1).mul_(3)]


@_case((4, 6))
def data_dependent_sizes(x: Tensor) -> list[Tensor]:
    return [x.nonzero(), x[x > 0]]


@_case((4, 6))
def branches(x: Tensor) -> Tensor:
    def doubled(x: Tensor) -> Tensor:
        return x.view(24) * 2

    def lowered(x: Tensor) -> Tensor:
        return x.t().reshape(24) - 1

    return torch.cond(x.sum() > 0, doubled, lowered, (x,))


@_case((4, 6))
def no_gradients(x: Tensor) -> Tensor:
    with torch.no_grad():
        y = x * 2
    return y.detach() + 1
