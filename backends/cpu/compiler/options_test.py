"""Tests that options are encoded as compile specs and that invalid options are rejected."""

import pytest

from backends.cpu.compiler.options import Options
from exir.backend.compile_spec_schema import CompileSpec
from exir.error import ConfigError


def test_specs_say_what_was_given() -> None:
    options = Options(winograd="never", row_tiling="always", threads=2, weights="float16", strassen="always")
    assert Options.read(options.specs()) == options
    assert Options.read([]) == Options()


@pytest.mark.parametrize(
    "specs, message",
    [
        ([CompileSpec("winograd", b"maybe")], "'winograd' must be one of auto, never, always, got 'maybe'"),
        ([CompileSpec("weights", b"half")], "'weights' must be one of auto, float32, float16, bfloat16, got 'half'"),
        ([CompileSpec("strassen", b"maybe")], "'strassen' must be one of auto, never, always, got 'maybe'"),
        ([CompileSpec("threads", b"0")], "'threads' must be from 1 to 64, got 0"),
        ([CompileSpec("strip", b"1")], "unknown compile spec 'strip'"),
    ],
)
def test_what_no_option_may_be_is_refused(specs: list[CompileSpec], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Options.read(specs)
