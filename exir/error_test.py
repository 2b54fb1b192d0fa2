"""Tests of error messages."""

import pytest
from torch._export.verifier import SpecViolationError

from exir.error import (
    ConfigError,
    EdgeDialectError,
    ExportError,
    ExportErrorType,
    InternalError,
    UnsupportedOperatorError,
    UserError,
    internal_assert,
)
from exir.testing import models
from exir.testing.graphs import calls


def test_message_names_the_node_and_its_source_line() -> None:
    node = calls(models.simple_conv().export())[0]
    text = str(EdgeDialectError("this is wrong", node))
    assert text.splitlines()[0] == ("this is wrong; correct the pass or backend that changed the graph")
    assert f"node: {node.name}" in text
    assert "models.py" in text and "self.conv(x)" in text


def test_message_names_the_pass() -> None:
    error = EdgeDialectError("this is wrong")
    error.pass_name = "fold_batch_norm"
    assert str(error).startswith("this is wrong; ") and str(error).endswith("\n  pass: fold_batch_norm")


def test_export_error_carries_its_kind() -> None:
    error = ExportError(ExportErrorType.NOT_SUPPORTED, "no such thing")
    assert error.error_code is ExportErrorType.NOT_SUPPORTED
    assert str(error) == "[NOT_SUPPORTED] no such thing"
    assert isinstance(error, UserError)


def test_internal_error_is_not_a_user_error() -> None:
    assert not issubclass(InternalError, UserError)
    internal_assert(True, "fine")
    with pytest.raises(InternalError, match="broken"):
        internal_assert(False, "broken")


@pytest.mark.parametrize(
    "error, base",
    [
        (ConfigError, ValueError),
        (EdgeDialectError, SpecViolationError),
        (UnsupportedOperatorError, SpecViolationError),
    ],
)
def test_errors_subclass_matching_python_and_torch_errors(
    error: type[UserError], base: type[Exception]
) -> None:
    with pytest.raises(base, match="so it is"):
        raise error("so it is")
