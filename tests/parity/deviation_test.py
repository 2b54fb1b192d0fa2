"""Tests the report of a failed parity test.

It names the first instruction that differs from eager PyTorch.
"""

import re
import subprocess
from pathlib import Path

_HERE = Path("tests/parity")


def _run_deviation(model: str, program: str, *flags: str, steps: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a parity test on another file; `steps` is another model, or "" for none."""
    files = [_HERE / f"{program}.pte", _HERE / f"{model}.reference.calls"]
    if steps != "":
        files.append(_HERE / f"{steps or model}.reference.steps")
    command: list[str | Path] = [_HERE / f"{model}_parity_test", *files, "--atol=1e-4", "--rtol=1e-4", *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_correct_program_passes_without_instruction_report() -> None:
    run = _run_deviation("model", "model")
    assert (run.returncode, run.stderr) == (0, "")


def test_deviating_layer_is_named_by_its_line() -> None:
    run = _run_deviation("model", "broken")
    assert run.returncode == 1
    error, place, line, elements = run.stderr.splitlines()
    assert error.startswith("run_calls: tests/parity/broken.pte: wrong result: call 0: output 0: ")
    assert place.startswith("  the first instruction that differs from PyTorch: aten::addmm.out, number ")
    assert line == "    tests/parity/net.py:19 in module 'second'"
    assert elements.startswith("    element 3 is ")


def test_delegate_deviation_lists_the_delegates_lines() -> None:
    run = _run_deviation("model_cpu", "broken_cpu")
    assert run.returncode == 1
    _, place, line, _ = run.stderr.splitlines()
    assert place == "  the first instruction that differs from PyTorch: CpuBackend, number 0"
    assert line == (
        "    tests/parity/net.py:18 in module 'first', tests/parity/net.py:19 in module 'second', "
        "tests/parity/net.py:20 in module 'third'"
    )


def test_agreement_at_each_instruction_blames_the_compiler() -> None:
    """The eager model differs from the graph whose instructions were recorded."""
    run = _run_deviation("model", "broken", steps="broken")
    assert run.returncode == 1
    assert run.stderr.splitlines()[1] == (
        "  all 5 instructions that PyTorch also ran agree with it; the deviation is in the compiled program, or in an "
        "instruction that only the runtime has"
    )


def test_damaged_op_records_are_reported(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.steps"
    damaged.write_bytes((_HERE / "model.reference.steps").read_bytes()[:400])
    run = _run_deviation("model", "broken", str(damaged), steps="")
    assert run.returncode == 1
    assert run.stderr.splitlines()[1].startswith(f"  {damaged}: recorded calls: ")


def test_damaged_call_records_are_named(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.calls"
    damaged.write_bytes((_HERE / "model.reference.calls").read_bytes()[:200])
    command: list[str | Path] = [_HERE / "model_parity_test", _HERE / "model.pte", damaged]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith(f"run_calls: {damaged}: INVALID_EXTERNAL_DATA: recorded calls: ")


def test_tolerance_of_an_unknown_output_is_refused() -> None:
    run = _run_deviation("model", "model", "--output-rtol=1:0.5")
    assert run.returncode == 1
    assert run.stderr.endswith(": INVALID_ARGUMENT: output 1 has a tolerance, but the last output is 0\n")


def test_failure_follows_the_deviation_figures() -> None:
    """The log contains both output streams, as Bazel's test logs do."""
    command: list[str | Path] = [_HERE / "model_parity_test", _HERE / "broken.pte", _HERE / "model.reference.calls"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert run.stdout.splitlines()[-1].startswith("run_calls: ")


_ROWS = [_HERE / "rows_parity_test", _HERE / "rows.pte", _HERE / "rows_parity_test_data.reference.calls"]


def _rows(*flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*_ROWS, *flags], capture_output=True, text=True, check=False)


def test_input_files_and_a_sweep_add_calls() -> None:
    """There are 8 standard calls (one rejected), 2 from a file and 20 from the sweep."""
    run = _rows("--atol=1e-2")
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "30 calls match the recorded results"
    assert len(re.findall("rejected, as recorded", run.stdout)) == 1


def test_output_may_have_a_separate_tolerance() -> None:
    assert _rows("--atol=1", "--rtol=0").returncode == 0
    wrong = _rows("--atol=1", "--rtol=0", "--output-atol=0:0")
    assert (wrong.returncode, "output 0" in wrong.stderr) == (1, True)
    assert _rows("--atol=0", "--rtol=0", "--output-atol=0:1", "--output-rtol=1:1").returncode == 0


def test_tolerance_without_an_output_is_refused() -> None:
    for flag in ("--output-atol=1", "--output-atol=x:1", "--output-rtol=0:-1", "--output-atol=64:1"):
        assert _rows(flag).returncode == 2
