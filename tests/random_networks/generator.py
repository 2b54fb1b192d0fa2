"""Networks by number: the same seed gives the same network on every machine with this version of torch."""

from __future__ import annotations

import random
from dataclasses import replace

import torch
from torch import Tensor

from tests.random_networks.network import Network, Placed, Step, namespace
from tests.random_networks.steps import TOGETHER, Shape, random_step

RECIPES = ("int8_static", "int8_dynamic", "int4_dynamic", "int8_weight_only", "int4_weight_only")
_MOST_ELEMENTS = 60_000
_LARGEST = 1e4
_TRIES = 20


def random_network(seed: int) -> Network:
    """What eager PyTorch computes for the inputs that it has: floats that are finite."""
    rng = random.Random(seed)
    kind = rng.choice(["picture", "picture", "picture", "sequence", "sequence", "table"])
    shape = _shape(rng, kind)
    network = Network(
        seed=seed,
        shape=shape,
        channels_last=kind == "picture" and rng.random() < 0.2,
        dynamic=_dynamic(rng, kind, shape),
        recipe=rng.choice(RECIPES) if rng.random() < 0.25 else "",
    )
    values = list(network.inputs())
    with torch.no_grad():
        for _ in range(rng.randint(1, 9)):
            placed = _placed(rng, kind, values)
            if placed is not None:
                network = replace(network, steps=(*network.steps, placed))
    last = len(network.steps)
    others = [each for each in range(1, last) if rng.random() < 0.1]
    return replace(network, outputs=(last, *others))


def _shape(rng: random.Random, kind: str) -> Shape:
    if kind == "picture":
        return (rng.choice([1, 1, 2, 3]), rng.choice([1, 3, 4, 8, 16, 17, 24]), rng.randint(5, 20), rng.randint(5, 20))
    if kind == "sequence":
        return (rng.choice([1, 2]), rng.choice([2, 3, 5, 9, 16]), rng.choice([8, 16, 32, 48, 64]))
    return (rng.choice([1, 3, 5]), rng.choice([4, 7, 16, 32, 64]))


def _dynamic(rng: random.Random, kind: str, shape: Shape) -> int | None:
    """A size of one would be taken for one that stays."""
    dimension = rng.choice({"picture": [0, 2], "sequence": [0, 1], "table": [0]}[kind])
    return dimension if rng.random() < 0.3 and shape[dimension] > 1 else None


def _placed(rng: random.Random, kind: str, values: list[Tensor]) -> Placed | None:
    """A step that eager PyTorch computes; its value is added to `values`. None where several tries give none."""
    for _ in range(_TRIES):
        operand = len(values) - 1 if rng.random() < 0.85 else rng.randrange(len(values))
        alike = [each for each in range(len(values) - 1) if values[each].shape == values[operand].shape]
        operands: tuple[int, ...] = (operand,)
        step: Step | None
        if alike and rng.random() < 0.2:
            step, operands = Step(rng.choice(TOGETHER)), (operand, rng.choice(alike))
        else:
            step = random_step(rng, kind, tuple(values[operand].shape))
        value = None if step is None else _computed(step, [values[each] for each in operands])
        if step is not None and value is not None:
            values.append(value)
            return Placed(step, operands)
    return None


def _computed(step: Step, operands: list[Tensor]) -> Tensor | None:
    """What eager PyTorch gives for it; None where that is refused, or nothing to go on with."""
    names = namespace()
    names |= {f"v{index}": value for index, value in enumerate(operands)}
    try:
        with torch.random.fork_rng():
            if step.module:
                names["layer"] = eval(step.module, names).eval()
            value = eval(step.call.format(*(f"v{index}" for index in range(len(operands))), m="layer"), names)
    except (RuntimeError, ValueError, IndexError, TypeError, AssertionError):
        return None
    usable = isinstance(value, Tensor) and value.dtype == torch.float32 and 0 < value.numel() < _MOST_ELEMENTS
    return value if usable and value.dim() > 0 and bool(value.abs().max() < _LARGEST) else None
