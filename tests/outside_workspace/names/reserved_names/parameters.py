"""Parameters with names that C, C++, their libraries and generated code use."""

import torch

from exir.model.spec import ModelSpec


class Static(torch.nn.Module):
    def forward(
        self, method, sizes, out_error, count, value, memory, data, new, template, operator, this, namespace, register,
        restrict, int, default, static, errno, NULL, EOF, linux, unix, I, complex, assert_, true, bool, Größe, _x, X, x
    ):
        return method + new + x


class Dynamic(torch.nn.Module):
    def forward(self, count, sizes, method, out_error):
        return count + 1, sizes + 1, method + 1, out_error + 1


def static() -> ModelSpec:
    return ModelSpec(Static(), tuple(torch.ones(2) for _ in range(31)))


def dynamic() -> ModelSpec:
    names = ("count", "sizes", "method", "out_error")
    shapes = {name: {0: torch.export.Dim(f"n_{name}", min=1, max=8)} for name in names}
    return ModelSpec(Dynamic(), tuple(torch.ones(2) for _ in names), dynamic_shapes=shapes)
