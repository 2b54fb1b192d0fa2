"""Static quantization of exported programs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

from exir.decomposition.recurrence import scan_decompositions
from exir.error import ConfigError, ModelError
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.graph.program_bundle import Calls, first_calls
from exir.graph.program_copy import with_copied_containers
from exir.quantize.dynamic_shapes import dynamic_shapes_of, restore_ranges
from exir.quantize.families import operator_name
from exir.quantize.norms import (
    fold_batch_norms,
    hide_norms,
    replace_norms_by_functions,
    restore_norms,
)
from exir.quantize.options import QuantizationOptions, require_torchao
from exir.quantize.report import Decision
from exir.quantize.weights import quiet

_QUANTIZING = ("quantized_decomposed::", "torchao::")

# Positional and keyword arguments.
_Run = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Quantized:
    """A quantized program, with a decision for each operator that computes in float."""

    program: ExportedProgram
    decisions: Sequence[Decision]


def quantize_program(
    program: ExportedProgram,
    options: QuantizationOptions,
    calibration: Calls | None = None,
    dynamic_shapes: Any = None,
) -> Quantized:
    """Quantize the operators of a program that a static recipe supports.

    calibration: representative inputs.
    dynamic_shapes: not needed; the result has the dynamic shapes of `program`.

    A program with quantized operators is returned unchanged. Raises `ConfigError` and `ModelError`.
    """
    if not options.how.needs_calibration:
        raise ConfigError(
            f"recipe '{options.recipe}' quantizes modules; call quantize_weights(module, options), then torch.export.export"
        )
    if is_quantized(program):
        return Quantized(program, ())
    calls = first_calls(calibration or (), options.calibration_batches)
    if not calls:
        raise ConfigError(
            f"recipe '{options.recipe}' needs calibration inputs; set the rule's attribute `calibration` to"
            " a .safetensors or .npz file, or pass ModelSpec(calibration_inputs = {method: [(input, ...), ...]})"
            " or quantize_program(program, options, calibration = [(input, ...), ...])"
        )
    require_torchao(options.recipe)
    with quiet():
        # Functionalize the program: a quantized tensor cannot be mutated in place.
        own = with_copied_containers(program)  # torch shares the dict of constants
        functional = own.run_decompositions(scan_decompositions(program))
        fold_batch_norms(functional)
        module = functional.module(check_guards=False)
        with _state_restored(module):
            converted, decisions = _convert_pt2e(
                module, options, [_unflatten_call(call, program) for call in calls]
            )
        return Quantized(_reexport(converted, program), decisions)


def is_quantized(program: ExportedProgram) -> bool:
    """Return whether an operator quantizes or dequantizes."""
    return any(operator_name(node).startswith(_QUANTIZING) for node in program.graph.nodes)


def _convert_pt2e(
    module: GraphModule, options: QuantizationOptions, runs: Sequence[_Run]
) -> tuple[GraphModule, Sequence[Decision]]:
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    from exir.quantize.quantizer import StaticQuantizer

    quantizer = StaticQuantizer(options)
    hide_norms(module)
    prepared = prepare_pt2e(module, quantizer)
    _run_observers(prepared, runs)
    replace_norms_by_functions(prepared)
    converted = convert_pt2e(prepared)
    restore_norms(converted)
    return converted, quantizer.decisions


def _run_observers(prepared: GraphModule, runs: Sequence[_Run]) -> None:
    """Run the observers on all calibration inputs. Raises `ModelError`."""
    with torch.no_grad():
        for number, (args, kwargs) in enumerate(runs):
            try:
                prepared(*args, **kwargs)
            except RuntimeError as error:
                raise ModelError(f"calibration call {number}: {str(error).splitlines()[0]}") from error
    for observer in prepared.modules():
        least, largest = getattr(observer, "min_val", None), getattr(observer, "max_val", None)
        if isinstance(least, Tensor) and isinstance(largest, Tensor) and not _is_range(least, largest):
            raise ModelError(
                "calibration produces a range that is not finite; check the inputs for infinite values"
            )


def _is_range(least: Tensor, largest: Tensor) -> bool:
    """Return true if a range is finite, or unset because all tensors were empty."""
    is_initial = (least == torch.inf) & (largest == -torch.inf)
    return bool((least.isfinite() & largest.isfinite() | is_initial).all())


def _unflatten_call(call: tuple[Any, ...], program: ExportedProgram) -> _Run:
    leaves = pytree.tree_leaves(call)
    examples = pytree.tree_leaves(program.example_inputs)
    nodes = {node.name: node for node in program.graph.find_nodes(op="placeholder")}
    if len(leaves) != len(examples):
        raise ModelError(
            f"a calibration call has {len(leaves)} inputs, but the method has {len(examples)}; pass one value per input"
        )
    for place, (leaf, like) in enumerate(zip(leaves, examples, strict=True)):
        _check_alike(place, leaf, like)
        _check_sizes(place, leaf, nodes.get(program.graph_signature.user_inputs[place]))
    return pytree.tree_unflatten(leaves, program.call_spec.in_spec)


def _check_alike(place: int, leaf: Any, like: Any) -> None:
    if _kind_of(leaf) != _kind_of(like):
        raise ModelError(
            f"input {place} of a calibration call is {_kind_of(leaf)}, but the method's is {_kind_of(like)}; convert it"
        )
    if isinstance(leaf, Tensor) and leaf.numel() == 0:
        raise ModelError(
            f"input {place} of a calibration call is empty: sizes {list(leaf.shape)}; omit the call"
        )
    if isinstance(leaf, Tensor) and leaf.isnan().any():
        raise ModelError(
            f"input {place} of a calibration call has NaN values; omit the call, or replace them"
        )


def _check_sizes(place: int, leaf: Any, node: Node | None) -> None:
    """Check sizes: the first dimension is free, other static sizes must match."""
    if not isinstance(leaf, Tensor) or node is None:
        return
    sizes = list(node.meta["val"].shape)
    pairs = zip(leaf.shape[1:], sizes[1:], strict=True)
    if any(isinstance(expected, int) and found != expected for found, expected in pairs):
        raise ModelError(
            f"input {place} of a calibration call has sizes {list(leaf.shape)}, but the method's are "
            f"{sizes}; resize it, or export with dynamic_shapes"
        )


def _kind_of(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"a {type(value).__name__}"
    return f"a {str(value.dtype).removeprefix('torch.')} tensor of rank {value.dim()}"


def _reexport(module: GraphModule, program: ExportedProgram) -> ExportedProgram:
    args, kwargs = program.example_inputs
    exported = torch.export.export(
        module, args, dict(kwargs), dynamic_shapes=dynamic_shapes_of(program, module)
    )
    restore_ranges(exported, program)
    ConstantTable(exported, fake_mode_of(exported.graph)).drop_unused()
    return exported


@contextmanager
def _state_restored(module: GraphModule) -> Iterator[None]:
    """Restore buffers after calibration, which mutates them, even if it fails.

    The buffers belong to the caller's program and module.
    """
    saved = [(buffer, buffer.clone()) for buffer in module.buffers()]
    try:
        yield
    finally:
        with torch.no_grad():
            for buffer, values in saved:
                buffer.copy_(values)
