"""Convert models for peers, each in its own process.

Results are stored in the user's cache folder.

python -m benchmarks.latency.conversion SIDE MODEL FILE
"""

from __future__ import annotations

import hashlib
import inspect
import subprocess
import sys
from pathlib import Path

import torch

from benchmarks.latency.catalog import LOWERED_ONLY, MODELS, Model
from benchmarks.latency.roster import SIDES
from benchmarks.latency.sides.side import Missing, Side, require, version

sys.path.insert(0, str(Path(__file__).parents[2] / "rules/private/repository"))

from user_cache import cache_root, publish

_FILE = "program"


def converted(side: Side, model: Model) -> Path:
    """Return the side's program for the model, converted if necessary.

    Raises `Missing` if the conversion fails.
    """
    require((*side.packages, *side.converters))
    entry = cache_root() / "benchmarks" / f"{_key(side, model)}-{model.name}"
    publish(entry, lambda folder: _convert(side, model, folder / _FILE))
    return entry / _FILE


def _key(side: Side, model: Model) -> str:
    """Return a cache key; equal sources and versions produce the same program."""
    digest = hashlib.sha256(f"{side.name} {model.name}\n".encode())
    for package in ("torch", *side.packages, *side.converters):
        digest.update(f"{package} {version(package)}\n".encode())
    for source in (*model.sources, inspect.getfile(type(side)), *side.sources()):
        digest.update(Path(source).read_bytes())
    return digest.hexdigest()[:32]


def _convert(side: Side, model: Model, path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.latency.conversion", side.name, model.name, str(path)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        reason = (result.stderr.strip() or "no message").splitlines()[-1]
        raise Missing(f"its converter failed: {reason}")


def main(arguments: list[str]) -> None:
    side, model, path = arguments
    torch.set_grad_enabled(False)
    SIDES[side].convert((MODELS | LOWERED_ONLY)[model], Path(path))


if __name__ == "__main__":
    main(sys.argv[1:])
