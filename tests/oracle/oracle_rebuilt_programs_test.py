"""Rebuilds the official exporter's programs, and compares both runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import executorch.runtime

import executorch.kernels.quantized  # noqa: F401  (after the runtime, whose operators it adds to)  # isort: skip
import pytest
import torch
from executorch.extension.pybindings.portable_lib import _load_for_executorch
from torch.utils import _pytree as pytree

from exir.cli.reporting.calls import Call
from tests.fixtures.recorded import PROGRAMS, recorded_calls
from tests.operators.compiled import replay
from tests.oracle.official import OfficialProgram
from tests.oracle.rebuilt import ALL
from tests.oracle.rebuilt.rebuilt import Rebuilt

# Sums in float16 and bfloat16 depend on the order of the terms.
_TOLERANCE = dict.fromkeys(("dtypes_mixed", "mlp_fp16_portable", "mlp_fp16_xnn"), "1e-2")

Calls = list[tuple[str, tuple[Any, ...]]]


def _official_outputs(rebuilt: Rebuilt, calls: Calls, folder: Path) -> list[tuple[Any, ...]]:
    """Return the official runtime's outputs, or eager PyTorch's."""
    if rebuilt.eager:
        return [tuple(pytree.tree_leaves(rebuilt.eager[method](*inputs))) for method, inputs in calls]
    if rebuilt.manager.external_data:
        return _with_data(rebuilt, calls, folder)
    program = OfficialProgram(rebuilt.manager.buffer)
    return [tuple(program.run(method, *inputs)) for method, inputs in calls]


def _with_data(rebuilt: Rebuilt, calls: Calls, folder: Path) -> list[tuple[Any, ...]]:
    (file,) = rebuilt.manager.external_data
    rebuilt.manager.save(str(folder / "program.pte"))
    rebuilt.manager.write_tensor_data_to_file(str(folder))
    program = _load_for_executorch(str(folder / "program.pte"), str(folder / file))
    return [tuple(program.run_method(method, inputs)) for method, inputs in calls]


@pytest.mark.parametrize("name", sorted(ALL))
def test_rebuilt_programs_agree_on_both_runtimes(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    rebuilt = ALL[name]()
    calls = recorded_calls(PROGRAMS[name], "inputs")
    with torch.no_grad():
        outputs = _official_outputs(rebuilt, calls, tmp_path)
    expected = [Call(method, inputs, given) for (method, inputs), given in zip(calls, outputs, strict=True)]
    data = {file: bytes(content) for file, content in rebuilt.manager.external_data.items()}
    tolerance = _TOLERANCE.get(name, "1e-5")
    options = [f"--atol={tolerance}", f"--rtol={tolerance}"]
    options += [f"--share-planned={rebuilt.share_planned}"] if rebuilt.share_planned else []
    assert replay(rebuilt.manager.buffer, expected, data, *options) == ""


def test_every_official_program_is_rebuilt() -> None:
    assert set(ALL) == set(PROGRAMS)
