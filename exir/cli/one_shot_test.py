"""Tests of whole compilations: effects of flags, and classification of failures."""

import json
import os
import zipfile
from pathlib import Path

import numpy
import pytest

from exir.cli.conftest import Compile
from exir.cli.reporting.calls import read_calls
from exir.inspection.kernels import load_tables
from exir.passes.row_major_operands import ROW_MAJOR_ONLY

_MODEL = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3, 3))

    def forward(self, x):
        return torch.exp(torch.mm(torch.sin(x), self.weight))

def model():
    return Net(), (torch.rand(2, 3),)
"""

_PASSES = """
import torch

def refuse(graph_module):
    raise ValueError("no such luck")

class SineToCosine:
    def __call__(self, graph_module):
        from exir.dialects._ops import ops
        for node in graph_module.graph.nodes:
            if node.target is ops.edge.aten.sin.default:
                node.target = ops.edge.aten.cos.default
        graph_module.recompile()
"""

_DEMO = "--backend=backends.demo.compiler_demo:BACKEND"


def _read_manifest(folder: Path) -> dict:
    return json.loads((folder / "out" / "net.manifest").read_text())


def _manifest_operators(folder: Path) -> list[str]:
    return [operator["name"] for operator in _read_manifest(folder)["operators"]]


def test_portable_kernels_run_everything_without_a_backend(
    compile_source: Compile, tmp_path: Path
) -> None:
    assert compile_source(_MODEL, "--backend=backends.portable:BACKEND").output == ""
    assert _read_manifest(tmp_path)["backends"] == []
    assert _manifest_operators(tmp_path) == ["aten::exp.out", "aten::mm.out", "aten::sin.out"]


def test_debug_record_maps_instructions_to_nodes(compile_source: Compile, tmp_path: Path) -> None:
    file = tmp_path / "net.etrecord"
    assert compile_source(_MODEL, _DEMO, f"--out-debug-record={file}").output == ""
    with zipfile.ZipFile(file) as archive:
        handles = json.loads(archive.read("debug_handle_map"))["forward"]
        (delegate, *_) = json.loads(archive.read("delegate_map"))["forward"].values()
        assert "edge_dialect_exported_program/forward" in archive.namelist()
    assert [type(handle) for handle in handles.values()] == [list, int]
    assert delegate["name"] == "BackendWithCompilerDemo"


def test_source_map_maps_instructions_to_lines(compile_source: Compile, tmp_path: Path) -> None:
    file = tmp_path / "net.sources.json"
    assert compile_source(_MODEL, _DEMO, f"--out-sources={file}").output == ""
    delegate, kernel = json.loads(file.read_text())["methods"]["forward"]
    assert [node["operator"] for node in delegate] == ["aten::sin", "aten::mm"]
    (node,) = kernel
    assert node["operator"] == "aten::exp.out"
    assert node["source"] == "app/net.py:10"


def test_backend_takes_supported_calls(compile_source: Compile, tmp_path: Path) -> None:
    assert compile_source(_MODEL, _DEMO).output == ""
    assert _read_manifest(tmp_path)["backends"] == ["BackendWithCompilerDemo"]
    assert _manifest_operators(tmp_path) == ["aten::exp.out"]


def test_calls_left_by_a_backend_are_allowed(compile_source: Compile, tmp_path: Path) -> None:
    for allowed in ("aten::exp", "aten::mul.out,aten::exp.out"):
        assert compile_source(_MODEL, _DEMO, f"--allow-fallback={allowed}").output == ""
    outcome = compile_source(_MODEL, _DEMO, "--allow-fallback=")
    assert outcome.exit_code == 1
    assert outcome.output == (
        "error: //app:net_pte: these operators fall back to kernels, but 'allow_fallback' does not list them:\n"
        "    aten::exp.out (app/net.py:10)\n"
        "  use operators that the backend supports, or add these to 'allow_fallback'\n"
    )


def test_config_passes_run(compile_source: Compile, tmp_path: Path) -> None:
    (tmp_path / "my_passes.py").write_text(_PASSES)
    config = '--config-json={"passes": {"edge": ["my_passes:SineToCosine"]}}'
    assert compile_source(_MODEL, config).output == ""
    assert _manifest_operators(tmp_path) == ["aten::cos.out", "aten::exp.out", "aten::mm.out"]


def test_failing_user_pass_is_a_user_error(compile_source: Compile, tmp_path: Path) -> None:
    (tmp_path / "my_passes.py").write_text(_PASSES)
    outcome = compile_source(_MODEL, '--config-json={"passes": {"edge": ["my_passes:refuse"]}}')
    assert outcome.exit_code == 1
    assert outcome.output == (
        "error: //app:net_pte: ValueError: no such luck\n"
        '    my_passes.py:5: raise ValueError("no such luck")\n'
    )
    assert os.listdir(tmp_path / "out") == []


def test_dump_shows_graph_and_instructions(compile_source: Compile, tmp_path: Path) -> None:
    assert compile_source(_MODEL, outputs=("dump",)).output == ""
    text = (tmp_path / "out" / "net.dump").read_text()
    assert "method forward" in text and "aten.sin.out" in text and "aten::exp.out(" in text


def test_reference_output_alone_needs_no_lowering(compile_source: Compile, tmp_path: Path) -> None:
    source = _MODEL.replace(
        "torch.exp(torch.mm(torch.sin(x), self.weight))",
        "torch.linalg.ldl_factor(self.weight + x.sum()).LD",
    )
    assert compile_source(source).exit_code == 1
    assert compile_source(source, outputs=("reference",)).output == ""
    assert len(read_calls((tmp_path / "out" / "net.reference").read_bytes())) == 4


_CALIBRATED = """
import torch
import exir

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(16, 64)

    def forward(self, x):
        return torch.softmax(self.layer(x), 1)

