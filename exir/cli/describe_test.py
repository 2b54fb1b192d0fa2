"""Tests that the manifest of a program file equals that of its compilation."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.export import Dim

from backends.demo.compiler_demo import CompilerDemoPartitioner
from exir.cli.arguments import parse_arguments
from exir.cli.compile import Pipeline, export_methods, lower_programs
from exir.cli.describe import main
from exir.cli.reporting.manifest import render_manifest
from exir.inspection.kernels import load_tables
from exir.model.spec import MethodSpec, ModelSpec
from exir.testing.models import Codec, DynamicAdd

_KERNELS = Path(__file__).parents[2] / "kernels"
_TABLES = (_KERNELS / "portable/kernels.toml", _KERNELS.parent / "runtime/prim/kernels.toml")


def _two_method_specs() -> dict[str, tuple[ModelSpec, Pipeline]]:
    n = Dim("n", min=2, max=16)
    codec = {"encode": MethodSpec((torch.randn(2, 8),)), "decode": MethodSpec((torch.randn(2, 4),))}
    add = ModelSpec(DynamicAdd(), (torch.randn(4, 4),) * 2, dynamic_shapes={"x": {0: n}, "y": {0: n}})
    delegated = ModelSpec(
        torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()), (torch.ones(2, 4),)
    )
    layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Softmax(1))
    return {
        "dynamic": (add, Pipeline()),
        "methods": (ModelSpec(Codec(), methods=codec), Pipeline()),
        "layers": (ModelSpec(layers.eval(), (torch.ones(1, 3, 8, 8),)), Pipeline()),
        "delegated": (delegated, Pipeline(partitioners=(CompilerDemoPartitioner(),))),
    }


def _describe_program(folder: Path, *flags: str) -> int:
    tables = [f"--kernels={table}" for table in _TABLES]
    out = f"--out-manifest={folder / 'net.manifest.json'}"
    return main(["--target=//app:net", f"--pte={folder / 'net.pte'}", *tables, *flags, out])


def _without_compiler_fields(manifest: dict[str, Any]) -> dict[str, Any]:
    for method in manifest["methods"]:
        method["memory"]["lower_bound_bytes"] = 0
        method["not_delegated"] = method["state"] = []
        method.pop("doc", None)
        for slot in (*method["inputs"], *method["outputs"]):
            slot["name"] = ""
            for bounds in slot.get("sizes", []):
                if isinstance(bounds, dict):
                    bounds.pop("expression", None)
    return {**manifest, "weights": "", "doc": ""}


@pytest.mark.parametrize("name", ["dynamic", "methods", "layers", "delegated"])
def test_description_equals_the_compilers_manifest(name: str, tmp_path: Path) -> None:
    spec, pipeline = _two_method_specs()[name]
    manager = lower_programs(export_methods(spec), spec, pipeline)
    (tmp_path / "net.pte").write_bytes(manager.buffer)
    arguments = parse_arguments(
        ["--target=//app:net", "--module=net", f"--out-pte={tmp_path / 'net.pte'}"]
    )
    _, table = load_tables((), _TABLES)
    compiled = json.loads(render_manifest(arguments, manager, table))
    backend = ["--backend-id=BackendWithCompilerDemo", "--backend=backends.demo.compiler_demo:BACKEND"]
    assert _describe_program(tmp_path, *backend) == 0
    described = json.loads((tmp_path / "net.manifest.json").read_text())
    assert _without_compiler_fields(described) == _without_compiler_fields(compiled)


def test_state_shared_by_methods_is_found(tmp_path: Path) -> None:
    fixture = _KERNELS.parent / "tests/fixtures/multi_state_shared.pte"
    (tmp_path / "net.pte").write_bytes(fixture.read_bytes())
    assert _describe_program(tmp_path) == 0
    methods = json.loads((tmp_path / "net.manifest.json").read_text())["methods"]
    assert [method["memory"]["shared_id"] for method in methods] == [2, 2]


def test_invalid_program_message_states_the_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.pte").write_text("no program")
    assert _describe_program(tmp_path) == 1
    message = capsys.readouterr().err
    assert message.startswith(
        f"error: //app:net: {tmp_path}/net.pte: not a valid ExecuTorch program: file identifier: expected b'ET12'"
    )
    assert message.endswith("export or download it again\n")


def test_git_lfs_pointer_is_not_reported_as_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.pte").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    )
    assert _describe_program(tmp_path) == 1
    assert capsys.readouterr().err == (
        f"error: //app:net: {tmp_path}/net.pte is a Git LFS pointer instead of the file; "
        "fetch it with `git lfs pull`\n"
    )


def test_call_without_a_kernel_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = ModelSpec(torch.nn.ReLU(), (torch.ones(8),))
    manager = lower_programs(export_methods(spec), spec, Pipeline())
    (tmp_path / "net.pte").write_bytes(manager.buffer.replace(b"aten::relu", b"acme::relu"))
    assert _describe_program(tmp_path) == 1
    assert capsys.readouterr().err == (
        f"error: //app:net: {tmp_path}/net.pte: no kernel of this build supports these calls:"
        "\n    acme::relu.out on float32, float32: no kernel"
        "\n  add kernels to the attribute 'kernels' (kernels/README.md)\n"
    )
    assert not (tmp_path / "net.manifest.json").exists()
