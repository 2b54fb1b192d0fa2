"""Tests that weights with untransposed and transposed uses are stored once."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from exir.decomposition.decompose import to_core_aten
from exir.graph.program_bundle import ProgramBundle
from exir.pass_manager import run_passes
from exir.passes.share_transposed import ShareTransposed
from exir.program import EdgeProgramManager, to_edge
from exir.testing.graphs import assert_same, operator_names, run, run_module
from exir.testing.models import Example

WORDS, WIDTH = 200, 32
MATRIX = WORDS * WIDTH * 4


class Tied(nn.Module):
    """A language model whose output projection has the weight of the embedding."""

    def __init__(self, bias: bool = False) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias=bias)
        self.head.weight = self.words.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(torch.relu(self.words(tokens)))


class BothWays(nn.Module):
    """An autoencoder with one matrix."""

    def __init__(self, bias: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WORDS, WIDTH))
        self.bias = nn.Parameter(torch.randn(WORDS)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(torch.tanh(x @ self.weight), self.weight, self.bias)


def edge(module: nn.Module, inputs: tuple[Tensor, ...], shapes: object = None) -> EdgeProgramManager:
    return to_edge(Example(module.eval(), inputs, shapes).export())


def stored(manager: EdgeProgramManager) -> int:
    return len(manager.to_executorch().buffer)


TOKENS = {
    "one": torch.tensor([7]),
    "row": torch.tensor([1, 5, 5, 199]),
    "batch": torch.tensor([[3, 0], [1, 9]]),
}


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", TOKENS)
def test_tied_embedding_and_projection_are_stored_once(shape: str, bias: bool) -> None:
    torch.manual_seed(0)
    module, inputs = Tied(bias), (TOKENS[shape],)
    manager = edge(module, inputs)
    assert MATRIX < stored(manager) < 1.3 * MATRIX
    assert_same(run(manager.exported_program(), inputs), run_module(module, inputs))


def test_shared_transpose_preserves_topological_order() -> None:
    inputs = (TOKENS["row"],)
    program = to_core_aten(Example(Tied().eval(), inputs).export(), {})
    program = run_passes(program, [ShareTransposed()])
    program.graph.lint()
    assert "aten::index_select" in operator_names(program)


def test_shared_embedding_takes_a_dynamic_token_count() -> None:
    torch.manual_seed(0)
    module, inputs = Tied(), (torch.tensor([[1, 2, 3]]),)
    manager = edge(module, inputs, ({1: Dim("n", min=2, max=8)},))
    assert MATRIX < stored(manager) < 1.3 * MATRIX
    longer = (torch.tensor([[4, 0, 199, 7, 7]]),)
    assert_same(run(manager.exported_program(), longer), run_module(module, longer))


@pytest.mark.parametrize("bias", [False, True])
def test_matrix_multiplied_both_ways_is_stored_once(bias: bool) -> None:
    torch.manual_seed(0)
    module, inputs = BothWays(bias), (torch.randn(3, WORDS) / 8,)
    manager = edge(module, inputs)
    assert MATRIX < stored(manager) < 1.3 * MATRIX
    found = run(manager.exported_program(), inputs)
    assert_same(found, run_module(module, inputs), rtol=1e-4, atol=1e-5)


def test_matrix_used_one_way_is_unchanged() -> None:
    class Untied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)

        def forward(self, tokens: Tensor) -> Tensor:
            return self.head(self.words(tokens))

    names = operator_names(edge(Untied(), (TOKENS["row"],)).exported_program())
    assert names == ["aten::embedding", "aten::addmm"]


def test_multiplied_matrix_has_no_note() -> None:
    class Multiplied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(WORDS, WIDTH))

        def forward(self, x: Tensor) -> Tensor:
            return x @ self.weight

    program = edge(Multiplied(), (torch.randn(2, WORDS),)).exported_program()
    bundle = ProgramBundle({"forward": program})
    ShareTransposed().run(bundle)
    assert bundle.context.diagnostics.messages == []


def test_small_matrix_is_stored_twice() -> None:
    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(16, 8)

        def forward(self, tokens: Tensor) -> Tensor:
            return self.words(tokens) @ self.words.weight.t()

    names = operator_names(edge(Small(), (TOKENS["one"],)).exported_program())
    assert names == ["aten::embedding", "aten::mm"]


class Halves(nn.Module):
    """One half of an autoencoder with one matrix."""

    def __init__(self, weight: nn.Parameter, decodes: bool) -> None:
        super().__init__()
        self.weight, self.decodes = weight, decodes

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.weight) if self.decodes else x @ self.weight


def test_methods_share_a_matrix_and_its_transpose() -> None:
    weight = nn.Parameter(torch.randn(WORDS, WIDTH))
    inputs = {"encode": (torch.randn(2, WORDS),), "decode": (torch.randn(2, WIDTH),)}
    modules = {name: Halves(weight, name == "decode").eval() for name in inputs}
    manager = to_edge({name: Example(modules[name], inputs[name]).export() for name in inputs})
    for name, module in modules.items():
        assert_same(
            run(manager.exported_program(name), inputs[name]),
            run_module(module, inputs[name]),
            1e-4,
            1e-5,
        )
    assert MATRIX < stored(manager) < 1.5 * MATRIX
