"""Detect state in plain attributes, which `torch.export` silently loses.

A `forward` that assigns `self.k` can read the value in its next call. `torch.export` traces only
one call, in which `self.k` has the value from `__init__`. The exported program therefore has no
state.
"""

import os
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from exir.debug.module_lines import line_that_writes
from exir.debug.source import import_path
from exir.error import ModelError
from exir.model.module_copy import copy_modules

_STANDARD = frozenset(vars(nn.Module())) | {"forward"}
# Files whose frames do not belong to the model.
_SKIPPED = (os.path.dirname(os.path.abspath(torch.__file__)) + os.sep, os.path.abspath(__file__), "<")
_MOST_DEPTH = 4
_ATEN = torch.ops.aten
# Operators whose results depend only on the sizes and dtypes of tensors.
_OF_SIZES_ALONE = frozenset(
    {
        _ATEN.empty_like.default,
        _ATEN.full_like.default,
        _ATEN.new_empty.default,
        _ATEN.new_empty_strided.default,
        _ATEN.new_full.default,
        _ATEN.new_ones.default,
        _ATEN.new_zeros.default,
        _ATEN.ones_like.default,
        _ATEN.zeros_like.default,
    }
)


@dataclass(frozen=True)
class PlainWrite:
    """A tensor that `forward` stores in a plain attribute, or in a container there.

    path, name: the submodule and its attribute.
    line: the `file:line` of the write, or "".
    """

    path: str
    name: str
    line: str

    @property
    def attribute(self) -> str:
        """The attribute's qualified name."""
        return f"{self.path}.{self.name}" if self.path else self.name


class PlainWrites:
    """Collects the writes to plain attributes while a module is exported.

    Afterwards, the attributes are restored. torch.export restores only those of the outermost
    module. Submodules would keep traced tensors.
    """

    def __init__(self, module: nn.Module) -> None:
        self.writes: list[PlainWrite] = []
        self._modules = {id(submodule): (path, submodule) for path, submodule in module.named_modules()}
        self._before: dict[tuple[int, str], Any] = {}
        self._contents = [
            (id(owner), name, container, _copy_content(container))
            for owner in module.modules()
            for name, value in _own_attributes(owner)
            for container in _nested_containers(value)
        ]

    def __enter__(self) -> "PlainWrites":
        self._setattr = setattr_of_module = nn.Module.__setattr__

        def noting(module: nn.Module, name: str, value: Any) -> None:
            if id(module) in self._modules:
                self._note_write(module, name, value)
            setattr_of_module(module, name, value)

        nn.Module.__setattr__ = noting  # type: ignore[method-assign,assignment]
        return self

    def __exit__(self, *error: object) -> None:
        nn.Module.__setattr__ = self._setattr  # type: ignore[method-assign]
        for (key, name), before in self._before.items():
            vars(self._modules[key][1])[name] = before
        for key, name, container, before in self._contents:
            if _storage_ids(_copy_content(container)) - _storage_ids(before):
                path, module = self._modules[key]
                self._add_write(PlainWrite(path, name, line_that_writes(module, name)))
                _restore_content(container, before)

    def _note_write(self, module: nn.Module, name: str, value: Any) -> None:
        registered = (module._parameters, module._buffers, module._modules)
        if name in _STANDARD or any(name in table for table in registered):
            return
        if isinstance(value, (nn.Module, nn.Parameter)) or not _storage_ids(value):
            return
        self._before.setdefault((id(module), name), vars(module).get(name))
        self._add_write(PlainWrite(self._modules[id(module)][0], name, _line_of_caller()))

    def _add_write(self, write: PlainWrite) -> None:
        if all(write.attribute != other.attribute for other in self.writes):
            self.writes.append(write)


def reject_lost_state(
    module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], writes: list[PlainWrite]
) -> None:
    """Raise `ModelError` if a later call reads a stored value that depends on inputs.

    A table that the first call computes from constants is not state. A value that is written but
    never read is not state either.
    """
    if not writes:
        return
    is_read_again = [_is_read_again(module, args, kwargs, write) for write in writes]
    # Dynamo skips frames that run under a dispatch mode. Later eager calls of torch.cond would fail.
    torch._dynamo.reset()
    for write, is_lost in zip(writes, is_read_again, strict=True):
        if is_lost:
            where = f"{write.line}: " if write.line else ""
            raise ModelError(
                f"{where}the plain attribute '{write.attribute}' keeps a tensor between calls, which "
                f"torch.export does not record; register_buffer('{write.name}', ...) with a fixed size "
                "and write to it in place (a KV cache), or pass the state as an input and return it"
            )


