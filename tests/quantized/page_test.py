"""Tests the list of recipes and the examples in docs/how_to/quantize_a_model.md."""

from __future__ import annotations

import re
import tomllib
from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch
from torch import nn

from exir.cli.config import parse_config
from exir.quantize import RECIPES

_PAGE = Path("docs/how_to/quantize_a_model.md").read_text(encoding="utf-8")


def _examples(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", _PAGE, re.MULTILINE | re.DOTALL)


def test_quantization_page_lists_every_recipe() -> None:
    assert re.findall(r"^\| `(int\w+)` \|", _PAGE, re.MULTILINE) == list(RECIPES)


def test_quantization_page_configs_are_valid() -> None:
    recipe, official = (parse_config(tomllib.loads(example), "quantize_a_model.md") for example in _examples("toml"))
    options = recipe.quantization_options()
    assert options is not None and options.recipe == "int8_static"
    lowering = official.executorch_config([])
    assert not official.edge_config().fuse_low_bit_linear
    assert (lowering.fuse_int8, lowering.row_major_operands) == (False, True)


def test_quantization_page_python_example_runs() -> None:
    layers: OrderedDict[str, nn.Module] = OrderedDict(body=nn.Linear(4, 4), head=nn.Linear(4, 2))
    module = nn.Sequential(layers).eval()
    names: dict[str, Any] = {"torch": torch, "module": module, "inputs": (torch.randn(3, 4),)}
    exec(_examples("python")[-1], names)
    reasons = {decision.module: decision.reason for decision in names["quantized"].decisions}
    assert reasons == {"body": "", "head": "excluded by 'head'"}
