"""Tests of the text form of pipelines."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from torch.export import ExportedProgram

from exir.capture import EdgeCompileConfig
from exir.error import ConfigError
from exir.pass_manager import ProgramPass
from exir.passes.pipeline import parse, to_text
from exir.program import edge_passes


@dataclass(frozen=True)
class _PassWithoutOptions(ProgramPass):
    name: ClassVar[str] = "plain"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        return program


@dataclass(frozen=True)
class _PassWithOptions(_PassWithoutOptions):
    bound: int = 4
    label: str = ""
    name: ClassVar[str] = "tuned"


KNOWN = {"plain": _PassWithoutOptions, "tuned": _PassWithOptions}


@pytest.mark.parametrize(
    ("passes", "text"),
    [
        ((), ""),
        ((_PassWithoutOptions(), _PassWithoutOptions()), "plain,plain"),
        ((_PassWithOptions(), _PassWithoutOptions()), "tuned,plain"),
        ((_PassWithOptions(bound=8, label="a;b"),), "tuned(bound=8,label='a;b')"),
    ],
)
def test_pipeline_prints_and_parses_back(passes: tuple[ProgramPass, ...], text: str) -> None:
    assert to_text(passes) == text
    assert parse(text, KNOWN) == passes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("other", "unknown pass 'other'; passes: plain, tuned"),
        ("tuned(depth=1)", "unexpected keyword argument 'depth'"),
        ("tuned(bound=os)", "pass 'tuned': malformed node"),
        ("tuned(8)", "options must be passed by name"),
        ("8", "'8' is not a pass"),
        ("plain plain", "'plain plain' is not a list of passes"),
    ],
)
def test_malformed_pipeline_text_is_a_configuration_error(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse(text, KNOWN)


def test_default_edge_pipeline_prints_itself() -> None:
    default = edge_passes(EdgeCompileConfig())
    assert edge_passes(EdgeCompileConfig(pipeline=to_text(default))) == default


def test_pipeline_of_a_config_names_missing_passes() -> None:
    with pytest.raises(ConfigError, match="unknown pass 'fold_batchnorm'"):
        edge_passes(EdgeCompileConfig(pipeline="fold_batchnorm"))
