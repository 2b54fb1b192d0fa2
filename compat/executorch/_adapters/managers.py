"""Pass managers with the interface of torch.fx's."""

from collections.abc import Iterator
from typing import Any

import torch
import torch.fx.passes.infra.pass_manager as fx
from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

from exir.error import PassError
from exir.graph.control_flow import graphs
from exir.pass_base import ExportedProgramPassResult
from exir.pass_manager import run_passes

_KINDS = ("placeholder", "get_attr", "call_function", "output")


class PassManager(fx.PassManager):
    """Run passes on a graph module.

    With `run_checks_after_each_pass`, check the kinds of nodes after each pass.
    """

    def __init__(self, passes: Any = None, run_checks_after_each_pass: bool = False, **options: Any) -> None:
        items = passes or []
        flat = [inner for item in items for inner in (item if isinstance(item, list) else [item])]
        super().__init__(
            flat, run_checks_after_each_pass=run_checks_after_each_pass, suppress_check_failures=True, **options
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self.passes)

    def check(self, module: torch.nn.Module) -> None:
        """Raise an error for nodes of a kind that programs do not have."""
        if isinstance(module, GraphModule):
            for graph_module in graphs(module):
                check_kinds(graph_module)

    def __call__(self, module: torch.nn.Module) -> PassResult:
        changed = False
        for pass_ in self.passes:
            result = pass_(module)
            module = result.graph_module if isinstance(result, PassResult) else module
            changed |= bool(getattr(result, "modified", True))
            if self.run_checks_after_each_pass:
                self.check(module)
        return PassResult(module, changed)


def check_kinds(graph_module: GraphModule) -> None:
    """Raise `PassError` for a node that calls a method or a module."""
    for node in graph_module.graph.nodes:
        if node.op not in _KINDS:
            raise PassError(f"'{node.name}' is a {node.op}; programs can have only {', '.join(_KINDS)}", node)


class ExportedProgramPassManager:
    """Run graph-module passes and program passes on a program."""

    def __init__(self, passes: Any = None, run_checks_after_each_pass: bool = False) -> None:
        self.passes = list(passes or [])
        self.run_checks_after_each_pass = run_checks_after_each_pass

    def __iter__(self) -> Iterator[Any]:
        return iter(self.passes)

    def __call__(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        for pass_ in self.passes:
            exported_program = run_passes(exported_program, [pass_])
            if self.run_checks_after_each_pass:
                check_kinds(exported_program.graph_module)
        return ExportedProgramPassResult(exported_program, bool(self.passes))
