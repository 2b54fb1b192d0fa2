"""Generates networks by seed.

With the same version of torch, a seed produces the same network on every machine.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from tests.random_networks.layers import general, images, integers, sequences, sharing, sizes, small, stateful
from tests.random_networks.network import Family, Network, Placed, Shape, Step, Varying, namespace

RECIPES = ("int8_static", "int8_dynamic", "int4_dynamic", "int8_weight_only", "int4_weight_only")
_KINDS: dict[str, Family] = {
    "image": images.FAMILY,
    "sequence": [*sequences.FAMILY, (1, general.linear)],
    "table": [(4, general.linear)],
    "integers": [],
}
_DTYPES = ("int64", "int64", "int32", "int16", "int8", "uint8", "bool")
_MOST_ELEMENTS = 60_000
_LARGEST_SIZE = 24
_LARGEST = 1e4
_TRIES = 20
_REFUSALS = (RuntimeError, ValueError, IndexError, TypeError, AssertionError, ZeroDivisionError, NotImplementedError)


def random_network(seed: int) -> Network:
    """Return a network that eager PyTorch runs on its example inputs.

    Its floats are finite.
    """
    return _Drawing(random.Random(seed), seed, plain=False).network()


def plain_network(seed: int) -> Network:
    """Return a network with one float input and no state, integers or shared weights."""
    return _Drawing(random.Random(seed), seed, plain=True).network()


class _Drawing:
    """Draws a network step by step.

    `values` holds the results of all steps for the example inputs.
    """

    def __init__(self, rng: random.Random, seed: int, plain: bool) -> None:
        self._rng, self._plain = rng, plain
        self._kind = rng.choice([*["image"] * 3, *["sequence"] * 2, "table", *([] if plain else ["integers"])])
        shape = self._shape()
        self._network = Network(
            seed=seed,
            shape=shape,
            dtype=rng.choice(_DTYPES) if self._kind == "integers" else "float32",
            channels_last=self._kind == "image" and rng.random() < 0.2,
            dynamic=self._dynamic(shape),
            number=None if plain or rng.random() < 0.7 else self._number(shape),
            recipe=rng.choice(RECIPES) if rng.random() < 0.25 else "",
        )
        self._inputs = self._network.inputs()
        self._values: list[Tensor | int] = [self._inputs[0]]
        self._computing = namespace() | dict(zip(("v0", "n"), self._inputs, strict=False))

    def network(self) -> Network:
        steps: list[Placed] = []
        with torch.no_grad():
            for _ in range(self._rng.randint(1, 9)):
                placed = self._placed()
                if placed is not None:
                    steps.append(placed)
        last = len(steps)
        others = [index for index in range(1, last) if self._rng.random() < self._share(self._values[index])]
        found = replace(self._network, steps=tuple(steps), outputs=(last, *others))
        floats = all(_is_float(self._values[output]) for output in found.outputs)
        return found if floats else replace(found, recipe="")

    @staticmethod
    def _share(value: Tensor | int) -> float:
        """Return how often a value is an output; integers are compared exactly."""
        return 0.1 if _is_float(value) else 0.5

    def _shape(self) -> Shape:
        rng = self._rng
        if self._kind == "image":
            batch, channels = rng.choice([1, 1, 2, 3]), rng.choice([1, 3, 4, 8, 16, 17, 24])
            return (batch, channels, rng.randint(5, 20), rng.randint(5, 20))
        if self._kind == "sequence":
            return (rng.choice([1, 2]), rng.choice([2, 3, 5, 9, 16]), rng.choice([8, 16, 32, 48, 64]))
        if self._kind == "table":
            return (rng.choice([1, 3, 5]), rng.choice([4, 7, 16, 32, 64]))
        return rng.choice(
            [(), (5,), (2, 7), (3, 4), (2, 3, 4), (0, 3)] if rng.random() < 0.3 else [(2, 7), (3, 4), (4,)]
        )

    def _dynamic(self, shape: Shape) -> tuple[tuple[int, Varying], ...]:
        """Draw ranges of some sizes; torch.export treats an example of 0 or 1 as static."""
        rng = self._rng
        candidates = {"image": [0, 2, 3], "sequence": [0, 1], "table": [0], "integers": [0, 1]}[self._kind]
        found = []
        for dimension in candidates:
            if dimension < len(shape) and shape[dimension] > 1 and rng.random() < 0.25:
                low = min(rng.choice([0, 1, 1, 2, 2, shape[dimension] - 1, shape[dimension]]), shape[dimension])
                high = rng.choice([shape[dimension], shape[dimension] + 1, _LARGEST_SIZE])
                found.append((dimension, Varying(shape[dimension], low, max(high, low + 1))))
        return tuple(found)

    def _number(self, shape: Shape) -> Varying:
        """Draw a range for the integer input `n`.

        The range is within most sizes, and within the caches that `n` indexes.
        """
        rng = self._rng
        high = max(3, min([6, *shape[-2:]]) - rng.choice([0, 1]))
        return Varying(rng.randint(2, high), rng.choice([0, 1, 2]), high)

    def _families(self, value: Tensor) -> Family:
        if self._plain:
            recurrent: Family = sequences.RECURRENT if self._kind == "sequence" else []
            return [*_KINDS[self._kind], *general.FAMILY, *recurrent]
        number, fixed = self._network.number is not None, not self._network.dynamic
        found: Family = [*(sizes.NUMBER if number else []), *sizes.FAMILY]
        if value.numel() == 0:
            return [*found, *small.OF_EMPTY]
        if value.dtype != torch.float32:
            return [(1, integers.to_floats)] if value.dtype == torch.float64 else [*found, *integers.FAMILY]
        found += [*general.FAMILY, *small.FAMILY, *sharing.FAMILY, *stateful.FAMILY, *integers.FROM_FLOATS]
        found += [*(stateful.NUMBER if number else []), *(stateful.FIXED if fixed else [])]
        if self._kind == "integers":
            return [*found, *sequences.FAMILY, (2, general.linear)]
        recurrent = sequences.RECURRENT if fixed and self._kind == "sequence" else []
        return [*found, *_KINDS[self._kind], *recurrent]

    def _placed(self) -> Placed | None:
        """Draw a step that eager PyTorch runs, and append its value.

        The result is None after several failed tries.
        """
        tensors = [number for number, value in enumerate(self._values) if isinstance(value, Tensor)]
        for _ in range(_TRIES):
            operand = tensors[-1] if self._rng.random() < 0.85 else self._rng.choice(tensors)
            drawn = self._drawn(operand, tensors)
            if drawn is None:
                continue
            value = self._computed(drawn)
            if value is not None:
                self._values.append(value)
                return drawn
        return None

    def _drawn(self, operand: int, tensors: list[int]) -> Placed | None:
        value, rng = self._values[operand], self._rng
        assert isinstance(value, Tensor)
        others = [tensor for tensor in tensors if tensor != operand and self._goes_with(value, self._values[tensor])]
        if others and rng.random() < 0.2:
            calls = general.TOGETHER if _is_float(value) else integers.TOGETHER
            return Placed(Step(rng.choice(calls)), (operand, rng.choice(others)))
        numbers = [number for number, item in enumerate(self._values) if not isinstance(item, Tensor)]
        if numbers and rng.random() < 0.3:
            return Placed(Step(rng.choice(sizes.TOGETHER)), (operand, rng.choice(numbers)))
        weights, makers = zip(*self._families(value), strict=True)
        step = rng.choices(makers, weights)[0](rng, tuple(value.shape))
        return None if step is None else Placed(step, (operand,))

    def _goes_with(self, value: Tensor, other: Any) -> bool:
        """Return true if values have equal shapes, or broadcast."""
        if _is_float(value) is not _is_float(other):
            return False
        return value.shape == other.shape or (not self._plain and other.dim() <= 1)

    def _computed(self, placed: Placed) -> Tensor | int | None:
        """Return a step's result in eager PyTorch, or None if it is not usable."""
        names = dict(self._computing)
        names |= {f"w{index}": self._values[operand] for index, operand in enumerate(placed.operands)}
        try:
            with torch.random.fork_rng():
                if placed.step.module:
                    names["layer"] = eval(placed.step.module, names).eval()
                operands = (f"w{index}" for index in range(len(placed.operands)))
                value = eval(placed.step.call.format(*operands, m="layer"), names)
        except _REFUSALS:
            return None
        return value if self._usable(value) else None

    def _usable(self, value: Any) -> bool:
        if not isinstance(value, Tensor):
            return type(value) is int
        small = value.numel() < _MOST_ELEMENTS and value.dim() <= 6 and not value.is_complex()
        if self._plain and (value.dtype != torch.float32 or value.numel() == 0 or value.dim() == 0):
            return False
        return small and (value.numel() == 0 or bool(value.double().abs().max() < _LARGEST))


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()
