"""Lowers recurrent layers of dynamic length to one `scan` per layer and direction.

PyTorch decomposes `aten.lstm`, `aten.gru` and `aten.rnn_*` into a Python loop over the sequence,
which specializes the length. While `dynamic_recurrence` is active, a call with a symbolic length is
decomposed into `scan` instead.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import torch
from torch import SymInt, Tensor
from torch._C import DispatchKey
from torch._higher_order_ops.scan import scan_op
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from exir.graph.control_flow import graphs
from exir.graph.graph_builder import values
from exir.torch_versions import repair_lstm

repair_lstm()

_ATEN = torch.ops.aten
State: TypeAlias = tuple[Tensor, ...]
# (input gates, hidden gates, state) → next state, whose first tensor is the hidden state.
Step: TypeAlias = Callable[[Tensor, Tensor, State], State]


def gru_step(input_gates: Tensor, hidden_gates: Tensor, state: State) -> State:
    """Return the next state (hidden,) of a GRU."""
    (hidden,) = state
    input_reset, input_update, input_new = input_gates.chunk(3, -1)
    hidden_reset, hidden_update, hidden_new = hidden_gates.chunk(3, -1)
    reset = (input_reset + hidden_reset).sigmoid()
    update = (input_update + hidden_update).sigmoid()
    new = (input_new + hidden_new * reset).tanh()
    return ((hidden - new) * update + new,)


def lstm_step(input_gates: Tensor, hidden_gates: Tensor, state: State) -> State:
    """Return the next state (hidden, cell) of an LSTM."""
    input_gate, forget_gate, cell_gate, output_gate = (input_gates + hidden_gates).chunk(4, -1)
    cell = forget_gate.sigmoid() * state[1] + input_gate.sigmoid() * cell_gate.tanh()
    return output_gate.sigmoid() * cell.tanh(), cell


def rnn_step(activation: Callable[[Tensor], Tensor]) -> Step:
    """Return the step of an Elman network, whose state is (hidden,)."""
    return lambda input_gates, hidden_gates, state: (activation(input_gates + hidden_gates),)


@dataclass(frozen=True)
class _LayerWeights:
    """The parameters of one layer in one direction.

    projection: [projected, hidden], for an LSTM with `proj_size`.
    """

    input: Tensor
    hidden: Tensor
    input_bias: Tensor | None
    hidden_bias: Tensor | None
    projection: Tensor | None


def _by_layer(params: Sequence[Tensor], has_biases: bool, is_projected: bool) -> list[_LayerWeights]:
    """Group the flat list of parameters; in each layer, forward precedes backward."""
    count = 2 + 2 * has_biases + is_projected
    groups = [params[begin : begin + count] for begin in range(0, len(params), count)]
    return [
        _LayerWeights(
            group[0],
            group[1],
            group[2] if has_biases else None,
            group[3] if has_biases else None,
            group[-1] if is_projected else None,
        )
        for group in groups
    ]


def _scan_layer(step: Step, x: Tensor, state: State, weights: _LayerWeights) -> tuple[Tensor, State]:
    """Run one layer in one direction: [length, batch, in] to [length, batch, out].

    Also returns the last state. The input gates of all time steps are one GEMM; the body multiplies only
    the hidden state.
    """
    gates = _ATEN.linear(x, weights.input, weights.input_bias)
    optional = (weights.hidden_bias, weights.projection)
    captured = (weights.hidden, *(weight for weight in optional if weight is not None))
    count = len(state)

    def body(*operands: Tensor) -> tuple[Tensor, ...]:
        carried, row, (weight, *others) = operands[:count], operands[count], operands[count + 1 :]
        bias = None if weights.hidden_bias is None else others[0]
        hidden, *rest = step(row, _ATEN.linear(carried[0], weight, bias), carried)
        if weights.projection is not None:
            hidden = _ATEN.linear(hidden, others[-1])
        # The carried and the stacked result must be distinct tensors.
        return hidden, *rest, hidden.clone()

    # A body must not read the initial state.
    start = tuple(tensor.clone() for tensor in state)
    *last, stacked = scan_op(body, start, (gates,), captured)
    return stacked, tuple(last)


def _run_layers(
    step: Step,
    x: Tensor,
    states: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: bool,
    layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, ...]:
    """Run all layers. Each tensor of `states` is [layers * directions, batch, size]."""
    is_projected = len(states) == 2 and states[0].shape[2] != states[1].shape[2]
    weights = _by_layer(params, has_biases, is_projected)
    directions = 1 + bidirectional
    x = x.transpose(0, 1) if batch_first else x
    finals: list[State] = []
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            index = layer * directions + direction
            inputs = x.flip(0) if direction == 1 else x
            stacked, last = _scan_layer(step, inputs, tuple(s[index] for s in states), weights[index])
            outputs.append(stacked.flip(0) if direction == 1 else stacked)
            finals.append(last)
        x = torch.cat(outputs, 2) if bidirectional else outputs[0]
        if train and dropout and layer < layers - 1:
            x = torch.dropout(x, dropout, True)
    x = x.transpose(0, 1) if batch_first else x
    return x, *(_stack_states(states_) for states_ in zip(*finals, strict=True))


def _stack_states(tensors: Sequence[Tensor]) -> Tensor:
    return tensors[0].unsqueeze(0) if len(tensors) == 1 else torch.stack(list(tensors))


_STEPS: Mapping[OpOverload, Step] = {
    _ATEN.lstm.input: lstm_step,
    _ATEN.gru.input: gru_step,
    _ATEN.rnn_tanh.input: rnn_step(torch.tanh),
    _ATEN.rnn_relu.input: rnn_step(torch.relu),
}
_KEYS = (DispatchKey.CompositeImplicitAutograd, DispatchKey.Autograd)


def has_dynamic_length(node: Node) -> bool:
    """Return true if `node` is a recurrent layer over a sequence of symbolic length."""
    return node.target in _STEPS and _is_dynamic(values(node.args))


def _is_dynamic(args: Sequence[Any]) -> bool:
    """Return true if the length of x is symbolic; `args` is (x, ..., batch_first)."""
    return isinstance(args[0].shape[1 if args[-1] else 0], SymInt)


def _lower_recurrence(op: OpOverload, fixed: Callable[..., Any], *args: Any) -> Any:
    """Lower `op` to `scan` if its length is symbolic, otherwise as PyTorch does."""
    if not _is_dynamic(args):
        return fixed(*args)
    x, states, *rest = args
    states = states if isinstance(states, (list, tuple)) else [states]
    with torch.no_grad():
        return _run_layers(_STEPS[op], x, states, *rest)


def scan_decompositions(program: ExportedProgram) -> dict[OpOverload, Callable[..., Any]]:
    """Return decompositions of the program's recurrent layers of dynamic length.

    Without them, `run_decompositions` specializes the lengths.
    """
    found = {
        node.target
        for graph_module in graphs(program.graph_module)
        for node in graph_module.graph.nodes
        if has_dynamic_length(node)
    }
    return {op: partial(_lower_recurrence, op, op.py_kernels[_KEYS[0]]) for op in found}


@contextmanager
def dynamic_recurrence() -> Iterator[None]:
    """Let `torch.export` keep the length of recurrent layers dynamic.

    with exir.dynamic_recurrence():
        program = torch.export.export(module, inputs, dynamic_shapes=shapes)

    `nn.LSTM`, `nn.GRU` and `nn.RNN` remain single operators in the program, such as `aten.lstm.input`. If
    the length is dynamic, `exir.to_edge` converts each layer and direction to a `scan`. Layers with a
    fixed length are decomposed as usual.
    """
    kernels = {op: dict(op.py_kernels) for op in _STEPS}
    for op, found in kernels.items():
        op.py_kernels.update({key: partial(_lower_recurrence, op, found[key]) for key in _KEYS})
        op._dispatch_cache.clear()
    try:
        yield
    finally:
        for op, found in kernels.items():
            op.py_kernels.clear()
            op.py_kernels.update(found)
            op._dispatch_cache.clear()
