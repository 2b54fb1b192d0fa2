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


def _make(*attributes: str, **options: object) -> list[Any]:
    config = parse_config({"backends": options}, "m.toml")
    return make_partitioners(tuple(f"{__name__}:{each}" for each in attributes), config, ())


def test_partitioners_are_created_in_order() -> None:
    made = make_partitioners(
        ("backends.demo.compiler_demo:BACKEND", "backends.portable:BACKEND"), CompilerConfig(), ()
    )
    assert [type(partitioner) for partitioner in made] == [CompilerDemoPartitioner]


def test_partitioner_receives_its_options() -> None:
    (made,) = _make("TUNABLE", tunable={"level": 2, "units": ["a"]})
    assert made.options == (2, 0.5, ["a"])


def test_entry_may_be_a_partitioner_class() -> None:
    (made,) = _make("Tunable", Tunable={"level": 1, "ratio": 1})
    assert made.options == (1, 1, None)


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
        ("TUNABLE", {"tunable": {"level": 1, "units": [1]}}, "'units' must be a list, each a string"),
        ("TUNABLE", {"tunabel": {"level": 1}}, r"\[backends\]: unknown key 'tunabel'; did you mean"),
        ("TUNABEL", {}, "has no 'TUNABEL'; did you mean 'TUNABLE'"),
        ("NUMBER", {}, "is a int, not an exir.backend.entry.BackendEntry or a callable"),
        ("NOT_A_PARTITIONER", {}, "backend 'wrong': the entry returned a dict, not a Partitioner"),
    ],
)
def test_invalid_reference_or_option_is_named(attribute: str, options: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        _make(attribute, **options)


def test_a_reference_has_a_module_and_an_attribute() -> None:
    with pytest.raises(ConfigError, match="'backends.demo' is not a reference; write it as"):
        make_partitioners(("backends.demo",), CompilerConfig(), ())


def test_reference_to_a_missing_module_is_named() -> None:
    with pytest.raises(ModelError, match="module 'nowhere.at_all' was not found"):
        make_partitioners(("nowhere.at_all:B",), CompilerConfig(), ())


def some_pass(graph_module: object) -> None:
    """A pass that does nothing."""


def test_pass_references_name_functions_or_classes() -> None:
    made = make_passes([f"{__name__}:some_pass", f"{__name__}:Options"], CompilerConfig(), ())
    assert made[0] is some_pass and isinstance(made[1], Options)


class Options:
    """A pass class without arguments."""
