"""Tests of the memory that a compilation holds."""

import gc
import weakref
from collections.abc import Iterator

import pytest
import torch
from torch import nn

from exir.cli.compile import Pipeline, export_methods, lower_programs, owning_programs
from exir.model.spec import ModelSpec


@pytest.fixture
def collector_at_rest() -> Iterator[None]:
    """Disable garbage collection, which a compilation rarely triggers."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("collector_at_rest")
def test_replaced_weights_are_freed() -> None:
    """The program has a transposed copy of a linear layer's weight."""
    spec = ModelSpec(nn.Linear(64, 32), (torch.ones(1, 64),))
    weight = weakref.ref(spec.module.weight.untyped_storage())
    programs = export_methods(spec)
    buffer = lower_programs(programs, spec, Pipeline()).buffer
    assert weight() is not None
    assert lower_programs(programs, spec, owning_programs(Pipeline(), spec)).buffer == buffer
    assert not programs["forward"].state_dict and not list(spec.module.parameters())
    assert weight() is None
