"""Tests of executorch_run on the official exporter's programs and invalid files."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch

from executorch_runtime.cli.common import count_argument, only_method
from executorch_runtime.cli.comparison import compare
from executorch_runtime.cli.inputs import InputError, random_inputs, read_calls
from executorch_runtime.cli.run import main
from executorch_runtime.program import Program
from executorch_runtime.values import Signature, ValueInfo
from exir.inspection.ranges import Steps
from tests.fixtures.recorded import FOLDER, PROGRAMS, recorded_calls

_WAITING = {"tut09_delegate_mapping_demo"}
_SHARING = {"multi_state_shared"}  # its methods are called alternately
_ADD = str(FOLDER / "tut02_basic_add.pte")


def _array(value: Any) -> Any:
    return value.view(torch.int16).numpy() if getattr(value, "dtype", None) == torch.bfloat16 else np.asarray(value)


def _write_calls(path: Path, calls: list[tuple[Any, ...]], what: str) -> None:
    arrays = {
        f"c{call}_{what}{index}": _array(value)
        for call, values in enumerate(calls)
        for index, value in enumerate(values)
        if value is not None
    }
    np.savez(path, **arrays)


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - _WAITING - _SHARING))
def test_run_reproduces_recorded_outputs_of_official_programs(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    inputs, outputs = recorded_calls(program, "inputs"), recorded_calls(program, "eager_outputs")
    for method in dict.fromkeys(called for called, _ in inputs):
        _write_calls(tmp_path / "in.npz", [values for called, values in inputs if called == method], "in")
        _write_calls(tmp_path / "out.npz", [values for called, values in outputs if called == method], "out")
        arguments = [str(FOLDER / program["file"]), f"--method={method}", f"--compare={tmp_path / 'out.npz'}"]
        arguments += [f"--weights={FOLDER / file}" for file in program["ptd"] or ()]
        arguments += [f"--atol={program['atol']}", f"--rtol={program['rtol']}"]
        takes_some = any(values for called, values in inputs if called == method)
        arguments += [f"--input={tmp_path / 'in.npz'}"] if takes_some else []
        assert main(arguments) == 0


@pytest.mark.parametrize("name", sorted(_WAITING))
def test_run_rejects_a_program_that_cannot_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = PROGRAMS[name]
    weights = [f"--weights={FOLDER / file}" for file in program["ptd"] or ()]
    assert main([str(FOLDER / program["file"]), *weights]) == 1
    assert capsys.readouterr().err.startswith("executorch_run: ")


def test_equal_seeds_give_equal_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = str(tmp_path / "out.npz")
    assert main([_ADD, "--save", saved]) == 0
    assert main([_ADD, "--compare", saved]) == 0
    assert main([_ADD, "--compare", saved, "--seed", "1"]) == 1
    text = capsys.readouterr().out
    assert "out0: as recorded; largest error 0, inf dB" in text
    assert "out0: 9 of 9 elements differ, first at [0, 0]; largest error" in text


def test_run_reports_time_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([_ADD, "--repeat", "5"]) == 0
    text = capsys.readouterr().out
    assert "time: 5 runs: min 0." in text and "the file 1,072" in text


def test_trace_has_a_span_per_instruction_with_shapes_and_lines(tmp_path: Path) -> None:
    trace, sources = tmp_path / "trace.json", tmp_path / "net.sources.json"
    lines = [[{"operator": "aten::add", "module": "net", "source": f"net.py:{index}"}] for index in range(2)]
    sources.write_text(json.dumps({"methods": {"forward": lines}}))
    np.save(tmp_path / "in.npy", np.ones((3, 8), np.float32))
    arguments = [str(FOLDER / "dyn_mlp.pte"), "-i", str(tmp_path / "in.npy"), "--trace", str(trace)]
    assert main(arguments) == 0
    spans = json.loads(trace.read_text())["traceEvents"]
    kernels = [span for span in spans if span.get("cat") == "kernel"]
    assert [span["args"]["instruction"] for span in kernels] == list(range(6))
    pairs = itertools.pairwise(kernels)
    assert all(before["ts"] + before["dur"] <= after["ts"] + 1e-3 for before, after in pairs)
    assert kernels[1]["args"]["tensors"] == ["float32[16]", "float32[3, 8]", "float32[8, 16]", "float32[3, 16]"]
    assert [span["name"] for span in spans if span.get("cat", "").endswith("load")] == ["program load", "method load"]
    assert main([*arguments, "--sources", str(sources)]) == 1, "two instructions are another program's"


def test_sources_next_to_the_program_are_found(tmp_path: Path) -> None:
    (tmp_path / "net.pte").write_bytes(Path(_ADD).read_bytes())
    nodes = [{"operator": "aten::add", "module": "net", "source": "net.py:7"}]
    content = {"methods": {"forward": [nodes] * _instructions()}}
    (tmp_path / "net.sources.json").write_text(json.dumps(content))
    assert main([str(tmp_path / "net.pte"), "--trace", str(tmp_path / "trace.json")]) == 0
    spans = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    kernel = next(span for span in spans if span.get("cat") == "kernel")
    assert kernel["args"]["source"] == ["net.py:7"] and kernel["args"]["module"] == ["net"]


def _instructions() -> int:
    from executorch_report.facts import read_program

    return len(read_program(Path(_ADD)).methods[0].instructions)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["tests/fixtures/tut05_multimethod_encode_decode.pte"],
            "has the methods decode, encode; choose one with --method",
        ),
        ([_ADD, "-i", "tests/fixtures/manifest.json"], "manifest.json is not an .npy or .npz file"),
        ([_ADD, "-i", "nowhere.npz"], "executorch_run: nowhere.npz: No such file or directory"),
        ([_ADD, "-i", "tests/fixtures/dyn_mlp.npz"], "but forward(float32[3, 3], float32[3, 3])"),
        ([_ADD, "--compare", "tests/fixtures/lstm.npz"], "outputs, but the program has 1"),
        ([_ADD, "-m", "backward"], "NOT_FOUND"),
        ([_ADD, "-i", "photo.jpg"], "does not have an input of four dimensions"),
        (["tests/fixtures/manifest.json"], "INVALID_PROGRAM"),
        (["nowhere.pte"], "ACCESS_FAILED"),
        ([_ADD, "-i", "nowhere.npy"], "executorch_run: nowhere.npy: No such file or directory"),
        ([_ADD, "--compare", "nowhere.npz"], "executorch_run: nowhere.npz: No such file or directory"),
        ([_ADD, "--trace", "nowhere/trace.json"], "executorch_run: nowhere/trace.json: No such file or directory"),
        ([_ADD, "--trace", "/dev/null", "--sources", _ADD], "does not list the source lines of method 'forward'"),
        (
            ["tests/fixtures/ptd_mlp.pte"],
            "has 4 weights in a separate file (0.bias, 0.weight, 2.bias, ...); pass the .ptd file with --weights",
        ),
    ],
)
def test_mismatched_input_is_reported(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--repeat", "0"], "argument --repeat: must be an integer of at least 1, got '0'"),
        (["--threads", "two"], "argument --threads: must be an integer of at least 1, got 'two'"),
        (["--seed=-3"], "argument --seed: must be an integer from 0 to 2**64 - 1, got '-3'"),
        (["--seed", str(2**64)], f"argument --seed: must be an integer from 0 to 2**64 - 1, got '{2**64}'"),
        (["--see", "1"], "unrecognized arguments: --see 1"),
        (["--save", "out.txt"], "argument --save: 'out.txt' must end in .npz"),
    ],
)
def test_invalid_arguments_are_reported(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([_ADD, *arguments])
    assert caught.value.code == 2 and message in capsys.readouterr().err


def test_outputs_of_different_shapes_have_no_numeric_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "out.npz", out0=np.ones((2, 2), np.float32))
    assert main([_ADD, "--compare", str(tmp_path / "out.npz")]) == 1
    assert capsys.readouterr().out.endswith("out0: shape (3, 3) is not the recorded (2, 2)\n")


@pytest.mark.parametrize("cut", [0, 5, 40, 300, 1000])
def test_run_rejects_damaged_programs(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "net.pte"
    path.write_bytes(Path(_ADD).read_bytes()[:cut])
    assert main([str(path)]) == 1


def test_damaged_input_archive_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.npz").write_bytes(b"PK\3\4 and no archive")
    assert main([_ADD, "-i", str(tmp_path / "in.npz")]) == 1
    assert "in.npz is not an .npy or .npz file: " in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "-1", "many"])
def test_invalid_count_is_reported(count: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([_ADD, f"--repeat={count}"])
    assert f"argument --repeat: must be an integer of at least 1, got '{count}'" in capsys.readouterr().err


def test_images_are_resized_to_the_input(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not among the compiler's packages")
    path = tmp_path / "photo.png"
    image.new("RGB", (30, 20), (255, 0, 0)).save(path)
    assert main([str(FOLDER / "conv_channels_last.pte"), "-i", str(path)]) == 0


def test_images_are_normalized_for_torchvision(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not among the compiler's packages")
    path = tmp_path / "photo.png"
    image.new("RGB", (4, 4), (255, 0, 51)).save(path)
    info = ValueInfo("Tensor", "float32", (1, 3, 2, 2), (0, 1, 2, 3))
    ((found,),) = read_calls([path], Signature("forward", (info,), (), ()))
    expected = [(1 - 0.485) / 0.229, (0 - 0.456) / 0.224, (0.2 - 0.406) / 0.225]
    np.testing.assert_allclose(found[0, :, 1, 1], expected, rtol=1e-5)


def _program_with(*methods: str) -> Program:
    return cast(Program, SimpleNamespace(methods=methods))


def test_method_may_be_omitted_if_it_is_clear() -> None:
    assert only_method(_program_with("forward", "encode")) == "forward"
    assert only_method(_program_with("encode")) == "encode"
    with pytest.raises(InputError, match="encode, decode; choose one with --method"):
        only_method(_program_with("encode", "decode"))


def test_smallest_count_is_one() -> None:
    assert count_argument("1") == 1


def test_random_inputs_have_the_inputs_dtypes() -> None:
    infos = tuple(
        ValueInfo("Tensor", dtype, (4, 5)) for dtype in ("float16", "bfloat16", "int64", "bool", "complex64", "uint8")
    )
    signature = Signature("forward", (*infos, ValueInfo("int")), (), ())
    *tensors, number = random_inputs(signature, [None] * 6 + [7], 3, 10)
    assert [str(tensor.dtype) for tensor in tensors] == ["float16", "uint16", "int64", "bool", "complex64", "uint8"]
    assert number == 7 and 2 <= tensors[2].max() < 10
    again = random_inputs(signature, [None] * 6 + [7], 3, 10)
    assert all((one == other).all() for one, other in zip(tensors, again[:-1]))


def test_differences_are_reported_per_element() -> None:
    one = np.array([[1.0, 2.0], [np.nan, 4.0]])
    assert compare("out0", one, one.copy(), 0, 0).problem == ""
    assert compare("out0", np.array([0.11]), np.array([0.1]), 1, 0).sqnr == pytest.approx(20)
    other = one.copy()
    other[1, 1] = 5
    assert compare("out0", other, one, 0.5, 0).problem == "1 of 4 elements differ, first at [1, 1]"
    assert "shape (4,) is not the recorded (2, 2)" in compare("out0", one.ravel(), one, 0, 0).problem
    assert "dtype float32 is not" in compare("out0", one.astype(np.float32), one, 0, 0).problem


def test_random_integers_are_at_a_bound_of_their_range() -> None:
    ranges = ((Steps(2, 8, 2),), (Steps(2, 2**40, 1),), ())
    signature = Signature("forward", tuple(ValueInfo("Int", steps=steps) for steps in ranges), (), ())
    assert random_inputs(signature, [5, 6, 7], seed=0, below=10) == [8, 2, 7]


def test_values_other_than_tensors_have_no_memory() -> None:
    info = ValueInfo("int")
    assert (info.shape, info.nbytes, info.is_planned, info.is_dynamic) == ((), 0, False, False)
