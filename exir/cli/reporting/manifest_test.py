"""Tests of a program's manifest."""

import hashlib
import json
from typing import Any

import pytest
import torch
from torch.export import Dim, ExportedProgram

from backends.demo.compiler_demo import CompilerDemoPartitioner
from exir.backend.canonical_partitioners import AllNodePartitioner
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.partitioner import PartitionResult
from exir.backend.tags import note_refusal
from exir.cli.arguments import parse_arguments
from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.cli.config import parse_config
from exir.cli.reporting.manifest import render_manifest
from exir.model.spec import MethodSpec, ModelSpec
from exir.testing.models import Codec, DynamicAdd

_FLAGS = ["--target=@//app:net_pte", "--module=app.net", "--out-pte=out/net.pte"]


def _write_manifest(spec: ModelSpec, *flags: str, pipeline: Pipeline = Pipeline()) -> dict[str, Any]:
    manager = lower_programs(export_methods(spec), spec, pipeline)
    text = render_manifest(parse_arguments([*_FLAGS, *flags]), manager, None, spec=spec)
    manifest = json.loads(text)
    assert text == json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    assert manifest["program"]["sha256"] == hashlib.sha256(manager.buffer).hexdigest()
    assert manifest["program"]["bytes"] == len(manager.buffer)
    return manifest


def test_undelegated_calls_have_a_reason() -> None:
    class Partial(CompilerDemoPartitioner):
        def partition(self, exported_program: ExportedProgram) -> PartitionResult:
            for node in exported_program.graph.nodes:
                note_refusal(node, "demo", "it is too small")
            return super().partition(exported_program)

    spec = ModelSpec(torch.nn.ReLU(), (torch.ones(8),))
    manifest = _write_manifest(spec, pipeline=Pipeline(partitioners=(Partial(),)))
    left = {"backend": "demo", "operator": "aten::relu.out", "reason": "it is too small", "source": ""}
    assert manifest["methods"][0]["not_delegated"] == [left]


def test_manifest_describes_program_and_slots() -> None:
    n = Dim("n", min=2, max=16)
    shapes = {"x": {0: n}, "y": {0: n}}
    manifest = _write_manifest(ModelSpec(DynamicAdd(), (torch.randn(4, 4),) * 2, dynamic_shapes=shapes))
    (method,) = manifest["methods"]
    tensor = {
        "kind": "tensor",
        "dtype": "float32",
        "shape": [16, 4],
        "dim_order": [0, 1],
        "dynamism": "dynamic_bound",
        "sizes": [{"min": 2, "max": 16, "step": 1, "expression": "s0"}, 4],
    }
    assert method["inputs"] == [{"name": "x", **tensor}, {"name": "y", **tensor}]
    assert [{**output, "name": ""} for output in method["outputs"]] == [{"name": "", **tensor}]
    assert (manifest["format"], manifest["target"], manifest["weights"]) == (3, "//app:net_pte", "seed")
    assert manifest["program"]["file"] == "net.pte"


class _Repeat(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, x, y])


def test_sizes_of_outputs_are_expressions_of_input_sizes() -> None:
    shapes = {"x": {0: Dim("rows", max=8)}, "y": {0: Dim("more", max=4)}}
    inputs = (torch.ones(4, 2), torch.ones(3, 2))
    (method,) = _write_manifest(ModelSpec(_Repeat(), inputs, dynamic_shapes=shapes))["methods"]
    slots = [*method["inputs"], *method["outputs"]]
    assert [slot["sizes"][0]["expression"] for slot in slots] == ["s0", "s1", "2*s0 + s1"]


class _Documented(torch.nn.Module):
    """Scales a vector.

    The factor is an input.
    """

    def forward(
        self, x: torch.Tensor, factor: float, label: str, offset: torch.Tensor | None
    ) -> torch.Tensor:
        """Return x times factor."""
        return x * factor


def test_manifest_has_docstrings_of_the_module_and_its_methods() -> None:
    x = torch.ones(2)
    manifest = _write_manifest(ModelSpec(_Documented(), (x, 2.5, "a", None)))
    assert manifest["doc"] == "Scales a vector.\n\nThe factor is an input."
    (method,) = manifest["methods"]
    assert method["doc"] == "Return x times factor."
    assert method["inputs"][1:] == [
        {"name": "factor", "kind": "double", "value": 2.5},
        {"name": "label", "kind": "string", "value": "a"},
        {"name": "offset", "kind": "null"},
    ]
    manifest = _write_manifest(ModelSpec(torch.nn.ReLU(), (x,)))
    assert (manifest["doc"], manifest["methods"][0]["doc"]) == ("", "")


def test_manifest_lists_state() -> None:
    inputs = MethodSpec((torch.randn(4),))
    manifest = _write_manifest(ModelSpec(_SharedStateModule(), methods={"put": inputs}))
    assert manifest["methods"][0]["state"] == [{"name": "total", "dtype": "float32", "shape": [4]}]


