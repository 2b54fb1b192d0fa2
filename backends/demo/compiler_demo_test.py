"""The demo backend's compiler: payload, partitions, refusals."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export

from backends.demo.compiler_demo import (
    BACKEND,
    BackendWithCompilerDemo,
    CompilerDemoPartitioner,
)
from exir.backend.backend_api import to_backend
from exir.backend.backend_details import RuntimeMemory
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

    with pytest.raises(UnsupportedOperatorError, match="at most 64 inputs in a partition, got 65"):
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
    assert memory == RuntimeMemory("DEMO_HANDLE_BYTES(2u, 32u)", "", "backends/demo/handle.h")


def test_entry_point_returns_the_partitioner() -> None:
    assert BACKEND.id == "compiler_demo"
    assert BACKEND.partitioner is not None
    assert isinstance(BACKEND.partitioner(), CompilerDemoPartitioner)
