"""Interface of the compared sides: a side loads a model and runs it."""

from __future__ import annotations

import importlib
import importlib.metadata
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch

from benchmarks.latency.catalog import STREAM, Model
from benchmarks.latency.native import Library


class Missing(Exception):
    """A side cannot be measured; the message is the reason, in one line."""


@dataclass(frozen=True)
class Setting:
    """Settings that all sides share."""

    library: Library
    isa: str  # "avx2", "avxvnni" or "avx512": the instruction set that sides are restricted to, if possible
    threads: int
    programs: Path  # folder of this project's compiled programs
    held: bool = False  # whether wider instruction sets are hidden, so that the benchmark checks for their use


@dataclass(frozen=True)
class Loaded:
    """A loaded model."""

    run: Callable[[], object]
    outputs: Callable[[], list[torch.Tensor]] | None = None  # of the last run; None: computes no result
    file_bytes: int | None = None
    memory: dict[str, int] = field(default_factory=dict)  # bytes besides the file, by purpose


class Side(ABC):
    """One way to run models."""

    name: str
    packages: tuple[str, ...] = ()  # required distributions
    modules: tuple[str, ...] = ()  # modules of these distributions; imported before timing starts
    converters: tuple[str, ...] = ()  # additional distributions of its converter

    def takes(self, model: Model) -> bool:
        """Return whether this side applies to the model."""
        return model.kind != STREAM

    def start(self, setting: Setting) -> None:
        """Import packages and set the number of threads. Raises `Missing`."""
        require(self.packages)
        for module in self.modules:
            importlib.import_module(module)

    def sources(self) -> tuple[str, ...]:
        """Source files that affect the conversion, besides its own."""
        return ()

    def convert(self, model: Model, path: Path) -> None:
        """Write the model in the format of this side. Runs in its own process."""
        raise NotImplementedError

    def file(self, model: Model, path: Path | None, setting: Setting) -> Path | None:
        """The file that `load` reads, if it is one file."""
        return path

    @abstractmethod
    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        """Load the model, from the file of `convert` if there is one. Timed."""


def require(packages: tuple[str, ...]) -> None:
    """Raise `Missing` unless all of these distributions are installed."""
    for package in packages:
        version(package)


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise Missing(f"{package} is not installed") from None


def converts(side: Side) -> bool:
    return type(side).convert is not Side.convert
