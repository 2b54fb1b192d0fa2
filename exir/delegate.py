"""`executorch_call_delegate`: the operator that represents a delegate call.

`executorch_call_delegate(lowered_module, *inputs)` returns a tuple of outputs, or one tensor if the
delegated part returns a tensor that is not in a tuple. Inputs can be nested. In eager mode, in
tracing and on fake tensors, it runs the original graph of the delegated part.
"""

import operator
from typing import Any

import torch
from torch._higher_order_ops.utils import autograd_not_implemented
from torch._ops import HigherOrderOperator
from torch.export import ExportedProgram
from torch.fx import Graph, Interpreter, Node
from torch.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    disable_proxy_modes_tracing,
    track_tensor_tree,
)
from torch.utils import _pytree as pytree

from exir.torch_versions import register_fake_uncached

LOWERED_MODULE_PREFIX = "lowered_module_"


class DelegatedModule(torch.nn.Module):
    """A part of a program that delegate calls run.

    edge_program: the part as a program of the edge dialect.
    """

    def __init__(self, edge_program: ExportedProgram) -> None:
        super().__init__()
        self.edge_program = edge_program

    @property
    def state_count(self) -> int:
        """The number of buffers that a call updates.

        They are the last arguments of the call, and their new values are its last results.
        """
        return len(self.edge_program.graph_signature.buffers_to_mutate)

    @property
    def returns_one(self) -> bool:
        """Whether a call returns one value instead of a tuple."""
        out_spec = self.edge_program.call_spec.out_spec
        return out_spec is not None and out_spec.is_leaf() and self.state_count == 0

    def run_original(self, *args: Any) -> Any:
        """Return the results of the original program for the arguments of a delegate call."""
        program = self.edge_program
        constants = [_constant_tensor(program, name) for name in _constant_targets(program)]
        inputs, states = _split_results(args, len(args) - self.state_count)
        results = Interpreter(program.graph_module).run(
            *constants, *states, *inputs, enable_io_processing=False
        )
        new_states, outputs = _split_results(results, self.state_count)
        return outputs[0] if self.returns_one else (*outputs, *new_states)


class ExecutorchCallDelegate(HigherOrderOperator):
    """Higher-order operator that calls a delegate.

    `executorch_call_delegate` is its only instance.
    """

    def __init__(self) -> None:
        super().__init__("executorch_call_delegate")

    def __call__(self, lowered_module: DelegatedModule, *args: Any) -> Any:
        return super().__call__(lowered_module, *pytree.tree_leaves(args))


executorch_call_delegate = ExecutorchCallDelegate()
executorch_call_delegate.py_autograd_impl(
    autograd_not_implemented(executorch_call_delegate, deferred_error=True)
)


@executorch_call_delegate.py_impl(torch._C.DispatchKey.CompositeExplicitAutograd)
def _run_delegate(lowered_module: DelegatedModule, *args: Any) -> Any:
    return lowered_module.run_original(*args)


@register_fake_uncached(executorch_call_delegate)
def _run_fake(lowered_module: DelegatedModule, *args: Any) -> Any:
    return lowered_module.run_original(*args)


@executorch_call_delegate.py_functionalize_impl
def _run_functional(context: Any, lowered_module: Any, *args: Any) -> Any:
    unwrapped = context.unwrap_tensors(args)
    with context.redispatch_to_next():
        return context.wrap_tensors(executorch_call_delegate(lowered_module, *unwrapped))


@executorch_call_delegate.py_impl(ProxyTorchDispatchMode)
def _trace_delegate(mode: Any, lowered_module: DelegatedModule, *args: Any) -> Any:
    with disable_proxy_modes_tracing():
        outputs = lowered_module.run_original(*args)
    name = attach_lowered_module(mode.tracer.root, lowered_module)
    holder = mode.tracer.create_proxy("get_attr", name, (), {}, name=name)
    proxies = pytree.tree_map(mode.tracer.unwrap_proxy, args)
    result = mode.tracer.create_proxy(
        "call_function",
        executorch_call_delegate,
        (holder, *proxies),
        {},
        name="executorch_call_delegate",
    )
    return track_tensor_tree(outputs, result, constant=None, tracer=mode.tracer)


def attach_lowered_module(root: torch.nn.Module, lowered_module: torch.nn.Module) -> str:
    """Register `lowered_module` on `root` once, and return the attribute's name."""
    index = 0
    while hasattr(root, name := f"{LOWERED_MODULE_PREFIX}{index}"):
        if getattr(root, name) is lowered_module:
            return name
        index += 1
    root.register_module(name, lowered_module)
    return name


def is_delegate_call(node: Node) -> bool:
    """Return whether `node` is a delegate call."""
    return node.op == "call_function" and node.target is executorch_call_delegate


def delegate_calls(graph: Graph) -> list[Node]:
    """Return every delegate call of `graph`, in order."""
    return graph.find_nodes(op="call_function", target=executorch_call_delegate)


def updated_argument(node: Node) -> Node | None:
    """Return the argument whose updated value is `node`, or None.

    The two share memory.
    """
    source = node.args[0] if node.target is operator.getitem else None
    if not isinstance(source, Node) or not is_delegate_call(source):
        return None
    index = node.args[1]
    assert isinstance(index, int)
    return updated_arguments(source).get(index)


def updated_arguments(call: Node) -> dict[int, Node]:
    """Return the arguments that a delegate call updates, by result index."""
    count = lowered_module_of(call).state_count
    if count == 0:
        return {}
    first = len(call.meta["val"]) - count
    arguments = call.args[len(call.args) - count :]
    return {first + i: argument for i, argument in enumerate(arguments) if isinstance(argument, Node)}


def lowered_module_of(node: Node) -> Any:
    """Return the `LoweredBackendModule` that a delegate call runs."""
    return getattr(node.graph.owning_module, node.args[0].target)


def _split_results(values: tuple[Any, ...], count: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return values[:count], values[count:]


def _constant_targets(program: ExportedProgram) -> list[str]:
    """Return the targets of the inputs that are not arguments of the call."""
    signature = program.graph_signature
    states = signature.buffers_to_mutate.values()
    return [
        spec.target
        for spec in signature.input_specs
        if spec.target is not None and spec.target not in states
    ]


def _constant_tensor(program: ExportedProgram, target: str) -> Any:
    return program.state_dict[target] if target in program.state_dict else program.constants[target]
