"""Tests of the demo backend's payloads, partitions, handle maps and errors."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export

from backends.demo.compiler_demo import (
    BACKEND,
    BackendWithCompilerDemo,
    BackendWithDelegateMappingDemo,
    CompilerDemoPartitioner,
)
from exir import to_edge
from exir.backend.backend_api import to_backend
from exir.backend.backend_details import PreprocessResult, RuntimeMemory
from exir.delegate import delegate_calls, lowered_module_of
from exir.error import UnsupportedOperatorError


class _Model(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Tensor) -> object:
        return self.function(*args)


def _program(function: Callable[..., Any], *inputs: Tensor, **options: Any) -> ExportedProgram:
    program = export(_Model(function), inputs, strict=False, **options).run_decompositions()
    for handle, node in enumerate(program.graph.nodes):
        node.meta["debug_handle"] = handle
    return program


def _payloads(function: Callable[..., Any], *inputs: Tensor, **options: Any) -> list[str]:
    lowered = to_backend(_program(function, *inputs, **options), CompilerDemoPartitioner())
    return [lowered_module_of(call).processed_bytes.decode() for call in delegate_calls(lowered.graph)]


def test_the_payload_names_every_operand() -> None:
    a, b, c = torch.randn(3, 2, 2)
    assert _payloads(lambda a, b, c: torch.add(torch.mm(a, b), c), a, b, c) == [
        "2version:1#inputs:3#"
        "op:demo::aten.mm.default, numel:4, dtype:torch.float32, args:0;1<debug_handle>3#"
        "op:demo::aten.add.Tensor, numel:4, dtype:torch.float32, args:3;2<debug_handle>4#"
        "outputs:4#"
    ]


def test_value_may_be_used_twice_and_also_be_an_output() -> None:
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        once = torch.sin(x)
        return once, once * torch.sin(once)

    (payload,) = _payloads(function, torch.ones(3))
    assert payload.startswith("3version:1#inputs:1#")
    assert "aten.mul.Tensor, numel:3, dtype:torch.float32, args:1;2<" in payload
    assert payload.endswith("outputs:1;3#")


def test_numel_is_the_upper_bound_of_a_dynamic_shape() -> None:
    n = Dim("n", min=2, max=9)
    (payload,) = _payloads(torch.sin, torch.ones(3, 4), dynamic_shapes={"args": ({0: n},)})
    assert "numel:36," in payload


def test_tensor_without_a_bound_is_left_to_portable_kernels() -> None:
    assert _payloads(torch.sin, torch.ones(3, 4), dynamic_shapes={"args": ({0: Dim.DYNAMIC},)}) == []


def test_unsupported_operators_split_the_model_into_partitions() -> None:
    assert len(_payloads(lambda x: torch.sin(torch.exp(torch.sin(x))), torch.ones(3))) == 2


@pytest.mark.parametrize(
    "function, inputs",
    [
        (torch.sin, (torch.ones(3, dtype=torch.float64),)),
        (lambda x: torch.add(x, x, alpha=2), (torch.ones(3),)),
        (torch.sin, (torch.ones(2, 3).t(),)),
        (torch.exp, (torch.ones(3),)),
    ],
)
def test_unsupported_calls_are_left_to_portable_kernels(function: Callable[..., Any], inputs: tuple) -> None:
    assert _payloads(function, *inputs) == []


def test_a_long_chain_is_split_at_256_operators() -> None:
    def chain(x: Tensor) -> Tensor:
        for _ in range(300):
            x = torch.sin(x)
        return x

    sizes = [int(payload.split("version")[0]) for payload in _payloads(chain, torch.ones(1))]
    assert sizes == [256, 44]


def test_whole_program_lowering_names_the_unsupported_operator() -> None:
    with pytest.raises(UnsupportedOperatorError, match="cannot run aten.exp.default"):
        to_backend("BackendWithCompilerDemo", _program(torch.exp, torch.ones(3)), [])


def test_too_many_inputs_are_refused() -> None:
    def total(*tensors: Tensor) -> Tensor:
        result = tensors[0]
        for tensor in tensors[1:]:
            result = result + tensor
        return result

    with pytest.raises(UnsupportedOperatorError, match="a partition has 65 inputs; it can have at most 64"):
        _payloads(total, *torch.ones(65, 1))


def test_preprocess_maps_its_instructions_to_debug_handles() -> None:
    program = _program(lambda x: torch.sin(torch.sin(x)), torch.ones(3))
    result = BackendWithCompilerDemo.preprocess(program, [])
    assert result.debug_handle_map == {0: (1,), 1: (2,)}


def test_measured_memory_is_program_ops_and_results() -> None:
    payload = BackendWithCompilerDemo.preprocess(
        _program(lambda x: torch.sin(torch.sin(x)), torch.ones(3)), []
    ).processed_bytes
    memory = BackendWithCompilerDemo.runtime_memory(payload, [])
    assert memory == RuntimeMemory("DEMO_HANDLE_BYTES(2u, 0u, 32u)", "", "backends/demo/handle.h")


def test_entry_point_returns_the_partitioner() -> None:
    assert BACKEND.id == "compiler_demo"
    assert BACKEND.partitioner is not None
    assert isinstance(BACKEND.partitioner(), CompilerDemoPartitioner)


class _Tangent(nn.Module):
    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, **options)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tan(torch.relu(self.conv(x)))


class _Bare(nn.Module):
    """A convolution without a ReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tan(self.conv(x))


