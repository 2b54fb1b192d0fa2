"""Tests that state in plain attributes is rejected, but other attributes are not."""

from collections import deque
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from exir import ModelSpec
from exir.error import ModelError
from exir.model.spec import MethodSpec


class Base(nn.Module):
    """A module with a plain attribute `k`.

    It is None, or has the value of the test case, until `forward` assigns it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.k: Any = None
        self.linear = nn.Linear(4, 4)


class Joined(Base):
    def forward(self, x: Tensor) -> Tensor:
        self.k = x if self.k is None else torch.cat([self.k, x])
        return self.k.sum(0)


class Largest(Base):
    """Its second call with equal inputs returns the same result as the first."""

    def forward(self, x: Tensor) -> Tensor:
        self.k = x if self.k is None else torch.maximum(self.k, x)
        return self.k * 2


class Previous(Base):
    def forward(self, x: Tensor) -> Tensor:
        before, self.k = self.k, x
        return x if before is None else before


class Hidden(Base):
    def forward(self, x: Tensor) -> Tensor:
        h = self.linear(x) if self.k is None else self.linear(x) + self.k
        self.k = torch.tanh(h)
        return self.k + 1


class Paired(Base):
    def forward(self, x: Tensor) -> Tensor:
        h, c = (x, x) if self.k is None else self.k
        self.k = (h + x, c * 0.5 + x)
        return h + c


class Listed(Base):
    def __init__(self) -> None:
        super().__init__()
        self.k = []

    def forward(self, x: Tensor) -> Tensor:
        self.k.append(x)
        return torch.cat(list(self.k)).sum(0)


class Bounded(Listed):
    def __init__(self) -> None:
        super().__init__()
        self.k = deque(maxlen=3)


class Keyed(Base):
    def __init__(self) -> None:
        super().__init__()
        self.k = {}

    def forward(self, x: Tensor) -> Tensor:
        self.k["x"] = self.k["x"] + x if "x" in self.k else x
        return self.k["x"] * 1.5


class Cache:
    def __init__(self) -> None:
        self.keys: Tensor | None = None


class Held(Base):
    def __init__(self) -> None:
        super().__init__()
        self.k = Cache()

    def forward(self, x: Tensor) -> Tensor:
        self.k.keys = x if self.k.keys is None else self.k.keys + x
        return self.k.keys * 2


class Nested(Base):
    def __init__(self) -> None:
        super().__init__()
        self.k = {"layers": [[]]}

    def forward(self, x: Tensor) -> Tensor:
        self.k["layers"][0].append(x)
        return sum(self.k["layers"][0]) * 1.0


class Inner(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), inner)

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class Counted(Base):
    def forward(self, x: Tensor) -> Tensor:
        self.k = (self.k or 0) + 1
        return x * 2


class Table(Base):
    """A table of positions that the first call computes."""

    def forward(self, x: Tensor) -> Tensor:
        if self.k is None:
            self.k = torch.arange(x.shape[0], dtype=x.dtype)[:, None] * 0.1
        return x + self.k


class Zeros(Base):
    def forward(self, x: Tensor) -> Tensor:
        if self.k is None:
            self.k = torch.zeros_like(x) + 1
        return x + self.k


class Tables(Base):
    def __init__(self) -> None:
        super().__init__()
        self.k = {}

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[0] not in self.k:
            self.k[x.shape[0]] = torch.linspace(0, 1, x.shape[0])[:, None]
        return x + self.k[x.shape[0]]


class OfWeights(Base):
    def forward(self, x: Tensor) -> Tensor:
        if self.k is None:
            self.k = self.linear.weight.mT.contiguous()
        return x @ self.k


class Shown(Base):
    """Stores the last activations for inspection."""

    def forward(self, x: Tensor) -> Tensor:
        self.k = torch.relu(self.linear(x))
        return self.k + 1


class Logged(Base):
    def __init__(self) -> None:
        super().__init__()
        self.k = []

    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        self.k.append(y)
        return y


class Scratch(Base):
    """Every call clears the list of the previous call."""

    def forward(self, x: Tensor) -> Tensor:
        self.k = []
        for part in x.split(1):
            self.k.append(part * 2)
        return torch.cat(self.k)


class Buffered(Base):
    total: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(3, 4))

    def forward(self, x: Tensor) -> Tensor:
        self.total += x
        return self.total * 2


LOST = [Joined, Largest, Previous, Hidden, Paired, Listed, Bounded, Keyed, Held, Nested]
HARMLESS = [Counted, Table, Zeros, Tables, OfWeights, Shown, Logged, Scratch, Buffered]
INPUTS = (torch.randn(3, 4),)


def export(module: nn.Module) -> Any:
    return ModelSpec(module.eval(), INPUTS).resolved_methods()["forward"].export()


@pytest.mark.parametrize("model", LOST)
def test_state_in_a_plain_attribute_is_refused(model: type[nn.Module]) -> None:
    line = r"exir/model/plain_state_test\.py:\d+: "
    with pytest.raises(ModelError, match=rf"^{line}the plain attribute 'k' .* register_buffer\('k'"):
        export(model())
    with pytest.raises(ModelError, match=rf"^{line}the plain attribute 'layers.1.k'"):
        export(Inner(model()))


@pytest.mark.parametrize("model", HARMLESS)
def test_attribute_that_is_not_state_is_accepted(model: type[nn.Module]) -> None:
    for module in (model(), Inner(model())):
        program = export(module)
        again = export(module)
        assert str(program.graph) == str(again.graph)
        expected = module(*INPUTS)
        assert torch.equal(program.module()(*INPUTS), expected) or model is Buffered


def test_state_of_any_method_is_refused() -> None:
    class Stepped(Joined):
        def step(self, x: Tensor) -> Tensor:
            return Joined.forward(self, x)

    spec = ModelSpec(Stepped().eval(), methods={"step": MethodSpec(INPUTS)})
    with pytest.raises(ModelError, match="the plain attribute 'k'"):
        spec.resolved_methods()["step"].export()


def test_refusal_has_the_line_of_the_write() -> None:
    with pytest.raises(ModelError) as raised:
        export(Listed())
    number = int(str(raised.value).split(":")[1])
    with open(__file__, encoding="utf-8") as source:
        assert "self.k.append(x)" in source.read().splitlines()[number - 1]


class Branching(nn.Module):
    """`nn.GRU` assigns plain attributes while it is exported."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(4, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)[0]
        return torch.cond(y.sum() > 0, torch.sin, torch.neg, (y,))


def test_eager_control_flow_runs_after_the_check() -> None:
    module, x = Branching().eval(), torch.ones(2, 3, 4)
    ModelSpec(module, (x,)).resolved_methods()["forward"].export()
    with torch.no_grad():
        assert module(x).shape == (2, 3, 4)
