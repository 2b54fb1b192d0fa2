"""What is compared: a side loads a model and runs it."""

from __future__ import annotations

import importlib
import importlib.metadata
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch

from benchmarks.latency.catalogue import STREAM, Model
from benchmarks.latency.native import Library


class Missing(Exception):
    """A side that cannot take part, with the reason in one line."""


@dataclass(frozen=True)
class Setting:
    """What all sides of a run have in common."""

    library: Library
    isa: str  # "avx2", "avxvnni" or "avx512": what every side is held to, where it can be
    threads: int
    programs: Path  # folder of this project's compiled programs
    held: bool = False  # whether it is held back from wider instruction sets, so that one may look for them


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to run."""

    run: Callable[[], object]
    outputs: Callable[[], list[torch.Tensor]] | None = None  # of the last run; None: computes no result
    file_bytes: int | None = None
    memory: dict[str, int] = field(default_factory=dict)  # bytes besides the file, by what they are for


class Side(ABC):
    """One way to run models."""

    name: str
    packages: tuple[str, ...] = ()  # distributions that it needs
    modules: tuple[str, ...] = ()  # of those; imported before anything is timed
    converters: tuple[str, ...] = ()  # and those that its converter needs besides

    def takes(self, model: Model) -> bool:
        """Whether it makes sense for the model at all."""
        return model.kind != STREAM

    def start(self, setting: Setting) -> None:
        """Import what it needs and set the number of threads; Missing when something is not there."""
        require(self.packages)
        for module in self.modules:
            importlib.import_module(module)

    def sources(self) -> tuple[str, ...]:
        """Files that say how it converts, besides its own."""
        return ()

    def convert(self, model: Model, path: Path) -> None:
        """Write the model as this side reads it. Runs in a process of its own."""
        raise NotImplementedError

    def file(self, model: Model, path: Path | None, setting: Setting) -> Path | None:
        """What `load` reads, if it is one file: that of `convert`, where there is one."""
        return path

    @abstractmethod
    def load(self, model: Model, path: Path | None, setting: Setting) -> Loaded:
        """The model, from the file that `convert` wrote if the side has a converter; is timed."""


def require(packages: tuple[str, ...]) -> None:
    """Missing unless all of these distributions are installed."""
    for package in packages:
        version(package)


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise Missing(f"{package} is not installed") from None


def converts(side: Side) -> bool:
    return type(side).convert is not Side.convert
