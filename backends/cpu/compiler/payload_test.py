"""Tests of the content, memory plan and reproducibility of payloads."""

import pytest
import sympy
import torch
from torch import nn
from torch.export import Dim
from torch.utils._sympy import functions
from torch.utils._sympy.value_ranges import ValueRanges

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.dims import Bounds
from backends.cpu.compiler.graph import Input, Op, OpGraph, Output, Scratch, TensorLayout, Value
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.payload import Payload, content_key
from backends.cpu.compiler.plan import plan
from backends.cpu.compiler.preprocess import CpuBackend
from backends.cpu.compiler.read_payload import read
from backends.cpu.compiler.testing.compare import assert_computes, delegated, ops
from backends.cpu.schema.elementwise import ElementwiseF32
from backends.cpu.schema.kernel_sizes import ALIGNMENT
from backends.cpu.schema.payload_tables import DimOp
from backends.cpu.schema.records import RELU
from exir.error import ExportError, InvalidProgramError


def _network() -> tuple[nn.Module, torch.Tensor]:
    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=8), nn.Conv2d(8, 4, 1)]
    return nn.Sequential(*layers).eval(), torch.randn(1, 3, 6, 6)


def _payload() -> Payload:
    module, x = _network()
    return compile_partition(delegated(module, [x]), Options())


def test_equal_programs_give_equal_bytes() -> None:
    assert _payload() == _payload()


def test_named_data_is_keyed_by_its_content() -> None:
    payload = _payload()
    rows = read(payload.data)
    assert dict(rows.data) == {key: len(data) for key, data in payload.named.items()}
    assert all(content_key(data) == key for key, data in payload.named.items())


def test_runtime_parts_are_the_ops_of_the_payload() -> None:
    names = ["conv_f32", "dwconv_f32", "gemm_f32", "permute"]
    symbols = sorted(CpuBackend.runtime_parts(_payload().data, []))
    assert symbols == [f"et_cpu_op_{name}" for name in names]


def test_arguments_and_results_come_first() -> None:
    rows = read(_payload().data)
    assert (rows.input_count, rows.output_count) == (1, 1)
    assert [(value.place, value.order) for value in rows.values[:2]] == [(0, 0x3210), (1, 0x3210)]


def test_scratch_is_aligned_and_minimal() -> None:
    module, x = _network()
    planned = plan(ops(module, x))
    assert planned.size == planned.lower_bound
    assert all(offset % ALIGNMENT == 0 for offset in planned.offsets.values())


def test_scratch_has_space_for_views_larger_than_their_base() -> None:
    """`[n // 4, 4]` has up to 64 elements, and its view `[n]` has up to 67."""
    n = sympy.Symbol("n", integer=True, positive=True)
    rows = functions.FloorDiv(n, 4), 4
    x, h, y = (Value(torch.float32, (n,), place) for place in (Input(0), Scratch(), Output(0)))
    base = Value(torch.float32, rows)
    relu = ElementwiseF32.of(RELU)
    chain = [
        Op(relu, (Value(torch.float32, rows, base=x),), (base,)),
        Op(relu, (Value(torch.float32, (n,), base=base),), (h,)),
        Op(relu, (h,), (y,)),
    ]
    bounds = Bounds({n: ValueRanges(4, 67)})
    planned = plan(OpGraph(bounds, [TensorLayout(x, (0,))], [TensorLayout(y, (0,))], chain))
    assert planned.size == 2 * 5 * ALIGNMENT


def test_result_is_written_to_the_callers_tensor() -> None:
    rows = read(compile_partition(delegated(nn.Linear(4, 4), [torch.randn(2, 4)]), Options()).data)
    assert rows.scratch_bytes == 0
    assert [value.place for value in rows.values] == [0, 1, 3, 3]


def test_duplicate_result_is_copied() -> None:
    def twice(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x.relu()
        return y, y.view(6)

    assert_computes(twice, torch.randn(2, 3))


def test_dynamic_sizes_are_computed_from_the_arguments() -> None:
    module, x = _network()
    batch, height = Dim("batch", min=1, max=4), Dim("height", min=4, max=12)
    others = [[torch.randn(4, 3, 12, 6)], [torch.randn(1, 3, 4, 6)]]
    shapes = ({0: batch, 2: height},)
    x = torch.randn(2, 3, 7, 6)
    assert_computes(lambda x: module(x), x, dynamic_shapes=shapes, others=others)
    program = delegated(lambda x: module(x), [x], shapes)
    rows = read(compile_partition(program, Options()).data)
    sizes = [entry for entry in rows.dims if entry.op is DimOp.SIZE]
    assert [(entry.a, entry.b, entry.maximum) for entry in sizes] == [(0, 0, 4), (0, 2, 12)]


def test_scratch_memory_beyond_32_bits_is_refused_with_the_remedy() -> None:
    twice = nn.Sequential(nn.Softmax(-1), nn.Softmax(-1))
    with pytest.raises(ExportError, match="34359738.* at most 4294967295; reduce the max of the torch.export.Dim"):
        delegated(twice, [torch.randn(5, 4)], dynamic_shapes=({0: Dim("n", max=2**31 - 1)},))


def test_invalid_bytes_are_not_a_payload() -> None:
    for damaged in (b"", bytes(64), _payload().data[:-4]):
        with pytest.raises(InvalidProgramError, match="not a version 1 CpuBackend payload"):
            read(damaged)


def test_constants_have_their_values() -> None:
    module = nn.Module()
    module.register_buffer("negated", torch.tensor([5 + 6j]).conj().imag)
    assert_computes(lambda x: x * module.negated, torch.randn(3))
