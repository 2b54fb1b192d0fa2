"""Tests the model in eager PyTorch, and compiles it without Bazel rules."""

import torch
from app.net import model

from exir import to_edge

module, inputs = model()
assert module(*inputs).shape == (1, 16, 4)
program = to_edge(torch.export.export(module.eval(), inputs)).to_executorch()
assert program.buffer[4:8] == b"ET12"