def _whole(module: nn.Module) -> ExportedProgram:
    return to_edge(export(module.eval(), (torch.randn(1, 2, 8, 8),))).exported_program()


def _preprocess(module: nn.Module) -> PreprocessResult:
    return BackendWithDelegateMappingDemo.preprocess(_whole(module), [])


def test_two_nodes_make_an_op_and_one_node_makes_three() -> None:
    program = _whole(_Tangent())
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    convolution, relu, tan = (node.meta["debug_handle"] for node in calls)
    found = BackendWithDelegateMappingDemo.preprocess(program, []).debug_handle_map
    assert found == {0: (convolution, relu), 1: (tan,), 2: (tan,), 3: (tan,)}


def test_constants_follow_the_text() -> None:
    module = _Tangent(stride=2, padding=1)
    parameters = torch.cat([parameter.flatten() for parameter in module.conv.parameters()])
    payload = _preprocess(module).processed_bytes
    text, _, data = payload.partition(b"outputs:6#")
    assert text.startswith(b"4version:1#inputs:1#constants:4x2x3x3;4#op:demo::conv_relu, numel:64, dtype:torch.float32")
    assert b", stride:2, padding:1, args:0;1;2<debug_handle>" in text
    assert [text.count(args) for args in (b", args:3<", b", args:4;5<")] == [2, 1]
    assert torch.equal(torch.frombuffer(bytearray(data), dtype=torch.float32), parameters)


def test_mapping_demo_is_found_by_name() -> None:
    lowered = to_backend(BackendWithDelegateMappingDemo.__name__, _whole(_Tangent()), [])
    assert lowered.backend_id == "BackendWithDelegateMappingDemo"


def test_a_convolution_without_bias_has_zeros() -> None:
    assert _preprocess(_Tangent(bias=False)).processed_bytes.endswith(bytes(16))


def test_rejects_a_whole_module_of_another_dtype() -> None:
    program = to_edge(export(_Tangent().double(), (torch.randn(1, 2, 8, 8).double(),))).exported_program()
    with pytest.raises(UnsupportedOperatorError, match="cannot run aten.convolution"):
        BackendWithDelegateMappingDemo.preprocess(program, [])


def test_memory_of_an_official_payload_is_known() -> None:
    """Version 0 does not list its outputs."""
    payload = (
        b"2version:0#op:demo::aten.mm.default, numel:4, dtype:torch.float32<debug_handle>1#"
        b"op:demo::aten.add.Tensor, numel:4, dtype:torch.float32<debug_handle>2#"
    )
    expected = RuntimeMemory("DEMO_HANDLE_BYTES(2u, 0u, 32u)", "", "backends/demo/handle.h")
    assert BackendWithCompilerDemo.runtime_memory(payload, []) == expected


def test_the_runtimes_memory_includes_constants() -> None:
    payload = _preprocess(_Tangent()).processed_bytes
    data = 4 * 4 * (4 * 6 * 6) + 4 * (4 * 2 * 3 * 3) + 16
    expected = RuntimeMemory(f"DEMO_HANDLE_BYTES(4u, 2u, {data}u)", "", "backends/demo/handle.h")
    assert BackendWithDelegateMappingDemo.runtime_memory(payload, []) == expected


@pytest.mark.parametrize(
    "module, named",
    [
        (_Bare(), "convolution"),
        (_Tangent(dilation=2), "convolution"),
        (_Tangent(groups=2), "convolution"),
        (_Tangent(stride=(1, 2)), "convolution"),
        (nn.ReLU(), "relu"),
    ],
)
def test_fusions_that_are_not_supported_are_named(module: nn.Module, named: str) -> None:
    with pytest.raises(UnsupportedOperatorError, match=f"cannot run aten.{named}"):
        _preprocess(module)
