"""Replace Python constructs that torch.export does not trace."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_buffer_registration_hook
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map_only

_GET_DATA = torch.Tensor.data.__get__  # type: ignore[attr-defined]
_SET_DATA = torch.Tensor.data.__set__  # type: ignore[attr-defined]


class TracedConstructs(TorchFunctionMode):
    """Replaces these constructs while a model is exported:

    - `x.data` by `x.detach()`, and an assignment to it by `copy_`.
    - `x[position] = y`, where `position` is a 0-d integer tensor, by a write at [position].
    - `torch._assert` of a tensor by `torch._assert_async`.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func == _GET_DATA:
            return args[0].detach()
        if func == _SET_DATA and args[0].shape == args[1].shape:
            return args[0].detach().copy_(args[1])
        if func is torch._assert and isinstance(args[0], Tensor):
            return torch._assert_async(args[0])
        if func is torch.Tensor.__setitem__:
            args = _with_lines(*args)
        return func(*args, **kwargs)


def _with_lines(x: Tensor, index: Any, value: Any) -> tuple[Tensor, Any, Any]:
    """Return the arguments of a write with 1-d positions and a matching `value`."""
    items = list(index) if isinstance(index, tuple) else [index]
    places = [n for n, item in enumerate(items) if _is_position(item)]
    others = [item for item in items if isinstance(item, (Tensor, list)) and not _is_position(item)]
    if not places or others or places != list(range(places[0], places[-1] + 1)):
        return x, index, value
    for place in places:
        items[place] = items[place].reshape(1)
    if isinstance(value, Tensor):
        result_rank = _result_dims(x, items, places[-1] + 1)
        value = value if value.dim() <= result_rank else value.unsqueeze(value.dim() - result_rank)
    return x, tuple(items), value


def _is_position(item: Any) -> bool:
    is_integer = isinstance(item, Tensor) and item.dtype in (torch.int32, torch.int64)
    return is_integer and item.dim() == 0


def _result_dims(x: Tensor, items: list[Any], begin: int) -> int:
    """Return the number of dims of `x[items]` after those that `items[:begin]` index."""
    indexed = sum(item is not None and item is not Ellipsis for item in items)
    kept_dims = sum(isinstance(item, slice) or item is None for item in items[begin:])
    has_rest = Ellipsis in items[begin:] or Ellipsis not in items
    return kept_dims + (x.dim() - indexed if has_rest else 0)


@contextmanager
def submodules_keep_assigned_buffers(root: nn.Module) -> Iterator[None]:
    """Write tensors that submodules assign to buffers into these buffers.

    This applies while `root` is exported. torch.export handles assignments such as `self.h = h` in
    `root` itself, but loses those in submodules.
    """
    assigned: dict[tuple[nn.Module, str], Tensor] = {}

    def remember(module: nn.Module, name: str, value: Tensor | None) -> None:
        buffer = module._buffers.get(name)
        if module._buffers is not root._buffers and isinstance(buffer, Tensor) and value is not buffer:
            assigned.setdefault((module, name), buffer)

    def write(_root: nn.Module, _inputs: Any, outputs: Any) -> Any:
        buffers = {_storage_id(buffer) for buffer in assigned.values()}

        def apart(value: Tensor) -> Tensor:
            return value.clone() if _storage_id(value) in buffers else value

        values = [module._buffers[name] for module, name in assigned]
        outputs, values = tree_map_only(Tensor, apart, (outputs, values))
        for ((module, name), buffer), value in zip(assigned.items(), values):
            module._buffers[name] = buffer if value is None else buffer.copy_(value)
        assigned.clear()
        return outputs

    hooks = register_module_buffer_registration_hook(remember), root.register_forward_hook(write)
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _storage_id(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata
