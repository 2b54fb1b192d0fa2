"""Tests that embeddings and indexing each lower to one op and agree with PyTorch."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.testing.compare import assert_computes, delegated, lowered, ops, specs
from backends.cpu.compiler.testing.interpreter import run_payload
from backends.cpu.schema.embedding import Embedding
from exir.backend.utils import get_non_lowered_nodes


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
@pytest.mark.parametrize("sizes", [(), (5,), (2, 3)])
def test_embeddings(dtype: torch.dtype, sizes: tuple[int, ...]) -> None:
    indices = torch.randint(0, 20, sizes, dtype=dtype)
    assert [type(each) for each in specs(nn.Embedding(20, 6), indices)] == [Embedding]
    assert_computes(nn.Embedding(20, 6), indices)


def test_embedding_of_dynamic_token_count() -> None:
    module = nn.Sequential(nn.Embedding(20, 6), nn.LayerNorm(6))
    others = [(torch.randint(0, 20, (1, size)),) for size in (2, 9)]
    tokens = torch.randint(0, 20, (1, 4))
    assert_computes(module, tokens, dynamic_shapes=({1: Dim("tokens", min=2, max=9)},), others=others)


def test_embedding_with_a_computed_table() -> None:
    def function(x: Tensor, indices: Tensor) -> Tensor:
        return nn.functional.embedding(indices + 1, x.relu())

    assert_computes(function, torch.randn(20, 6), torch.arange(4))


_TABLE = torch.randn(7, 3, 4)


@pytest.mark.parametrize("indices", [[0, 6, 3], [[1, 2], [-1, -7]]])
def test_indices_of_one_dimension(indices: list[int]) -> None:
    at = torch.tensor(indices)
    assert_computes(lambda at: _TABLE[at], at)
    assert_computes(lambda x, at: x[:, at] * 2, torch.randn(2, 7, 3), at)
    assert_computes(lambda x, at: x[..., at] * 2, torch.randn(2, 3, 7), at)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_index_select(dim: int) -> None:
    assert_computes(lambda x, at: x.index_select(dim, at), torch.randn(4, 4, 4), torch.tensor([3, 0, 3]))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, at: x[at, at],
        lambda x, at: x[:, at, at + 1],
        lambda x, at: x[at[:, None], :, at],
        lambda x, at: x[-1 - at, at[:, None], at],
        lambda x, at: (x > 0)[at, at.int()],
    ],
)
def test_indices_of_several_dimensions(function: Any) -> None:
    assert_computes(function, torch.randn(4, 5, 6), torch.tensor([2, 0, -1, 2]))


def test_index_out_of_bounds_does_not_read_the_next_row() -> None:
    program = delegated(lambda x, at: x[at, at], [torch.randn(3, 4), torch.tensor([1, 2])])
    payload = compile_partition(program, Options())
    with pytest.raises(IndexError):
        run_payload(payload.data, payload.named, [torch.randn(3, 4), torch.tensor([0, 4])])
    with pytest.raises(IndexError):
        run_payload(payload.data, payload.named, [torch.randn(3, 4), torch.tensor([0, -4])])


def test_indices_of_dynamic_dimensions() -> None:
    def function(x: Tensor) -> Tensor:
        at = torch.arange(x.shape[1])
        return x[torch.arange(x.shape[0])[:, None], x.shape[1] - 1 - at] + x[:, at - 1]

    n, m = Dim("n", min=2, max=12), Dim("m", min=2, max=12)
    others = [(torch.randn(2, 12, 2),), (torch.randn(12, 2, 2),)]
    assert_computes(function, torch.randn(5, 4, 2), dynamic_shapes=({0: n, 1: m},), others=others)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_gather(dim: int) -> None:
    at = torch.randint(0, 3, (3, 3, 2))
    assert_computes(lambda x, at: x.gather(dim, at), torch.randn(3, 4, 3), at)
    n = Dim("n", min=2, max=9)
    others = [(torch.randn(size, 4, 3), torch.randint(0, 2, (size, 3, 2))) for size in (2, 9)]
    dynamic = ({0: n}, {0: n})
    assert_computes(lambda x, at: x.gather(dim, at), torch.randn(3, 4, 3), at, dynamic_shapes=dynamic, others=others)


def test_unsupported_indexing_is_left_to_kernels() -> None:
    inputs = [torch.randn(4, 4), torch.tensor([True, False, True, True])]
    assert get_non_lowered_nodes(lowered(lambda x, at: x[:, at].sum(), inputs).graph)


class _Tied(nn.Module):
    """An embedding and an output layer that share one matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(37, 6)
        self.scores = nn.Linear(6, 37, bias=False)
        self.scores.weight = self.words.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.scores(self.words(tokens).relu())


def test_tied_embedding_is_stored_once() -> None:
    tokens = torch.tensor([[0, 36, 17]])
    graph = ops(_Tied(), tokens)
    tables = {op.inputs[at] for op, at in zip((graph.ops[0], graph.ops[-1]), (0, 1))}
    assert len(tables) == 1 and isinstance(graph.ops[0].spec, Embedding)
    assert_computes(_Tied(), tokens)
