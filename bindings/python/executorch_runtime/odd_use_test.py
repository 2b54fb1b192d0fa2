"""Tests that unusual uses work or raise an error, and never crash the process."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from executorch_runtime import ExecutorchError, Method, Program
from tests.fixtures.recorded import FOLDER

_ADD = FOLDER / "tut02_basic_add.pte"
_ONES = torch.ones(3, 3)


def _add(**options: Any) -> Method:
    return Program(_ADD).method(**options)


def _gives_twos(found: tuple[Any, ...]) -> bool:
    return type(found[0]) is torch.Tensor and found[0].device.type == "cpu" and found[0].tolist() == [[2.0] * 3] * 3


@pytest.mark.parametrize(
    "mode", [lambda: torch.device("meta"), FakeTensorMode, torch.inference_mode], ids=["meta", "fake", "inference"]
)
def test_torch_modes_do_not_change_outputs(mode: Callable[[], AbstractContextManager[Any]]) -> None:
    method = _add()
    apart = torch.ones(3, 6)[:, ::2]
    with mode():
        assert _gives_twos(method(_ONES, _ONES)) and _gives_twos(method(apart, _ONES))
        for index, value in enumerate((_ONES, apart)):
            method.set_input(index, value)
        method.execute()
        found = method.outputs(as_torch=True)
    assert _gives_twos(found)


def test_default_device_and_dtype_do_not_change_outputs() -> None:
    method = _add()
    torch.set_default_device("meta")
    torch.set_default_dtype(torch.float64)
    try:
        found = method(_ONES, _ONES)
    finally:
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)
    assert _gives_twos(found)


def test_tensor_subclasses_are_refused() -> None:
    method = _add()
    with FakeTensorMode():
        fake = torch.ones(3, 3)
    for tensor in (fake, fake.T):
        with pytest.raises(TypeError, match="a FakeTensor of torch has no elements in memory"):
            method(tensor, _ONES)
    with pytest.raises(TypeError, match="has no elements in memory"):
        torch.vmap(lambda x: method(x, _ONES)[0])(torch.ones(2, 3, 3))
    with pytest.raises(TypeError, match="has no elements in memory"):
        make_fx(lambda x: method(x, _ONES)[0], tracing_mode="fake")(_ONES)


_INPUTS: dict[str, Callable[[], Any]] = {
    "requires_grad": lambda: torch.ones(3, 3, requires_grad=True),
    "parameter": lambda: torch.nn.Parameter(torch.ones(3, 3)),
    "buffer": lambda: torch.nn.Buffer(torch.ones(3, 3)),
    "not a leaf": lambda: torch.ones(3, 3, requires_grad=True) * 1,
    "expanded": lambda: torch.ones(1).expand(3, 3),
    "overlapping": lambda: torch.ones(8).as_strided((3, 3), (1, 2)),
    "negative strides": lambda: np.ones((3, 3), np.float32)[::-1, ::-1],
    "Fortran order": lambda: np.ones((3, 3), np.float32, order="F"),
    "broadcast": lambda: np.broadcast_to(np.float32(1), (3, 3)),
    "matrix": lambda: np.matrix(np.ones((3, 3), np.float32)),
    "unaligned": lambda: (
        np.frombuffer(b"\0" + np.ones(9, np.float32).tobytes(), np.uint8)[1:].view(np.float32).reshape(3, 3)
    ),
}


@pytest.mark.parametrize("kind", sorted(_INPUTS))
def test_dense_values_of_every_kind_are_accepted(kind: str) -> None:
    assert _gives_twos(_add()(_INPUTS[kind](), _ONES))
    assert _gives_twos(_add()(_ONES, _INPUTS[kind]()))


_REFUSED: dict[str, tuple[Callable[[], Any], type[Exception]]] = {
    "big endian": (lambda: np.ones((3, 3), ">f4"), TypeError),
    "objects": (lambda: np.full((3, 3), None), TypeError),
    "text": (lambda: np.full((3, 3), "a"), TypeError),
    "dates": (lambda: np.zeros((3, 3), "M8[s]"), TypeError),
    "records": (lambda: np.zeros((3, 3), [("a", "f4")]), TypeError),
    "quantized": (lambda: torch.quantize_per_tensor(_ONES, 1.0, 0, torch.quint8), TypeError),
    "list": (lambda: [[1.0] * 3] * 3, TypeError),
    "bytes": (lambda: b"abc", TypeError),
    "complex": (lambda: 1j, TypeError),
    "a type": (lambda: torch.Tensor, TypeError),
    "number": (lambda: 1.0, ExecutorchError),
    "NaN": (lambda: float("nan"), ExecutorchError),
    "None": (lambda: None, ExecutorchError),
    "text of another language": (lambda: "a\0b", ExecutorchError),
    "half a character": (lambda: "\ud800", ValueError),
    "rank 20": (lambda: torch.ones([1] * 20), ExecutorchError),
    "size of 33 bits": (lambda: torch.empty(0, 2**32 + 3), ValueError),
    "no elements": (lambda: torch.empty(0, 3), ExecutorchError),
    "no dimensions": (lambda: np.float32(1), ExecutorchError),
}


@pytest.mark.parametrize("kind", sorted(_REFUSED))
def test_values_of_unsupported_types_are_refused(kind: str) -> None:
    value, error = _REFUSED[kind]
    method = _add()
    with pytest.raises(error):
        method(value(), _ONES)
    assert _gives_twos(method(_ONES, _ONES))


def test_programs_and_methods_are_not_copied() -> None:
    program = Program(_ADD)
    for handle in (program, program.method()):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=f"a {type(handle).__name__} cannot be copied or pickled"):
                way(handle)
    assert _gives_twos(program.method()(_ONES, _ONES))


def test_errors_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(ExecutorchError("NOT_FOUND", "no such method")))
    assert (error.status, error.message, str(error)) == ("NOT_FOUND", "no such method", "NOT_FOUND: no such method")


@pytest.mark.parametrize("memory_id", [0, 2, 3, 2**32 - 1])
def test_shared_memory_id_must_exist(memory_id: int) -> None:
    program = Program(_ADD)
    with pytest.raises(ExecutorchError, match=f"INVALID_ARGUMENT: .*does not have memory id {memory_id}"):
        program.method(share=(program.method(), memory_id))


def test_shared_owner_must_be_a_method_of_the_program() -> None:
    program, owner = Program(_ADD), _add()
    with pytest.raises(ExecutorchError, match="INVALID_ARGUMENT"):
        program.method(share=(owner, 1))
    for share in ((program, 1), (None, 1), ("forward", 1)):
        with pytest.raises(TypeError, match="share: the owner is"):
            program.method(share=share)  # type: ignore[arg-type]
    for memory_id in (-1, 2**32):
        with pytest.raises(ValueError, match="share: the memory id"):
            program.method(share=(program.method(), memory_id))


def test_names_with_nul_are_refused() -> None:
    program = Program(_ADD)
    uses: list[Callable[[], object]] = [
        lambda: Program(f"{_ADD}\0.txt"),
        lambda: Program(os.fsencode(_ADD) + b"\0"),  # type: ignore[arg-type]
        lambda: Program(_ADD, f"{_ADD}\0"),
        lambda: program.method("forward\0backward"),
        lambda: program.signature("forward\0"),
    ]
    for use in uses:
        with pytest.raises(ValueError, match="has a NUL character"):
            use()


def test_pipe_is_refused_as_a_program(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ExecutorchError, match="ACCESS_FAILED"):
        Program(tmp_path / "pipe")


def test_output_before_a_run_is_refused() -> None:
    method = _add()
    with pytest.raises(ExecutorchError, match="INVALID_STATE: outputs.0. has no value; execute the method first"):
        method.outputs()
    method(_ONES, _ONES)
    assert (method.outputs()[0] == 2).all()
    method.reset()
    with pytest.raises(ExecutorchError, match="INVALID_STATE"):
        method.outputs()


@pytest.mark.parametrize("index", [0, 1])
def test_setting_an_input_invalidates_earlier_outputs(index: int) -> None:
    method = _add()
    method(_ONES, _ONES)
    method.outputs()
    method.set_input(index, _ONES)
    with pytest.raises(ExecutorchError, match="INVALID_STATE: outputs.0. has no value; execute the method first"):
        method.outputs()
    method.set_input(1 - index, _ONES)
    method.execute()
    assert (method.outputs()[0] == 2).all()


def test_method_keeps_its_inputs_alive() -> None:
    method = _add()
    for index in range(2):
        method.set_input(index, np.ones((3, 6), np.float32)[:, ::2])
    waste = [np.zeros((3, 3), np.float32) for _ in range(100)]
    method.execute()
    method.execute()
    assert (method.outputs()[0] == 2).all() and len(waste) == 100


def test_execute_requires_live_inputs() -> None:
    method = _add()
    method(_ONES, _ONES)
    with pytest.raises(ExecutorchError, match="INVALID_STATE: inputs.0. is not set; call set_input first"):
        method.execute()
    for index in (-1, 2):
        with pytest.raises(ValueError, match="the index of an input"):
            method.set_input(index, _ONES)


def _in_child(work: Callable[[], object]) -> int:
    """Run `work` in a forked child and return its exit code.

    A child that hangs is killed.
    """
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(60)
    if child.is_alive():
        child.kill()
    child.join()
    assert child.exitcode is not None
    return child.exitcode


def test_forked_child_uses_a_method() -> None:
    method = _add()

    def work() -> None:
        assert _gives_twos(method(_ONES, _ONES))

    assert _in_child(work) == 0


def test_forked_child_frees_a_method_with_threads() -> None:
    holder = [_add(threads=3)]
    assert _gives_twos(holder[0](_ONES, _ONES))

    def work() -> None:
        with pytest.raises(ExecutorchError, match="INVALID_STATE: .*load it again in the child"):
            holder[0](_ONES, _ONES)
        holder.clear()
        assert _gives_twos(_add(threads=3)(_ONES, _ONES))

    assert _in_child(work) == 0
    assert _gives_twos(holder[0](_ONES, _ONES))


def test_forked_child_cannot_use_a_method_in_use() -> None:
    method = _add()
    assert method.lock._lock.acquire()  # as during a call in another thread

    def work() -> None:
        with pytest.raises(ExecutorchError, match="INVALID_STATE: .*in use when the process forked"):
            method(_ONES, _ONES)

    try:
        assert _in_child(work) == 0
    finally:
        method.lock._lock.release()


_EXIT = """
import atexit, sys, threading
import torch
inputs = [torch.ones(3, 3)] * 2
atexit.register(lambda: method(*inputs))  # runs after the runtime's own handler
from executorch_runtime import Program
method = Program(sys.argv[1]).method(threads=int(sys.argv[2]))
def work():
    while True:
        method(*inputs)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
method(*inputs)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_interpreter_exits_while_threads_are_in_calls(threads: int) -> None:
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    for _ in range(2):
        command = [sys.executable, "-c", _EXIT, str(_ADD), str(threads)]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr


def test_owner_does_not_run_while_another_method_loads() -> None:
    program = Program(FOLDER / "multi_state_shared.pte")
    owner = program.method(program.methods[0])
    loaded: list[object] = []
    with owner.lock:
        thread = threading.Thread(target=lambda: loaded.append(program.method(program.methods[1], share=(owner, 1))))
        thread.start()
        thread.join(0.2)
        assert not loaded
    thread.join(60)
    assert not thread.is_alive()
