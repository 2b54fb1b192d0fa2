"""Tests that networks of fixed seeds match eager PyTorch.

Injected errors are found and reduced.
"""

from __future__ import annotations

import itertools
import os
import random
import time
from dataclasses import replace
from typing import Any

import pytest
import torch

from exir.cli.reporting.calls import Call, QuantizedOutput
from exir.cli.reporting.reference import record_calls
from tests.random_networks.accuracy import check_sqnr, sqnr_of
from tests.random_networks.comparison import BACKENDS, Outcome, compare, export_network, quantize_network
from tests.random_networks.generator import RECIPES, plain_network, random_network
from tests.random_networks.isolated import ProcessEnded, run_isolated
from tests.random_networks.main import finding, main
from tests.random_networks.network import Network, Placed, Step, Varying
from tests.random_networks.reduce import reduce_network
from tests.random_networks.tolerances import tolerances_of

_SEEDS = range(24)


@pytest.mark.parametrize("seed", _SEEDS)
def test_random_network_follows_eager(seed: int) -> None:
    """The seeds alternate between the backends."""
    network = random_network(seed)
    result = compare(network, BACKENDS[seed % 2])
    assert not result.outcome.is_a_finding, finding(network, BACKENDS[seed % 2], result)


def test_seed_determines_the_network() -> None:
    torch.manual_seed(3)
    random.seed(3)
    assert random_network(1) == random_network(1)
    assert torch.equal(random_network(1).inputs()[0], random_network(1).inputs()[0])
    first, second = (random_network(1).module().state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def _chain(*calls: str) -> Network:
    steps = tuple(Placed(Step(call), (index,)) for index, call in enumerate(calls))
    return Network(seed=1, shape=(2, 3), steps=steps, outputs=(len(steps),))


def test_network_prints_as_text() -> None:
    network = replace(_chain("F.relu({0})", "{m}({0})"), outputs=(2, 1))
    network = replace(network, steps=(network.steps[0], Placed(Step("{m}({0})", "nn.Linear(3, 4)"), (1,))))
    _, _, text = network.source().partition("class Network")
    assert text == (
        "(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.m2 = nn.Linear(3, 4)\n\n"
        "    def forward(self, v0):\n"
        "        v1 = F.relu(v0)\n"
        "        v2 = self.m2(v1)\n"
        "        return v2, v1\n"
    )


def test_reduction_keeps_the_failing_layers() -> None:
    rows = (0, Varying(2, 1, 4))
    network = replace(
        _chain("F.relu({0})", "torch.sin({0})", "{0} + n", "torch.cos({0})"),
        dynamic=(rows, (1, Varying(3, 2, 5))),
        number=Varying(2, 0, 4),
        recipe="int8_static",
    )

    def outcome(candidate: Network) -> Outcome:
        return Outcome.DIFFERS if "torch.sin" in candidate.source() and rows in candidate.dynamic else Outcome.MATCHES

    assert reduce_network(network, outcome) == replace(_chain("torch.sin({0})"), dynamic=(rows,))


def test_inputs_cover_both_ends_of_every_range() -> None:
    network = replace(_chain("{0} * n"), dynamic=((0, Varying(2, 0, 4)),), number=Varying(3, 1, 5))
    calls = [(x.shape[0], n) for x, n in network.inputs_at_ends()]
    assert calls == [(0, 1), (4, 5), (2, 3), (2, 3), (0, 3), (4, 3), (2, 1), (2, 5)]


def test_range_not_preserved_by_torch_export_is_omitted() -> None:
    """The number of rows is specialized; the integer is still dynamic."""
    steps = _chain("{0} + torch.ones(2, 3)", "{0}[..., :n]")
    network = replace(steps, dynamic=((0, Varying(2, 2, 4)),), number=Varying(2, 0, 3))
    exported = export_network(network)
    assert exported.network.dynamic == () and exported.network.number == Varying(2, 2, 3)


def test_constant_integer_is_compared_with_its_value_only() -> None:
    """Export specializes the integer. Empty outputs are equal for every integer."""
    network = replace(_chain("{0}[:0] if n == 2 else {0}[:0] * 2"), number=Varying(2, 2, 3))
    exported = export_network(network)
    assert exported.network.number == Varying(2, 2, 2)
    assert {number for _, number in exported.ends} == {2}


def test_calls_with_other_sizes_than_torch_export_assumes_are_omitted() -> None:
    """The example has a tensor of size 1, which is broadcast and declared static."""
    network = replace(_chain("torch.zeros(n // 2 % 5) + {0}.sum() + torch.ones(3)"), number=Varying(3, 0, 5))
    ends = {number for _, number in export_network(network).ends}
    assert ends == {2, 3}


def test_tolerance_of_a_network_that_creates_tensors_includes_eager_rounding() -> None:
    """Tensors that the network creates are float64, to measure the error of float32."""
    network = _chain("", "F.layer_norm({0} * 1e-5 + 1, (3,), None, None, 1e-14)")
    layer = Placed(Step("{m}(torch.ones(2, 3))", "nn.Linear(3, 3)"), (0,))
    network = replace(network, steps=(layer, network.steps[1]))
    exported = export_network(network)
    calls = record_calls(exported.spec, exported.programs)
    (tolerance,) = tolerances_of(network, calls, quantized=False)
    assert tolerance > 1e-2


def test_range_with_undeclared_sizes_is_not_compared() -> None:
    """torch.export declares size 1 for every `x`, because it is 1 for the example."""
    steps = (
        Placed(Step("{0}.shape[0] // 2"), (0,)),
        Placed(Step("torch.zeros({0} % 5) + v0.sum()"), (1,)),
    )
    rows = ((0, Varying(2, 1, 3)),)
    network = Network(seed=1, shape=(2, 3), dynamic=rows, steps=steps, outputs=(2,))
    assert export_network(network).network.dynamic != rows


def test_activation_that_is_not_finite_is_not_quantized() -> None:
    network = _quantized_chain("int8_static", "{0}[:0].mean()", "{0}.nan_to_num(0.5)")
    assert compare(network, "kernels").outcome is Outcome.NOT_QUANTIZED


def test_empty_input_is_not_quantized_with_calibration() -> None:
    network = replace(_chain("{0} + 1"), shape=(0, 3), recipe="int8_static")
    result = compare(network, "kernels")
    assert result.outcome is Outcome.NOT_QUANTIZED, result.why
    assert "input 0 of a calibration call is empty" in result.why


def test_empty_activation_is_compared_where_torchao_quantizes_it() -> None:
    steps = (Placed(Step("{m}({0})", "nn.Linear(3, 4)"), (0,)),)
    rows = ((0, Varying(2, 0, 3)),)
    network = Network(seed=1, shape=(2, 3), dynamic=rows, recipe="int8_dynamic", steps=steps, outputs=(1,))
    result = compare(network, "kernels")
    assert result.outcome is Outcome.MATCHES, result.why


def test_plain_networks_have_neither_state_nor_integers() -> None:
    networks = [plain_network(seed) for seed in range(20)]
    assert all(network.number is None and network.dtype == "float32" for network in networks)
    assert not any("state." in network.source().partition("class")[2] for network in networks)


def test_random_networks_contain_every_layer_kind() -> None:
    texts = [random_network(seed).source().partition("class")[2] for seed in range(150)]
    kinds = (
        "state.",
        "RandomState(",
        "sharing.",
        "integers.",
        "images.",
        "sequences.",
        "n: int",
        ".shape[",
        "[:0]",
        ".sum()",
    )
    assert [kind for kind in kinds if not any(kind in text for text in texts)] == []


def test_deviating_output_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eager PyTorch returns a different result than the compiled network."""
    monkeypatch.setattr("tests.random_networks.comparison.record_calls", _calls_with_outputs_off)
    result = compare(_chain("F.relu({0})", "torch.sin({0})"), "kernels")
    assert result.outcome is Outcome.DIFFERS
    assert "output 0" in result.why


def _calls_with_outputs_off(*arguments: Any, **options: Any) -> list[Call]:
    calls = record_calls(*arguments, **options)
    return [replace(call, outputs=tuple(output + 1e-3 for output in call.outputs)) for call in calls]


def _quantized_chain(recipe: str, *calls: str) -> Network:
    chain = _chain("{m}({0})", *calls)
    linear = Placed(Step("{m}({0})", "nn.Linear(64, 64)"), (0,))
    return replace(chain, shape=(2, 64), steps=(linear, *chain.steps[1:]), recipe=recipe)


@pytest.mark.parametrize("recipe", RECIPES)
def test_low_sqnr_of_a_quantized_network_is_a_finding(recipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.random_networks.comparison.record_calls", _calls_with_half_the_values)
    result = compare(_quantized_chain(recipe, "F.relu({0})"), "kernels")
    assert result.outcome is Outcome.INACCURATE
    assert "SQNR is 6.0 dB" in result.why


def _calls_with_half_the_values(*arguments: Any, **options: Any) -> list[Call]:
    calls = record_calls(*arguments, **options)
    return [replace(call, outputs=tuple(_with_half_the_value(output) for output in call.outputs)) for call in calls]


def _with_half_the_value(output: QuantizedOutput) -> QuantizedOutput:
    return output if output.real is None else replace(output, value=output.real / 2)


@pytest.mark.parametrize("recipe", RECIPES)
def test_low_sqnr_of_a_network_that_amplifies_noise_is_explained(recipe: str) -> None:
    exported = export_network(_quantized_chain(recipe, "torch.sin({0} * 3000.0)"))
    quantization = quantize_network(exported)
    calls = record_calls(exported.spec, exported.programs, quantization=quantization)
    compared = [output for call in calls for output in call.outputs if output.real is not None]
    assert compared and max(sqnr_of(output.real, output.value) for output in compared) < 10
    check_sqnr(exported.programs["forward"], recipe, calls)


def test_sqnr_counts_finite_elements() -> None:
    expected = torch.tensor([3.0, 4.0, float("inf")])
    assert sqnr_of(expected, expected * 0.9) == pytest.approx(20)
    assert sqnr_of(expected, expected) == float("inf")


def test_compiler_refusal_is_a_finding() -> None:
    result = compare(_chain("torch.linalg.ldl_factor({0} @ {0}.T).LD"), "kernels")
    assert result.outcome is Outcome.REFUSED
    assert "ldl_factor" in result.why


def test_a_crash_is_a_finding(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("tests.random_networks.main.compare", lambda network, backend: os._exit(3))
    assert main(["--first=5", "--backend=cpu"]) == 1
    printed = capfd.readouterr().out
    assert printed.startswith("== cpu: the process ended: the process ended with 3\nseed 5: input float32[")
    assert "def forward(self, v0" in printed and "1 networks: 1 crashed" in printed


def test_time_limit_counts_cpu_time() -> None:
    assert run_isolated(lambda: time.sleep(1.5), 1) is None
    with pytest.raises(ProcessEnded, match="more than 1 s of CPU time"):
        run_isolated(lambda: max(itertools.count()), 1)