def model():
    return exir.ModelSpec(Net(), (torch.rand(2, 16),), calibration_inputs={"forward": lambda: _calls()})

def _calls():
    return [(torch.rand(2, 16),) for _ in range(5)]
"""
_STATIC = '--config-json={"quantization": {"recipe": "int8_static"}}'


def test_manifest_lists_quantized_and_float_layers_with_reasons(
    compile_source: Compile, tmp_path: Path
) -> None:
    assert compile_source(_CALIBRATED, _STATIC).output == ""
    section = _read_manifest(tmp_path)["quantization"]
    assert section["recipe"] == "int8_static"
    (method,) = section["methods"]
    assert method["name"] == "forward"
    assert method["quantized"] == [
        {"module": "layer", "operator": "aten::linear", "source": "app/net.py:11"}
    ]
    assert method["float"] == [
        {
            "module": "",
            "operator": "aten::softmax",
            "source": "app/net.py:11",
            "reason": "recipe 'int8_static' does not support this operator",
        }
    ]


def test_unknown_recipe_is_an_error_before_the_model_is_loaded(compile_source: Compile) -> None:
    flag = '--config-json={"quantization": {"recipe": "int8_statik"}}'
    outcome = compile_source("raise RuntimeError('imported')\n", flag)
    assert outcome.output == (
        "error: //app:net_pte: config: [quantization]: unknown recipe 'int8_statik'; did you mean 'int8_static'?\n"
    )


def test_quantized_models_reference_has_float_outputs(compile_source: Compile, tmp_path: Path) -> None:
    assert compile_source(_CALIBRATED, _STATIC, outputs=("reference",)).output == ""
    calls = read_calls((tmp_path / "out" / "net.reference").read_bytes())
    assert len(calls) == 7
    outputs = [call.outputs[0] for call in calls]
    assert [output.real is not None for output in outputs] == [
        False,
        True,
        True,
        True,
        False,
        False,
        False,
    ]
    for output in outputs[1:4]:
        assert 0 < (output.value - output.real).abs().max() < 0.01


_NARROW = """
import torch

def model():
    return torch.nn.Linear(4, 3), (torch.rand(2, 4),)
