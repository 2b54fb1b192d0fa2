"""Tests that results in Rust are bit-identical to those in Python."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import torch

from executorch_runtime import Program
from tests.fixtures.recorded import FOLDER, PROGRAMS, recorded_calls

_GENERATOR = np.random.default_rng(3)


def _run_rust(model: str, *arguments: Any) -> list[str]:
    """Return the lines that the runner prints."""
    texts = [_hex(value) if isinstance(value, torch.Tensor) else str(value) for value in arguments]
    result = subprocess.run([os.environ["RUNNER"], model, *texts], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def _hex(tensor: torch.Tensor) -> str:
    return tensor.contiguous().view(torch.uint8).numpy().tobytes().hex() if tensor.numel() else ""


def _line(name: str, output: Any) -> str:
    tensor = torch.as_tensor(output)
    return f"{name} {list(tensor.shape)} {_hex(tensor.reshape(-1))}"


def _floats(*shape: int) -> torch.Tensor:
    return torch.from_numpy(_GENERATOR.standard_normal(shape, dtype=np.float32))


def _outputs(variable: str, *arguments: Any, method: str = "forward") -> tuple[Any, ...]:
    return Program(Path(os.environ[variable])).method(method)(*arguments)


def test_dynamic_size_and_integers_match_python() -> None:
    for rows, start, count, scale in ((6, 0, 3, 1), (7, 1, 2, 5), (8, 3, 1, 10**12)):
        x = _floats(rows, 3)
        (expected,) = _outputs("INTEGER_INPUTS", x, start, count, scale)
        assert _run_rust("integer_inputs", x.reshape(-1), start, count, scale) == [_line("output_0", expected)]


def test_several_dynamic_sizes_match_python() -> None:
    for rows, columns in ((1, 2), (4, 8), (3, 5)):
        x = _floats(rows, columns)
        (expected,) = _outputs("TWO_DYNAMIC_SIZES", x)
        assert _run_rust("two_dynamic_sizes", x.reshape(-1), rows, columns) == [_line("output_0", expected)]


def test_methods_with_shared_state_match_python() -> None:
    prompt, following = torch.tensor([3, 1, 4, 1, 5, 9]), torch.tensor([2, 6, 5])
    program = Program(Path(os.environ["KV_CACHE_DECODER"]))
    prefill = program.method("prefill")
    decode = program.method("decode", share=(prefill, 2))
    (logits,) = prefill(prompt[None], torch.arange(len(prompt)))
    lines = [_line("prefill", logits)]
    for index, token in enumerate(following):
        (logits,) = decode(token.reshape(1, 1), torch.tensor([len(prompt) + index]))
        lines.append(_line("decode", logits))
    assert _run_rust("kv_cache_decoder", prompt, following) == lines * 2


def test_external_program_and_weights_match_python() -> None:
    x = _floats(1, 8)
    files = [Path(os.environ[name]) for name in ("EXTERNAL", "EXTERNAL_WEIGHTS")]
    (expected,) = Program(*files).method("forward")(x)
    assert _run_rust("external", *files, x.reshape(-1)) == [_line("output_0", expected)]


def test_constants_of_every_kind_match_python() -> None:
    program = PROGRAMS["tut11_constant_methods"]
    calls = dict(recorded_calls(program, "inputs"))
    loaded = Program(FOLDER / program["file"])
    (forward,) = loaded.method("forward")(*calls["forward"])
    (bias,) = loaded.method("get_bias")()
    assert _run_rust("constants", calls["forward"][0].reshape(-1)) == [
        "3 0.5 false simpleconv",
        _line("get_bias", bias),
        _line("forward", forward),
    ]


def test_names_that_are_special_in_rust_match_python() -> None:
    a, b = _floats(4), _floats(4)
    (loaded,) = _outputs("ODD_NAMES", a, method="load")
    matched = _outputs("ODD_NAMES", a, b, "fast", True, None, method="match")
    lines = [_line(name, output) for name, output in zip(("struct", "a-b"), matched, strict=False)]
    assert _run_rust("odd_names", a, b) == [_line("load", loaded), *lines]
