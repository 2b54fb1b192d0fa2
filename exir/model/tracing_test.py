"""Tests that replacing constructs during export preserves their meaning."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from exir.model.spec import ModelSpec


class _RingBuffer(nn.Module):
    def __init__(self, write: Callable[[Tensor, Tensor, Tensor], Any]) -> None:
        super().__init__()
        self.write = write
        self.register_buffer("ring", torch.zeros(2, 4, 3))
        self.register_buffer("position", torch.tensor(1))

    def forward(self, x: Tensor) -> Tensor:
        self.write(self.ring, self.position, x)
        self.position.add_(1)
        return self.ring * 1


def _write_at(ring: Tensor, index: Any, x: Any) -> None:
    ring[index] = x


WRITES: dict[str, tuple[Callable[[Tensor, Tensor, Tensor], Any], tuple[int, ...]]] = {
    "first dimension": (lambda ring, at, x: _write_at(ring, at - 1, x), (4, 3)),
    "first dimension, broadcast": (lambda ring, at, x: _write_at(ring, at - 1, x), (3,)),
    "second dimension": (lambda ring, at, x: _write_at(ring, (slice(None), at), x), (2, 3)),
    "second dimension, one for all": (lambda ring, at, x: _write_at(ring, (slice(None), at), x), (3,)),
    "last dimension": (lambda ring, at, x: _write_at(ring, (..., at), x), (2, 4)),
    "after an integer": (lambda ring, at, x: _write_at(ring, (1, at), x), (3,)),
    "two positions": (lambda ring, at, x: _write_at(ring, (at - 1, at), x), (3,)),
    "all positions": (lambda ring, at, x: _write_at(ring, (at - 1, at, at), x), ()),
    "before a slice": (lambda ring, at, x: _write_at(ring, (at - 1, slice(1, 3)), x), (2, 3)),
    "a number": (lambda ring, at, x: _write_at(ring, (slice(None), at), 2.5), (1,)),
    "data": (lambda ring, at, x: ring.data.copy_(x), (2, 4, 3)),
    "data that is added to": (lambda ring, at, x: ring.data.add_(x), (3,)),
    "data that is assigned": (lambda ring, at, x: setattr(ring, "data", ring + x), (3,)),
    "assertion": (lambda ring, at, x: torch._assert((x > -100).all(), "range"), (3,)),
}


@pytest.mark.parametrize("name", WRITES)
def test_exported_state_follows_eager_state(name: str) -> None:
    write, shape = WRITES[name]
    torch.manual_seed(0)
    program = ModelSpec(_RingBuffer(write), (torch.rand(shape),)).resolved_methods()["forward"].export()
    exported, eager = program.module(), _RingBuffer(write)
    for _ in range(2):
        x = torch.rand(shape)
        torch.testing.assert_close(exported(x), eager(x))


class _BufferAssigner(nn.Module):
    """Assigns its buffers in `step`, a function of this module and the input."""

    def __init__(self, step: Callable[[Any, Tensor], Tensor]) -> None:
        super().__init__()
        self.step = step
        self.register_buffer("h", torch.zeros(3))
        self.register_buffer("g", torch.ones(3))
        self.register_buffer("count", torch.tensor(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.step(self, x)


def _assign_buffer(module: Any, x: Tensor) -> Tensor:
    module.h = torch.tanh(module.h * 0.5 + x)
    return module.h * 2


def _return_the_old(module: Any, x: Tensor) -> Tensor:
    old = module.h
    module.h = old + x
    return old


def _swap_buffers(module: Any, x: Tensor) -> Tensor:
    module.h, module.g = module.g, module.h
    return module.h * x


def _assign_twice(module: Any, x: Tensor) -> Tensor:
    module.h = module.h + x
    module.h = module.h * 2
    return module.h.view(3, 1)


def _assign_the_input(module: Any, x: Tensor) -> Tensor:
    y = module.h + x
    module.h = x
    return y


def _write_and_assign(module: Any, x: Tensor) -> Tensor:
    module.h.add_(1)
    module.h = module.h * x
    module.count = module.count + 1
    return module.h + module.count


def _assign_a_view(module: Any, x: Tensor) -> Tensor:
    module.g.mul_(2)
    module.h = module.g.flip(0)[:3]
    module.g = module.g.view(3)
    return module.h + x


_ASSIGNMENTS = (
    _assign_buffer,
    _return_the_old,
    _swap_buffers,
    _assign_twice,
    _assign_the_input,
    _write_and_assign,
    _assign_a_view,
)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("step", _ASSIGNMENTS)
def test_submodule_keeps_assigned_buffers(step: Callable[[Any, Tensor], Tensor], depth: int) -> None:
    def made() -> nn.Module:
        module: nn.Module = _BufferAssigner(step)
        for _ in range(depth):
            module = nn.Sequential(module, nn.Identity())
        return module

    spec = ModelSpec(made(), (torch.rand(3),))
    exported, eager = spec.resolved_methods()["forward"].export().module(), made()
    assert all(torch.equal(a, b) for a, b in zip(spec.module.buffers(), eager.buffers()))
    for _ in range(3):
        x = torch.rand(3)
        torch.testing.assert_close(exported(x), eager(x))
