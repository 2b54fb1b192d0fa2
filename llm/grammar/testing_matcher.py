"""Run the C matcher on texts, for tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence

from llm.grammar.compile import Grammar


def matched(grammar: Grammar, texts: Sequence[bytes]) -> list[str]:
    """Return the output of llm/testing_matcher_main.c for each text."""
    lines = [str(grammar.start)]
    edges = [number for edge in grammar.edges for number in edge]
    lines += [_array(grammar.edge_starts), f"{len(grammar.edges)} " + " ".join(map(str, edges))]
    lines += [_array(values) for values in (grammar.pushed, map(int, grammar.can_end), grammar.least, grammar.most)]
    lines += [_array(text) for text in texts]
    command = [os.environ["MATCHER"]]
    found = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


def _array(values: Iterable[int]) -> str:
    numbers = list(values)
    return " ".join(map(str, [len(numbers), *numbers]))


def accepts(grammar: Grammar, text: str | bytes) -> bool:
    """Return whether a whole text matches."""
    data = text.encode() if isinstance(text, str) else text
    (line,) = matched(grammar, [data])
    return len(line) == len(data) + 1 and line[-1] in "EB"
