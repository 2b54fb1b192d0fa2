"""Lower control flow to jumps between the instructions of its graphs."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.fx import GraphModule, Node

from exir import schema
from exir.emit._arguments import ArgumentEmitter
from exir.emit._instructions import Instructions
from exir.emit._values import Indices, Values
from exir.graph.control_flow import Region, regions
from exir.tensor import TensorSpec

_HIGHER_ORDER = torch.ops.higher_order


class ControlFlowEmitter:
    """Emits control-flow nodes. `emit_graph` emits the graphs that they run."""

    def __init__(
        self,
        values: Values,
        instructions: Instructions,
        indices: dict[Node, Indices],
        emit_graph: Callable[[GraphModule], None],
    ) -> None:
        self._values = values
        self._instructions = instructions
        self._indices = indices
        self._emit_graph = emit_graph
        self._arguments = ArgumentEmitter(values, indices)

    def emit(self, node: Node) -> None:
        """Add the instructions of `node`.

        Its results have the same values on every path.
        """
        self._indices[node] = [
            self._carried_value(spec, val, node)
            for spec, val in zip(node.meta["spec"], node.meta["val"])
        ]
        _EMITTERS[node.target](self, node)

    def _carried_value(self, spec: TensorSpec | None, val: Any, node: Node) -> int:
        return self._values.add_number(val, node) if spec is None else self._values.tensor(spec)

    def cond(self, node: Node) -> None:
        """Emit `cond`: jump to the false graph unless the predicate holds.

        The true graph ends with a jump past the false graph. Both graphs compute tensors directly
        into the results of the `cond`, so only scalars are moved.
        """
        on_true, on_false = regions(node)
        to_false = self._emit_jump(node, self._arguments.number(node.args[0], node))
        self._run_branch(node, on_true)
        to_end = self._emit_jump(node, self._values.add_constant(False))
        to_false.destination_instruction = len(self._instructions)
        self._run_branch(node, on_false)
        to_end.destination_instruction = len(self._instructions)

    def while_loop(self, node: Node) -> None:
        """Emit the condition, a jump out of the loop, the body, and a jump back."""
        condition, body = regions(node)
        self._copy_initial_values(node, condition)
        begin = len(self._instructions)
        self._emit_region(node, condition)
        to_end = self._emit_jump(node, self._arguments.number(condition.results[0], node))
        self._emit_region(node, body)
        self._hand_on(node, body)
        self._emit_jump(node, self._values.add_constant(False), begin)
        to_end.destination_instruction = len(self._instructions)

    def rows(self, node: Node) -> None:
        """Emit the body of `map` or `scan` and a jump back while rows remain.

        There is at least one row.
        """
        (region,) = regions(node)
        count = self._row_count(node, region.operands[region.sliced[0]])
        self._copy_initial_values(node, region)
        row = self._values.add_constant(0)
        self._emit_move(node, self._values.add_constant(0), row)
        begin = len(self._instructions)
        self._take_rows(node, region, row)
        self._emit_region(node, region)
        self._stack_rows(node, region, row)
        self._hand_on(node, region)
        is_done = self._values.add_constant(False)
        self._emit_call(node, "executorch_prim::add", "Scalar", row, self._values.add_constant(1), row)
        self._emit_call(node, "executorch_prim::eq", "Scalar", row, count, is_done)
        self._emit_jump(node, is_done, begin)

    def _run_branch(self, node: Node, region: Region) -> None:
        self._emit_region(node, region)
        targets = self._result_values(node)
        for result, value in zip(region.results, region.values):
            source = self._arguments.number(result, node)
            if source != targets[value]:
                self._emit_move(node, source, targets[value])

    def _emit_region(self, node: Node, region: Region) -> None:
        """Emit the graph of `region` on the operands, the carried values and the rows."""
        places = dict(zip(region.carriers, self._result_values(node)))
        places.update((slice_, self._values.tensor(slice_.meta["spec"])) for slice_ in region.slices)
        for placeholder, operand in region.bindings:
            known = placeholder in places
            self._indices[placeholder] = (
                places[placeholder] if known else self._arguments.number(operand, node)
            )
        self._emit_graph(region.graph_module)

    def _copy_initial_values(self, node: Node, region: Region) -> None:
        """Copy the initial values to the carried values."""
        for position, target in zip(region.carried, self._result_values(node)):
            self._emit_copy(node, self._arguments.number(region.operands[position], node), target)

    def _hand_on(self, node: Node, region: Region) -> None:
        """Copy the results of an iteration to the carried values, as if simultaneously.

        `SpecPropPass` ensures that no carried tensor is itself a result. A carried scalar that is a
        result is first moved to a temporary, before another value overwrites it.
        """
        targets = self._result_values(node)[: len(region.carried_results)]
        sources = [
            self._arguments.number(region.results[position], node) for position in region.carried_results
        ]
        for index, source in enumerate(sources):
            if source in targets and source != targets[index]:
                sources[index] = self._values.add_number(node.meta["val"][index], node)
                self._emit_move(node, source, sources[index])
        for source, target in zip(sources, targets):
            if source != target:
                self._emit_copy(node, source, target)

    def _row_count(self, node: Node, rows: Node) -> int:
        """Return the value that holds the number of rows, which can be dynamic."""
        size = rows.meta["val"].shape[0]
        if isinstance(size, int):
            return self._values.add_constant(size)
        count = self._values.add_constant(0)
        source = self._arguments.number(rows, node)
        self._emit_call(node, "aten::sym_size", "int", source, self._values.add_constant(0), count)
        return count

    def _take_rows(self, node: Node, region: Region, row: int) -> None:
        for position, placeholder in zip(region.sliced, region.slices):
            source = self._arguments.number(region.operands[position], node)
            target = self._values.tensor(placeholder.meta["spec"])
            dim = self._values.add_constant(0)
            self._emit_call(node, "aten::select_copy", "int_out", source, dim, row, target, target)

    def _stack_rows(self, node: Node, region: Region, row: int) -> None:
        for position in region.stacked:
            target = self._result_values(node)[position]
            result = self._arguments.number(region.results[position], node)
            self._emit_call(node, "executorch_prim::et_copy_index", "tensor", target, result, row)

    def _result_values(self, node: Node) -> list[int]:
        """Return the values of the node's results."""
        indices = self._indices[node]
        assert isinstance(indices, list)
        return indices

    def _emit_copy(self, node: Node, source: int, target: int) -> None:
        """Copy elements. Unlike a move, a copy never makes two tensors alias."""
        if isinstance(self._values.values[target].val, schema.Tensor):
            memory_format = self._values.add_constant(None)
            self._emit_call(node, "aten::clone", "out", source, memory_format, target, target)
        else:
            self._emit_move(node, source, target)

    def _emit_move(self, node: Node, source: int, target: int) -> None:
        self._instructions.add(node, schema.MoveCall(source, target))

    def _emit_jump(self, node: Node, condition: int, destination: int = 0) -> schema.JumpFalseCall:
        """Add a jump that is taken unless `condition` holds."""
        jump = schema.JumpFalseCall(condition, destination)
        self._instructions.add(node, jump)
        return jump

    def _emit_call(self, node: Node, name: str, overload: str, *args: int) -> None:
        self._instructions.call(node, schema.Operator(name, overload), list(args))


_EMITTERS: Mapping[object, Callable[[ControlFlowEmitter, Node], None]] = {
    _HIGHER_ORDER.cond: ControlFlowEmitter.cond,
    _HIGHER_ORDER.while_loop: ControlFlowEmitter.while_loop,
    _HIGHER_ORDER.map_impl: ControlFlowEmitter.rows,
    _HIGHER_ORDER.scan: ControlFlowEmitter.rows,
}
