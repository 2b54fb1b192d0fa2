"""Running operators on sizes that are symbols."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from torch import SymInt
from torch._dispatch.python import enable_python_dispatcher
from torch.utils._pytree import tree_any


def dispatch_for(arguments: Any) -> AbstractContextManager[Any]:
    """PyTorch's dispatcher in Python where `arguments` have a symbol: composite operators in C++ take numbers alone."""
    has_symbol = tree_any(lambda leaf: isinstance(leaf, SymInt), arguments)
    return enable_python_dispatcher() if has_symbol else nullcontext()
