"""//models:chat beside llama.cpp, with the same GGUF file, in one process and in turn: a prompt of 128 tokens, then 64 tokens.

./bazelw run //benchmarks:chat -- [--threads 2] [--rounds 10]
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from benchmarks.chat.ours import Ours
from text.testing_lines import lines

_PROMPT, _ANSWER = 128, 64
_COMPARED_LINES = 1000
_TEXT = Path("LICENSE")


class Side(Protocol):
    """A runtime with the model loaded."""

    name: str

    def tokens(self, text: str) -> list[int]: ...
    def restart(self) -> None: ...
    def take(self, tokens: list[int]) -> int: ...
    def close(self) -> None: ...


Seconds = tuple[float, float]  # by the clock on the wall, and of the calling thread


def sides(threads: int) -> list[Side]:
    """Ours, and llama.cpp where it is installed."""
    ours: list[Side] = [Ours(threads)]
    try:
        from benchmarks.chat.llama_cpp import LlamaCpp
    except ImportError as error:
        print(f"llama.cpp is not measured: {error}")
        return ours
    return [*ours, LlamaCpp(threads), LlamaCpp(threads, floats=True)]


def compare_tokens(measured: list[Side]) -> None:
    """Say on how many lines of many scripts the sides' tokens differ."""
    ours, *others = measured
    made = list(itertools.islice(lines(), _COMPARED_LINES))
    for other in others[:1]:
        different = sum(ours.tokens(line) != other.tokens(line) for line in made)
        print(f"tokens of {len(made)} lines: {different} lines differ between {ours.name} and {other.name}")


def _timed(work: Callable[[], None]) -> Seconds:
    wall, thread = time.perf_counter(), time.thread_time()
    work()
    return time.perf_counter() - wall, time.thread_time() - thread


def measure(side: Side, prompt: list[int]) -> tuple[Seconds, Seconds]:
    """What the prompt costs, and the answer."""
    token = 0

    def begin() -> None:
        nonlocal token
        token = side.take(prompt)

    def go_on() -> None:
        nonlocal token
        for _ in range(_ANSWER):
            token = side.take([token])

    side.restart()
    return _timed(begin), _timed(go_on)


def _figures(kind: str, count: int, seconds: Sequence[Seconds]) -> str:
    wall, thread = zip(*seconds, strict=True)
    return (
        f"{kind} {count / min(wall):6.0f} tokens a second, {1e3 * min(wall):7.1f} ms at best, "
        f"{1e3 * statistics.median(wall):7.1f} median, {1e3 * min(thread):7.1f} of the thread"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="chat", description="//models:chat beside llama.cpp.")
    parser.add_argument("--threads", type=int, default=1, help="that each side may use")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side")
    options = parser.parse_args()
    measured = sides(options.threads)
    compare_tokens(measured)
    prompt = measured[0].tokens(_TEXT.read_text())[:_PROMPT]
    figures = [[measure(side, prompt) for side in measured] for _ in range(options.rounds)]
    for side, rounds in zip(measured, zip(*figures, strict=True), strict=True):
        prompts, answers = zip(*rounds, strict=True)
        print(f"{side.name}\n  {_figures('prompt', _PROMPT, prompts)}\n  {_figures('answer', _ANSWER, answers)}")
        side.close()


if __name__ == "__main__":
    main()
