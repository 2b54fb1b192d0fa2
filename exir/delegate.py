"""`executorch_call_delegate`: the operator that a program calls a delegate with.

`executorch_call_delegate(lowered_module, *inputs)` gives a tuple of outputs, or the one tensor where the
part returns one that is in no tuple; inputs may be nested. Run eagerly, traced or with fake tensors, it
computes what the delegated part of the model computed.
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
    """The higher-order operator; there is one instance, `executorch_call_delegate`."""

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
    """Register `lowered_module` on `root` unless it is there already; returns its attribute."""
    index = 0
    while hasattr(root, name := f"{LOWERED_MODULE_PREFIX}{index}"):
        if getattr(root, name) is lowered_module:
            return name
        index += 1
    root.register_module(name, lowered_module)
    return name


def is_delegate_call(node: Node) -> bool:
    """Whether `node` calls a delegate."""
    return node.op == "call_function" and node.target is executorch_call_delegate


def delegate_calls(graph: Graph) -> list[Node]:
    """Every delegate call of `graph`, in order."""
    return graph.find_nodes(op="call_function", target=executorch_call_delegate)


def updated_argument(node: Node) -> Node | None:
    """The argument of a delegate call of which `node` is the new value: it lies where that lies."""
    source = node.args[0] if node.target is operator.getitem else None
    if not isinstance(source, Node) or not is_delegate_call(source):
        return None
    index = node.args[1]
    assert isinstance(index, int)
    return updated_arguments(source).get(index)


def updated_arguments(call: Node) -> dict[int, Node]:
    """What a delegate call updates, by the indices of the new values among its results."""
    count = lowered_module_of(call).state_count
    if count == 0:
        return {}
    first = len(call.meta["val"]) - count
    arguments = call.args[len(call.args) - count :]
    return {first + i: argument for i, argument in enumerate(arguments) if isinstance(argument, Node)}


def lowered_module_of(node: Node) -> Any:
    """The `LoweredBackendModule` that a delegate call runs."""
    return getattr(node.graph.owning_module, node.args[0].target)
