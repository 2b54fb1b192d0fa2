"""Tests of programs and methods from Python, on programs of the official exporter."""

from __future__ import annotations

import ctypes
import gc
import itertools
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from executorch_runtime import Clock, ExecutorchError, Method, Program, ValueInfo, _native
from exir import ExecutorchBackendConfig, to_edge
from exir._serialize import deserialize_pte_binary
from exir.graph.program_bundle import CompilationContext
from exir.inspection.imported import imported_methods
from exir.inspection.ranges import Steps
from exir.operators.kernels import KernelTable
from exir.passes import MemoryPlanningPass
from tests.fixtures.recorded import FOLDER, PROGRAMS, recorded_calls

_REFUSED = {"tut09_delegate_mapping_demo": "the operands and weights are missing"}
_DELEGATED = "dyn_mlp_xnn"
_RUNNING = sorted(set(PROGRAMS) - set(_REFUSED))


def _open(name: str) -> Program:
    program = PROGRAMS[name]
    return Program(FOLDER / program["file"], *(FOLDER / weights for weights in program["ptd"] or ()))


def _load_all(name: str) -> dict[str, Method]:
    """Load the methods with recorded calls.

    Methods that share a buffer use the first one's.
    """
    program = _open(name)
    content = deserialize_pte_binary((FOLDER / PROGRAMS[name]["file"]).read_bytes()).program
    shared = {report.name: report.shared_memory_id for report in imported_methods(content)}
    methods: dict[str, Method] = {}
    for method in dict.fromkeys(call["method"] for call in PROGRAMS[name]["calls"]):
        owner = next((methods[other] for other in methods if shared[other] and shared[other] == shared[method]), None)
        methods[method] = program.method(method, share=(owner, shared[method]) if owner else None)
    return methods


def _same(actual: Any, expected: Any, program: dict[str, Any]) -> None:
    if isinstance(expected, torch.Tensor):
        torch.testing.assert_close(actual, expected, atol=program["atol"], rtol=program["rtol"], equal_nan=True)
    else:
        assert actual == expected and type(actual) is type(expected)


@pytest.mark.parametrize("name", _RUNNING)
def test_program_reproduces_recorded_outputs(name: str) -> None:
    program, methods = PROGRAMS[name], _load_all(name)
    calls = zip(recorded_calls(program, "inputs"), recorded_calls(program, "eager_outputs"), strict=True)
    for (method, inputs), (_, outputs) in calls:
        found = methods[method](*inputs)
        assert len(found) == len(outputs)
        for actual, expected in zip(found, outputs, strict=True):
            is_array = isinstance(actual, np.ndarray) and isinstance(expected, torch.Tensor)
            _same(torch.from_numpy(actual) if is_array else actual, expected, program)


@pytest.mark.parametrize("name", sorted(_REFUSED))
def test_runtime_message_explains_why_a_program_cannot_run(name: str) -> None:
    program = _open(name)
    with pytest.raises(ExecutorchError, match=_REFUSED[name]):
        program.method(program.methods[0])


def test_metadata_is_available_before_loading() -> None:
    program = _open("dyn_mlp")
    assert program.methods == ("forward",)
    signature = program.signature()
    assert signature.inputs == (
        ValueInfo("Tensor", "float32", (32, 8), (0, 1), True, 1024, True, (Steps(0, 32), Steps(0, 8))),
    )
    assert str(signature) == "forward(float32[<=32, <=8]) -> (float32[<=32, <=4])"
    with pytest.raises(ExecutorchError, match="NOT_FOUND: .*forward"):
        program.signature("backward")


def test_ctypes_structures_match_the_library() -> None:
    sizes = (ctypes.c_size_t * 32)()
    count = _native.library().et_python_struct_sizes(sizes, 32)
    assert list(sizes[:count]) == [ctypes.sizeof(structure) for structure in _native.STRUCTURES]


def test_outputs_have_the_inputs_tensor_library() -> None:
    add = _open("tut02_basic_add").method()
    ones, twos = np.ones((3, 3), np.float32), np.full((3, 3), 2, np.float32)
    (from_numpy,) = add(ones, twos)
    (from_torch,) = add(torch.from_numpy(ones), torch.from_numpy(twos))
    assert isinstance(from_numpy, np.ndarray) and (from_numpy == 3).all()
    assert isinstance(from_torch, torch.Tensor) and torch.equal(from_torch, torch.full((3, 3), 3.0))


def test_non_dense_tensors_are_copied() -> None:
    program = _open("dyn_mlp").method()
    dense = torch.randn(3, 8)
    apart = torch.randn(8, 3).copy_(dense.T).T
    assert not apart.is_contiguous()
    assert torch.equal(program(dense)[0], program(apart)[0])