"""


def test_build_reports_layers_left_in_float(compile_source: Compile) -> None:
    outcome = compile_source(_NARROW, '--config-json={"quantization": {"recipe": "int4_weight_only"}}')
    assert outcome.exit_code == 0
    assert outcome.output == (
        "note: method 'forward': recipe 'int4_weight_only' leaves 1 of 1 layers float: '' (aten::linear):"
        " its 4 inputs are not a multiple of group_size 32\n"
    )


def test_group_size_that_fits_no_layer_fails_the_build(compile_source: Compile) -> None:
    table = {"recipe": "int4_weight_only", "group_size": 33}
    outcome = compile_source(_NARROW, f"--config-json={json.dumps({'quantization': table})}")
    assert outcome.exit_code == 1
    assert outcome.output == (
        "error: //app:net_pte: 'group_size' 33 does not divide the rows of any layer; the model itself:"
        " its 4 inputs are not a multiple of group_size 33\n"
    )


def test_program_has_int8_inputs_and_outputs_on_request(compile_source: Compile, tmp_path: Path) -> None:
    source = _CALIBRATED.replace("torch.softmax(self.layer(x), 1)", "self.layer(x)")
    table = {"recipe": "int8_static", "quantize_inputs": True, "quantize_outputs": True}
    config = f"--config-json={json.dumps({'quantization': table})}"
    assert compile_source(source, config, outputs=("pte", "manifest", "reference")).output == ""
    forward, *constants = _read_manifest(tmp_path)["methods"]
    assert [entry["dtype"] for entry in (*forward["inputs"], *forward["outputs"])] == ["int8", "int8"]
    assert {constant["name"] for constant in constants} == {
        f"forward_{role}0_{key}"
        for role in ("input", "output")
        for key in ("scale", "zp", "quant_min", "quant_max", "dtype")
    }
    (section,) = _read_manifest(tmp_path)["quantization"]["methods"]
    (output_params,), (input_,) = section["outputs"], section["inputs"]
    call = read_calls((tmp_path / "out" / "net.reference").read_bytes())[1]
    (output,) = call.outputs
    assert (output.step, output.scale, output.zero_point) == (
        1,
        output_params["scale"],
        output_params["zero_point"],
    )
    assert str(call.inputs[0].dtype) == str(output.value.dtype) == "torch.int8"
    meant = (output.value.double() - output_params["zero_point"]) * output_params["scale"]
    assert (meant - output.real).abs().max() < 0.05 and input_["index"] == 0


def test_input_not_quantized_first_cannot_be_int8(compile_source: Compile) -> None:
    source = _CALIBRATED.replace("self.layer(x)", "self.layer(torch.exp(x))")
    table = {"recipe": "int8_static", "quantize_inputs": True}
    outcome = compile_source(source, f"--config-json={json.dumps({'quantization': table})}")
    assert outcome.exit_code == 1
    assert "'quantize_inputs': method 'forward' does not start by quantizing an input" in outcome.output


def test_calibration_file_replaces_the_models_inputs(compile_source: Compile, tmp_path: Path) -> None:
    numpy.savez(tmp_path / "c.npz", x=numpy.ones((3, 2, 16), numpy.float32))
    flags = (_STATIC, f"--calibration={tmp_path / 'c.npz'}")
    assert compile_source(_CALIBRATED, *flags, outputs=("reference",)).output == ""
    calls = read_calls((tmp_path / "out" / "net.reference").read_bytes())
    assert bool((calls[1].inputs[0] == 1).all())


_CONVERTED = """
import torch
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from exir.quantize import QuantizationOptions
from exir.quantize.quantizer import StaticQuantizer

def model():
    inputs = (torch.rand(2, 16),)
    exported = torch.export.export(torch.nn.Linear(16, 64).eval(), inputs).module()
    prepared = prepare_pt2e(exported, StaticQuantizer(QuantizationOptions("int8_static")))
    prepared(*inputs)
    return convert_pt2e(prepared), inputs
"""


@pytest.mark.parametrize("flags", [(), (_STATIC,)])
def test_pt2e_converted_model_is_compiled_unchanged(
    compile_source: Compile, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    assert compile_source(_CONVERTED, *flags).exit_code == 0
    assert "quantized_decomposed::quantize_per_tensor.out" in _manifest_operators(tmp_path)


def test_calibration_errors_are_user_errors(compile_source: Compile, tmp_path: Path) -> None:
    outcome = compile_source(_MODEL, _STATIC)
    assert outcome.exit_code == 1
    assert (
        "//app:net_pte: method 'forward': recipe 'int8_static' needs calibration inputs;"
        in outcome.output
    )
    outcome = compile_source(_MODEL, f"--calibration={tmp_path / 'c.npz'}")
    assert outcome.exit_code == 1
    assert (
        "c.npz: calibration inputs need a recipe, but config has no [quantization] section"
        in outcome.output
    )


_OPEN = """
import torch
from torch.export import Dim
from exir.model.spec import ModelSpec

