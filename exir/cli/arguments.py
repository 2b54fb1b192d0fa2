"""The command-line flags of the compiler."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from exir.error import ConfigError


@dataclass(frozen=True)
class Arguments:
    """The flags of one compilation. Paths are relative to the working directory.

    target: the label for messages and the manifest, as `//package:name`.
    module: the dotted name of the model's module.
    module_file: the source file that the module must be imported from.
    import_roots: folders to import the model from; they follow the compiler's folders on the path.
    entry_point: the function of the module that returns the model.
    entry_point_args: keyword arguments of the entry point.
    backends: `<module>:<attribute>` of each backend, in order of preference.
    configs: layers of options; later layers override earlier ones. A path is a TOML file, text is a
        JSON object.
    allow_fallback: operators that may run on kernels although there is a backend; None allows all.
    weights: a safetensors or GGUF file, or a torch state dict.
    weights_metadata: a JSON file with metadata that the weights file lacks.
    calibration: a safetensors or npz file with the inputs on which ranges are measured.
    operators: tables of user-defined operators.
    kernels: tables of the kernels that the program is checked against.
    reference_inputs: a file with inputs of additional reference calls.
    sweep, sweep_seed: the number of additional random reference calls, and their seed.
    external_weights: store constants and delegates' named data in `out_weights` instead of the
        program.
    out_pte, out_weights, out_manifest, out_reference, out_instruction_values, out_dump, out_debug_record,
        out_sources: files to write; at least one is given.
    """

    target: str
    module: str
    entry_point: str
    out_pte: Path | None = None
    module_file: Path | None = None
    import_roots: tuple[Path, ...] = ()
    backends: tuple[str, ...] = ()
    configs: tuple[Path | str, ...] = ()
    allow_fallback: tuple[str, ...] | None = None
    weights: Path | None = None
    weights_metadata: Path | None = None
    calibration: Path | None = None
    entry_point_args: Mapping[str, Any] = field(default_factory=dict)
    operators: tuple[Path, ...] = ()
    kernels: tuple[Path, ...] = ()
    external_weights: bool = False
    reference_inputs: Path | None = None
    sweep: int = 0
    sweep_seed: int = 0
    out_weights: Path | None = None
    out_manifest: Path | None = None
    out_reference: Path | None = None
    out_dump: Path | None = None
    out_debug_record: Path | None = None
    out_sources: Path | None = None
    out_instruction_values: Path | None = None

    @property
    def wants_program(self) -> bool:
        """Whether a requested output needs the lowered program."""
        files = (
            self.out_pte,
            self.out_manifest,
            self.out_dump,
            self.out_debug_record,
            self.out_sources,
            self.out_instruction_values,
        )
        return any(file is not None for file in files)

    @property
    def wants_reference(self) -> bool:
        """Whether a requested output needs calls of the eager model."""
        return self.out_reference is not None or self.out_instruction_values is not None


class _RaisingParser(argparse.ArgumentParser):
    """A parser that raises on errors instead of exiting the process."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"command line: {message}")


def expand_params_file(argv: list[str]) -> list[str]:
    """Expand a single argument `@file` to the lines of the file.

    In other positions, an argument that begins with `@` is a label of another repository. Raises
    `ConfigError`.
    """
    if len(argv) != 1 or not argv[0].startswith("@"):
        return argv
    try:
        return Path(argv[0][1:]).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ConfigError(f"command line: {argv[0][1:]}: cannot be read: {error.strerror}") from error


def parse_arguments(argv: list[str]) -> Arguments:
    """Parse the flags. Raises `ConfigError`."""
    values = vars(_make_parser().parse_args(argv))
    for name in ("import_roots", "backends", "configs", "operators", "kernels"):
        values[name] = tuple(values[name])
    values["target"] = display_label(values["target"])
    for name in ("traceback", "timeout"):  # read from argv, because parsing can fail
        del values[name]
    arguments = Arguments(**values)
    if not arguments.wants_program and arguments.out_reference is None:
        raise ConfigError("command line: no output is requested; pass --out-pte or another --out flag")
    if arguments.out_weights is not None and not arguments.external_weights:
        raise ConfigError("command line: --out-weights needs --external-weights; pass both")
    return arguments


def target_of(argv: Sequence[str]) -> str:
    """Return the value of `--target` without checking the other flags."""
    target = _value_of(argv, "--target")
    return "lower" if target is None else display_label(target)


def timeout_of(argv: Sequence[str]) -> int | None:
    """Return the value of `--timeout` if it is valid, without checking other flags."""
    value = _value_of(argv, "--timeout")
    return int(value) if value is not None and value.isdecimal() else None


def _value_of(argv: Sequence[str], flag: str) -> str | None:
    for index, argument in enumerate(argv):
        if argument.startswith(f"{flag}="):
            return argument.removeprefix(f"{flag}=")
        if argument == flag and index + 1 < len(argv):
            return argv[index + 1]
    return None


