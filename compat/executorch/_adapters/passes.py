"""Passes with their official names, callable on a graph module."""

import logging
from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from exir.dialects.edge import EdgeOpOverload, edge_op
from exir.error import ConfigError
from exir.graph.control_flow import graphs
from exir.pass_base import ExportPass
from exir.passes import replace_view_copy_with_view_pass, spec_prop_pass, sym_shape_eval_pass, to_out_var_pass
from exir.passes.insert_write_back_for_buffers_pass import InsertWriteBackForBuffersPass
from exir.passes.propagate_constants import PropagateConstants

_ATEN = torch.ops.aten

PROTECTED_KEYS = frozenset({"val", "stack_trace", "nn_module_stack", "debug_handle", "tensor_meta"})
"""The metadata of a node that passes preserve."""


class SpecPropPass(spec_prop_pass.SpecPropPass):
    """`exir.passes.SpecPropPass` that also sets the output node's specs."""

    def run(self, program: ExportedProgram) -> ExportedProgram:
        program = super().run(program)
        for node in program.graph.nodes:
            if isinstance(node.target, torch._ops.HigherOrderOperator) and isinstance(node.meta["spec"], list):
                node.meta["spec"] = tuple(node.meta["spec"])
        output = program.graph.output_node()
        output.meta["spec"] = [getattr(value, "meta", {}).get("spec") for value in output.args[0]]
        return program


class ToOutVarPass(PassBase):
    """`exir.passes.ToOutVarPass` for graphs whose values need not have specs."""

    def __init__(self, ignore_to_out_var_failure: bool = False) -> None:
        if ignore_to_out_var_failure:
            raise ConfigError(
                "'ignore_to_out_var_failure' is not supported: operators without an out variant cannot be lowered"
            )

    def call(self, graph_module: GraphModule) -> PassResult:
        """Convert the graph, and set the output node's specs."""
        result = to_out_var_pass.ToOutVarPass()(described(graph_module))
        output = result.graph_module.graph.output_node()
        output.meta["val"] = [getattr(value, "meta", {}).get("val") for value in output.args[0]]
        return result


class ReplaceViewCopyWithViewPass(PassBase):
    """`exir.passes.ReplaceViewCopyWithViewPass` for graphs without specs."""

    def call(self, graph_module: GraphModule) -> PassResult:
        """Convert the graph."""
        return replace_view_copy_with_view_pass.ReplaceViewCopyWithViewPass()(described(graph_module))


def described(graph_module: GraphModule) -> GraphModule:
    """Add specs to all values of the graph."""
    nodes = (node for subgraph in graphs(graph_module) for node in subgraph.graph.nodes)
    if any("spec" not in node.meta for node in nodes if node.op != "output"):
        return spec_prop_pass.SpecPropPass()(graph_module).graph_module
    return graph_module


class DebugPass(PassBase):
    """Write the code of a graph to the log, a file, or both."""

    def __init__(
        self, msg: str = "", enable_debug_pass: bool = True, log_filename: str | None = None, **shown: Any
    ) -> None:
        self.msg, self.enabled, self.log_filename = msg, enable_debug_pass, log_filename

    def call(self, graph_module: GraphModule) -> PassResult:
        """Write the code. The graph is unchanged."""
        if self.enabled:
            self._write_text(f"{self.msg}\n{graph_module.graph}\n{graph_module.code}\n")
        return PassResult(graph_module, False)

    def _write_text(self, text: str) -> None:
        logging.getLogger(__name__).debug(text)
        if self.log_filename is not None:
            with open(self.log_filename, "a") as file:
                file.write(text)


def dead_code_elimination_pass(graph_module: GraphModule) -> PassResult:
    """Remove unused nodes, including those in control-flow subgraphs."""
    changed = False
    for subgraph in graphs(graph_module):
        changed |= subgraph.graph.eliminate_dead_code()
        subgraph.recompile()
    return PassResult(graph_module, changed)


def propagate_dynamic_shape(dynamic_memory_planning_mode: Any = None) -> list[Any]:
    """Return the passes that add specs with upper bounds."""
    return [SpecPropPass(), sym_shape_eval_pass.HintBasedSymShapeEvalPass()]


def insert_write_back_for_buffers_pass(ep: ExportedProgram) -> tuple[GraphModule, Any]:
    """Copy new values to buffers at the end of the graph.

    Returns the graph module and its signature.
    """
    program = InsertWriteBackForBuffersPass().run(ep)
    return program.graph_module, program.graph_signature


