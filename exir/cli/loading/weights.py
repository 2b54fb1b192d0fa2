"""Load a weights file into a model. Every name and shape must match."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from exir.error import ModelError, WeightsError
from exir.files.unreadable import NOT_FETCHED, is_pointer, why_unreadable
from exir.weights.weights_file import BlockWeight, WeightsFile

_MOST_NAMES = 5

# A counter of training steps. Older checkpoints lack it, and inference does not use it.
_OPTIONAL_SUFFIX = "num_batches_tracked"


def load_weights(module: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Copy the tensors of `path` into `module`.

    Blockwise quantized tensors replace the module's parameters. Raises `WeightsError` if the
    tensors do not match.
    """
    expected = module.state_dict(keep_vars=True)
    problems = _check_state_dict(expected, tensors)
    if problems:
        raise WeightsError(f"{path} does not match {type(module).__name__}:" + "".join(problems))
    plain = {name: tensor for name, tensor in tensors.items() if not isinstance(tensor, BlockWeight)}
    if any(tensor.is_meta for tensor in expected.values()):
        _assign_tensors(module, expected, plain)
    else:
        module.load_state_dict(plain, strict=False)
    for name, tensor in tensors.items():
        if isinstance(tensor, BlockWeight):
            _replace_tensor(module, expected[name], nn.Parameter(tensor, requires_grad=False))
    check_not_on_meta(module, f"after loading {path}, ")


def check_not_on_meta(module: nn.Module, condition: str = "") -> None:
    """Raise `ModelError` if a parameter, buffer or tensor attribute has no values.

    condition: a prefix of the message that states when this happens.
    """
    left = [
        f"{prefix}.{name}".removeprefix(".")
        for prefix, owner in module.named_modules()
        for name, tensor in [*owner._parameters.items(), *owner._buffers.items(), *vars(owner).items()]
        if isinstance(tensor, Tensor) and tensor.is_meta
    ]
    if left:
        raise ModelError(
            f"{condition}{type(module).__name__} has tensors on the meta device, without "
            f"values:{''.join(_format_names('without values', left))}\n    create them on the CPU; a weights "
            "file contains only parameters and persistent buffers"
        )


def _assign_tensors(
    module: nn.Module, expected: Mapping[str, Tensor], loaded: Mapping[str, Tensor]
) -> None:
    """Replace the tensors of `module`, in the module's dtypes. Tied tensors stay tied."""
    counters = {
        name: torch.zeros_like(tensor, device="cpu")
        for name, tensor in expected.items()
        if tensor.is_meta and name.endswith(_OPTIONAL_SUFFIX)
    }
    for name, tensor in {**counters, **loaded}.items():
        value = tensor.to(expected[name].dtype)
        if isinstance(expected[name], nn.Parameter):
            value = nn.Parameter(value, requires_grad=expected[name].requires_grad)
        _replace_tensor(module, expected[name], value)


def _replace_tensor(module: nn.Module, old: Tensor, new: Tensor) -> None:
    """Replace the parameter or buffer `old` with `new`, wherever `module` has it."""
    for owner in module.modules():
        for tensors in (owner._parameters, owner._buffers):
            for name, tensor in list(tensors.items()):
                if tensor is old:
                    setattr(owner, name, new)


def read_weights(path: Path, metadata: Path | None = None) -> WeightsFile:
    """Read a safetensors, GGUF or NumPy file (by suffix), or a torch state dict.

    metadata: a JSON file whose entries are added to the file's metadata.
    """
    if is_pointer(path):
        raise WeightsError(f"{path} {NOT_FETCHED}")
    try:
        file = _READERS.get(path.suffix, _read_state_dict)(path)
    except WeightsError:
        raise
    except Exception as error:
        raise WeightsError(why_unreadable(path, "weights", error)) from error
    return (
        file if metadata is None else replace(file, metadata={**file.metadata, **_read_object(metadata)})
    )


def _read_object(path: Path) -> Mapping[str, Any]:
    """Return the JSON object in a file."""
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise WeightsError(why_unreadable(path, "JSON", error)) from error
    if not isinstance(loaded, dict):
        raise WeightsError(f"{path}: not a JSON object; pass the model's config.json")
    return loaded


