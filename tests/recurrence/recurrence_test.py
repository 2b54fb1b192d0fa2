"""Tests recurrent layers of dynamic length on both backends.

The variable VARIANTS sets the number of layers.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.utils._pytree import tree_leaves

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import ExecutorchError, Method, Program
from exir import dynamic_recurrence, to_edge_transform_and_lower
from exir.backend.partitioner import Partitioner
from tests.recurrence.models import NETWORKS, Case, Variant, variants

_BACKENDS: dict[str, list[Partitioner]] = {"kernels": [], "cpu": [CpuPartitioner()]}
# In float16, eager PyTorch rounds after each operator; backends round at other points.
_TOLERANCES = {torch.float32: 2e-6, torch.float16: 3e-3}


def _methods(case: Case, folder: Path) -> Iterator[Method]:
    """Compile `case` for each backend."""
    with dynamic_recurrence(), torch.no_grad():
        exported = torch.export.export(case.module.eval(), case.calls[0], dynamic_shapes=case.dynamic_shapes)
    for backend, partitioner in _BACKENDS.items():
        lowered = to_edge_transform_and_lower(exported, partitioner=partitioner)
        lowered.to_executorch().save(str(folder / f"{backend}.pte"))
        yield Program(folder / f"{backend}.pte").method("forward")


def _assert_follows_eager(case: Case, folder: Path) -> None:
    for method in _methods(case, folder):
        eager = copy.deepcopy(case.module)
        for call in case.calls:
            with torch.no_grad():
                expected = [output.clone() for output in tree_leaves(eager(*call))]
            found = [torch.as_tensor(output) for output in tree_leaves(method(*call))]
            tolerance = _TOLERANCES[expected[0].dtype]
            torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("variant", variants(int(os.environ.get("VARIANTS", "64"))), ids=str)
def test_recurrent_layer_of_dynamic_length_follows_eager(variant: Variant, tmp_path: Path) -> None:
    _assert_follows_eager(variant.case(), tmp_path)


@pytest.mark.parametrize("name", NETWORKS)
def test_recurrent_network_of_dynamic_length_follows_eager(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    _assert_follows_eager(NETWORKS[name](), tmp_path)


@pytest.mark.parametrize("layer", [nn.GRU(4, 3), nn.LSTM(4, 3, bidirectional=True), nn.RNN(4, 3)], ids=str)
def test_sequence_without_steps_is_rejected_as_in_eager(layer: nn.Module, tmp_path: Path) -> None:
    empty = torch.zeros(0, 1, 4)
    with pytest.raises(RuntimeError, match="sequence length to be larger than 0"):
        layer(empty)
    case = Case(layer, [(torch.randn(5, 1, 4),)], ({0: Dim("length", max=9)},))
    for method in _methods(case, tmp_path):
        with pytest.raises(ExecutorchError, match=r"inputs\[0\]: size 0 of dim 0 is out of range; pass 1 to 9"):
            method(empty)