class ConstPropPass(PropagateConstants):
    """`exir.passes.PropagateConstants` with default options."""


class _ReplacePass(PassBase):
    """Replace the targets of nodes."""

    def replacement(self, target: Any) -> Any:
        """Return the new target of a node, or None."""
        raise NotImplementedError

    def call(self, graph_module: GraphModule) -> PassResult:
        """Replace targets in all graphs."""
        changed = False
        for subgraph in graphs(graph_module):
            for node in subgraph.graph.nodes:
                new = self.replacement(node.target) if node.op == "call_function" else None
                if new is not None:
                    node.target, changed = new, True
            subgraph.recompile()
        return PassResult(graph_module, changed)


class ReplaceSymSizeOpPass(_ReplacePass):
    """Replace `sym_size` calls for all sizes with calls for one size."""

    def replacement(self, target: Any) -> Any:
        return {_ATEN.sym_size.default: _ATEN.sym_size.int}.get(target)


class OpReplacePass(_ReplacePass):
    """Replace ATen operators with edge operators."""

    def replacement(self, target: Any) -> Any:
        return edge_op(target) if isinstance(target, torch._ops.OpOverload) else None


class RemoveGraphAssertsPass(PassBase):
    """Remove assertions."""

    _TARGETS = (
        "aten::_assert_async.msg",
        "aten::_assert_scalar",
        "aten::sym_constrain_range_for_size",
        "aten::sym_constrain_range",
        "aten::_assert_tensor_metadata",
    )

    def call(self, graph_module: GraphModule) -> PassResult:
        """Remove assertions in all graphs."""
        changed = False
        for subgraph in graphs(graph_module):
            for node in list(subgraph.graph.nodes):
                name = getattr(node.target, "name", None)
                if node.op == "call_function" and callable(name) and name() in self._TARGETS:
                    subgraph.graph.erase_node(node)
                    changed = True
            subgraph.recompile()
        return PassResult(graph_module, changed)


class ScalarToTensorPass(ExportPass):
    """Convert scalar arguments to tensors if the schema requires tensors."""

    def call(self, graph_module: GraphModule) -> PassResult:
        """Convert the graph. `modified` is true if it has changed."""
        self._changed = False
        result = super().call(graph_module)
        return PassResult(result.graph_module, self._changed)

    def call_operator(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Any:
        """Convert the arguments of one call."""
        if isinstance(op, (EdgeOpOverload, torch._ops.OpOverload)):
            arguments = op._schema.arguments
            args = tuple(self._convert_argument(argument, value) for argument, value in zip(arguments, args))
        return super().call_operator(op, args, kwargs, meta)

    def _convert_argument(self, argument: Any, value: Any) -> Any:
        if argument.type.kind() != "TensorType" or not isinstance(value, (bool, int, float)):
            return value
        self._changed = True
        return torch.tensor(value)


class SymToTensorPass(ExportPass):
    """Convert symbolic scalar arguments to tensors if the schema requires tensors."""

    def call_operator(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Any:
        """Convert the arguments of one call."""
        if isinstance(op, (EdgeOpOverload, torch._ops.OpOverload)):
            arguments = op._schema.arguments
            args = tuple(self._convert_argument(argument, value, meta) for argument, value in zip(arguments, args))
        return super().call_operator(op, args, kwargs, meta)

    def _convert_argument(self, argument: Any, value: Any, meta: Any) -> Any:
        data = getattr(value, "data", None)
        if argument.type.kind() != "TensorType" or not isinstance(data, (torch.SymInt, torch.SymFloat)):
            return value
        dtype = torch.int64 if isinstance(data, torch.SymInt) else torch.float32
        return super().call_operator(_ATEN.scalar_tensor.default, (value,), {"dtype": dtype}, meta)


class PassRegistry:
    """Passes by name."""

    registry: ClassVar[dict[str, list[Callable[[GraphModule], Any]]]] = {}

    @classmethod
    def register(cls, pass_name: str | None = None) -> Callable[[Any], Any]:
        """Register a pass, as a decorator or directly."""

        def put(fn: Any) -> Any:
            cls.registry[pass_name or fn.__name__] = [fn]
            return fn

        return put

    @classmethod
    def register_list(cls, pass_name: str, pass_list: list[Any]) -> None:
        """Register several passes under one name."""
        cls.registry[pass_name] = pass_list

    @classmethod
    def get(cls, pass_name: str) -> list[Any]:
        """Return the passes that are registered under `pass_name`."""
        return cls.registry[pass_name]
