"""Tests of the command line."""

from pathlib import Path

import pytest

from benchmarks.latency.options import parse

_MODELS, _SIDES, _ISAS = ["small", "large"], ["ours, cpu", "eager"], ["avx2", "avx512"]


def _parse(*arguments: str):
    return parse(list(arguments), _MODELS, _SIDES, _ISAS)


def test_all_models_on_the_widest_instruction_set():
    options = _parse()
    assert (options.models, options.isa, options.threads, options.sides) == (_MODELS, "avx512", 1, None)


def test_peers_are_separated_by_semicolons():
    assert _parse("small", "--sides", "ours, cpu; eager").sides == ["ours, cpu", "eager"]


def test_relative_files_resolve_against_the_callers_directory(monkeypatch):
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", "/somewhere")
    assert _parse("--json", "out.json").json == Path("/somewhere/out.json")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["medium"], "unknown model 'medium'; choose from: small, large"),
        (["--sides", "eager;lazy"], "unknown side 'lazy'; choose from: ours, cpu, eager"),
        (["--rounds", "0"], "0 is not a positive number"),
        (["--isa", "neon"], "invalid choice: 'neon'"),
        (["--threads", "3"], "invalid choice: 3"),
    ],
)
def test_unknown_model_or_peer_is_named(arguments, message, capsys):
    with pytest.raises(SystemExit):
        _parse(*arguments)
    assert message in capsys.readouterr().err