def test_dense_tensors_are_borrowed_in_place() -> None:
    from executorch_runtime import _arrays

    tensor, array = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last), np.ones((2, 3))
    assert _arrays.borrow(tensor, (0, 2, 3, 1)).address == tensor.data_ptr()
    assert _arrays.borrow(tensor, (0, 1, 2, 3)).address != tensor.data_ptr()
    assert _arrays.borrow(array, (0, 1)).address == array.ctypes.data
    assert _arrays.borrow(array.T, (0, 1)).address != array.ctypes.data


@pytest.mark.parametrize(
    "tensor", [torch.tensor([1 + 2j, 3 - 4j]).conj(), torch.tensor([5 + 6j]).conj().imag], ids=["conjugated", "negated"]
)
def test_lazy_tensor_operations_are_resolved_before_borrowing(tensor: torch.Tensor) -> None:
    from executorch_runtime import _arrays

    assert tensor.is_contiguous() and (tensor.is_conj() or tensor.is_neg())
    borrowed = _arrays.borrow(tensor, (0,))
    assert ctypes.string_at(borrowed.address, borrowed.nbytes) == tensor.resolve_conj().resolve_neg().numpy().tobytes()


@pytest.mark.parametrize(
    ("kind", "tensor"),
    [
        ("meta", torch.ones(3, 8, device="meta")),
        ("nested", torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])),
        ("sparse_coo", torch.eye(8).to_sparse()),
        ("sparse_csr", torch.eye(8).to_sparse_csr()),
    ],
)
def test_tensors_without_elements_are_named(kind: str, tensor: torch.Tensor) -> None:
    with pytest.raises(TypeError, match=f"{kind} torch tensors are not supported"):
        _open("dyn_mlp").method()(tensor)


def test_state_is_kept_and_reset() -> None:
    name = "counter_mutable_init"
    counter = _open(name).method(PROGRAMS[name]["calls"][0]["method"])
    ones = torch.ones(2, 2)
    first, second = counter(ones)[0], counter(ones)[0]
    assert not torch.equal(first, second)
    counter.reset()
    assert torch.equal(counter(ones)[0], first)


def test_mismatched_input_is_named() -> None:
    program = _open("dyn_mlp").method()
    with pytest.raises(TypeError, match=r"forward\(.*\) takes 1 inputs, got 2"):
        program(torch.ones(1, 8), torch.ones(1))
    with pytest.raises(ExecutorchError, match=r"inputs\[0\].*float64"):
        program(torch.ones(1, 8, dtype=torch.float64))
    with pytest.raises(ExecutorchError, match=r"NOT_SUPPORTED: inputs\[0\]"):
        program(torch.ones(33, 8))
    with pytest.raises(TypeError, match="an input has type list"):
        program([1.0])
    with pytest.raises(TypeError, match="dtype float8_e4m3fn"):
        program(torch.ones(1, 8, dtype=torch.float8_e4m3fn))


