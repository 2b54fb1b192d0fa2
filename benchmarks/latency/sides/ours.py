"""This project's runtime, on portable kernels or on a backend."""

from __future__ import annotations

import dataclasses
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import torch
from torch.export import ExportedProgram

from benchmarks.latency.catalog import Model
from benchmarks.latency.quantized import quantized
from benchmarks.latency.sides.official import with_dynamic_4_bits, with_dynamic_bytes
from benchmarks.latency.sides.side import Loaded, Missing, Setting, Side
from executorch_runtime import ExecutorchError, Method, Program

_COMPILER = ("exir", "backends/cpu/compiler")


class Ours(Side):
    """A program from the build: `<model>_<variant>.pte`."""

    def __init__(self, name: str, variant: str, held: bool) -> None:
        self.name = name
        self._variant = variant
        self._held = held  # whether it can be restricted to an instruction set

    def program(self, model: Model, setting: Setting) -> Path:
        path = setting.programs / f"{model.program or model.name}_{self._variant}.pte"
        if not path.exists():
            raise Missing(f"{path.name} is not built")
        return path

    def start(self, setting: Setting) -> None:
        super().start(setting)
        with suppress(ExecutorchError):
            Program(os.devnull)  # loads the library before timing starts, as for the peers

    def file(self, model: Model, path: Path | None, setting: Setting) -> Path:
        return self.program(model, setting)

    def open(self, model: Model, setting: Setting, watched: bool = False) -> Method:
        isa = setting.isa if self._held else ""
        path = self.program(model, setting)
        try:
            return _method(path, setting, isa, watched)
        except ExecutorchError as error:
            raise Missing(str(error)) from error

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        return _loaded(self.open(model, setting), model, self.program(model, setting))


class OursInt8(Side):
    """The CPU backend with the same static int8 model as the official runtime's side."""

    name = "ours, cpu int8"
    converters: tuple[str, ...] = ("executorch", "torchao")
    options: ClassVar[dict[str, Any]] = {}  # of the backend

    def takes(self, model: Model) -> bool:
        return model.kind == "image"

    def exported(self, model: Model) -> ExportedProgram:
        with TemporaryDirectory() as folder:
            return quantized(model, Path(folder))

    def sources(self) -> tuple[str, ...]:
        root = Path(__file__).parents[3]
        return tuple(str(path) for folder in _COMPILER for path in sorted((root / folder).rglob("*.py")))

    def convert(self, model: Model, path: Path) -> None:
        from backends.cpu.compiler.partitioner import CpuPartitioner
        from exir import to_edge_transform_and_lower

        edge = to_edge_transform_and_lower(self.exported(model), partitioner=[CpuPartitioner(**self.options)])
        path.write_bytes(edge.to_executorch().buffer)

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        assert path is not None
        return _loaded(_method(path, setting, setting.isa), model, path)


class OursDynamic(OursInt8):
    """The CPU backend with int8 weights only."""

    name = "ours, cpu dynamic int8"
    converters = ("torchao",)

    def takes(self, model: Model) -> bool:
        return model.kind == "text"

    def exported(self, model: Model) -> ExportedProgram:
        return torch.export.export(with_dynamic_bytes(model), model.inputs, strict=False)


class OursDynamic4Bit(OursInt8):
    """The CPU backend with int4 weights and 16-bit scales, as the read limit assumes."""

    name = "ours, cpu dynamic 4-bit"
    converters = ("torchao",)

    def takes(self, model: Model) -> bool:
        return model.name == "decoder"  # other models already have low-bit weights

    def exported(self, model: Model) -> ExportedProgram:
        return torch.export.export(with_dynamic_4_bits(model, torch.bfloat16), model.inputs, strict=False)


class OursPlain(OursInt8):
    """The CPU backend in float32 without Strassen, which needs larger weights."""

    name = "ours, cpu without strassen"
    converters = ()
    options: ClassVar[dict[str, Any]] = {"strassen": "never"}

    def takes(self, model: Model) -> bool:
        return model.kind in ("image", "text")

    def exported(self, model: Model) -> ExportedProgram:
        return torch.export.export(model.module, model.inputs, strict=False)


def _method(path: Path, setting: Setting, isa: str, watched: bool = False) -> Method:
    options = {"CpuBackend": {"isa": isa}} if isa else {}
    program = Program(path, clock=setting.library.clock)
    return program.method(threads=setting.threads, backend_options=options, trace=watched)


def _loaded(method: Method, model: Model, path: Path) -> Loaded:
    return Loaded(
        lambda: run(method, model.inputs),
        lambda: [method.outputs(as_torch=True)[0]],
        path.stat().st_size,
        dataclasses.asdict(method.memory),
    )


def run(method: Method, inputs: tuple[torch.Tensor, ...]) -> None:
    """Execute one run, including the copy to a planned input."""
    borrowed = [method.set_input(index, tensor) for index, tensor in enumerate(inputs)]
    method.execute()
    del borrowed
