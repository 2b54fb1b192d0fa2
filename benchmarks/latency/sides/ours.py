"""This project's runtime, on kernels or on a backend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from benchmarks.latency.catalogue import Model
from benchmarks.latency.native import NativeError, Program
from benchmarks.latency.sides.side import Loaded, Missing, Setting, Side
from exir.tensor import scalar_type


class Ours(Side):
    """A program that the build compiled: `<model>_<variant>.pte`."""

    def __init__(self, name: str, variant: str, held: bool) -> None:
        self.name = name
        self._variant = variant
        self._held = held  # can be held to an instruction set

    def program(self, model: Model, setting: Setting) -> Path:
        path = setting.programs / f"{model.name}_{self._variant}.pte"
        if not path.exists():
            raise Missing(f"{path.name} is not built")
        return path

    def open(self, model: Model, setting: Setting, watched: bool = False) -> Program:
        isa = setting.isa if self._held else ""
        path = self.program(model, setting)
        try:
            return Program(setting.library, str(path), isa, setting.threads, watched)
        except NativeError as error:
            raise Missing(str(error)) from error

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        program = self.open(model, setting)
        return Loaded(
            lambda: run(program, model.inputs),
            lambda: [first_output(program, model)],
            self.program(model, setting).stat().st_size,
            program.memory,
        )


def run(program: Program, inputs: tuple[torch.Tensor, ...]) -> None:
    """One run; a planned input is copied, which is part of it."""
    for index, tensor in enumerate(inputs):
        code = int(scalar_type(tensor.dtype))
        program.set_input(index, code, tuple(tensor.shape), tensor.data_ptr(), tensor.nbytes)
    program.run()


def first_output(program: Program, model: Model) -> torch.Tensor:
    return torch.from_numpy(np.frombuffer(program.output(0), np.float32).copy())
