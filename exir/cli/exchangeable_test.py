"""Tests of weights that other files can replace at run time."""

import pytest
import torch
from torch import Tensor, nn

from exir._serialize import deserialize_ptd
from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.error import ModelError
from exir.model.spec import ModelSpec
from exir.program import ExecutorchProgramManager


class Changed(nn.Module):
    """A linear layer and a product with a matrix that other files can replace."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("change", torch.zeros(8, 8), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + x @ self.change.t()


def _lower(names: tuple[str, ...], external_weights: bool = True) -> ExecutorchProgramManager:
    spec = ModelSpec(Changed(), (torch.ones(2, 8),), exchangeable=names)
    pipeline = Pipeline(external_weights=external_weights)
    return lower_programs(export_methods(spec), spec, pipeline)


def test_only_exchangeable_weights_are_in_the_file_under_their_names() -> None:
    (entry,) = deserialize_ptd(bytes(_lower(("change",)).merged_external_data))
    assert entry.layout is not None
    assert (entry.key, entry.layout.sizes, bytes(entry.data)) == ("change", [8, 8], bytes(256))


def test_exchangeable_weights_are_not_folded() -> None:
    """Folding the transposition would read the weight."""
    for external_weights in (False, True):
        manager = _lower(("change",), external_weights)
        targets = [str(node.target) for node in manager.exported_program().graph.nodes]
        assert any("permute" in target for target in targets) == external_weights


def test_exchangeable_weights_stay_in_a_program_without_a_weights_file() -> None:
    assert _lower(("change",), external_weights=False).external_data == {}


def test_unknown_exchangeable_weight_is_named() -> None:
    with pytest.raises(
        ModelError, match="'exchangeable' has 'other', which no method reads as a parameter"
    ):
        _lower(("change", "other"))