def model():
    shapes = {"input": {0: Dim("n")}}
    return ModelSpec(torch.nn.ReLU(), (torch.rand(3, 2),), dynamic_shapes=shapes)
"""


def _first_shape(folder: Path) -> list[int]:
    return _read_manifest(folder)["methods"][0]["inputs"][0]["shape"]


def test_unbounded_dimension_gets_the_configs_bound(compile_source: Compile, tmp_path: Path) -> None:
    outcome = compile_source(_OPEN, '--config-json={"shapes": {"input.0": 9}}')
    assert outcome.output == "" and _first_shape(tmp_path) == [9, 2]


def test_unbounded_dimension_defaults_to_the_example(compile_source: Compile, tmp_path: Path) -> None:
    outcome = compile_source(_OPEN)
    assert "note: dimension 'input.0' has no upper bound, so the example's value 3" in outcome.output
    assert _first_shape(tmp_path) == [3, 2]


@pytest.mark.parametrize(
    "key, message",
    [("other.0", "is not a dimension without"), ("input.0", "the bound 2 is below the example's size")],
)
def test_mismatched_bounds_are_refused(compile_source: Compile, key: str, message: str) -> None:
    outcome = compile_source(_OPEN, f'--config-json={{"shapes": {{"{key}": 2}}}}')
    assert outcome.exit_code != 0 and f"[shapes] '{key}'" in outcome.output and message in outcome.output


_KERNELS = [
    f"--kernels={Path(__file__).parents[2] / folder / 'kernels.toml'}"
    for folder in ("kernels/portable", "kernels/quantized", "runtime/prim")
]
_NORMALIZED = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.norm = torch.nn.{norm}

    def forward(self, x):
        return self.norm(self.conv(x)).relu()

def model():
    return Net(), (torch.rand(2, 3, 8, 8).{order},)
"""
_CHANNELS_LAST = "to(memory_format=torch.channels_last)"


@pytest.mark.parametrize("order", [_CHANNELS_LAST, "transpose(2, 3)", "transpose(0, 1)[:, :3]"])
def test_operands_are_copied_for_row_major_kernels(
    compile_source: Compile, tmp_path: Path, order: str
) -> None:
    source = _NORMALIZED.format(norm="LayerNorm(6)", order=order).replace("rand(2,", "rand(3,")
    outcome = compile_source(source, *_KERNELS)
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert "aten::native_layer_norm.out" in _manifest_operators(tmp_path)


@pytest.mark.parametrize("norm", ["BatchNorm2d(4)", "Softmax(1)", "MaxPool2d(2)", "GroupNorm(2, 4)"])
def test_operands_are_not_copied_for_kernels_of_any_layout(
    compile_source: Compile, tmp_path: Path, norm: str
) -> None:
    source = _NORMALIZED.format(norm=norm, order=_CHANNELS_LAST)
    assert compile_source(source, *_KERNELS).exit_code == 0
    assert not [name for name in _manifest_operators(tmp_path) if "dim_order" in name]


def test_row_major_operators_match_the_kernel_tables() -> None:
    """Without a kernel table, scripts copy the operands of these operators."""
    tables = [Path(flag.split("=")[1]) for flag in _KERNELS]
    _, table = load_tables((), tuple(tables))
    assert table is not None
    found = {
        kernel.operator.name.rpartition(".")[0]
        for kernel in table
        for first in kernel.operator.tensors[:1]
        if kernel.rules.tensors[first.name].layout == "contiguous"
    }
    others = (
        "embedding",
        "_per_channel_group",
        "mixed_",
        "executorch_prim::",
    )  # operands that are weights, or that later passes create
    assert {name for name in found if not any(other in name for other in others)} == ROW_MAJOR_ONLY
