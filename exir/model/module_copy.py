"""Copy modules, even if they hold tensors with a gradient history."""

import copy
from typing import Any, TypeVar

from torch import Tensor
from torch.overrides import TorchFunctionMode

T = TypeVar("T")


class _DetachedCopies(TorchFunctionMode):
    """Lets `copy.deepcopy` copy non-leaf tensors, as detached tensors."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is Tensor.__deepcopy__ and not args[0].is_leaf:
            tensor, memo = args
            memo[id(tensor)] = tensor.detach().clone()
            return memo[id(tensor)]
        return func(*args, **(kwargs or {}))


def copy_modules(modules: T, shared: dict[int, Any] | None = None) -> T:
    """Return a deep copy of a module, or of a container of modules.

    shared: objects that are not copied, by their ids.

    `torch.nn.utils.weight_norm`, `spectral_norm` and `prune` store a computed weight in a module,
    which torch refuses to copy. The copy of the weight is detached; the hooks of these functions
    recompute it in each call.
    """
    with _DetachedCopies():
        return copy.deepcopy(modules, dict(shared or {}))
