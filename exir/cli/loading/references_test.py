"""Tests of references to backends and passes."""

from typing import Any

import pytest
from torch.export import ExportedProgram

from backends.demo.compiler_demo import CompilerDemoPartitioner
from exir.backend.entry import BackendEntry
from exir.backend.partitioner import Partitioner, PartitionResult
from exir.cli.config import CompilerConfig, parse_config
from exir.cli.loading.references import make_partitioners, make_passes
from exir.error import ConfigError, ModelError


class Tunable(Partitioner):
    """A partitioner with options."""

    def __init__(self, *, level: int, ratio: float = 0.5, units: list[str] | None = None) -> None:
        self.options = (level, ratio, units)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        return PartitionResult(exported_program, {})


TUNABLE = BackendEntry("tunable", Tunable)
NUMBER = 3


def _no_partitioner() -> Any:
    return {}


NOT_A_PARTITIONER = BackendEntry("wrong", _no_partitioner)


def _make_module(*attributes: str, **options: object) -> list[Any]:
    config = parse_config({"backends": options}, "m.toml")
    return make_partitioners(tuple(f"{__name__}:{attribute}" for attribute in attributes), config, ())


def test_partitioners_are_created_in_order() -> None:
    partitioners = make_partitioners(
        ("backends.demo.compiler_demo:BACKEND", "backends.portable:BACKEND"), CompilerConfig(), ()
    )
    assert [type(partitioner) for partitioner in partitioners] == [CompilerDemoPartitioner]


def test_partitioner_receives_its_options() -> None:
    (partitioner,) = _make_module("TUNABLE", tunable={"level": 2, "units": ["a"]})
    assert partitioner.options == (2, 0.5, ["a"])


def test_entry_may_be_a_partitioner_class() -> None:
    (partitioner,) = _make_module("Tunable", Tunable={"level": 1, "ratio": 1})
    assert partitioner.options == (1, 1, None)


@pytest.mark.parametrize(
    "attribute, options, message",
    [
        ("TUNABLE", {}, r"m.toml: \[backends.tunable\]: 'level' is missing; set it"),
        ("TUNABLE", {"tunable": {"level": "high"}}, "'level' must be an integer, got 'high'"),
        ("TUNABLE", {"tunable": {"level": True}}, "'level' must be an integer, got True"),
        (
            "TUNABLE",
            {"tunable": {"level": 1, "ratios": 1}},
            "unknown key 'ratios'; did you mean 'ratio'",
        ),
        (
            "TUNABLE",
            {"tunable": {"level": 1, "units": [1]}},
            "'units' must be a list, each element a string",
        ),
        ("TUNABLE", {"tunabel": {"level": 1}}, r"\[backends\]: unknown key 'tunabel'; did you mean"),
        ("TUNABEL", {}, "has no 'TUNABEL'; did you mean 'TUNABLE'"),
        ("NUMBER", {}, "is a int, not an exir.backend.entry.BackendEntry or a callable"),
        ("NOT_A_PARTITIONER", {}, "backend 'wrong': the entry returned a dict, not a Partitioner"),
    ],
)
def test_invalid_reference_or_option_is_named(attribute: str, options: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        _make_module(attribute, **options)


def test_a_reference_has_a_module_and_an_attribute() -> None:
    with pytest.raises(ConfigError, match="'backends.demo' is not a reference; write it as"):
        make_partitioners(("backends.demo",), CompilerConfig(), ())


def test_reference_to_a_missing_module_is_named() -> None:
    with pytest.raises(ModelError, match="module 'nowhere.at_all' was not found"):
        make_partitioners(("nowhere.at_all:B",), CompilerConfig(), ())


def some_pass(graph_module: object) -> None:
    """A pass that does nothing."""


def test_pass_references_name_functions_or_classes() -> None:
    passes = make_passes([f"{__name__}:some_pass", f"{__name__}:Options"], CompilerConfig(), ())
    assert passes[0] is some_pass and isinstance(passes[1], Options)


class Options:
    """A pass class without arguments."""