@pytest.mark.parametrize("cut", [0, 3, 60, 400])
def test_runtime_rejects_damaged_files(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "net.pte"
    path.write_bytes((FOLDER / "tut02_basic_add.pte").read_bytes()[:cut])
    with pytest.raises(ExecutorchError):
        Program(path)


@pytest.mark.parametrize(
    ("cut", "reason"),
    [
        (3, "ACCESS_FAILED: net.pte: a file of 3 bytes is too short; pass the path of a .pte or .ptd file"),
        (64, "INVALID_PROGRAM: net.pte: program.execution_plan[0]: the offset points outside the file; export"),
    ],
)
def test_runtime_names_a_truncated_file(cut: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (FOLDER / "tut02_basic_add.pte").read_bytes()
    monkeypatch.chdir(tmp_path)
    Path("net.pte").write_bytes(content[:cut])
    with pytest.raises(ExecutorchError, match=re.escape(reason)):
        Program("net.pte")


def test_runtime_names_a_file_of_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (FOLDER / "tut02_basic_add.pte").absolute()
    monkeypatch.chdir(tmp_path)
    Path("net.txt").write_text("version https://git-lfs.github.com/spec/v1\n", encoding="utf-8")
    with pytest.raises(
        ExecutorchError, match=r"net\.txt: bytes 69 6f 6e 20 are not the identifier 'ET12'; pass a program"
    ):
        Program("net.txt")
    with pytest.raises(
        ExecutorchError, match=r"source 'net\.txt': bytes 69 6f 6e 20 are not the identifier 'FT01'; pass"
    ):
        Program(program, "net.txt")


def test_runtime_names_a_missing_file() -> None:
    with pytest.raises(ExecutorchError, match=r"ACCESS_FAILED: .*nowhere\.pte"):
        Program("nowhere.pte")


def test_method_keeps_its_program_alive() -> None:
    add = Program(FOLDER / "tut02_basic_add.pte").method()
    gc.collect()
    assert torch.equal(add(torch.ones(3, 3), torch.ones(3, 3))[0], torch.full((3, 3), 2.0))


def test_trace_has_an_event_per_instruction() -> None:
    program = _open("dyn_mlp")
    method = program.method(trace=True)
    assert [event.kind for event in program.load_events] == ["program load"]
    assert [event.kind for event in method.events()] == ["method load"]
    method.clear_events()
    method(torch.ones(3, 8))
    events = method.events()
    assert {event.kind for event in events} == {"kernel"}
    assert [event.index for event in events] == sorted(event.index for event in events)
    assert "aten::addmm.out" in [event.name for event in events]
    assert all(earlier.end <= later.begin for earlier, later in itertools.pairwise(events))


def test_caller_provides_the_clock() -> None:
    ticks = iter(range(1000))
    tick = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(lambda _: next(ticks))
    address = ctypes.cast(tick, ctypes.c_void_p).value
    assert address is not None
    program = Program(FOLDER / "tut02_basic_add.pte", clock=Clock(address, owner=tick))
    assert [(event.begin, event.end) for event in program.load_events] == [(0, 1)]


def test_output_sizes_are_those_of_the_last_run() -> None:
    content = deserialize_pte_binary((FOLDER / "dyn_mlp.pte").read_bytes()).program
    method = _open("dyn_mlp").method()
    method(torch.ones(3, 8))
    plan = content.execution_plan[0]
    assert method.sizes_of(plan.inputs[0]) == (3, 8) and method.sizes_of(plan.outputs[0]) == (3, 4)
    assert method.sizes_of(10_000) is None


def test_reported_memory_is_the_allocated_memory() -> None:
    memory = _open("dyn_mlp").method().memory
    assert memory.planned > 0 and memory.method > 0
    assert memory.total == memory.method + memory.scratch + memory.planned + memory.data


def test_threads_may_share_one_method() -> None:
    method = _open("dyn_mlp").method()
    inputs = [torch.full((index % 16 + 1, 8), float(index)) for index in range(64)]
    expected = [method(tensor)[0] for tensor in inputs]
    found: dict[int, torch.Tensor] = {}

    def call(first: int) -> None:
        for index in range(first, 64, 4):
            found[index] = method(inputs[index])[0]

    threads = [threading.Thread(target=call, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(found[index], expected[index]) for index in range(64))


@pytest.mark.parametrize("option", ["threads", "seed", "max_steps"])
@pytest.mark.parametrize("value", [-1, 2**64])
def test_numbers_that_c_would_convert_are_refused(option: str, value: int) -> None:
    given: dict[str, Any] = {option: value}
    with pytest.raises(ValueError, match=f"{option} is {value}; pass a value from 0 to {2**64 - 1}"):
        _open("tut02_basic_add").method(**given)


def test_integers_beyond_64_bits_are_refused() -> None:
    method = _open("tut02_basic_add").method()
    with pytest.raises(ValueError, match=f"an input is {2**63}; pass a value from "):
        method(2**63, torch.ones(3, 3))


class _Writing(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x[:, 0] = 3
        return x.sum(1)


@pytest.mark.parametrize("planned", [True, False])
def test_inputs_are_not_modified(planned: bool, tmp_path: Path) -> None:
    file = tmp_path / "writing.pte"
    edge = to_edge(
        torch.export.export(_Writing(), (torch.zeros(2, 4),)), context=CompilationContext(kernels=KernelTable({}))
    )
    planner = MemoryPlanningPass(alloc_graph_input=planned)
    edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planner)).save(str(file))
    given = torch.ones(2, 4)
    assert Program(file).method()(given)[0].tolist() == [6, 6]
    assert torch.equal(given, torch.ones(2, 4))


def test_backend_options_are_passed_by_id() -> None:
    add = _open("tut02_basic_add").method(threads=2, max_steps=1)
    assert torch.equal(add(torch.ones(3, 3), torch.ones(3, 3))[0], torch.full((3, 3), 2.0))
    with pytest.raises(ExecutorchError, match="XnnpackBackend: option 'isa' must be plain, "):
        _open(_DELEGATED).method(backend_options={"XnnpackBackend": {"isa": "avx1024"}})
    looping = _open("control_flow_map").method(max_steps=3)
    with pytest.raises(ExecutorchError, match="OUT_OF_RESOURCES: .*exceeds 3 instructions"):
        looping(*recorded_calls(PROGRAMS["control_flow_map"], "inputs")[0][1])


@pytest.mark.parametrize(
    ("program", "has"),
    [("tut02_basic_add", "has no backends"), (_DELEGATED, "has XnnpackBackend")],
)
def test_options_for_an_unknown_backend_are_refused(program: str, has: str) -> None:
    with pytest.raises(ValueError, match=f"^backend_options for 'CpuBackened': the program {has}$"):
        _open(program).method(backend_options={"CpuBackened": {"isa": "avx2"}})


def test_runtime_page_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Test the example in docs/how_to/use_from_python.md."""
    page = Path("docs/how_to/use_from_python.md").read_text(encoding="utf-8")
    example = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "use_from_python.md", "exec"), {})
    assert capsys.readouterr().out == "forward(float32[1, 4]) -> (float32[1, 2])\n"
