"""Tests of the evaluation of runs' events."""

from benchmarks.latency.steps import StepCost, cheapest
from executorch_runtime import Event


def test_delegate_ops_belong_to_their_delegate_call():
    slow = (
        Event("delegate", 3, "CpuBackend", 0, 90),
        Event("step", 0, "product", 5, 45),
        Event("kernel", 4, "add", 90, 99),
    )
    fast = (
        Event("delegate", 3, "CpuBackend", 0, 50),
        Event("step", 0, "product", 5, 25),
        Event("kernel", 4, "add", 50, 60),
    )
    assert cheapest([slow, fast]) == [
        StepCost(3, None, "CpuBackend", 50),
        StepCost(3, 0, "product", 20),
        StepCost(4, None, "add", 9),
    ]


def test_repeated_instruction_is_summed():
    looping = [Event("kernel", 1, "add", 0, 5), Event("kernel", 1, "add", 7, 9)]
    assert cheapest([looping]) == [StepCost(1, None, "add", 7)]
