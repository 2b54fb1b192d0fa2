"""Tests of reference calls of eager models."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from exir.cli.compile import export_methods
from exir.cli.quantization import quantize_methods
from exir.cli.reporting.calls import Call
from exir.cli.reporting.reference import STATUS_ABOVE_BOUND, VARIANTS, Further, record_calls
from exir.error import ModelError
from exir.model.spec import MethodSpec, ModelSpec
from exir.quantize import QuantizationOptions
from exir.testing.models import Codec, Counter, DynamicAdd


def _record_reference(spec: ModelSpec) -> list[Call]:
    return record_calls(spec, export_methods(spec))


def _call_shapes(call: Call) -> list[tuple[int, ...]]:
    return [tuple(value.shape) for value in call.inputs]


def test_example_is_followed_by_distinct_variants() -> None:
    module, x = nn.Linear(3, 2), torch.randn(1, 3)
    calls = _record_reference(ModelSpec(module, (x,)))
    assert len(calls) == 1 + VARIANTS
    assert torch.equal(calls[0].inputs[0], x)
    for call in calls:
        assert torch.equal(call.outputs[0], module(call.inputs[0]))
    assert len({call.inputs[0].sum().item() for call in calls}) == len(calls)


def test_recording_is_deterministic() -> None:
    first, second = (_record_reference(ModelSpec(nn.ReLU(), (torch.ones(3),))) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert torch.equal(one.inputs[0], other.inputs[0])


def test_state_persists_between_calls_without_changing_the_model() -> None:
    module = Counter()
    calls = _record_reference(ModelSpec(module, (torch.ones(4),)))
    total = torch.zeros(4)
    for call in calls:
        total = total + call.inputs[0]
        assert torch.allclose(call.outputs[0], total + 1)
    assert bool((module.total == 0).all())


def test_recording_does_not_change_the_state_of_a_quantized_program() -> None:
    class Accumulator(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)
            self.total: Tensor
            self.register_buffer("total", torch.zeros(4))

        def forward(self, x: Tensor) -> Tensor:
            self.total += self.layer(x)
            return self.total + 1

    inputs = (torch.ones(4),)
    spec = ModelSpec(Accumulator().eval(), inputs, calibration_inputs={"forward": [inputs]})
    options = QuantizationOptions("int8_static")
    quantization = quantize_methods(spec, export_methods(spec), options, None)
    record_calls(spec, export_methods(spec), quantization=quantization)
    buffers = dict(quantization.programs["forward"].named_buffers())
    assert bool((buffers["total"] == 0).all())


def test_dynamic_dimensions_run_at_min_middle_max_and_fail_above() -> None:
    n = Dim("n", min=2, max=16)
    shapes = {"x": {0: n}, "y": {0: n}}
    calls = _record_reference(ModelSpec(DynamicAdd(), (torch.randn(4, 4),) * 2, dynamic_shapes=shapes))
    assert [_call_shapes(call)[0][0] for call in calls] == [4, 4, 4, 4, 2, 9, 16, 17]
    assert all(_call_shapes(call)[0] == _call_shapes(call)[1] for call in calls)
    assert [call.expected_status for call in calls] == [0] * 7 + [STATUS_ABOVE_BOUND]
    assert calls[-1].outputs == ()


class _RowsModule(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cat(list(reversed(x.flatten(0, 1).split(1))))


def test_sizes_that_violate_an_equality_of_the_export_are_not_recorded() -> None:
    """The export splits x into 12 rows, so n * m must be 12."""
    shapes = ({0: Dim("n", min=2, max=6), 1: Dim("m", min=2, max=6)},)
    spec = ModelSpec(_RowsModule(), (torch.randn(3, 4, 5),), dynamic_shapes=shapes)
    programs = export_methods(spec)
    calls = record_calls(spec, programs, further=Further(sweep=4))
    valid = [_call_shapes(call)[0] for call in calls if call.expected_status == 0]
    assert valid
    assert {shape[0] * shape[1] for shape in valid} == {12}


def _record_further(spec: ModelSpec, further: Further) -> list[Call]:
    programs = export_methods(spec)
    usual = len(record_calls(spec, programs))
    return record_calls(spec, programs, further=further)[usual:]


def test_sizes_of_another_branch_of_the_model_are_not_recorded() -> None:
    class MeanOrZero(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.new_zeros(()) if x.numel() == 0 else x.mean()

    shapes = {"x": {0: Dim("rows", min=1, max=6), 1: Dim("columns", min=0, max=5)}}
    calls = _record_reference(ModelSpec(MeanOrZero(), (torch.ones(3, 4),), dynamic_shapes=shapes))
    recorded = [_call_shapes(call)[0] for call in calls]
    assert (6, 5) in recorded
    assert all(0 not in shape for shape in recorded)


def test_sweep_is_seeded_and_within_bounds() -> None:
    n = Dim("n", min=2, max=16)
    spec = ModelSpec(DynamicAdd(), (torch.randn(4, 4),) * 2, dynamic_shapes={"x": {0: n}, "y": {0: n}})
    one, again, other = (_record_further(spec, Further(sweep=12, seed=seed)) for seed in (3, 3, 4))
    assert [_call_shapes(call) for call in one] == [_call_shapes(call) for call in again]
    assert [_call_shapes(call) for call in one] != [_call_shapes(call) for call in other]
    assert len({_call_shapes(call)[0] for call in one}) > 4
    assert all(2 <= _call_shapes(call)[0][0] <= 16 for call in one)
    for call, same in zip(one, again, strict=True):
        assert torch.equal(call.inputs[0], same.inputs[0])
        assert torch.equal(call.outputs[0], DynamicAdd()(*call.inputs))


def test_user_inputs_become_separate_calls() -> None:
    inputs = [(torch.full((1, 3), float(number)),) for number in range(2)]
    calls = _record_further(
        ModelSpec(nn.Linear(3, 2), (torch.randn(1, 3),)), Further({"forward": inputs})
    )
    assert [call.inputs[0][0, 0].item() for call in calls] == [0, 1]


def test_user_inputs_that_the_model_rejects_are_an_error() -> None:
    spec = ModelSpec(nn.Linear(3, 2), (torch.randn(1, 3),))
    with pytest.raises(ModelError, match="^method 'forward' fails on call 0 of the reference inputs: "):
        _record_further(spec, Further({"forward": [(torch.ones(1, 4),)]}))


def test_each_method_has_recorded_calls() -> None:
    spec = ModelSpec(
        Codec(),
        methods={"encode": MethodSpec((torch.randn(2, 8),)), "decode": MethodSpec((torch.randn(2, 4),))},
    )
    calls = _record_reference(spec)
    assert [call.method for call in calls] == ["decode"] * 4 + ["encode"] * 4
    assert torch.equal(calls[0].outputs[0], spec.module.decode(calls[0].inputs[0]))


class _LookupModule(nn.Module):
    def forward(
        self, table: Tensor, index: Tensor, flag: bool, scale: float
    ) -> tuple[Tensor, None, int]:
        return table[index] * scale, None, 7


def test_integer_variants_stay_in_the_examples_range() -> None:
    example = (torch.randn(5, 2), torch.tensor([0, 4]), True, 0.5)
    calls = _record_reference(ModelSpec(_LookupModule(), example))
    for call in calls:
        assert int(call.inputs[1].min()) >= 0 and int(call.inputs[1].max()) <= 4
        assert call.inputs[2:] == (True, 0.5)


class _PickyModule(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if not torch.compiler.is_compiling() and bool((x < 0).any()):
            raise ValueError("negative")
        return x


def test_variants_that_the_model_rejects_are_omitted() -> None:
    calls = _record_reference(ModelSpec(_PickyModule(), (torch.tensor([0.0, 8.0, 0.0, 0.0]),)))
    assert 1 <= len(calls) < 1 + VARIANTS


class _CountingModule(nn.Module):
    """Counts calls in buffers, in place and by replacement, before it raises."""

    replaced: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("written", torch.zeros(1), persistent=False)
        self.register_buffer("replaced", torch.zeros(1), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        self.written.add_(1)
        self.replaced = self.replaced + 1
        if not torch.compiler.is_compiling() and bool(x[1] < 2):
            raise ValueError("too small")
        return x + self.written + 100 * self.replaced


def test_rejected_variant_does_not_change_buffers() -> None:
    calls = _record_reference(ModelSpec(_CountingModule(), (torch.tensor([0.0, 8.0, 0.0, 0.0]),)))
    assert len(calls) == VARIANTS, "the second of the variants is refused"
    for number, call in enumerate(calls, 1):
        assert torch.equal(call.outputs[0], call.inputs[0] + 101 * number)


def test_model_that_rejects_its_example_is_an_error() -> None:
    with pytest.raises(
        ModelError, match="method 'forward' fails on its example inputs: ValueError: negative"
    ):
        _record_reference(ModelSpec(_PickyModule(), (torch.tensor([-1.0]),)))


def test_recorded_inputs_exclude_the_models_writes() -> None:
    class Writer(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.add_(1)

    for call in _record_reference(ModelSpec(Writer(), (torch.zeros(2),))):
        assert torch.equal(call.outputs[0], call.inputs[0] + 1)


def test_recorded_inputs_have_the_examples_dim_order() -> None:
    x = torch.randn(1, 2, 3, 3).contiguous(memory_format=torch.channels_last)
    for call in _record_reference(ModelSpec(nn.ReLU(), (x,))):
        assert call.inputs[0].is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("compute", ["weight_norm", "spectral_norm", "prune"])
def test_module_with_a_computed_weight_is_recorded(compute: str) -> None:
    layer, x = nn.Linear(3, 2), torch.randn(1, 3)
    if compute == "prune":
        nn.utils.prune.l1_unstructured(layer, "weight", 0.5)
    else:
        getattr(nn.utils, compute)(layer)
    layer.eval()
    for call in _record_reference(ModelSpec(layer, (x,))):
        assert torch.equal(call.outputs[0], layer(call.inputs[0]))
