"""The legacy API: `exir.capture(f, args, config).to_edge().to_executorch()`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export import ExportedProgram, export
from torch.utils import _pytree as pytree

from exir import (
    EdgeCompileConfig,
    EdgeProgramManager,
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    dynamic_recurrence,
    to_edge,
)
from exir.schema import Program


@dataclass
class ExirDynamoConfig:
    """Tracing options of `capture`. They have no effect, because torch.export traces."""

    allow_rnn: bool = True
    verbose: bool = True
    assume_static_by_default: bool = False
    capture_scalar_outputs: bool = True
    prefer_deferred_runtime_asserts_over_guards: bool = False


@dataclass
class CaptureConfig:
    """Options of `capture`.

    They have no effect: torch.export always functionalizes and lifts.
    """

    pt2_mode: bool = True
    enable_functionalization: bool = True
    enable_dynamic_shape: bool = False
    enable_aot: bool = False
    _dynamo_config: ExirDynamoConfig = field(default_factory=ExirDynamoConfig)
    _unlift: bool = False
    _use_old_decomp_table: bool = False


@dataclass
class CallSpec:
    """The nesting of arguments and results."""

    in_spec: pytree.TreeSpec | None = None
    out_spec: pytree.TreeSpec | None = None


class WrapperModule(torch.nn.Module):
    """A module that calls a function."""

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = f


@contextmanager
def patch_forward(obj: torch.nn.Module, new_method: Callable[..., Any]) -> Iterator[None]:
    """Replace `obj.forward` with another method in a context, to export that method."""
    original = obj.forward
    obj.forward = new_method.__get__(obj, type(obj))
    try:
        yield
    finally:
        obj.forward = original


class ExirExportedProgram:
    """A captured program."""

    def __init__(self, exported_program: ExportedProgram, manager: EdgeProgramManager | None = None) -> None:
        self.exported_program = exported_program
        self._manager = manager

    @property
    def graph_module(self) -> torch.fx.GraphModule:
        """Graph module of the program."""
        return self.exported_program.graph_module

    @property
    def graph(self) -> torch.fx.Graph:
        """Graph of the program."""
        return self.exported_program.graph

    @property
    def in_spec(self) -> pytree.TreeSpec:
        """Nesting of the arguments."""
        return self.exported_program.call_spec.in_spec

    @property
    def out_spec(self) -> pytree.TreeSpec:
        """Nesting of the results."""
        return self.exported_program.call_spec.out_spec

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.exported_program.module()(*args, **kwargs)

    def _to_edge(self, config: EdgeCompileConfig | None = None) -> EdgeProgramManager:
        return self._manager or to_edge(self.exported_program, compile_config=config)

    def to_edge(self, config: EdgeCompileConfig | None = None) -> "ExirExportedProgram":
        """Convert the program to the edge dialect."""
        return _capture_of(self._to_edge(config))

    def transform(self, *passes: Any) -> "ExirExportedProgram":
        """Apply passes to the program."""
        return _capture_of(self._to_edge().transform(list(passes)))

    def to_executorch(self, config: ExecutorchBackendConfig | None = None) -> "ExecutorchProgram":
        """Lower the program to an ExecuTorch program."""
        return ExecutorchProgram(self._to_edge().to_executorch(config))


def _capture_of(manager: EdgeProgramManager) -> ExirExportedProgram:
    return ExirExportedProgram(manager.exported_program(), manager)


class ExecutorchProgram:
    """A lowered program with one method."""

    def __init__(self, manager: ExecutorchProgramManager) -> None:
        self._manager = manager

    @property
    def buffer(self) -> bytes:
        """Bytes of the `.pte` file."""
        return self._manager.buffer

    @property
    def program(self) -> Program:
        """Program as in the file's schema."""
        return self._manager.executorch_program

    @property
    def exported_program(self) -> ExportedProgram:
        """Lowered program with planned memory."""
        return self._manager.exported_program()

    @property
    def graph_module(self) -> torch.fx.GraphModule:
        """Graph module of the lowered program."""
        return self.exported_program.graph_module

    @property
    def debug_handle_map(self) -> dict[int, Any]:
        """Debug handles by instruction."""
        return self._manager.debug_handle_map

    @property
    def delegate_map(self) -> dict[str, dict[int, dict[str, Any]]]:
        """Debug handles by delegate call."""
        return self._manager.delegate_map

    def dump_exported_program(self) -> ExportedProgram:
        """Return the lowered program with planned memory."""
        return self.exported_program


def capture(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    config: CaptureConfig | None = None,
    dynamic_shapes: Any = None,
) -> ExirExportedProgram:
    """Export a module or a function. `config` has no effect."""
    module = f if isinstance(f, torch.nn.Module) else WrapperModule(f)
    with dynamic_recurrence():
        return ExirExportedProgram(export(module, tuple(args), dynamic_shapes=dynamic_shapes))
