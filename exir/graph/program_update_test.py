"""Tests that mutated constants become state."""

import pytest
import torch
from torch import Tensor, nn

from exir import to_edge
from exir.decomposition.decompose import decompose_locally
from exir.decomposition.decompositions import core_aten
from exir.error import NotLocal
from exir.testing.models import Example


class Cache:
    """Holds tensors, but is not a module."""

    def __init__(self) -> None:
        self.keys = torch.zeros(4)


class Model(nn.Module):
    """A module whose buffer shares memory with the mutated cache."""

    def __init__(self, reads_buffer: bool) -> None:
        super().__init__()
        self.cache, self.reads_buffer = Cache(), reads_buffer
        self.register_buffer("keys", self.cache.keys, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        self.cache.keys.add_(x)
        return self.keys * 2 if self.reads_buffer else self.cache.keys * 2


def exported(reads_buffer: bool) -> torch.export.ExportedProgram:
    return Example(Model(reads_buffer).eval(), (torch.ones(4),)).export()


def test_mutated_constant_becomes_a_buffer() -> None:
    program = to_edge(exported(reads_buffer=False)).exported_program()
    (buffer,) = program.graph_signature.buffers
    assert list(program.graph_signature.buffers_to_mutate.values()) == [buffer]
    run = program.module()
    assert [run(torch.ones(4)).tolist() for _ in range(2)] == [[2.0] * 4, [4.0] * 4]


def test_aliased_memory_is_recognized() -> None:
    with pytest.raises(NotLocal, match="writes to 'lifted_tensor_0', which shares memory with 'keys'"):
        decompose_locally(exported(reads_buffer=True), core_aten())
