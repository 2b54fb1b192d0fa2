"""Tests that our programs match eager PyTorch on the official ExecuTorch runtime."""

from __future__ import annotations

from typing import Any

import executorch.runtime  # noqa: F401  (before exir, which reuses the dim_order_ops registered here)
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from exir.capture import ExecutorchBackendConfig
from exir.memory_planning import naive
from exir.passes.memory_planning_pass import MemoryPlanningPass
from exir.program import to_edge
from exir.testing import models
from exir.testing.models import Example
from models.digits import digits
from models.mobilenet import mobilenet_v2
from tests.oracle.official import OfficialProgram, assert_runs_as_eager


class Views(nn.Module):
    """Chained views of an input and of an output, some of which are returned."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        y = torch.relu(x)
        return y.view(-1), x.view(8, 3), y.unsqueeze(0) + 1, y.view(2, 12).view(3, 8) + 2, y


class Several(nn.Module):
    """Operators with several outputs and with lists of outputs."""

    def forward(self, x: Tensor) -> tuple[Any, ...]:
        pooled = nn.functional.max_pool2d(x, 2, return_indices=True)
        return pooled, x.topk(3), torch.split(x, [2, 6], dim=3), x.max(1), x.mean((2, 3), keepdim=True)


class Reduced(nn.Module):
    """Means, sums, pooling and expansion of tensors that are not row-major."""

    def forward(self, x: Tensor, one: Tensor) -> tuple[Tensor, ...]:
        pooled = nn.functional.avg_pool2d(x, 2), nn.functional.adaptive_avg_pool2d(x, 2)
        return x.mean((2, 3), keepdim=True), x.mean(1), x.sum(3), *pooled, one.expand(3, -1, -1, -1) * 2


class Ordered(nn.Module):
    """Operators on several dim orders: data movement and normalization."""

    def forward(self, x: Tensor, rows: Tensor, shift: Tensor) -> tuple[Tensor, ...]:
        mixed = x + rows, torch.where(rows > x, shift, x), x * 2.0 + shift, rows / (x.abs() + 1)
        cut = x[:, 1:3].relu(), x[:, :, 1:7:2] * 2, x[:, 1], *x.split([1, 2], 1), x.unsqueeze(1)
        moved = (
            x.flip(2),
            x.roll(1, 3),
            torch.cat((x, x), 1),
            torch.stack((x, rows)),
            nn.functional.pad(x, (1, 2, 0, 1)),
        )
        picked = (
            x.gather(1, rows[:, :1].long().clamp(0, 2)),
            *x.topk(2, 1),
            *x.max(2),
            x.index_select(3, torch.tensor([1, 0])),
        )
        normal = x.softmax(1), nn.functional.layer_norm(x, (8,)), nn.functional.group_norm(x, 3), x.log_softmax(3)
        return *mixed, *cut, *moved, *picked, *normal


class DynamicViews(nn.Module):
    """Views whose sizes are computed at run time."""

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        y = torch.relu(x)
        return y.view(x.shape[0] * 2, -1) + 1, x.max(1).values, y.view(-1, 2, 3) * 2


class Branches(nn.Module):
    """Two branches over an input and an intermediate."""

    def forward(self, flag: Tensor, x: Tensor) -> Tensor:
        y = x * 2
        return torch.cond(flag, lambda a, b: a + b, lambda a, b: (a - b) * 3, (x, y)) + y


class NestedBranches(nn.Module):
    """A branch inside a branch."""

    def forward(self, flag: Tensor, x: Tensor) -> Tensor:
        def inner(a: Tensor) -> Tensor:
            return torch.cond(a.sum() > 0, lambda b: b + 1, lambda b: b - 1, (a,))

        return torch.cond(flag, inner, lambda a: a * 3, (x,))


class Ends(nn.Module):
    """Returns an input, a constant, one tensor twice, a scalar, a string, and None."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("constant", torch.ones(2, 2))

    def forward(self, pair: dict[str, Tensor], scale: int) -> tuple[Any, ...]:
        y = pair["x"] * scale
        return pair["x"], self.constant.view(4), y, {"y": y, "z": y + pair["y"]}, 3, "text", None


class TwoStates(nn.Module):
    """Two buffers, one of which is initialized with zeros."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("total", torch.full((2, 2), 3.0))

    def forward(self, x: Tensor) -> Tensor:
        self.count.add_(1)
        self.total.mul_(0.5).add_(x)
        return self.total * self.count


class Swap(nn.Module):
    """Swaps two buffers, and returns the old value of one."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("a", torch.ones(3))
        self.register_buffer("b", torch.arange(3.0))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        old = self.a.clone()
        self.a.copy_(self.b)
        self.b.copy_(old)
        return self.a + x, old


class Attention(nn.Module):
    """One head of self-attention with layer norm and GELU: [1, n, 16] to [1, n, 16]."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(16), nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(-2, -1) / 4.0, dim=-1)
        return x + nn.functional.gelu(self.out(weights @ v))


class BothWays(nn.Module):
    """A tied embedding, and a matrix that is used both transposed and untransposed."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.matrix = nn.Embedding(100, 16), nn.Parameter(torch.randn(16, 128) / 4)

    def forward(self, tokens: Tensor) -> Tensor:
        wide = torch.relu(self.words(tokens) @ self.matrix)
        return nn.functional.linear(wide, self.matrix) @ self.words.weight.t()


