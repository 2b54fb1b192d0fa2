"""Tests of the names of a method's outputs in reports."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge


class _Pair(NamedTuple):
    scores: Tensor
    boxes: Tensor


class _Returning(nn.Module):
    """Returns a structure of two tensors, selected by its name."""

    def __init__(self, structure: str) -> None:
        super().__init__()
        self.structure = structure

    def forward(self, x: Tensor) -> object:
        if self.structure == "dict":
            return {"scores": x + 1, "boxes": x + 2}
        if self.structure == "named tuple":
            return _Pair(x + 1, x + 2)
        if self.structure == "nested":
            return {"levels": [x + 1, x + 2], "x.y": x + 3}
        return x + 1, x + 2


@pytest.mark.parametrize(
    ("structure", "names"),
    [
        ("dict", ["scores", "boxes"]),
        ("named tuple", ["scores", "boxes"]),
        ("nested", ["levels_0", "levels_1", "x.y"]),
        ("tuple", ["output_0", "output_1"]),
    ],
)
def test_outputs_have_the_names_that_the_model_returns(structure: str, names: list[str]) -> None:
    program = torch.export.export(_Returning(structure), (torch.ones(2),), strict=False)
    (method,) = to_edge(program).to_executorch().report.methods
    assert [value.name for value in method.outputs] == names
