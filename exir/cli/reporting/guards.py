"""Find the lines of a model that constrain a dynamic size."""

import contextlib
import io
import logging
import re
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

from exir.cli.loading.user_code import is_user_file

_VIOLATED = "Constraints violated"
_LOGGER = "torch.fx.experimental.symbolic_shapes"
_MAX_LINES = 3
_LOOP = re.compile(r"^(for|while)\b|\bfor\b.+\bin\b")
_LOOP_ADVICE = (
    "torch.export unrolls Python loops, which fixes the size of the loop; use nn.LSTM, nn.GRU or "
    "nn.RNN instead of a loop over cells, use scan (docs/how_to/control_flow.md), or make the size "
    "static"
)


class _GuardLines(logging.Handler):
    """Collects the user's source line for each guard that torch logs."""

    def __init__(self, roots: Iterable[Path]) -> None:
        super().__init__(logging.INFO)
        self._roots = tuple(roots)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Record the line that adds a guard."""
        message = record.getMessage()
        if "[guard added]" not in message or "[guard suppressed]" in message:
            return
        frames = [
            frame for frame in traceback.extract_stack() if is_user_file(frame.filename, self._roots)
        ]
        if frames:
            self.lines.append(_format_frame(frames[-1], self._roots))


def lines_of_guards(error: Exception, export: Callable[[], object], roots: tuple[Path, ...]) -> str:
    """Return the lines that add guards, if the export violated constraints.

    A second export finds them. Returns "" for other errors.
    """
    if _VIOLATED not in str(error):
        return ""
    handler, logger = _GuardLines(roots), logging.getLogger(_LOGGER)
    level, propagates, handlers = logger.level, logger.propagate, logger.handlers
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.INFO)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(Exception):
            export()
    finally:
        logger.setLevel(level)
        logger.handlers, logger.propagate = handlers, propagates
    lines = list(dict.fromkeys(handler.lines))
    if not lines:
        return ""
    lines = lines[:_MAX_LINES]
    shown = "".join(f"\n    {line}" for line in lines)
    has_loop = any(_LOOP.search(line.split(": ", 1)[1]) for line in lines)
    advice = f"\n    {_LOOP_ADVICE}" if has_loop else ""
    return (
        "\n    declare these sizes, or change these lines so that they hold for all "
        f"sizes:{shown}{advice}"
    )


def _format_frame(frame: traceback.FrameSummary, roots: Iterable[Path]) -> str:
    above = [root for root in map(str, roots) if frame.filename.startswith(root.rstrip("/") + "/")]
    file = frame.filename[len(max(above, key=len).rstrip("/")) + 1 :] if above else frame.filename
    return f"{file}:{frame.lineno}: {frame.line}"
