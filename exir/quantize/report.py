"""The quantization decision for each operator of a program."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch.fx import Node

from exir.debug.source import module_of, source_of
from exir.quantize.exclusions import is_exclusion
from exir.quantize.families import operator_name
from exir.quantize.options import QuantizationOptions

# Layers that recipes target; decisions for other operators depend on these layers.
_LAYERS = tuple(
    f"aten::{name}"
    for name in (
        "conv1d conv2d conv3d linear embedding batch_norm _native_batch_norm_legit_no_training".split()
    )
)


@dataclass(frozen=True)
class Decision:
    """An operator that computes in float, and whether it is quantized.

    module: qualified name of the module that calls it; empty for the model itself.
    source: `file:line` of the model, or empty.
    operator: its name, such as `aten::linear`.
    reason: reason why it stays float; empty if it is quantized.
    is_wanted: whether it stays float because the options request it.
    """

    module: str
    source: str
    operator: str
    reason: str = ""
    is_wanted: bool = False


def decision(node: Node, reason: str = "") -> Decision:
    """Return the decision for `node`."""
    where = module_of(node), str(source_of(node) or "")
    return Decision(*where, operator_name(node), reason, is_exclusion(reason))


def notes_on(decisions: Sequence[Decision], options: QuantizationOptions) -> list[str]:
    """Return a note on unexpected effects of the recipe, in at most one line."""
    layers = [
        decision
        for decision in decisions
        if decision.operator in _LAYERS and not decision.is_wanted and decision.reason != options.no_form
    ]
    left = [layer for layer in layers if layer.reason]
    recipe = f"recipe '{options.recipe}'"
    if left:
        others = f", and others; the manifest lists all {len(left)}" if len(left) > 1 else ""
        first = f"'{left[0].module}' ({left[0].operator}): {left[0].reason}"
        return [f"{recipe} leaves {len(left)} of {len(layers)} layers float: {first}{others}"]
    if decisions and all(decision.reason and not decision.is_wanted for decision in decisions):
        return [f"{recipe} finds no operator to quantize"]
    return []
