"""Tests that weights with untransposed and transposed uses are stored once."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

from exir.capture import EdgeCompileConfig
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
    "scalar": torch.tensor(7),
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
    assert "aten::index_select" in operator_names(manager.exported_program())
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

    assert notes(Multiplied(), (torch.randn(2, WORDS),)) == []


def test_preserved_linear_layer_of_a_multiplied_matrix_has_a_note() -> None:
    """Backends transpose the weight of a linear layer."""
    x, linear = torch.randn(3, WORDS), torch.ops.aten.linear.default
    (note,) = notes(BothWays(bias=True), (x,), preserved=(linear,))
    assert note.startswith("'weight' is stored twice")


def test_preserved_linear_layer_does_not_decide_the_layout() -> None:
    def function(m: Any, tokens: Tensor, x: Tensor) -> object:
        rows = nn.functional.embedding(tokens, m.weight)
        return rows @ m.weight.t(), nn.functional.linear(x, m.weight)

    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.linear.default])
    inputs = TOKENS["row"], torch.randn(2, WIDTH)
    program = to_edge(
        Example(Function(function), inputs).export(), compile_config=config
    ).exported_program()
    assert {"aten::index_select", "aten::linear"} <= set(operator_names(program))


def test_preserved_linear_layer_of_an_embedding_has_no_note() -> None:
    assert notes(Tied(), (TOKENS["row"],), preserved=(torch.ops.aten.linear.default,)) == []


@pytest.mark.parametrize("words", [16, 128])
def test_matrix_of_up_to_4096_bytes_is_stored_twice(words: int) -> None:
    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(words, 8)

        def forward(self, tokens: Tensor) -> Tensor:
            return self.words(tokens) @ self.words.weight.t()

    names = operator_names(edge(Small(), (TOKENS["one"],)).exported_program())
    assert names == ["aten::embedding", "aten::mm"]


class Function(nn.Module):
    """A function of a matrix, a square matrix and the inputs."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WORDS, WIDTH) / 8)
        self.square = nn.Parameter(torch.randn(80, 80) / 8)
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(self, *inputs)


def notes(
    module: nn.Module, inputs: tuple[Tensor, ...], shapes: Any = None, preserved: tuple[Any, ...] = ()
) -> list[str]:
    """Return the notes about matrices that are stored twice."""
    preserve = dict.fromkeys(preserved, lambda node: True)
    program = to_core_aten(Example(module.eval(), inputs, shapes).export(), preserve)
    bundle = ProgramBundle({"forward": program})
    ShareTransposed().run(bundle)
    return list(bundle.context.diagnostics.messages)


