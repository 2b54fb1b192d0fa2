"""Tests of `ShapesSpec`, an API for dynamic shapes of torch 2.14 and later."""

import importlib
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from exir import MethodSpec, ModelSpec, to_edge
from exir.torch_versions import is_before

pytestmark = pytest.mark.skipif(
    is_before(2, 14), reason="torch.export accepts a ShapesSpec since torch 2.14"
)


def _specs() -> Any:
    return importlib.import_module("torch.fx.experimental.dynamic_spec")


class _Joined(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return torch.cat([x, y]).softmax(-1) * x.sum()

    def twice(self, x: Tensor) -> Tensor:
        return x * 2


def _assert_matches_eager(spec: ModelSpec, calls: dict[str, list[tuple[Tensor, ...]]]) -> None:
    methods = spec.resolved_methods()
    manager = to_edge({name: method.export() for name, method in methods.items()})
    assert manager.to_executorch().buffer[4:8] == b"ET12"
    for name, inputs in calls.items():
        for args in inputs:
            found = manager.exported_program(name).module()(*args)
            torch.testing.assert_close(found, getattr(spec.module, name)(*args))


def test_methods_of_a_shapes_spec_match_eager_for_all_sizes() -> None:
    specs = _specs()
    batch = specs.ShapeVar("batch", min=2, max=128)
    tensors = {"x": specs.TensorSpec([batch, 3]), "y": specs.TensorSpec([batch * 2, 3])}
    shapes = specs.ShapesSpec(params=specs.ParamsSpec(tensors), assumptions=[batch % 2 == 0])
    rows = specs.ParamsSpec({"x": specs.TensorSpec([batch])})
    spec = ModelSpec(
        _Joined(),
        (torch.randn(8, 3), torch.randn(16, 3)),
        dynamic_shapes=shapes,
        methods={"twice": MethodSpec((torch.randn(4),), dynamic_shapes=rows)},
    )
    _assert_matches_eager(
        spec,
        {
            "forward": [(torch.randn(n, 3), torch.randn(2 * n, 3)) for n in (2, 6, 128)],
            "twice": [(torch.randn(n),) for n in (2, 5)],
        },
    )


def test_decorated_methods_have_the_shapes_of_their_decorators() -> None:
    specs = _specs()
    batch = specs.ShapeVar("batch", min=2, max=128)

    class Decorated(nn.Module):
        @specs.dynamic_spec({"x": specs.TensorSpec([batch, 3])})
        def forward(self, x: Tensor) -> Tensor:
            return x.relu()

        @specs.dynamic_spec({"x": specs.TensorSpec([batch])})
        def twice(self, x: Tensor) -> Tensor:
            return x * 2

    spec = ModelSpec(Decorated(), (torch.randn(8, 3),), methods={"twice": MethodSpec((torch.randn(4),))})
    _assert_matches_eager(
        spec,
        {
            "forward": [(torch.randn(n, 3),) for n in (2, 5)],
            "twice": [(torch.randn(n),) for n in (2, 5)],
        },
    )
