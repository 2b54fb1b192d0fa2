"""Fake tensor modes of graphs, and operators on symbolic sizes."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from torch import SymInt, Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx import Graph
from torch.utils._pytree import tree_any


def fake_mode_of(graph: Graph) -> FakeTensorMode:
    """Return the fake tensor mode of the graph's values."""
    vals = (node.meta.get("val") for node in graph.nodes)
    return next((val.fake_mode for val in vals if isinstance(val, FakeTensor)), FakeTensorMode())


def dispatch_for(arguments: Any) -> AbstractContextManager[Any]:
    """Return a context that enables the Python dispatcher if a size is symbolic.

    Composite operators in C++ request sizes as integers, which specializes symbols to the example's
    sizes.
    """
    return enable_python_dispatcher() if has_symbolic_sizes(arguments) else nullcontext()


def has_symbolic_sizes(arguments: Any) -> bool:
    """Return true if `arguments` contain a symbolic integer or symbolic tensor sizes."""
    return tree_any(_has_symbol, arguments)


def _has_symbol(leaf: Any) -> bool:
    return isinstance(leaf, SymInt) or (isinstance(leaf, Tensor) and leaf._has_symbolic_sizes_strides)