def of(module: nn.Module, *inputs: Any, shapes: Any = None) -> Example:
    torch.manual_seed(0)
    return Example(module.eval(), inputs, shapes)


LAST = torch.channels_last
STATIC = {
    **{name: make for name, make in models.ALL.items() if name != "dynamic_add"},
    "views": lambda: of(Views(), torch.randn(4, 6)),
    "several": lambda: of(Several(), torch.randn(1, 3, 8, 8)),
    "two_states": lambda: of(TwoStates(), torch.ones(2, 2)),
    "swap": lambda: of(Swap(), torch.ones(3)),
    "attention": lambda: of(Attention(), torch.randn(1, 5, 16)),
    "channels_last": lambda: of(
        nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 1)).to(memory_format=LAST),  # type: ignore[call-overload]
        torch.randn(1, 3, 8, 8).to(memory_format=LAST),
    ),
    "reduced": lambda: of(Reduced(), *(torch.randn(batch, 3, 8, 8).to(memory_format=LAST) for batch in (2, 1))),
    "ordered": lambda: of(
        Ordered(), torch.randn(2, 3, 8, 8).to(memory_format=LAST), torch.randn(2, 3, 8, 8), torch.randn(3, 1, 1)
    ),
    "lstm": lambda: of(nn.LSTM(4, 5, batch_first=True), torch.randn(2, 6, 4)),
    "bfloat16": lambda: of(nn.PReLU().bfloat16(), torch.randn(3, 4).bfloat16()),
    "both_ways": lambda: of(BothWays(), torch.tensor([3, 0, 99])),
    "ends": lambda: of(Ends(), {"x": torch.randn(3), "y": torch.randn(3)}, 2),
}

CONFIGS = {
    "default": ExecutorchBackendConfig(),
    "caller_gives_memory": ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
    ),
    "naive": ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(memory_planning_algo=naive)),
    "alignments": ExecutorchBackendConfig(constant_tensor_alignment=64, segment_alignment=4096, emit_stacktrace=True),
    "copies": ExecutorchBackendConfig(remove_view_copy=False),
}


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("name", STATIC)
def test_program_matches_eager_on_three_calls(name: str, config: str) -> None:
    example = STATIC[name]()
    manager = to_edge(example.export()).to_executorch(CONFIGS[config])
    assert_runs_as_eager(manager, example, [example.inputs] * 3)


@pytest.mark.parametrize("size", [2, 7, 16])
def test_dynamic_batch_runs_at_min_middle_and_max(size: int) -> None:
    example = models.dynamic_add()
    manager = to_edge(example.export()).to_executorch()
    assert_runs_as_eager(manager, example, [(torch.randn(size, 4), torch.randn(size, 4))])


@pytest.mark.parametrize("size", [2, 5, 10])
def test_dynamic_views_run_at_min_middle_and_max(size: int) -> None:
    example = of(DynamicViews(), torch.randn(4, 6), shapes=({0: Dim("n", min=2, max=10)},))
    manager = to_edge(example.export()).to_executorch()
    assert_runs_as_eager(manager, example, [(torch.randn(size, 6),)])


def test_size_above_the_maximum_is_refused() -> None:
    manager = to_edge(models.dynamic_add().export()).to_executorch()
    with pytest.raises(RuntimeError):
        OfficialProgram(manager.buffer).run("forward", torch.ones(17, 4), torch.ones(17, 4))


def test_both_branches_run() -> None:
    example = of(Branches(), torch.tensor(True), torch.randn(3))
    manager = to_edge(example.export()).to_executorch()
    calls = [(torch.tensor(flag), torch.randn(3)) for flag in (True, False, True)]
    assert_runs_as_eager(manager, example, calls)


def test_nested_branches_run_on_every_path() -> None:
    example = of(NestedBranches(), torch.tensor(True), torch.ones(3))
    manager = to_edge(example.export()).to_executorch()
    calls = [(torch.tensor(flag), torch.full((3,), x)) for flag in (True, False) for x in (1.0, -1.0)]
    assert_runs_as_eager(manager, example, calls)


def test_methods_that_share_constants_run() -> None:
    examples = models.codec()
    programs = {name: example.export() for name, example in examples.items()}
    manager = to_edge(programs).to_executorch()
    for name, example in examples.items():
        assert_runs_as_eager(manager, example, [example.inputs], name)


def test_constant_methods_return_values() -> None:
    values = {"size": 3, "name": "mlp", "scale": 0.5, "quantized": False}
    manager = to_edge(models.mlp().export(), values).to_executorch()
    program = OfficialProgram(manager.buffer)
    for name, value in values.items():
        assert program.run(name) == [value]


def test_constant_method_may_return_a_tensor() -> None:
    manager = to_edge(models.mlp().export(), {"bias": torch.arange(4.0)}).to_executorch()
    assert torch.equal(OfficialProgram(manager.buffer).run("bias")[0], torch.arange(4.0))


def test_mobilenet_matches_eager_on_the_official_runtime() -> None:
    module, inputs = mobilenet_v2()
    example = of(module, *inputs)
    assert_runs_as_eager(to_edge(example.export()).to_executorch(), example, [inputs])


def test_digits_matches_eager_on_the_official_runtime() -> None:
    module, inputs = digits()
    example = of(module, *inputs)
    assert_runs_as_eager(to_edge(example.export()).to_executorch(), example, [inputs])