def test_manifest_states_memory() -> None:
    (method,) = _write_manifest(ModelSpec(torch.nn.ReLU(), (torch.ones(8),)))["methods"]
    memory = method["memory"]
    assert sum(memory["planned_bytes"]) >= memory["lower_bound_bytes"] >= 32
    assert memory["counts"]["tensors"] == 2 and memory["counts"]["instructions"] == 1
    assert (memory["persistent"], memory["scratch"], memory["headers"]) == ([], [], [])


class _SharedStateModule(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.ones(4))

    def put(self, x: torch.Tensor) -> torch.Tensor:
        return self.total.add_(x) * 1

    def take(self, x: torch.Tensor) -> torch.Tensor:
        return self.total.sub_(x) * 1


@pytest.mark.parametrize("is_shared", [False, True])
def test_buffer_shared_by_methods_is_named(is_shared: bool) -> None:
    inputs = MethodSpec((torch.randn(4),))
    spec = ModelSpec(
        _SharedStateModule(), methods={"put": inputs, "take": inputs}, constant_methods={"width": 4}
    )
    pipeline = Pipeline(parse_config({"memory_planning": {"share_mutable_buffers": is_shared}}, "test"))
    memory = {
        method["name"]: method["memory"]
        for method in _write_manifest(spec, pipeline=pipeline)["methods"]
    }
    ids = {name: entry["shared_id"] for name, entry in memory.items()}
    assert ids == {"put": 2 * is_shared, "take": 2 * is_shared, "width": 0}
    if is_shared:
        assert [memory[name]["planned_bytes"][1] for name in ("put", "take")] == [16, 16]


def test_methods_operators_and_constant_methods_are_listed() -> None:
    x, code = (torch.randn(2, 8),), (torch.randn(2, 4),)
    methods = {"encode": MethodSpec(x), "decode": MethodSpec(code)}
    manifest = _write_manifest(ModelSpec(Codec(), methods=methods, constant_methods={"width": 8}))
    assert [method["name"] for method in manifest["methods"]] == ["decode", "encode", "width"]
    names = [operator["name"] for operator in manifest["operators"]]
    assert names == sorted(names) and "aten::relu.out" in names
    assert manifest["methods"][2]["outputs"] == [{"name": "", "kind": "int"}]


def test_channels_last_operators_are_marked() -> None:
    x = torch.randn(1, 2, 3, 3)
    assert _write_manifest(ModelSpec(torch.nn.ReLU(), (x,)))["operators"] == [
        {"name": "aten::relu.out", "dtypes": ["float32", "float32"]}
    ]
    last = x.contiguous(memory_format=torch.channels_last)
    assert _write_manifest(ModelSpec(torch.nn.ReLU(), (last,)))["operators"] == [
        {"name": "aten::relu.out", "dtypes": ["float32", "float32"], "channels_last": True}
    ]


def test_method_of_another_module_is_exported_in_eval_mode() -> None:
    inputs = (torch.randn(4),)
    method = MethodSpec(inputs, module=torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Dropout()))
    manifest = _write_manifest(ModelSpec(torch.nn.ReLU(), inputs, methods={"drop": method}))
    assert [operator["name"] for operator in manifest["operators"]] == ["aten::relu.out"]


def test_delegates_are_listed_with_their_sizes() -> None:
    spec = ModelSpec(DynamicAdd(), (torch.randn(4, 4), torch.randn(4, 4)))
    manifest = _write_manifest(spec, pipeline=Pipeline(partitioners=(CompilerDemoPartitioner(),)))
    (delegate,) = manifest["methods"][0]["delegates"]
    assert delegate["id"] == "BackendWithCompilerDemo" and delegate["bytes"] > 0
    assert delegate["parts"] == [] and delegate["options"] == {}
    assert manifest["backends"] == ["BackendWithCompilerDemo"]
    memory = manifest["methods"][0]["memory"]
    assert memory["persistent"] == ["DEMO_HANDLE_BYTES(2u, 0u, 128u)"]
    assert memory["headers"] == ["backends/demo/handle.h"]


def test_delegates_are_listed_with_backend_options() -> None:
    spec = ModelSpec(DynamicAdd(), (torch.randn(4, 4), torch.randn(4, 4)))
    specs = [CompileSpec("mode", b"small"), CompileSpec("key", b"\xff")]
    partitioner = AllNodePartitioner("BackendWithCompilerDemo", specs)
    manifest = _write_manifest(spec, pipeline=Pipeline(partitioners=(partitioner,)))
    (delegate,) = manifest["methods"][0]["delegates"]
    assert delegate["options"] == {"mode": "small", "key": "\\xff"}


def test_weights_from_a_file_are_marked() -> None:
    spec = ModelSpec(torch.nn.ReLU(), (torch.ones(2),))
    assert _write_manifest(spec, "--weights=net.safetensors")["weights"] == "file"
