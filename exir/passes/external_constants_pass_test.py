"""Tests of constants in weights files."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.fx import Node

from exir import schema
from exir._serialize import deserialize_ptd, deserialize_pte_binary
from exir.capture import ExecutorchBackendConfig
from exir.program import ExecutorchProgramManager, to_edge
from exir.testing import models

SEED = 3


class Scaled(nn.Module):
    """A module with a parameter, a buffer, a literal and a mutated buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.full((3,), 2.0))
        self.register_buffer("shift", torch.full((3,), 5.0))
        self.register_buffer("calls", torch.full((1,), 7.0))

    def forward(self, x: Tensor) -> Tensor:
        self.calls.add_(1)
        return x * self.scale + self.shift - torch.tensor([1.0, 2.0, 4.0]) + self.calls


def lowered(config: ExecutorchBackendConfig, **modules: nn.Module) -> ExecutorchProgramManager:
    methods = modules or {"forward": Scaled()}
    exported = {
        name: torch.export.export(module.eval(), (torch.ones(2, 3),), strict=False)
        for name, module in methods.items()
    }
    return to_edge(exported).to_executorch(config)


def files(manager: ExecutorchProgramManager) -> dict[str, dict[str, bytes]]:
    return {
        name: {entry.key: bytes(entry.data) for entry in deserialize_ptd(bytes(data))}
        for name, data in manager.external_data.items()
    }


def floats(*values: float) -> bytes:
    return torch.tensor(values, dtype=torch.float32).numpy().tobytes()


def linear() -> nn.Module:
    torch.manual_seed(SEED)
    return nn.Linear(3, 4)


def test_constants_are_internal_by_default() -> None:
    assert lowered(ExecutorchBackendConfig()).external_data == {}


def test_parameters_and_buffers_become_external_literals_and_states_do_not() -> None:
    manager = lowered(ExecutorchBackendConfig(external_constants=True))
    assert files(manager) == {
        "_default_external_constant.ptd": {"scale": floats(2, 2, 2), "shift": floats(5, 5, 5)}
    }
    inside = deserialize_pte_binary(manager.buffer)
    constants = b"".join(bytes(buffer.storage) for buffer in inside.program.constant_buffer)
    assert floats(1, 2, 4) in constants and floats(2, 2, 2) not in constants
    assert [bytes(b.storage) for b in inside.mutable_data[1:]] == [floats(7)]


def test_values_name_their_external_data() -> None:
    manager = lowered(ExecutorchBackendConfig(external_constants=True))
    values = [value.val for value in manager.executorch_program.execution_plan[0].values]
    tensors = [value for value in values if isinstance(value, schema.Tensor)]
    infos = [tensor.extra_tensor_info for tensor in tensors if tensor.extra_tensor_info]
    assert [tensor.data_buffer_idx for tensor in tensors if tensor.extra_tensor_info] == [0, 0]
    assert [(info.fully_qualified_name, info.location) for info in infos] == [
        ("scale", schema.TensorDataLocation.EXTERNAL),
        ("shift", schema.TensorDataLocation.EXTERNAL),
    ]


def test_external_file_is_chosen_by_a_function() -> None:
    def file_of(node: Node) -> str | None:
        return {"p_scale": "scales.ptd", "b_shift": None}[node.name]

    assert files(lowered(ExecutorchBackendConfig(external_constants=file_of))) == {
        "scales.ptd": {"scale": floats(2, 2, 2)}
    }


def test_methods_share_equal_constants_and_separate_others() -> None:
    other = Scaled()
    other.shift.fill_(6.0)
    manager = lowered(ExecutorchBackendConfig(external_constants=True), first=Scaled(), second=other)
    assert files(manager)["_default_external_constant.ptd"] == {
        "scale": floats(2, 2, 2),
        "shift": floats(5, 5, 5),
        "second.shift": floats(6, 6, 6),
    }


def test_equal_weights_of_different_modules_give_equal_files() -> None:
    config = ExecutorchBackendConfig(external_constants=True, external_content_keys=True)
    one, other = (
        lowered(config, forward=linear()),
        lowered(config, forward=nn.Sequential(linear(), nn.ReLU())),
    )
    (file,), (same,) = one.external_data.values(), other.external_data.values()
    assert bytes(file) == bytes(same) and one.buffer != other.buffer
    assert all(key.startswith("sha256:") for key in next(iter(files(one).values())))


def test_external_files_are_written_to_a_folder(tmp_path: Path) -> None:
    manager = lowered(ExecutorchBackendConfig(external_constants=True))
    manager.write_tensor_data_to_file(str(tmp_path))
    (path,) = tmp_path.iterdir()
    assert path.name == "_default_external_constant.ptd"
    assert path.read_bytes() == bytes(manager.external_data[path.name])


def test_views_of_external_constants_are_copies() -> None:
    class Reshaped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.arange(6.0))

        def forward(self, x: Tensor) -> Tensor:
            return x + self.weight.view(2, 3)

    manager = lowered(ExecutorchBackendConfig(external_constants=True), forward=Reshaped())
    values = [value.val for value in manager.executorch_program.execution_plan[0].values]
    external = [v for v in values if isinstance(v, schema.Tensor) and v.extra_tensor_info]
    assert len(external) == 1


def test_only_trained_parameters_are_mutable_weights() -> None:
    assert lowered(ExecutorchBackendConfig(external_mutable_weights=True)).external_data == {}


@pytest.mark.parametrize("by_content", [False, True])
def test_external_files_are_deterministic(by_content: bool) -> None:
    config = ExecutorchBackendConfig(external_constants=True, external_content_keys=by_content)
    one, other = (to_edge(models.conv_bn_relu().export()).to_executorch(config) for _ in range(2))
    assert one.buffer == other.buffer
    assert {n: bytes(d) for n, d in one.external_data.items()} == {
        n: bytes(d) for n, d in other.external_data.items()
    }
