"""The ranges of sizes and integers in a method's inputs and outputs."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from exir import schema

NUMBER = -1
"""The dimension in a range that belongs to an integer instead of a tensor."""


@dataclass(frozen=True, order=True)
class Range:
    """The range of an integer or a size: min + k * step, at most max.

    value: index of the value.
    dim: dimension of a tensor, or `NUMBER` for an integer.
    same_as: index of the entry that has the same k in every call, or its own index.
    """

    value: int
    dim: int
    min: int
    max: int
    step: int
    same_as: int

    @property
    def steps(self) -> "Steps":
        """Return min, max and step, without the value and dimension."""
        return Steps(self.min, self.max, self.step)


@dataclass(frozen=True)
class Steps:
    """The integers min, min + step and so on, at most max."""

    min: int
    max: int
    step: int = 1

    def __str__(self) -> str:
        high = "" if self.max >= _UNBOUNDED else self.max
        text = f"<={high}" if self.min == 0 and high != "" else f"{self.min}..{high}"
        return text if self.step == 1 else f"{text} by {self.step}"


_WIDTH = 6
_UNBOUNDED = 2**63 - 1


def numbers_of(ranges: Sequence[Range]) -> list[int]:
    """Return `ContainerMetadata.ranges` of sorted entries."""
    return [number for range_ in ranges for number in astuple(range_)]


def ranges_of(plan: schema.ExecutionPlan) -> list[Range] | None:
    """Return the range entries of a plan, or None if its exporter wrote none."""
    numbers = plan.container_meta_type.ranges if plan.container_meta_type else None
    if not numbers:
        return None
    end = len(numbers) - len(numbers) % _WIDTH
    return [Range(*numbers[at : at + _WIDTH]) for at in range(0, end, _WIDTH)]


def steps_of(plan: schema.ExecutionPlan, value: int) -> tuple[Steps | None, ...]:
    """Return the possible sizes of each dimension of a tensor, or of an integer.

    None means a fixed size. The result is empty if the value is the same in every call. If another
    exporter wrote the program, the lower bounds are 0.
    """
    content = plan.values[value].val
    ranges = ranges_of(plan)
    found = {entry.dim: entry.steps for entry in ranges or () if entry.value == value}
    if not isinstance(content, schema.Tensor):
        return (found[NUMBER],) if NUMBER in found else ()
    if content.shape_dynamism == schema.TensorShapeDynamism.STATIC:
        return ()
    if ranges is None:
        return tuple(Steps(0, size) for size in content.sizes)
    return tuple(found.get(dim) for dim in range(len(content.sizes)))


def shape_text(shape: Sequence[int], steps: Sequence[Steps | None]) -> str:
    """Format a shape with its ranges, such as "2..8, 4"."""
    return ", ".join(str(step or size) for size, step in zip(shape, steps or [None] * len(shape)))
