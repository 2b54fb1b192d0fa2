"""Running operators on sizes that are symbols."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from torch import SymInt, Tensor
from torch._dispatch.python import enable_python_dispatcher
from torch.utils._pytree import tree_any


def dispatch_for(arguments: Any) -> AbstractContextManager[Any]:
    """PyTorch's dispatcher in Python where `arguments` have a symbol: composite operators in C++ take numbers alone.

    Of a tensor they ask the sizes as numbers, and what was a symbol is the example's size from there on.
    """
    return enable_python_dispatcher() if has_symbolic_sizes(arguments) else nullcontext()


def has_symbolic_sizes(arguments: Any) -> bool:
    """Whether `arguments` have a symbolic integer, or a tensor with one among its sizes."""
    return tree_any(_has_symbol, arguments)


def _has_symbol(leaf: Any) -> bool:
    return isinstance(leaf, SymInt) or (isinstance(leaf, Tensor) and leaf._has_symbolic_sizes_strides)
