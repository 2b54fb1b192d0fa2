"""Tests of `ModelSpec`: its methods and its errors."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from exir.error import ModelError
from exir.model.spec import MethodSpec, ModelSpec, as_model_spec


class _Codec(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3))

    def forward(self, x: Tensor) -> Tensor:
        return x

    def encode(self, x: Tensor) -> Tensor:
        return x @ self.weight

    def decode(self, code: Tensor, scale: float = 1.0) -> Tensor:
        return code @ self.weight.t() * scale


_X = (torch.ones(2, 3),)


def test_pair_of_model_and_inputs_exports_forward() -> None:
    module = _Codec()
    spec = as_model_spec((module, _X), "entry point 'm'")
    assert list(spec.resolved_methods()) == ["forward"]
    assert spec.module is module and spec.example_args is _X


def test_methods_share_the_modules_parameters() -> None:
    module = _Codec()
    spec = ModelSpec(module, methods={"encode": MethodSpec(_X), "decode": MethodSpec(_X)})
    programs = {name: method.export() for name, method in spec.resolved_methods().items()}
    assert list(programs) == ["decode", "encode"]
    for program in programs.values():
        assert program.state_dict["weight"] is module.weight
    assert torch.equal(programs["encode"].module()(*_X), module.encode(*_X))
    assert torch.equal(programs["decode"].module()(*_X), module.decode(*_X))


def test_method_source_lines_are_recorded() -> None:
    spec = ModelSpec(_Codec(), methods={"decode": MethodSpec(_X, {"scale": 2.0})})
    program = spec.resolved_methods()["decode"].export()
    traces = [n.meta["stack_trace"] for n in program.graph.nodes if n.op == "call_function"]
    assert all("code @ self.weight.t() * scale" in trace for trace in traces)


def test_method_name_may_differ_from_its_function() -> None:
    spec = ModelSpec(_Codec(), methods={"pack": MethodSpec(_X, function="encode")})
    assert torch.equal(spec.resolved_methods()["pack"].as_module()(*_X), spec.module.encode(*_X))


def test_method_may_run_a_separate_module() -> None:
    other = nn.Linear(3, 2)
    spec = ModelSpec(_Codec(), _X, methods={"project": MethodSpec(_X, module=other)})
    methods = spec.resolved_methods()
    assert list(methods) == ["forward", "project"]
    assert methods["project"].as_module() is other


# A caller without a type checker can pass anything.
_untyped: Any = ModelSpec


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: _untyped(3, _X), "'module' must be a torch.nn.Module, got a int"),
        (lambda: ModelSpec(_Codec()), "pass 'example_args'"),
        (lambda: _untyped(_Codec(), _X[0]), "write \\(x,\\) for one input"),
        (lambda: _untyped(_Codec(), _X, [1]), "example_kwargs must map"),
        (lambda: ModelSpec(_Codec(), methods={"a b": MethodSpec(_X)}), "must be an identifier"),
        (lambda: _untyped(_Codec(), methods={"encode": _X}), "must be a MethodSpec"),
        (lambda: ModelSpec(_Codec(), _X, methods={"forward": MethodSpec(_X)}), "defined twice"),
        (lambda: ModelSpec(_Codec(), _X, constant_methods={"n": {}}), "constant method 'n' must"),
        (lambda: ModelSpec(_Codec(), _X, constant_methods={"forward": 1}), "both a method and"),
        (
            lambda: ModelSpec(_Codec(), methods={"pack": MethodSpec(_X)}).resolved_methods(),
            "_Codec has no function 'pack'",
        ),
        (
            lambda: ModelSpec(_Codec(), methods={"a": MethodSpec(_X, function="b")}).resolved_methods(),
            "has no function 'b'",
        ),
        (lambda: as_model_spec(_Codec(), "entry point 'm'"), "entry point 'm' must return"),
        (lambda: as_model_spec(None, "entry point 'm'"), "got None"),
    ],
)
def test_invalid_model_spec_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()
