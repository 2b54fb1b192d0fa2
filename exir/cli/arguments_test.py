"""Tests of the command-line flags."""

from pathlib import Path

import pytest

from exir.cli.arguments import expand_params_file, parse_arguments, target_of, timeout_of
from exir.error import ConfigError

_NEEDED = ["--target=//m:net_pte", "--module=m.net", "--out-pte=net.pte"]


def test_list_flags_repeat_and_have_defaults() -> None:
    arguments = parse_arguments([*_NEEDED, "--backend=a:B", "--backend=c:D", "--import-root=."])
    assert arguments.backends == ("a:B", "c:D")
    assert arguments.import_roots == (Path("."),)
    assert arguments.entry_point == "model"
    assert arguments.out_pte == Path("net.pte")


def test_params_file_has_a_flag_per_line(tmp_path: Path) -> None:
    params = tmp_path / "flags"
    params.write_text("--target\n@@//m:net pte\n--module\nm.net\n--out-reference\nout/net.calls\n")
    arguments = parse_arguments(expand_params_file([f"@{params}"]))
    assert arguments.target == "//m:net pte"
    assert arguments.out_reference == Path("out/net.calls")


@pytest.mark.parametrize(
    "label, shown",
    [("@@//m:n", "//m:n"), ("@//m:n", "//m:n"), ("//m:n", "//m:n"), ("@@r//m:n", "r//m:n")],
)
def test_labels_are_printed_without_canonical_prefix(label: str, shown: str) -> None:
    assert parse_arguments([f"--target={label}", *_NEEDED[1:]]).target == shown


@pytest.mark.parametrize(
    "argv, message",
    [
        (_NEEDED[:2], "no output is requested"),
        (_NEEDED[1:], "--target"),
        (_NEEDED[::2], "--module"),
        ([*_NEEDED, "--color=red"], "unrecognized arguments: --color=red"),
        ([*_NEEDED, "--entry-point-args=[1]"], "'\\[1\\]' is not a JSON object"),
    ],
)
def test_invalid_command_line_is_refused(argv: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_arguments(argv)


def test_missing_params_file_is_named() -> None:
    with pytest.raises(ConfigError, match="no_such_file: cannot be read"):
        expand_params_file(["@no_such_file"])


def test_external_label_is_not_a_params_file() -> None:
    flags = ["--target", "@other//m:n"]
    assert expand_params_file(flags) == flags


@pytest.mark.parametrize(
    ("argv", "target"),
    [
        (["--module", "m", "--target", "@//m:n", "--color"], "//m:n"),
        (["--module=m", "--target=@//m:n"], "//m:n"),
        (["--module=m", "--target"], "lower"),
    ],
)
def test_argument_errors_name_the_target(argv: list[str], target: str) -> None:
    assert target_of(argv) == target


@pytest.mark.parametrize(
    ("argv", "seconds"),
    [(["--timeout", "20"], 20), (["--timeout=20"], 20), (["--timeout=soon"], None), ([], None)],
)
def test_timeout_is_known_before_other_checks(argv: list[str], seconds: int | None) -> None:
    assert timeout_of(argv) == seconds


@pytest.mark.parametrize("value", ["0", "-1", "soon", "1.5"])
def test_timeout_is_a_number_of_seconds(value: str) -> None:
    with pytest.raises(ConfigError, match=f"--timeout: '{value}' is not a number of seconds"):
        parse_arguments([*_NEEDED, f"--timeout={value}"])
