"""The compiler's options, from TOML files or JSON objects.

docs/reference/config.md lists the keys.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import torch
from torch._ops import OpOverload

from exir.capture import EdgeCompileConfig, ExecutorchBackendConfig
from exir.cli.arguments import Arguments
from exir.error import ConfigError
from exir.files.options import check_keys, check_type
from exir.passes import MemoryPlanningPass
from exir.python_versions import tomllib
from exir.quantize import OPTION_TYPES, RECIPES, QuantizationOptions

OPERATOR_LIST = list[str]

# The keys of each section and their types. Keys are field names of the class that they configure.
_EDGE = {
    "check_ir_validity": bool,
    "skip_dim_order": bool,
    "core_aten_ops_exception_list": OPERATOR_LIST,
    "preserve_ops": OPERATOR_LIST,
    "preserve_sdpa": bool,
    "fuse_low_bit_linear": bool,
    "pipeline": str,
}
_EXECUTORCH = {
    "emit_stacktrace": bool,
    "extract_delegate_segments": bool,
    "segment_alignment": int,
    "constant_tensor_alignment": int,
    "delegate_alignment": int,
    "remove_view_copy": bool,
    "fuse_int8": bool,
    "row_major_operands": bool,
    "emit_mutable_buffer_names": bool,
}
_MEMORY_PLANNING = {
    "alloc_graph_input": bool,
    "alloc_graph_output": bool,
    "share_mutable_buffers": bool,
    "alignment": int,
}
_PASSES = {"edge": list[str], "executorch": list[str]}
SECTIONS: Mapping[str, Mapping[str, Any]] = {
    "edge": _EDGE,
    "executorch": _EXECUTORCH,
    "memory_planning": _MEMORY_PLANNING,
    "passes": _PASSES,
    "quantization": OPTION_TYPES,
}
_BACKENDS = "backends"
_TARGET = "target"
_SHAPES = "shapes"

# Fields that the API marks as unstable with a leading underscore.
UNDERSCORED = {"check_ir_validity", "skip_dim_order", "core_aten_ops_exception_list"}
ALIGNMENTS = ("segment_alignment", "constant_tensor_alignment", "delegate_alignment", "alignment")


@dataclass(frozen=True)
class CompilerConfig:
    """Validated options.

    origin: the source of the options, for messages.
    edge, executorch, memory_planning, passes, quantization: the keys of these sections.
    backends: options by backend id. The backend's own parameters validate them later.
    target: properties of the device, for passes; any keys are allowed.
    shapes: upper bounds for dimensions that have none, by `<input>.<dimension>` or
        `<method>.<input>.<dimension>`.
    """

    origin: str = "config"
    edge: Mapping[str, Any] = field(default_factory=dict)
    executorch: Mapping[str, Any] = field(default_factory=dict)
    memory_planning: Mapping[str, Any] = field(default_factory=dict)
    passes: Mapping[str, list[str]] = field(default_factory=dict)
    quantization: Mapping[str, Any] = field(default_factory=dict)
    backends: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    target: Mapping[str, Any] = field(default_factory=dict)
    shapes: Mapping[str, int] = field(default_factory=dict)

    def edge_config(self) -> EdgeCompileConfig:
        """Return the options of `to_edge`."""
        values = {("_" if key in UNDERSCORED else "") + key: value for key, value in self.edge.items()}
        for key in ("_core_aten_ops_exception_list", "preserve_ops"):
            values[key] = [self._find_overload(name) for name in values.get(key, ())]
        return EdgeCompileConfig(**values)

    def executorch_config(self, passes: list[Any]) -> ExecutorchBackendConfig:
        """Return the options of `to_executorch`.

        By default, the command line compiles for this project's runtime.

        passes: the passes that `passes.executorch` names.
        """
        planning = MemoryPlanningPass(**self.memory_planning)
        fields = {"fuse_int8": True, "row_major_operands": False, **self.executorch}
        return ExecutorchBackendConfig(passes=passes, memory_planning_pass=planning, **fields)

    def quantization_options(self) -> QuantizationOptions | None:
        """Return the quantization options, or None without a `[quantization]` section."""
        if not self.quantization:
            return None
        where = f"{self.origin}: [quantization]"
        if "recipe" not in self.quantization:
            raise ConfigError(
                f"{where}: 'recipe' is missing; choose one of {', '.join(sorted(RECIPES))}"
            )
        try:
            return QuantizationOptions(**self.quantization)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None

    def _find_overload(self, name: str) -> OpOverload:
        """Return the overload of a name such as `aten::add.Tensor`."""
        namespace, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        try:
            return getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")
        except (AttributeError, RuntimeError):
            raise ConfigError(
                f"{self.origin}: unknown operator '{name}'; write it as 'aten::add.Tensor'"
            ) from None


def load_config(arguments: Arguments) -> CompilerConfig:
    """Return the options of a compilation; later layers override earlier ones.

    Raises a `ConfigError` that names the file and the key.
    """
    layers = [_read_layer(layer) for layer in arguments.configs]
    if not layers:
        return CompilerConfig()
    for table, origin in layers:
        parse_config(table, origin)
    tables, origins = zip(*layers)
    return parse_config(reduce(_merge_tables, tables), ", ".join(dict.fromkeys(origins)))


def _read_layer(layer: Path | str) -> tuple[Mapping[str, Any], str]:
    """Return the options of a layer, and its name for messages."""
    return (_read_toml(layer), str(layer)) if isinstance(layer, Path) else (_read_json(layer), "config")


def _merge_tables(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` updated with `over`. Tables are merged recursively."""
    both = {
        key: _merge_tables(base[key], over[key])
        for key in base.keys() & over.keys()
        if isinstance(base[key], Mapping) and isinstance(over[key], Mapping)
    }
    return {**base, **over, **both}


def parse_config(table: Mapping[str, Any], origin: str) -> CompilerConfig:
    """Validate a table of options. `origin` is its name in messages."""
    check_keys(table, [*SECTIONS, _BACKENDS, _TARGET, _SHAPES], origin)
    for section, keys in SECTIONS.items():
        _check_section(table.get(section, {}), keys, f"{origin}: [{section}]")
    backends = table.get(_BACKENDS, {})
    _check_is_table(backends, f"{origin}: [{_BACKENDS}]")
    for name, options in backends.items():
        _check_is_table(options, f"{origin}: [{_BACKENDS}.{name}]")
    _check_is_table(table.get(_TARGET, {}), f"{origin}: [{_TARGET}]")
    _check_shapes(table.get(_SHAPES, {}), f"{origin}: [{_SHAPES}]")
    return CompilerConfig(origin, **table)


def _check_shapes(shapes: Any, where: str) -> None:
    _check_is_table(shapes, where)
    for name, bound in shapes.items():
        check_type(bound, int, f"{where} '{name}'")


def _check_section(section: Any, keys: Mapping[str, Any], where: str) -> None:
    _check_is_table(section, where)
    check_keys(section, keys, where)
    for key, value in section.items():
        check_type(value, keys[key], f"{where} '{key}'")
        if key in ALIGNMENTS and (value < 1 or value & (value - 1)):
            raise ConfigError(f"{where} '{key}' must be a power of two, got {value}")


def _check_is_table(value: Any, where: str) -> None:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} must be a table, got {value!r}")


def _read_toml(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


def _read_json(text: str) -> Mapping[str, Any]:
    try:
        table = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"config: not valid JSON: {error}") from error
    _check_is_table(table, "config")
    return table
