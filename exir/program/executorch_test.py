"""Tests of `to_executorch` and of the manager that it returns."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import torch
from torch import nn
from torch.fx.passes.infra.pass_base import PassResult

from exir import schema
from exir._serialize import deserialize_pte_binary
from exir.capture import ExecutorchBackendConfig
from exir.error import ConfigError, InternalError
from exir.passes.memory_planning_pass import MemoryPlanningPass
from exir.program import EdgeProgramManager, to_edge
from exir.tensor import specs_of
from exir.testing import models

LOWER = """
import hashlib
from exir.program import to_edge
from exir.testing import models
programs = {name: make() for name, make in models.ALL.items()}
for name, example in programs.items():
    data = to_edge(example.export()).to_executorch().buffer
    print(name, hashlib.sha256(data).hexdigest())
"""


def edge(name: str = "mlp") -> EdgeProgramManager:
    return to_edge(models.ALL[name]().export())


def test_buffer_and_file_are_equal(tmp_path: Path) -> None:
    manager = edge().to_executorch()
    stream = io.BytesIO()
    manager.write_to_file(stream)
    manager.save(str(tmp_path / "mlp.pte"))
    assert manager.buffer == stream.getvalue() == (tmp_path / "mlp.pte").read_bytes()


def test_written_file_is_the_program() -> None:
    manager = edge().to_executorch()
    read = deserialize_pte_binary(manager.buffer).program
    assert read.execution_plan == manager.executorch_program.execution_plan


@pytest.mark.parametrize("name", models.ALL)
def test_edge_program_is_unchanged_and_lowers_again_to_equal_bytes(name: str) -> None:
    manager = edge(name)
    before = str(manager.exported_program().graph)
    first = manager.to_executorch().buffer
    assert str(manager.exported_program().graph) == before
    assert manager.to_executorch().buffer == first


def test_bytes_do_not_depend_on_hash_seed_locale_or_directory(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    results = set()
    for seed, directory in (("1", str(tmp_path)), ("2", root)):
        env = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "TZ": f"UTC-{seed}",
            "PYTHONPATH": os.pathsep.join([root, *sys.path]),
        }
        command = [sys.executable, "-W", "ignore", "-c", LOWER]
        results.add(subprocess.check_output(command, env=env, cwd=directory, text=True))
    assert len(results) == 1


def test_methods_and_constant_methods_are_listed() -> None:
    programs = {name: example.export() for name, example in models.codec().items()}
    manager = to_edge(programs, {"version": 3}).to_executorch()
    assert manager.methods == {"decode", "encode"}
    assert manager.config_methods == {"version"}
    assert manager.exported_program("encode").graph_signature.user_inputs


def test_unknown_method_error_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unknown method 'other'; the program has: \['forward'\]"):
        edge().to_executorch().exported_program("other")


def test_path_must_end_in_pte() -> None:
    with pytest.raises(ConfigError, match="'path' must end with .pte, got 'model.bin'"):
        edge().to_executorch().save("model.bin")


def test_failed_save_leaves_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, manager = tmp_path / "mlp.pte", edge().to_executorch()
    manager.save(str(path))
    earlier = path.read_bytes()

    def cut(open_file: BinaryIO) -> None:
        open_file.write(earlier[:100])
        raise OSError("no space left")

    monkeypatch.setattr(manager, "write_to_file", cut)
    with pytest.raises(OSError, match="no space left"):
        manager.save(str(path))
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == earlier


def test_user_passes_run_first() -> None:
    def relu_to_neg(graph_module: torch.fx.GraphModule) -> PassResult:
        for node in graph_module.graph.nodes:
            if node.name.startswith("aten_relu"):
                node.target = torch.ops.aten.neg.default
        return PassResult(graph_module, True)

    manager = edge().to_executorch(ExecutorchBackendConfig(passes=[relu_to_neg]))
    operators = manager.executorch_program.execution_plan[0].operators
    assert "aten::neg.out" in {operator.full_name for operator in operators}


def test_planner_is_chosen_per_method_name() -> None:
    planner: dict[str, Any] = {"forward": MemoryPlanningPass(alignment=64)}
    manager = edge().to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner))
    values = manager.executorch_program.execution_plan[0].values
    tensors = [value.val for value in values if isinstance(value.val, schema.Tensor)]
    offsets = [t.allocation_info.memory_offset for t in tensors if t.allocation_info]
    assert offsets and all(offset % 64 == 0 for offset in offsets)


def test_report_lists_inputs_outputs_operators_and_memory() -> None:
    (method,) = edge("conv_bn_relu").to_executorch().report.methods
    assert [(i.kind, i.dtype, i.shape) for i in method.inputs] == [("Tensor", "float32", (1, 3, 16, 16))]
    assert method.outputs[0].shape == (1, 8, 8, 8) and method.outputs[0].is_planned
    assert {use.name for use in method.operator_uses} == {"aten::convolution.out", "aten::hardtanh.out"}
    assert all(use.source.startswith("exir/testing/models.py:") for use in method.operator_uses)
    assert method.operator_uses[0].dtypes == ("float32",) * 4
    assert method.planned_bytes[1] >= method.lower_bound_bytes > 0


def test_debug_handles_map_by_instruction() -> None:
    manager = edge().to_executorch()
    count = len(manager.executorch_program.execution_plan[0].chains[0].instructions)
    handles = manager.debug_handle_map["forward"]
    assert list(handles) == list(range(count))
    assert all(handle > 0 for handle in handles.values())


def test_dump_lists_instructions() -> None:
    stream = io.StringIO()
    edge().to_executorch().dump_executorch_program(out=stream)
    assert "aten::addmm.out(" in stream.getvalue()


def test_invalid_size_bounding_pass_is_refused() -> None:
    with pytest.raises(ConfigError, match="'sym_shape_eval_pass' must be a Constraint"):
        edge().to_executorch(ExecutorchBackendConfig(sym_shape_eval_pass=lambda graph_module: None))


def overlap_everything(graph_module: torch.fx.GraphModule) -> None:
    """A planner that puts every tensor at the start of one buffer."""
    for node in graph_module.graph.nodes:
        for spec in specs_of(node):
            if not spec.const:
                spec.mem_id, spec.mem_offset = 1, 0
    graph_module.meta["non_const_buffer_sizes"] = [0, 1 << 20]


def test_user_planners_plan_is_verified() -> None:
    with pytest.raises(InternalError, match="memory plan: bytes .* are read after another"):
        edge().to_executorch(ExecutorchBackendConfig(memory_planning_pass=overlap_everything))


def test_planner_without_a_plan_is_named() -> None:
    def idle(graph_module: torch.fx.GraphModule) -> None:
        return None

    with pytest.raises(ConfigError, match="idle did not set the graph module's meta"):
        edge().to_executorch(ExecutorchBackendConfig(memory_planning_pass=idle))


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.tensor([0.5, 1.5]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.count.add_(x)
        return self.count * 2


def test_eager_calls_after_lowering_do_not_change_initial_state() -> None:
    module, x = Counting(), torch.ones(2)
    expected = to_edge(torch.export.export(Counting(), (x,))).to_executorch().buffer
    manager = to_edge(torch.export.export(module, (x,))).to_executorch()
    module(x)
    stream = io.BytesIO()
    manager.write_to_file(stream)
    assert stream.getvalue() == expected
