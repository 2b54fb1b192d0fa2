"""Read the inputs of calls from a file, for calibration or for reference calls."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

from exir.error import ModelError
from exir.files.unreadable import NOT_FETCHED, is_pointer, why_unreadable

Tensors = Mapping[str, Tensor]


def read_tensors(path: Path) -> Tensors:
    """Read tensors by name from a .safetensors or .npz file. Raises `ModelError`."""
    if is_pointer(path):
        raise ModelError(f"{path} {NOT_FETCHED}")
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(path)
        with numpy.load(path, allow_pickle=False) as arrays:
            return {name: torch.from_numpy(arrays[name]) for name in arrays.files}
    except Exception as error:
        raise ModelError(why_unreadable(path, "inputs", error)) from error


def calls_of(path: Path, programs: Mapping[str, ExportedProgram]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the calls of each method from a file.

    The file contains a tensor for each input, with the name of the input. For methods other than
    `forward`, the name is `method.input`. A tensor contains the inputs of several calls, either
    stacked in an additional first dimension, or concatenated along the first dimension. Inputs that
    are not in the file use their example values. Raises `ModelError` for tensors that do not match.
    """
    tensors = read_tensors(path)
    known = {name for method, program in programs.items() for name in _input_keys(method, program)}
    if not tensors:
        raise ModelError(f"{path}: has no tensors; the model's inputs are: {', '.join(sorted(known))}")
    unknown = sorted(tensors.keys() - known)
    if unknown:
        raise ModelError(
            f"{path}: unknown input '{unknown[0]}'; the model has: {', '.join(sorted(known))}"
        )
    return {
        name: list(_calls_of_method(path, name, program, tensors)) for name, program in programs.items()
    }


def _input_keys(method: str, program: ExportedProgram) -> list[str]:
    """Return the names of a method's inputs in the file."""
    prefix = "" if method == "forward" else f"{method}."
    return [f"{prefix}{name}" for name in program.graph_signature.user_inputs]


def _calls_of_method(
    path: Path, method: str, program: ExportedProgram, tensors: Tensors
) -> Iterator[tuple[Any, ...]]:
    keys = _input_keys(method, program)
    examples = pytree.tree_leaves(program.example_inputs)
    columns = {
        place: _split_calls(tensors[key], example, f"{path}: '{key}'")
        for place, (key, example) in enumerate(zip(keys, examples, strict=True))
        if key in tensors
    }
    counts = {len(column) for column in columns.values()}
    if len(counts) > 1:
        raise ModelError(
            f"{path}: method '{method}': inputs have different numbers of calls "
            f"({', '.join(map(str, sorted(counts)))}); provide the same number for each"
        )
    for call in range(max(counts, default=0)):
        yield tuple(
            columns[place][call] if place in columns else value for place, value in enumerate(examples)
        )


def _split_calls(stacked: Tensor, example: Any, where: str) -> list[Tensor]:
    """Split a tensor into the inputs of each call."""
    if not isinstance(example, Tensor):
        raise ModelError(
            f"{where}: is a tensor, but the input is of type {type(example).__name__}; omit it"
        )
    if stacked.dtype != example.dtype:
        raise ModelError(
            f"{where}: is {_shape_and_dtype(stacked)}, but the input is {_shape_and_dtype(example)}; convert it"
        )
    if stacked.dim() == example.dim() + 1:
        return list(stacked)
    if stacked.dim() == example.dim() > 0:
        return _split_rows(stacked, example.shape[0], where)
    raise ModelError(
        f"{where}: has {stacked.dim()} dimensions; stack calls along a new first dimension "
        f"({example.dim() + 1} dimensions), or concatenate them along the first one ({example.dim()})"
    )


def _split_rows(tensor: Tensor, rows: int, where: str) -> list[Tensor]:
    """Split a tensor into calls of `rows` rows each. Remaining rows are dropped."""
    if not 0 < rows <= tensor.shape[0]:
        raise ModelError(
            f"{where}: has {tensor.shape[0]} rows, fewer than the {rows} rows of a call; add rows"
        )
    used_rows = tensor.shape[0] // rows * rows
    return list(tensor[:used_rows].split(rows))


def _shape_and_dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
