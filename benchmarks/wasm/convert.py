"""Write MobileNetV2 and MiniLM as .onnx and .tflite files for other engines.

    bazel run //benchmarks/wasm:convert -- FOLDER

MobileNetV2 has the weights of `:f32_pte`, from the compiler's seed. MiniLM has its published weights
and accepts 128 tokens.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import litert_torch
import torch
from safetensors.torch import load_file
from torch import nn

from exir.cli.worker.environment import seed_everything
from models.mobilenet import mobilenet_v2
from models.search.minilm import minilm

_OPSET = 17
_TOKENS = 128


def _mobilenet() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    seed_everything()
    return mobilenet_v2()


def _minilm() -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    module = minilm().module
    module.load_state_dict(load_file(os.environ["SEARCH_WEIGHTS"]))
    return module, (torch.arange(1000, 1000 + _TOKENS).unsqueeze(0),)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in {"mobilenet": _mobilenet, "minilm": _minilm}.items():
        module, inputs = model()
        torch.onnx.export(module, inputs, str(folder / f"{name}.onnx"), dynamo=False, opset_version=_OPSET)
        litert_torch.convert(module, inputs).export(str(folder / f"{name}.tflite"))


if __name__ == "__main__":
    main()
