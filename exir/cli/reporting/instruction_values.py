"""Instruction values: the results of each instruction in eager PyTorch.

If a parity test fails, they show the first instruction at which the runtime differs. The file has
the format of recorded calls (`exir.cli.reporting.calls`). A call contains the inputs of the
reference call, and these outputs:

    bool                       whether to compare values as for a quantized model
    for each instruction, in order:
        int                    its index in the method
        str                    its origin: "net.py:12 in module 'fc'"
        int                    number of its results, and for each
            int, tensor        a stride n, and every n-th element in row-major order

Instructions in branches and loop bodies are omitted. The values of a call end at the first instruction
that PyTorch cannot run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Interpreter, Node
from torch.utils import _pytree as pytree

from exir import memory
from exir.cli.reporting.calls import Call
from exir.delegate import is_delegate_call, updated_arguments
from exir.dialects.out_variant import written_arguments
from exir.graph.control_flow import regions
from exir.program import ExecutorchProgramManager
from exir.tensor import TensorSpec

MIN_SAMPLED = 512
"""Minimum number of elements that are sampled from a larger result. The maximum is twice as large."""

MAX_SHOWN_LINES = 8
"""Maximum number of source lines of a delegate call, which can be the whole model."""

_States = dict[tuple[str, str], Tensor]


def record_instruction_values(
    manager: ExecutorchProgramManager, calls: Sequence[Call], shares_state: bool, quantized: bool
) -> list[Call]:
    """Record the instruction values of `calls`, which run in order.

    shares_state: whether methods share buffers of the same name.
    """
    places = {name: _instruction_places(manager, name) for name in sorted(manager.methods)}
    states: _States = {}
    with torch.no_grad():
        return [
            _record_call(manager, call, places[call.method], states, shares_state, quantized)
            for call in calls
        ]


def _instruction_places(manager: ExecutorchProgramManager, method: str) -> dict[Node, tuple[int, str]]:
    """Return the index and the origin of each node that is one instruction."""
    sources = manager.instruction_sources["methods"][method]
    return {
        node: (index, _source_lines(sources[index]))
        for index, node in enumerate(manager.instruction_nodes[method])
        if not regions(node)
    }


def _source_lines(sources: Sequence[Mapping[str, str]]) -> str:
    """Return the distinct source lines of an instruction, with their modules."""
    modules: dict[str, list[str]] = {}
    for source in sources:
        if source["source"]:
            modules.setdefault(source["source"], []).append(source["module"])
    lines = [
        _format_line(source, list(dict.fromkeys(filter(None, names))))
        for source, names in modules.items()
    ]
    more = f" and {len(lines) - MAX_SHOWN_LINES} more lines" if len(lines) > MAX_SHOWN_LINES else ""
    return ", ".join(lines[:MAX_SHOWN_LINES]) + more or "unknown line of the model"


def _format_line(source: str, modules: list[str]) -> str:
    return f"{source} in module {' and '.join(map(repr, modules))}" if modules else source


def _record_call(
    manager: ExecutorchProgramManager,
    call: Call,
    places: Mapping[Node, tuple[int, str]],
    states: _States,
    shares_state: bool,
    quantized: bool,
) -> Call:
    values: list[Any] = []
    if call.expected_status == 0:
        program = manager.exported_program(call.method)
        arguments = list(_graph_arguments(program, call, states, "" if shares_state else call.method))
        values = _InstructionRecorder(program, places).record(arguments)
    return Call(call.method, call.inputs, (quantized, *values), call.expected_status)


def _graph_arguments(program: ExportedProgram, call: Call, states: _States, owner: str) -> Iterator[Any]:
    """Yield the arguments of the graph. `states` keeps state between calls."""
    mutated = set(program.graph_signature.buffers_to_mutate.values())
    inputs = iter(call.inputs)
    for spec in program.graph_signature.input_specs:
        if spec.kind is InputKind.USER_INPUT:
            value = next(inputs)
            yield value.clone() if isinstance(value, Tensor) else value
            continue
        assert spec.target is not None
        value = program.state_dict.get(spec.target, program.constants.get(spec.target))
        yield states.setdefault((owner, spec.target), value.clone()) if spec.target in mutated else value


class _LoweredInterpreter(Interpreter):
    """Runs a lowered graph, and the graphs of its control flow, on PyTorch's kernels."""

    def run_node(self, n: Node) -> Any:
        return _allocate_result(n) if n.target is memory.alloc else super().run_node(n)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(target, HigherOrderOperator):
            args = pytree.tree_map_only(GraphModule, _graph_function, args)
        result = super().call_function(target, args, kwargs)
        if result is None and isinstance(target, OpOverload) and written_arguments(target):
            # Out variants that write a list of tensors return nothing.
            (name,) = written_arguments(target)
            return kwargs[name]
        return result


def _graph_function(graph_module: GraphModule) -> Callable[..., Any]:
    return lambda *inputs: _LoweredInterpreter(graph_module).run(*inputs, enable_io_processing=False)


class _InstructionRecorder(_LoweredInterpreter):
    """Records the result of each instruction."""

    def __init__(self, program: ExportedProgram, places: Mapping[Node, tuple[int, str]]) -> None:
        super().__init__(program.graph_module)
        self._places = places
        self._steps: list[Any] = []

    def record(self, arguments: list[Any]) -> list[Any]:
        """Return the values up to the first operator that PyTorch cannot run.

        Some operators have a kernel only in the runtime.
        """
        try:
            self.run(*arguments, enable_io_processing=False)
        except Exception:
            return self._steps
        return self._steps

    def run_node(self, n: Node) -> Any:
        result = written = super().run_node(n)
        if is_delegate_call(n) and isinstance(result, tuple):
            updated = updated_arguments(n)
            written = result[: len(result) - len(updated)]
            # New states overwrite the old ones in place.
            for index, argument in updated.items():
                self.env[argument].copy_(result[index])
        if n in self._places:
            self._record_value(*self._places[n], written)
        return result

    def _record_value(self, index: int, where: str, result: Any) -> None:
        tensors = [value for value in pytree.tree_leaves(result) if isinstance(value, Tensor)]
        if not tensors:
            return
        self._steps += [index, where, len(tensors)]
        for tensor in tensors:
            self._steps += _sample_elements(tensor)


def _allocate_result(alloc: Node) -> Any:
    """Return memory for a result.

    If sizes are dynamic, the tensor is empty. Operators resize it, and would warn about a nonempty
    tensor of the wrong size.
    """
    specs: list[TensorSpec] = pytree.tree_leaves(alloc.meta["spec"])
    tensors = [torch.empty(spec.shape if spec.is_static else 0, dtype=spec.dtype) for spec in specs]
    return tensors if isinstance(alloc.meta["spec"], list) else tensors[0]


def _sample_elements(tensor: Tensor) -> tuple[int, Tensor]:
    step = max(1, tensor.numel() // MIN_SAMPLED)
    return step, tensor.detach().reshape(-1)[::step].clone()