def assert_stored(
    copies: int, function: Callable[..., object], *inputs: Tensor, shapes: Any = None
) -> None:
    """Assert how often a matrix is stored, the note about it, and the results."""
    module = Function(function).eval()
    found_notes = notes(module, inputs, shapes)
    assert len(found_notes) == copies - 1
    assert all(note.startswith(("'weight' is stored twice", "'square' is")) for note in found_notes)
    manager = edge(module, inputs, shapes)
    assert stored(manager) // MATRIX == copies
    found = run(manager.exported_program(), inputs)
    assert_same(found, run_module(module, inputs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dims", [(1, 0), (-1, -2), (-1, 0), (1, -2)])
def test_transposes_with_negative_dimensions_share_the_matrix(dims: tuple[int, int]) -> None:
    x = torch.randn(3, WORDS)
    assert_stored(1, lambda m, x: torch.tanh(x @ m.weight) @ m.weight.permute(dims), x)


def test_embedding_of_a_multiplied_matrix_stays_untransposed() -> None:
    def function(m: Any, tokens: Tensor, x: Tensor) -> object:
        hidden = torch.tanh(x @ m.weight)
        return nn.functional.embedding(tokens, m.weight) + hidden, hidden @ m.weight.t()

    assert_stored(1, function, TOKENS["row"], torch.randn(4, WORDS))


_TWICE: dict[str, Callable[..., object]] = {
    "the transposed matrix is also an operand": lambda m, x: (
        torch.tanh(x @ m.weight) @ m.weight.t(),
        m.weight.t() + x[:, :1],
    ),
    "the transposed matrix is on the left": lambda m, x: (x @ m.weight, m.weight.t() @ x.t()),
    "the transposed matrix is multiplied by itself": lambda m, x: (
        x[:, :80] @ m.square,
        *[turned @ turned for turned in (m.square.t(),)],
    ),
    "the product that reads it untransposed has a bias": lambda m, x: (
        torch.addmm(x[0, :WIDTH], x, m.weight),
        m.weight.t() + x,
    ),
    "the product is scaled": lambda m, x: (
        x @ m.weight,
        torch.addmm(x[0], x[:, :WIDTH], m.weight.t(), alpha=2),
    ),
}


@pytest.mark.parametrize("name", _TWICE)
def test_matrix_is_stored_twice_with_a_note_if(name: str) -> None:
    assert_stored(2, _TWICE[name], torch.randn(WIDTH, WORDS))


def test_embedding_with_two_dynamic_dims_keeps_its_layout() -> None:
    """The transposed embedding flattens the indices, and a view has one size to infer."""
    shapes: Any = (({0: Dim("rows", min=2, max=8), 1: Dim("columns", min=2, max=8)}, {}),)
    inputs = torch.tensor([[1, 2, 3], [4, 5, 199]]), torch.randn(WIDTH, WORDS)

    def added(m: Any, tokens: Tensor, x: Tensor) -> object:
        return nn.functional.embedding(tokens, m.weight), m.weight.t() + x

    def projected(m: Any, tokens: Tensor, x: Tensor) -> object:
        return nn.functional.linear(nn.functional.embedding(tokens, m.weight), m.weight) + x[0]

    assert_stored(2, added, *inputs, shapes=shapes)
    assert_stored(1, projected, *inputs, shapes=shapes)


class Halves(nn.Module):
    """One half of an autoencoder with one matrix."""

    def __init__(self, weight: nn.Parameter, decodes: bool) -> None:
        super().__init__()
        self.weight, self.decodes = weight, decodes

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.weight) if self.decodes else x @ self.weight


class Unused(nn.Module):
    """A method that has the matrix but does not use it."""

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, x: Tensor) -> Tensor:
        return x * 2


def methods(
    modules: Mapping[str, nn.Module], inputs: Mapping[str, tuple[Tensor, ...]]
) -> EdgeProgramManager:
    """Return a program with a method for each module, after a check of the results."""
    manager = to_edge({name: Example(modules[name].eval(), inputs[name]).export() for name in modules})
    for name, module in modules.items():
        found = run(manager.exported_program(name), inputs[name])
        assert_same(found, run_module(module, inputs[name]), 1e-4, 1e-5)
    return manager


def test_methods_share_a_matrix_and_its_transpose() -> None:
    weight = nn.Parameter(torch.randn(WORDS, WIDTH))
    inputs = {"encode": (torch.randn(2, WORDS),), "decode": (torch.randn(2, WIDTH),)}
    modules = {name: Halves(weight, name == "decode") for name in inputs}
    manager = methods(modules, inputs)
    assert MATRIX < stored(manager) < 1.5 * MATRIX


def test_embedding_and_projection_of_two_methods_are_stored_once() -> None:
    tied = Tied()
    inputs = {"embed": (TOKENS["row"],), "project": (torch.randn(2, WIDTH),)}
    inputs["unused"] = (torch.ones(2),)
    modules = {"embed": tied.words, "project": tied.head, "unused": Unused(tied.head.weight)}
    manager = methods(modules, inputs)
    assert MATRIX < stored(manager) < 1.5 * MATRIX


def test_different_matrices_of_equal_name_keep_their_layouts() -> None:
    inputs = {"encode": (torch.randn(2, WORDS),), "decode": (torch.randn(2, WIDTH),)}
    modules = {
        name: Halves(nn.Parameter(torch.randn(WORDS, WIDTH)), name == "decode") for name in inputs
    }
    manager = methods(modules, inputs)
    assert [operator_names(manager.exported_program(name)) for name in inputs] == [["aten::mm"]] * 2
