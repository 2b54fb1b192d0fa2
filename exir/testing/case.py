"""Cases of the tests that compare a lowered program with PyTorch."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim

from exir.testing.models import Example

Cases = dict[str, Callable[[], Example]]
_BATCH = Dim("batch", min=2, max=8)


class _FunctionModule(nn.Module):
    """Wraps a function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *args: Tensor) -> Any:
        return self._function(*args)


def case(cases: Cases, *shapes_or_inputs: Any, batch: bool = False) -> Callable[[Any], Any]:
    """Add a function or module class to `cases`, under its name in lower case.

    shapes_or_inputs: example inputs, or shapes of random inputs.
    batch: whether the first dimension of the only input is dynamic.
    """

    def register(source: Any) -> Any:
        name = source.__name__.strip("_").lower()
        cases[name] = lambda: _make_example(source, shapes_or_inputs, batch)
        return source

    return register


def _make_example(source: Any, shapes_or_inputs: tuple[Any, ...], batch: bool) -> Example:
    torch.manual_seed(0)
    is_class = isinstance(source, type)
    module = (source() if is_class else _FunctionModule(source)).eval()
    _randomise_statistics(module)
    inputs = tuple(
        entry if isinstance(entry, Tensor) else torch.randn(entry) for entry in shapes_or_inputs
    )
    shapes = ({0: _BATCH},) if batch else None
    return Example(module, inputs, shapes if is_class or shapes is None else (shapes,))


def _randomise_statistics(module: nn.Module) -> None:
    for name, buffer in module.named_buffers():
        if name.endswith("running_mean"):
            nn.init.uniform_(buffer, -0.5, 0.5)
        elif name.endswith("running_var"):
            nn.init.uniform_(buffer, 0.5, 2.0)
