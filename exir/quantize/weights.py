"""Quantizes the weights of linear layers and embeddings with torchao."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.fx import Node
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear

from exir.debug.source import module_of
from exir.error import ConfigError
from exir.quantize.computed_weights import make_weight_constant
from exir.quantize.exclusions import Exclusions, is_exclusion
from exir.quantize.families import computes_float, operator_name
from exir.quantize.options import QuantizationOptions, require_torchao
from exir.quantize.recipes import Activations
from exir.quantize.report import Decision, decision

if TYPE_CHECKING:
    from torchao.core.config import AOBaseConfig
    from torchao.quantization.granularity import Granularity

# Operators with a quantized weight, and the position of the weight.
_WEIGHTS = {"aten::linear": 1, "aten::embedding": 0}

_KINDS = (nn.Linear, nn.Embedding)

_DTYPES = (torch.float32, torch.float16, torch.bfloat16)

Reasons = dict[str, str]


def quantize_weights(module: nn.Module, options: QuantizationOptions) -> Reasons:
    """Quantize the weights of a module in place.

    Returns the reason for each module of a supported kind that stays float, by qualified name. Raises `ConfigError`.
    """
    if options.how.needs_calibration:
        raise ConfigError(
            f"recipe '{options.recipe}' quantizes exported programs; call quantize_program(program, options, calibration)"
        )
    require_torchao(options.recipe)
    exclusions = Exclusions(options.exclude)
    found = {
        name: submodule for name, submodule in module.named_modules() if isinstance(submodule, _KINDS)
    }
    for name, submodule in found.items():
        if not exclusions.reason(name):
            make_weight_constant(submodule)
    reasons = {
        name: exclusions.reason(name) or _module_float_reason(submodule, options)
        for name, submodule in found.items()
    }
    exclusions.check_all_matched()
    _check_group(reasons, options)
    chosen = [submodule for name, submodule in found.items() if not reasons[name]]
    originals = [submodule.weight for submodule in chosen]
    with quiet():
        for kind in _KINDS:
            _quantize_modules(module, kind, options, reasons)
        _finish_weights(chosen, originals)
    return {name: reason for name, reason in reasons.items() if reason}


def _finish_weights(modules: Sequence[nn.Module], originals: Sequence[Tensor]) -> None:
    """Search the scales of 4-bit weights, and make all weights readable."""
    from exir.quantize.readable_weight import make_readable
    from exir.quantize.scale_search import search_scales

    for module, original in zip(modules, originals, strict=True):
        if module.weight.target_dtype is getattr(torch, "int4"):  # noqa: B009 (the stubs lack it)
            search_scales(module.weight, original)
        make_readable(module)


def decisions_of(
    program: ExportedProgram, options: QuantizationOptions, reasons: Reasons
) -> Sequence[Decision]:
    """Return the decision for each operator that computes in float."""
    computing = [
        node
        for node in program.graph.nodes
        if operator_name(node).startswith("aten::") and computes_float(node)
    ]
    return [decision(node, _float_reason(node, options, reasons)) for node in computing]


def _float_reason(node: Node, options: QuantizationOptions, reasons: Reasons) -> str:
    place = _WEIGHTS.get(operator_name(node))
    if place is not None and operator_name(node.args[place]) == "torchao::dequantize_affine":
        return ""
    if place is None:
        return options.no_form
    return reasons.get(
        module_of(node), "its weight is not the weight of a torch.nn.Linear or torch.nn.Embedding"
    )


def _quantize_modules(
    module: nn.Module, kind: type[nn.Module], options: QuantizationOptions, reasons: Reasons
) -> None:
    """Quantize the modules of one kind that have no reason to stay float."""
    from torchao.quantization import quantize_

    def is_chosen(submodule: nn.Module, name: str) -> bool:
        return isinstance(submodule, kind) and not reasons[name]

    quantize_(
        module,
        _embedding_config(options) if kind is nn.Embedding else _linear_config(options),
        is_chosen,
    )


def _module_float_reason(module: nn.Module, options: QuantizationOptions) -> str:
    if isinstance(module, NonDynamicallyQuantizableLinear):
        return "torch.nn.MultiheadAttention multiplies by its weight directly"
    if "weight" not in module._parameters:
        return "its weight is not a parameter"
    if module.weight.dtype not in _DTYPES:
        dtype = str(module.weight.dtype).removeprefix("torch.")
        return f"its weight is {dtype}; only float32, float16 and bfloat16 weights are quantized"
    size = None if _is_int8_embedding(module, options) else options.weight_group
    inputs = module.weight.shape[-1]
    if inputs <= 1:
        return (
            f"its weight has rows of length {inputs}; quantization with a scale per row needs at least 2"
        )
    return (
        f"its {inputs} inputs are not a multiple of group_size {size}" if size and inputs % size else ""
    )


def _check_group(reasons: Reasons, options: QuantizationOptions) -> None:
    """Raise `ConfigError` if no layer has rows that the group size divides."""
    left = [name for name, reason in reasons.items() if not is_exclusion(reason)]
    if options.group_size is not None and left and all(reasons[name] for name in left):
        layer = f"'{left[0]}'" if left[0] else "the model itself"
        raise ConfigError(
            f"'group_size' {options.group_size} does not divide the rows of any layer; {layer}: "
            f"{reasons[left[0]]}"
        )


def _is_int8_embedding(module: nn.Module, options: QuantizationOptions) -> bool:
    """Return true if `module` is an embedding in a dynamic recipe, which uses int8."""
    return isinstance(module, nn.Embedding) and options.how.activations is Activations.DYNAMIC


def _linear_config(options: QuantizationOptions) -> "AOBaseConfig":
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, IntxWeightOnlyConfig

    dtype, granularity = (
        getattr(torch, f"int{options.how.weight_bits}"),
        _weight_granularity(options.weight_group),
    )
    if options.how.activations is Activations.DYNAMIC:
        return Int8DynamicActivationIntxWeightConfig(weight_dtype=dtype, weight_granularity=granularity)
    return IntxWeightOnlyConfig(weight_dtype=dtype, granularity=granularity)


def _embedding_config(options: QuantizationOptions) -> "AOBaseConfig":
    from torchao.quantization import IntxWeightOnlyConfig

    if options.how.activations is Activations.DYNAMIC:
        return IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=_weight_granularity(None))
    return _linear_config(options)


def _weight_granularity(size: int | None) -> "Granularity":
    from torchao.quantization import PerAxis, PerGroup

    return PerAxis(0) if size is None else PerGroup(size)


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings, and log messages below the level critical."""
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
