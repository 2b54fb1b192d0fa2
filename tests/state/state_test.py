"""Tests state that is accessed through views, on both backends.

Several calls match eager PyTorch.
"""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from backends.cpu.compiler.partitioner import CpuPartitioner
from executorch_runtime import Program
from exir import to_edge_transform_and_lower
from exir.backend.partitioner import Partitioner
from tests.state.generator import random_case
from tests.state.models import CASES, Case

_BACKENDS: dict[str, list[Partitioner]] = {"kernels": [], "cpu": [CpuPartitioner()]}


def _assert_follows_eager(case: Case, partitioner: list[Partitioner], folder: Path) -> None:
    torch.manual_seed(0)
    module: nn.Module = case.make().eval()
    eager = copy.deepcopy(module)
    with torch.no_grad():
        exported = torch.export.export(module, case.calls[0], dynamic_shapes=case.dynamic_shapes)
    to_edge_transform_and_lower(exported, partitioner=partitioner).to_executorch().save(str(folder / "program.pte"))
    method = Program(folder / "program.pte").method("forward")
    for call in case.calls:
        with torch.no_grad():
            expected = [output.clone() for output in tree_leaves(eager(*call))]
        found = [torch.as_tensor(output) for output in tree_leaves(method(*call))]
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("backend", _BACKENDS)
@pytest.mark.parametrize("name", CASES)
def test_stateful_model_follows_eager(name: str, backend: str, tmp_path: Path) -> None:
    _assert_follows_eager(CASES[name], _BACKENDS[backend], tmp_path)


@pytest.mark.parametrize("backend", _BACKENDS)
@pytest.mark.parametrize("seed", range(24))
def test_random_stateful_model_follows_eager(seed: int, backend: str, tmp_path: Path) -> None:
    _assert_follows_eager(random_case(seed), _BACKENDS[backend], tmp_path)
