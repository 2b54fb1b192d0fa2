"""Loading a weights file into a model: every name and shape must fit."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from exir.error import WeightsError

_MOST_NAMES = 5

# Counts training steps; older checkpoints lack it and inference does not read it.
_OPTIONAL_SUFFIX = "num_batches_tracked"


def load_weights(module: nn.Module, path: Path) -> None:
    """Copy the tensors of `path` into `module`. Raises `WeightsError` when they do not fit."""
    given = read_weights(path)
    expected = module.state_dict(keep_vars=True)
    problems = _compare(expected, given)
    if problems:
        raise WeightsError(f"{path} does not fit {type(module).__name__}:" + "".join(problems))
    on_meta = any(tensor.is_meta for tensor in expected.values())
    module.load_state_dict(dict(given), strict=False, assign=on_meta)


def read_weights(path: Path) -> Mapping[str, Tensor]:
    """Tensors by name from a safetensors file (by its suffix) or a state dict of torch."""
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(path)
        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise WeightsError(f"{path} cannot be read as weights: {reason}") from error
    return _as_state_dict(loaded, path)


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
