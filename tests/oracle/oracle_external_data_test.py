"""Tests our external data (`.ptd`) with the official runtime and tools."""

from __future__ import annotations

from pathlib import Path

import executorch.runtime  # noqa: F401  (before exir, which reuses the dim_order_ops registered here)
import pytest
import torch
from executorch.exir._serialize._cord import Cord
from executorch.extension.flat_tensor.serialize.serialize import FlatTensorConfig, FlatTensorSerializer
from executorch.extension.pybindings.portable_lib import _load_for_executorch

from exir.capture import ExecutorchBackendConfig
from exir.program import ExecutorchProgramManager, to_edge
from exir.testing import models
from exir.testing.models import Example

_FILE = "_default_external_constant.ptd"
_EXAMPLES = {"mlp": models.mlp(), "conv_bn_relu": models.conv_bn_relu(), "kv_cache": models.kv_cache()}


def lowered(example: Example, by_content: bool) -> ExecutorchProgramManager:
    config = ExecutorchBackendConfig(external_constants=True, external_content_keys=by_content)
    return to_edge(example.export()).to_executorch(config)


@pytest.mark.parametrize("by_content", [False, True])
@pytest.mark.parametrize("name", ["mlp", "conv_bn_relu"])
def test_program_with_external_data_matches_eager(name: str, by_content: bool, tmp_path: Path) -> None:
    example = _EXAMPLES[name]
    manager = lowered(example, by_content)
    manager.save(str(tmp_path / "program.pte"))
    manager.write_tensor_data_to_file(str(tmp_path))
    program = _load_for_executorch(str(tmp_path / "program.pte"), str(tmp_path / _FILE))
    with torch.no_grad():
        expected = example.module(*example.inputs)
    torch.testing.assert_close(program.forward(list(example.inputs))[0], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", sorted(_EXAMPLES))
def test_official_tools_read_our_data_file(name: str) -> None:
    manager = lowered(_EXAMPLES[name], False)
    for data in manager.external_data.values():
        read = FlatTensorSerializer(FlatTensorConfig()).deserialize(Cord(bytes(data)))
        assert read.named_data
        for entry in read.named_data.values():
            assert entry.tensor_layout is not None
            assert len(read.buffers[entry.buffer_index])
