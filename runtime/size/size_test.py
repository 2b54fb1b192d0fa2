"""Test that the core's size is within the budget in runtime/size/budget.json."""

import json
import os
from pathlib import Path

import pytest

from runtime.size.measure import CORTEX_M4, MESSAGES, X86_64, measure

_MACHINES = {machine.name: machine for machine in (X86_64, CORTEX_M4)}
_BUDGET = json.loads(Path(__file__).with_name("budget.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("messages", MESSAGES)
def test_core_is_within_its_size_budget_without_mutable_globals(messages: str) -> None:
    machine = _MACHINES[os.environ["MACHINE"]]
    found = measure(machine, messages)
    budget = _BUDGET[machine.name][messages]
    assert found.variable == 0
    assert found.constant <= budget, (
        f"on {machine.name}, the core with {messages} has {found.constant:,} bytes, {found.constant - budget:,} more than"
        " runtime/size/budget.json allows; shrink it, or raise the budget"
    )
    assert found.constant > budget * 0.97, (
        f"the core shrank to {found.constant:,} bytes; lower the budget of {budget:,}"
    )
