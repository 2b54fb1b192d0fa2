"""The older way in: `exir.capture(f, args, config).to_edge().to_executorch()`."""

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
    """How `capture` traces; torch.export traces here, so nothing of it is looked at."""

    allow_rnn: bool = True
    verbose: bool = True
    assume_static_by_default: bool = False
    capture_scalar_outputs: bool = True
    prefer_deferred_runtime_asserts_over_guards: bool = False


@dataclass
class CaptureConfig:
    """Options of `capture`; torch.export functionalizes and lifts in any case."""

    pt2_mode: bool = True
    enable_functionalization: bool = True
    enable_dynamic_shape: bool = False
    enable_aot: bool = False
    _dynamo_config: ExirDynamoConfig = field(default_factory=ExirDynamoConfig)
    _unlift: bool = False
    _use_old_decomp_table: bool = False


@dataclass
class CallSpec:
    """How arguments and results are nested."""

    in_spec: pytree.TreeSpec | None = None
    out_spec: pytree.TreeSpec | None = None


class WrapperModule(torch.nn.Module):
    """A function as a module."""

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = f


@contextmanager
def patch_forward(obj: torch.nn.Module, new_method: Callable[..., Any]) -> Iterator[None]:
    """Let `obj.forward` be another of its methods, to export that one."""
    original = obj.forward
    obj.forward = new_method.__get__(obj, type(obj))
    try:
        yield
    finally:
        obj.forward = original


class ExirExportedProgram:
    """A captured program, which `to_edge` and `to_executorch` lower."""

    def __init__(self, exported_program: ExportedProgram, manager: EdgeProgramManager | None = None) -> None:
        self.exported_program = exported_program
        self._manager = manager

    @property
    def graph_module(self) -> torch.fx.GraphModule:
        """The program's graph module."""
        return self.exported_program.graph_module

    @property
    def graph(self) -> torch.fx.Graph:
        """The program's graph."""
        return self.exported_program.graph

    @property
    def in_spec(self) -> pytree.TreeSpec:
        """How arguments are nested."""
        return self.exported_program.call_spec.in_spec

    @property
    def out_spec(self) -> pytree.TreeSpec:
        """How results are nested."""
        return self.exported_program.call_spec.out_spec

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.exported_program.module()(*args, **kwargs)

    def _edge(self, config: EdgeCompileConfig | None = None) -> EdgeProgramManager:
        return self._manager or to_edge(self.exported_program, compile_config=config)

    def to_edge(self, config: EdgeCompileConfig | None = None) -> "ExirExportedProgram":
        """The program in the edge dialect."""
        return _of(self._edge(config))

    def transform(self, *passes: Any) -> "ExirExportedProgram":
        """The program as `passes` leave it."""
        return _of(self._edge().transform(list(passes)))

    def to_executorch(self, config: ExecutorchBackendConfig | None = None) -> "ExecutorchProgram":
        """The lowered program."""
        return ExecutorchProgram(self._edge().to_executorch(config))


def _of(manager: EdgeProgramManager) -> ExirExportedProgram:
    return ExirExportedProgram(manager.exported_program(), manager)


class ExecutorchProgram:
    """A lowered program of one method."""

    def __init__(self, manager: ExecutorchProgramManager) -> None:
        self._manager = manager

    @property
    def buffer(self) -> bytes:
        """The bytes of the `.pte`."""
        return self._manager.buffer

    @property
    def program(self) -> Program:
        """The program as the file holds it."""
        return self._manager.executorch_program

    @property
    def exported_program(self) -> ExportedProgram:
        """The lowered, memory-planned graph."""
        return self._manager.exported_program()

    @property
    def graph_module(self) -> torch.fx.GraphModule:
        """Its graph module."""
        return self.exported_program.graph_module

    @property
    def debug_handle_map(self) -> dict[int, Any]:
        """Instruction to debug handle."""
        return self._manager.debug_handle_map

    @property
    def delegate_map(self) -> dict[str, dict[int, dict[str, Any]]]:
        """Delegate calls to their debug handles."""
        return self._manager.delegate_map

    def dump_exported_program(self) -> ExportedProgram:
        """The lowered, memory-planned graph."""
        return self.exported_program


def capture(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    config: CaptureConfig | None = None,
    dynamic_shapes: Any = None,
) -> ExirExportedProgram:
    """Export a module or a function; `config` is taken and not looked at."""
    module = f if isinstance(f, torch.nn.Module) else WrapperModule(f)
    with dynamic_recurrence():
        return ExirExportedProgram(export(module, tuple(args), dynamic_shapes=dynamic_shapes))
