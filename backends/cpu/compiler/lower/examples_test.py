"""Tests that the examples of lowering rules are lowered, and agree with PyTorch."""

import pytest
import torch

from backends.cpu.compiler.lower.rule import Example
from backends.cpu.compiler.lower.table import RULES
from backends.cpu.compiler.testing.compare import assert_computes, specs

_EXAMPLES = [
    pytest.param(example, id=f"{operator}-{number}")
    for operator, rule in RULES.items()
    for number, example in enumerate(rule.examples)
]


@pytest.mark.parametrize("example", _EXAMPLES)
def test_examples_of_rules_agree_with_pytorch(example: Example) -> None:
    torch.manual_seed(0)
    inputs = example.inputs()
    assert example.op in map(type, specs(example.function, *inputs))
    assert_computes(example.function, *inputs)
