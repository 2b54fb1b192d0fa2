"""Stateful networks: one run processes all chunks of a recording."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from benchmarks.latency.catalog import STREAM, Model
from benchmarks.latency.sides.onnx import OnnxRuntime
from benchmarks.latency.sides.ours import Ours, run
from benchmarks.latency.sides.side import Loaded, Setting
from models.listen.silero_vad import CHUNK

_CONTEXT = 64  # samples of the previous chunk, an input of the wheel's network
_RATE = 16000
_STATE = (2, 1, 128)


def pieces(model: Model) -> tuple[torch.Tensor, ...]:
    (recording,) = model.inputs
    return recording.split(CHUNK, dim=1)


class OursStream(Ours):
    """Process one chunk per call; the program keeps its state."""

    def takes(self, model: Model) -> bool:
        return model.kind == STREAM

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        method, chunks = self.open(model, setting), pieces(model)
        found: list[torch.Tensor] = []

        def listen() -> None:
            method.reset()
            found.clear()
            for chunk in chunks:
                run(method, (chunk,))
                found.append(method.outputs(as_torch=True)[0])

        return Loaded(listen, lambda: [torch.cat(found)], self.program(model, setting).stat().st_size)


class OnnxRuntimeStream(OnnxRuntime):
    """Run the file in the wheel, with state and context as inputs and outputs.

    Its weights differ from the program's, so the results are not compared.
    """

    name = "ONNX Runtime, the wheel's file"
    converters = ()

    def takes(self, model: Model) -> bool:
        return model.kind == STREAM

    def convert(self, model: Model, path: Path) -> None:
        shutil.copyfile(os.environ["LISTEN_ONNX"], path)

    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        assert path is not None
        session = self.session(path, setting)
        rate = torch.tensor(_RATE).numpy()
        heard = functional.pad(model.inputs[0], (_CONTEXT, 0))
        chunks = [chunk.numpy() for chunk in heard.unfold(1, _CONTEXT + CHUNK, CHUNK)[0].split(1)]

        def listen() -> None:
            state: Any = torch.zeros(_STATE).numpy()
            for chunk in chunks:
                _, state = session.run(None, {"input": chunk, "state": state, "sr": rate})

        return Loaded(listen, file_bytes=path.stat().st_size)
