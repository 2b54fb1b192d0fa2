"""Draw a memory plan: instructions on the x axis, bytes on the y axis."""

from __future__ import annotations

from executorch_report.facts import MethodFacts
from executorch_report.html.elements import Markup, element, joined, size_text
from executorch_report.memory import Block, Buffer

_WIDTH, _HEIGHT = 1000, 360


def memory_diagram(method: MethodFacts, buffer: Buffer) -> Markup:
    """Draw each tensor as a rectangle, lifetime by size, and mark the peak."""
    steps = max(len(method.instructions), 1)
    height = max(buffer.nbytes, 1)
    blocks = joined(_rectangle(method, buffer, block, steps, height) for block in buffer.blocks if block.nbytes)
    across = (buffer.peak_at + 0.5) / steps * _WIDTH
    peak = element("line", x1=f"{across:.1f}", x2=f"{across:.1f}", y1="0", y2=str(_HEIGHT), class_="peak")
    text = f"Memory {buffer.memory_id}: {size_text(buffer.nbytes)} by {steps} instructions"
    return element(
        "svg",
        blocks,
        peak,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        preserveAspectRatio="none",
        class_="plan",
        role="img",
        aria_label=text,
    )


def _rectangle(method: MethodFacts, buffer: Buffer, block: Block, steps: int, height: int) -> Markup:
    across, wide = block.first / steps * _WIDTH, (block.last - block.first + 1) / steps * _WIDTH
    high = max(block.nbytes / height * _HEIGHT, 0.5)
    up = _HEIGHT - block.offset / height * _HEIGHT - high
    is_at_peak = block.first <= buffer.peak_at <= block.last
    return element(
        "rect",
        element("title", _title(method, block)),
        x=f"{across:.1f}",
        y=f"{up:.1f}",
        width=f"{wide:.1f}",
        height=f"{high:.1f}",
        class_="block high" if is_at_peak else "block",
        style=f"--hue:{block.value * 47 % 360}",
    )


def _title(method: MethodFacts, block: Block) -> str:
    maker = method.instructions[block.first].name if method.instructions else ""
    return (
        f"{block.text}, {block.nbytes:,} bytes at {block.offset:,}\n"
        f"instructions {block.first} to {block.last}, first {maker} (value {block.value})"
    )
