"""Eager PyTorch."""

from __future__ import annotations

from pathlib import Path

import torch

from benchmarks.latency.catalog import Model
from benchmarks.latency.sides.side import Loaded, Setting, Side


class Eager(Side):
    name = "eager PyTorch"

    def takes(self, model: Model) -> bool:
        return True

    def start(self, setting: Setting) -> None:
        torch.set_num_threads(setting.threads)

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        return _loaded(model.module, model)


class Compiled(Eager):
    name = "torch.compile"

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        return _loaded(torch.compile(model.module), model)


def _loaded(function: object, model: Model) -> Loaded:
    results: list[torch.Tensor] = []

    def run() -> None:
        results[:] = [function(*model.inputs)]  # type: ignore[operator]

    return Loaded(run, lambda: results)
