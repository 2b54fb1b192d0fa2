"""Compare //models:chat with llama.cpp on the same GGUF file.

Both process a prompt of 128 tokens, then generate 64 tokens.

./bazelw run //benchmarks:chat -- [--threads 2] [--rounds 10]

The sides run alternately, each in a separate process. If a side crashes, the report says so.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chat.ours import Ours
from benchmarks.chat.peer import Peer, PeerError
from text.testing_lines import lines

_PROMPT, _ANSWER = 128, 64
_COMPARED_LINES = 1000
_TEXT = Path("LICENSE")

Seconds = tuple[float, float]  # wall clock, and CPU time of the calling thread


def _llama(threads: int, floats: bool) -> Any:
    from benchmarks.chat.llama_cpp import LlamaCpp

    return LlamaCpp(threads, floats)


def peers(threads: int) -> list[Peer]:
    """Return this project's chat, and llama.cpp if it is installed."""
    return [
        Peer("rules_executorch", lambda: Ours(threads)),
        Peer("llama.cpp", lambda: _llama(threads, False)),
        Peer("llama.cpp, float32 cache", lambda: _llama(threads, True)),
    ]


def compare_tokens(ours: Peer, other: Peer) -> None:
    """Print the number of lines, in many writing systems, whose tokens differ."""
    made = list(itertools.islice(lines(), _COMPARED_LINES))
    different = sum(ours.call("tokens", line) != other.call("tokens", line) for line in made)
    print(f"tokens of {len(made)} lines: {different} lines differ between {ours.name} and {other.name}")


def _timed(work: Callable[[], None]) -> Seconds:
    wall, thread = time.perf_counter(), time.thread_time()
    work()
    return time.perf_counter() - wall, time.thread_time() - thread


def measure(side: Any, prompt: list[int]) -> tuple[Seconds, Seconds]:
    """Return the cost of the prompt and of the answer. Runs in the side's process."""
    token = 0

    def read_prompt() -> None:
        nonlocal token
        token = side.take(prompt)

    def generate() -> None:
        nonlocal token
        for _ in range(_ANSWER):
            token = side.take([token])

    side.restart()
    return _timed(read_prompt), _timed(generate)


def _figures(kind: str, count: int, seconds: Sequence[Seconds]) -> str:
    wall, thread = zip(*seconds, strict=True)
    return (
        f"{kind} {count / min(wall):6.0f} tokens a second, {1e3 * min(wall):7.1f} ms at best, "
        f"{1e3 * statistics.median(wall):7.1f} median, {1e3 * min(thread):7.1f} of the thread"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="chat", description="Compare //models:chat with llama.cpp.")
    parser.add_argument("--threads", type=int, default=1, help="threads of each side")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each side")
    options = parser.parse_args()
    running = []
    for peer in peers(options.threads):
        try:
            peer.start()
            running.append(peer)
        except PeerError as error:
            print(f"{peer.name} is not measured: {error}")
    try:
        measure_peers(running, options.rounds)
    finally:
        for peer in running:
            peer.stop()


def measure_peers(running: list[Peer], rounds: int) -> None:
    """Measure the peers alternately and print a line for each, this project first."""
    ours, *others = running
    prompt = ours.call("tokens", _TEXT.read_text())[:_PROMPT]
    figures: dict[str, list[tuple[Seconds, Seconds]]] = {peer.name: [] for peer in running}
    failures: dict[str, str] = {}
    for round_number in range(rounds):
        for peer in running:
            if peer.name in failures:
                continue
            try:
                if round_number == 0 and others and peer is others[0]:
                    compare_tokens(ours, peer)
                figures[peer.name].append(peer.run(measure, prompt))
            except PeerError as error:
                failures[peer.name] = str(error)
    for name, measured in figures.items():
        print(f"{name}: {failures[name]}" if name in failures else name)
        if measured:
            prompts, answers = zip(*measured, strict=True)
            print(f"  {_figures('prompt', _PROMPT, prompts)}\n  {_figures('answer', _ANSWER, answers)}")


if __name__ == "__main__":
    main()