def _read_shards(index: Path) -> WeightsFile:
    """Read the safetensors files that an index names; they are in its folder."""
    names = _read_object(index).get("weight_map")
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise WeightsError(
            f"{index}: has no 'weight_map' from tensors to files; download the index again"
        )
    tensors: dict[str, Tensor] = {}
    for name in sorted(set(names.values())):
        shard = index.parent / Path(name).name
        if not shard.exists():
            raise WeightsError(
                f"{index}: the file '{name}' is missing; add it to 'data', in the index's folder"
            )
        tensors |= read_weights(shard).tensors
    missing = [name for name in names if name not in tensors]
    if missing:
        raise WeightsError(
            f"{index}: its files do not have{''.join(_format_names('missing', missing))}\n    download them again"
        )
    return WeightsFile({name: tensors[name] for name in names})


def _read_safetensors(path: Path) -> WeightsFile:
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        return WeightsFile({name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {})  # noqa: SIM118 (it cannot be iterated)


def _read_gguf(path: Path) -> WeightsFile:
    from exir.cli.loading.gguf import read_gguf

    return read_gguf(path)


def _read_npz(path: Path) -> WeightsFile:
    import numpy

    with numpy.load(path, allow_pickle=False) as arrays:
        return WeightsFile({name: torch.from_numpy(arrays[name]) for name in arrays.files})


def _read_state_dict(path: Path) -> WeightsFile:
    return WeightsFile(_as_state_dict(torch.load(path, map_location="cpu", weights_only=True), path))


_READERS: dict[str, Callable[[Path], WeightsFile]] = {
    ".gguf": _read_gguf,
    ".json": _read_shards,
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
}


def _as_state_dict(loaded: object, path: Path) -> Mapping[str, Tensor]:
    if not isinstance(loaded, Mapping):
        raise WeightsError(
            f"{path}: has a {type(loaded).__name__}, not a state dict; save model.state_dict()"
        )
    for name, value in loaded.items():
        if not isinstance(name, str):
            raise WeightsError(
                f"{path}: not a state dict: key {name!r} is of type {type(name).__name__}, not str; "
                "save model.state_dict()"
            )
        if not isinstance(value, Tensor):
            raise WeightsError(
                f"{path}: not a state dict: '{name}' is of type {type(value).__name__}, not a tensor; "
                "save model.state_dict()"
            )
        if value.layout != torch.strided or value.is_quantized or value.is_meta:
            raise WeightsError(f"{path}: '{name}' {_unusable_reason(value)}")
    return loaded


def _unusable_reason(tensor: Tensor) -> str:
    """Return why a tensor of a state dict cannot be loaded, and the remedy."""
    if tensor.is_meta:
        return "is on the meta device, without values; save the model after its weights are loaded"
    if tensor.is_quantized:
        return f"has the quantized dtype {tensor.dtype}; save tensor.dequantize(), and set a recipe in the config"
    return f"has the layout {tensor.layout}; save tensor.to_dense()"


def _check_state_dict(expected: Mapping[str, Tensor], loaded: Mapping[str, Tensor]) -> list[str]:
    covered = {id(tensor) for name, tensor in expected.items() if name in loaded}
    missing = [
        name
        for name, tensor in expected.items()
        if id(tensor) not in covered and not name.endswith(_OPTIONAL_SUFFIX)
    ]
    unexpected = [name for name in loaded if name not in expected]
    return [
        *_format_names("missing", missing),
        *_format_names("unexpected", unexpected),
        *_format_names("mismatched", _mismatched_tensors(expected, loaded)),
    ]


def _mismatched_tensors(expected: Mapping[str, Tensor], loaded: Mapping[str, Tensor]) -> list[str]:
    return [
        f"{name} (model {_dtype_and_shape(tensor)}, file {_dtype_and_shape(loaded[name])})"
        for name, tensor in expected.items()
        if name in loaded and not _is_compatible(tensor, loaded[name])
    ]


def _is_compatible(expected: Tensor, loaded: Tensor) -> bool:
    """Return whether shapes are equal, and dtypes are equal or both floating point.

    Floating-point values are converted.
    """
    both_float = expected.is_floating_point() and loaded.is_floating_point()
    return expected.shape == loaded.shape and (both_float or expected.dtype == loaded.dtype)


def _dtype_and_shape(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _format_names(problem: str, names: list[str]) -> list[str]:
    if not names:
        return []
    more = f", and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return [f"\n    {problem} ({len(names)}): {', '.join(names[:_MOST_NAMES])}{more}"]