def _is_read_again(
    module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], write: PlainWrite
) -> bool:
    """Return whether a second call reads values that the first derived from inputs."""
    try:
        copied = _copied_state(module)
        first = _TracedCall(tree_map(_clone_value, (args, dict(kwargs))))
        first.run(copied)
    except Exception:  # the module cannot be copied or called
        return False
    current = _tensors_in(vars(copied.get_submodule(write.path)).get(write.name))
    derived_ids = {_storage_id(tensor) for tensor in current} & first.derived.keys()
    if not derived_ids:
        return False
    second = _TracedCall(tree_map(_clone_value, (args, dict(kwargs))), derived_ids)
    try:
        results = second.run(copied)
    except Exception:  # the value from the first call does not fit
        return True
    return second.reads or any(_storage_id(tensor) in derived_ids for tensor in _tensors_in(results))


class _TracedCall(TorchDispatchMode):
    """A call of a module that tracks which tensors depend on its inputs.

    derived: the storages of these tensors, by address.
    reads: whether an operator reads a storage in `watched`.
    """

    def __init__(self, inputs: Any, watched: set[int] | frozenset[int] = frozenset()) -> None:
        super().__init__()
        self._inputs = inputs
        self._watched = watched
        self.derived = {_storage_id(tensor): tensor.untyped_storage() for tensor in _tensors_in(inputs)}
        self.reads = False

    def run(self, module: nn.Module) -> Any:
        """Return the results of `module`."""
        args, kwargs = self._inputs
        with torch.no_grad(), self:
            return module(*args, **kwargs)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        read_args = args[1:] if func is _ATEN.copy_.default else (args, kwargs)
        memory = {_storage_id(tensor) for tensor in _tensors_in(read_args)}
        self.reads |= bool(memory & self._watched)
        if memory & self.derived.keys() and func not in _OF_SIZES_ALONE:
            for tensor in _tensors_in(result):
                self.derived[_storage_id(tensor)] = tensor.untyped_storage()
        return result


def _copied_state(module: nn.Module) -> nn.Module:
    """Copy `module` with its attributes and buffers. Parameters are shared."""
    return copy_modules(module, {id(parameter): parameter for parameter in module.parameters()})


def _clone_value(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


def _storage_id(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _own_attributes(module: nn.Module) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of `module` that a plain `nn.Module` does not have."""
    return ((name, value) for name, value in vars(module).items() if name not in _STANDARD)


def _nested_containers(value: Any, seen: set[int] | None = None, depth: int = 0) -> Iterator[Any]:
    """Yield `value` and the containers nested in it, each once."""
    seen = set() if seen is None else seen
    content = _copy_content(value)
    if content is None or depth > _MOST_DEPTH or id(value) in seen:
        return
    seen.add(id(value))
    yield value
    for item in content.values() if isinstance(content, dict) else content:
        yield from _nested_containers(item, seen, depth + 1)


def _copy_content(value: Any) -> Any:
    """Return a copy of a container's content as a list or dict; otherwise None."""
    if isinstance(value, (list, tuple, deque, set)):
        return list(value)
    if isinstance(value, dict):
        return dict(value)
    is_plain = type(value).__module__ not in ("builtins", "types") and hasattr(value, "__dict__")
    if is_plain and not isinstance(value, (nn.Module, Tensor, type)) and not callable(value):
        return dict(vars(value))
    return None


def _restore_content(container: Any, content: Any) -> None:
    """Set the content of `container`."""
    target = container if isinstance(container, (list, deque, set, dict)) else vars(container)
    target.clear()
    if isinstance(target, (list, deque)):
        target.extend(content)
    else:
        target.update(content)


def _tensors_in(value: Any) -> list[Tensor]:
    """Return the tensors in `value`, including those in containers."""
    if isinstance(value, Tensor):
        return [value]
    found = []
    for container in _nested_containers(value):
        content = _copy_content(container)
        leaves = content.values() if isinstance(content, dict) else content
        found += [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    return list({id(tensor): tensor for tensor in found}.values())


def _storage_ids(value: Any) -> set[int]:
    return {id(tensor) for tensor in _tensors_in(value)}


def _line_of_caller() -> str:
    """Return the `file:line` of the innermost frame of the model."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_SKIPPED):
        frame = frame.f_back  # type: ignore[assignment]
    return f"{import_path(frame.f_code.co_filename)}:{frame.f_lineno}" if frame is not None else ""
