"""`executorch_call_delegate`: the operator that represents a delegate call.

`executorch_call_delegate(lowered_module, *inputs)` returns a tuple of outputs, or one tensor if the
delegated part returns a tensor that is not in a tuple. Inputs can be nested. In eager mode, in
tracing and on fake tensors, it runs the original graph of the delegated part.
"""

import operator
from typing import Any

import torch
from torch._higher_order_ops.utils import autograd_not_implemented, register_fake
from torch._ops import HigherOrderOperator
from torch.fx import Graph, Node
from torch.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    disable_proxy_modes_tracing,
    track_tensor_tree,
)
from torch.utils import _pytree as pytree

LOWERED_MODULE_PREFIX = "lowered_module_"


class ExecutorchCallDelegate(HigherOrderOperator):
    """The higher-order operator. `executorch_call_delegate` is its only instance."""

    def __init__(self) -> None:
        super().__init__("executorch_call_delegate")

    def __call__(self, lowered_module: torch.nn.Module, *args: Any) -> Any:
        return super().__call__(lowered_module, *pytree.tree_leaves(args))


executorch_call_delegate = ExecutorchCallDelegate()
executorch_call_delegate.py_autograd_impl(
    autograd_not_implemented(executorch_call_delegate, deferred_error=True)
)


@executorch_call_delegate.py_impl(torch._C.DispatchKey.CompositeExplicitAutograd)
def _run(lowered_module: Any, *args: Any) -> Any:
    return lowered_module.run_original(*args)


@register_fake(executorch_call_delegate, skip_cache=True)
def _run_fake(lowered_module: Any, *args: Any) -> Any:
    return lowered_module.run_original(*args)


@executorch_call_delegate.py_functionalize_impl
def _run_functional(context: Any, lowered_module: Any, *args: Any) -> Any:
    unwrapped = context.unwrap_tensors(args)
    with context.redispatch_to_next():
        return context.wrap_tensors(executorch_call_delegate(lowered_module, *unwrapped))


@executorch_call_delegate.py_impl(ProxyTorchDispatchMode)
def _trace(mode: Any, lowered_module: Any, *args: Any) -> Any:
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
    """Return the argument that `node` is the updated value of, or None.

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
