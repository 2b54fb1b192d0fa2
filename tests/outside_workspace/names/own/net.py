"""Uses packages of the workspace, with and without an __init__.py."""

import torch

import backends.own
import kernels.own
import models.own
import rules.own
import schema.own
import tests.own

PACKAGES = (backends, kernels, models, rules, schema, tests)


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + sum(package.own.OFFSET for package in PACKAGES)


def model() -> tuple[torch.nn.Module, tuple[torch.Tensor]]:
    return Net(), (torch.zeros(2),)
