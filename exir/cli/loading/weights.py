"""Loading a weights file into a model: every name and shape must fit."""

from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from exir.block_weight import BlockWeight
from exir.cli.loading.unreadable import why_unreadable
from exir.error import WeightsError
from exir.git_lfs import NOT_FETCHED, is_pointer
from exir.weights_file import WeightsFile

_MOST_NAMES = 5

# Counts training steps; older checkpoints lack it and inference does not read it.
_OPTIONAL_SUFFIX = "num_batches_tracked"


def load_weights(module: nn.Module, given: Mapping[str, Tensor], path: Path) -> None:
    """Copy the tensors of `path` into `module`; those quantized in blocks take the places of its parameters.

    Raises `WeightsError` when they do not fit.
    """
    expected = module.state_dict(keep_vars=True)
    problems = _compare(expected, given)
    if problems:
        raise WeightsError(f"{path} does not fit {type(module).__name__}:" + "".join(problems))
    on_meta = any(tensor.is_meta for tensor in expected.values())
    plain = {name: tensor for name, tensor in given.items() if not isinstance(tensor, BlockWeight)}
    module.load_state_dict(plain, strict=False, assign=on_meta)
    for name, tensor in given.items():
        if isinstance(tensor, BlockWeight):
            _replace(module, expected[name], nn.Parameter(tensor, requires_grad=False))


def _replace(module: nn.Module, old: Tensor, new: nn.Parameter) -> None:
    """Put `new` wherever `module` has the parameter `old`."""
    for owner in module.modules():
        for name, parameter in owner.named_parameters(recurse=False, remove_duplicate=False):
            if parameter is old:
                setattr(owner, name, new)


def read_weights(path: Path) -> WeightsFile:
    """A file of safetensors or GGUF (by its suffix), or a state dict of torch."""
    if is_pointer(path):
        raise WeightsError(f"{path} {NOT_FETCHED}")
    try:
        return _READERS.get(path.suffix, _read_state_dict)(path)
    except WeightsError:
        raise
    except Exception as error:
        raise WeightsError(why_unreadable(path, "weights", error)) from error


def _read_safetensors(path: Path) -> WeightsFile:
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        return WeightsFile({name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {})  # noqa: SIM118 (it cannot be iterated)


def _read_gguf(path: Path) -> WeightsFile:
    from exir.cli.loading.gguf import read_gguf

    return read_gguf(path)


def _read_state_dict(path: Path) -> WeightsFile:
    return WeightsFile(_as_state_dict(torch.load(path, map_location="cpu", weights_only=True), path))


_READERS: dict[str, Callable[[Path], WeightsFile]] = {
    ".gguf": _read_gguf,
    ".safetensors": _read_safetensors,
}


def _as_state_dict(loaded: object, path: Path) -> Mapping[str, Tensor]:
    if not isinstance(loaded, Mapping):
        raise WeightsError(f"{path} holds a {type(loaded).__name__}, not a state dict")
    strange = [name for name, value in loaded.items() if not isinstance(value, Tensor)]
    if strange:
        raise WeightsError(
            f"{path} is no state dict: '{strange[0]}' is a {type(loaded[strange[0]]).__name__}, not a"
            " tensor; save model.state_dict()"
        )
    return loaded


def _compare(expected: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> list[str]:
    covered = {id(tensor) for name, tensor in expected.items() if name in given}
    missing = [
        name
        for name, tensor in expected.items()
        if id(tensor) not in covered and not name.endswith(_OPTIONAL_SUFFIX)
    ]
    unexpected = [name for name in given if name not in expected]
    return [
        *_listed("missing", missing),
        *_listed("unexpected", unexpected),
        *_listed("mismatched", _mismatched(expected, given)),
    ]


def _mismatched(expected: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> list[str]:
    return [
        f"{name} (model {_type(tensor)}, file {_type(given[name])})"
        for name, tensor in expected.items()
        if name in given and not _fits(tensor, given[name])
    ]


def _fits(expected: Tensor, given: Tensor) -> bool:
    """Same shape, and both floating point (converted if need be) or both of one dtype."""
    both_float = expected.is_floating_point() and given.is_floating_point()
    return expected.shape == given.shape and (both_float or expected.dtype == given.dtype)


def _type(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _listed(what: str, names: list[str]) -> list[str]:
    if not names:
        return []
    more = f", and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return [f"\n    {what} ({len(names)}): {', '.join(names[:_MOST_NAMES])}{more}"]