def display_label(label: str) -> str:
    """Return a label without the `@`s of the main repository's canonical form."""
    return label.lstrip("@")


def _make_parser() -> _RaisingParser:
    parser = _RaisingParser(
        prog="lower",
        description="Compile a PyTorch model to an ExecuTorch .pte program.",
        allow_abbrev=False,
    )
    _add_model_flags(parser)
    _add_compiler_flags(parser)
    _add_output_flags(parser)
    return parser


def _add_model_flags(parser: _RaisingParser) -> None:
    add = parser.add_argument
    add("--target", required=True, metavar="LABEL", help="label of the target, for messages")
    add("--module", required=True, metavar="NAME", help="dotted name of the model's module")
    add(
        "--module-file",
        type=Path,
        metavar="PATH",
        help="source file of the module; importing it from another file is an error",
    )
    add(
        "--import-root",
        action="append",
        default=[],
        dest="import_roots",
        type=Path,
        metavar="DIR",
        help="folder to import from; repeatable",
    )
    add(
        "--entry-point",
        default="model",
        metavar="NAME",
        help="function that returns the model (default: model)",
    )
    add(
        "--entry-point-args",
        type=_parse_object,
        default={},
        metavar="JSON",
        help="keyword arguments of the entry point, as a JSON object",
    )
    add(
        "--weights",
        type=Path,
        metavar="PATH",
        help="weights (a safetensors or GGUF file, or a torch state dict)",
    )
    add(
        "--weights-metadata",
        type=Path,
        metavar="PATH",
        help="metadata of the weights, such as a config.json: a JSON object",
    )
    add(
        "--external-weights",
        action="store_true",
        help="write weights to --out-weights instead of into the program",
    )
    add(
        "--calibration", type=Path, metavar="PATH", help="calibration inputs (a safetensors or npz file)"
    )


def _add_compiler_flags(parser: _RaisingParser) -> None:
    add = parser.add_argument
    add(
        "--backend",
        action="append",
        default=[],
        dest="backends",
        metavar="MODULE:ATTRIBUTE",
        help="backend to delegate to; repeatable, in order of preference",
    )
    _add_config_flag(
        parser, "--config", Path, "PATH", "options (TOML); repeatable, later files override earlier ones"
    )
    _add_config_flag(
        parser, "--config-json", str, "JSON", "options as a JSON object; overrides earlier options"
    )
    add(
        "--allow-fallback",
        type=_parse_names,
        metavar="NAMES",
        help="comma-separated operators that may fall back to kernels (default: any)",
    )
    _add_table_flag(parser, "--operators", "table of custom operators; repeatable")
    _add_table_flag(
        parser, "--kernels", "table of kernels; repeatable; without one, kernels are not checked"
    )
    add("--timeout", type=_parse_seconds, metavar="SECONDS", help="stop the compilation after this time")
    add("--traceback", action="store_true", help="print the compiler's traceback with every error")


def _add_config_flag(
    parser: _RaisingParser, flag: str, kind: Callable[[str], Path | str], metavar: str, text: str
) -> None:
    parser.add_argument(
        flag, action="append", default=[], dest="configs", type=kind, metavar=metavar, help=text
    )


def _parse_names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"'{text}' is not a JSON object; pass names and values")
    return value


def _parse_seconds(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number of seconds; pass an integer of at least 1"
        )
    return int(text)


def _add_table_flag(parser: _RaisingParser, flag: str, text: str) -> None:
    parser.add_argument(flag, action="append", default=[], type=Path, metavar="PATH", help=text)


def _add_output_flags(parser: _RaisingParser) -> None:
    add = parser.add_argument
    add("--out-pte", type=Path, metavar="PATH", help="write the program (.pte)")
    add(
        "--out-weights",
        type=Path,
        metavar="PATH",
        help="write the weights (.ptd); needs --external-weights",
    )
    add("--out-manifest", type=Path, metavar="PATH", help="write the manifest (JSON)")
    add("--out-reference", type=Path, metavar="PATH", help="write recorded calls of the eager model")
    add(
        "--reference-inputs",
        type=Path,
        metavar="PATH",
        help="inputs of additional recorded calls (.safetensors or .npz)",
    )
    add(
        "--sweep",
        type=int,
        default=0,
        metavar="N",
        help="additional recorded calls with random inputs (default: 0)",
    )
    add("--sweep-seed", type=int, default=0, metavar="N", help="seed of the random inputs (default: 0)")
    add(
        "--out-instruction-values",
        type=Path,
        metavar="PATH",
        help="write the value that eager PyTorch computes for each instruction",
    )
    add("--out-dump", type=Path, metavar="PATH", help="write the program as text")
    add(
        "--out-debug-record",
        type=Path,
        metavar="PATH",
        help="write the debug record, which ExecuTorch's developer tools read",
    )
    add(
        "--out-sources",
        type=Path,
        metavar="PATH",
        help="write the source lines of each instruction (JSON)",
    )
