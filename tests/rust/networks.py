"""Networks whose interface is special in Rust."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import Dim

from exir.model.spec import MethodSpec, ModelSpec


class OddNames(nn.Module):
    """Ends a comment: */ or `, and reverses text: \u202e.

    ```
    compile_error!("a docstring is not code");
    ```
    """

    def load(self, call: Tensor) -> Tensor:
        """Has the name of a function of the type."""
        return call + 1

    def match(self, crate: Tensor, fn: Tensor, mode: str, flag: bool, mask: Tensor | None) -> dict[str, Tensor | None]:
        """Has keywords as names: crate::self."""
        return {"struct": crate > fn, "a-b": crate.to(torch.float16), "None": mask}


def odd_names() -> ModelSpec:
    """Entry point: keywords as names, fixed inputs, and an output that is None."""
    x = torch.arange(4.0)
    return ModelSpec(
        OddNames(), methods={"load": MethodSpec((x,)), "match": MethodSpec((x, torch.ones(4), "fast", True, None))}
    )


class Columns(nn.Module):
    """Maps float32 [rows, columns] to [columns, rows]."""

    def forward(self, x: Tensor) -> Tensor:
        return (x * 2).T.contiguous()


def two_dynamic_sizes() -> ModelSpec:
    """Entry point."""
    shapes = {"x": {0: Dim("rows", min=1, max=4), 1: Dim("columns", min=2, max=8)}}
    return ModelSpec(Columns(), (torch.randn(3, 5),), dynamic_shapes=shapes)


class Noise(nn.Module):
    """Adds a random number to each element."""

    def forward(self, x: Tensor) -> Tensor:
        return x + torch.rand(4)


def noise() -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Entry point."""
    return Noise(), (torch.zeros(4),)


class BorrowedInputs(nn.Module):
    """Adds a row to each row, and returns the rows too."""

    def forward(self, rows: Tensor, bias: Tensor) -> dict[str, Tensor]:
        return {"sum": rows + bias, "rows": rows.view(-1, 4)}


def borrowed_inputs() -> ModelSpec:
    """Entry point; compiled with inputs that are not planned."""
    rows = Dim("rows", min=1, max=8)
    return ModelSpec(
        BorrowedInputs(),
        (torch.randn(3, 4), torch.randn(4)),
        dynamic_shapes={"rows": {0: rows}, "bias": None},
    )
