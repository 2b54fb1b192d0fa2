"""`SpecPropPass`: sets the `TensorSpec` of every value of the graph."""

import operator
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from exir.delegate import is_delegate_call, updated_arguments
from exir.error import ExportError, ExportErrorType, internal_assert
from exir.graph.control_flow import Region, graphs, regions
from exir.graph.in_place import clone_before, overwritten_operand
from exir.graph.input_bounds import bound_inputs
from exir.graph.layouts import planned_dim_order
from exir.graph.size_bounds import MAX_SIZE, Bound, constraint_bound
from exir.pass_manager import ProgramPass
from exir.passes.insert_write_back_for_buffers_pass import mutation_targets
from exir.schema import TensorShapeDynamism
from exir.tensor import TensorSpec, specs_of
from exir.verification.loops import check_loop

_CONSTANT_KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


@dataclass(frozen=True)
class SpecPropPass(ProgramPass):
    """Gives every node `meta["spec"]`: a `TensorSpec`, a list of specs, or None.

    Before: every node has `meta["val"]`. After:

    - Symbolic sizes are replaced with their upper bounds under the program's range constraints. An input
      without a bound has the size of the example input, with a warning.
    - A `getitem` has the same spec object as the element of its tuple.
    - Specs of constants are `const`, and specs of mutated buffers are `state`. In-place updates, such as
      write-backs, keep their spec.
    - The inputs of a control-flow subgraph have the specs of its operands, or of single rows of them
      (`scan`, `map`). Its outputs are computed into the specs of the control-flow node, or copied there.
    - `meta["mem_id"]`, if a pass has set it, is the `mem_id` of the specs of the node.

    Raises `ExportError`, which names the dimension, if a dimension has no upper bound.
    """

    name: ClassVar[str] = "spec_prop"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        propagate_specs(program.graph_module, self.bound(program))
        _mark_constants(program)
        return program

    def bound(self, program: ExportedProgram) -> Bound:
        """Return the function that converts symbolic sizes to integers."""
        for message in bound_inputs(program, {}):
            warnings.warn(message, stacklevel=2)
        return constraint_bound(program.range_constraints)

    def ensures(self, program: ExportedProgram) -> None:
        for graph_module in graphs(program.graph_module):
            for node in graph_module.graph.nodes:
                internal_assert(node.op == "output" or "spec" in node.meta, "no spec", node)


def propagate_specs(graph_module: GraphModule, bound: Bound) -> None:
    """Set `meta["spec"]` on every node of `graph_module` and of the graphs inside it."""
    _propagate_specs(graph_module, bound, {})
    _propagate_regions(graph_module, bound)


def _propagate_specs(graph_module: GraphModule, bound: Bound, region_specs: Mapping[Node, Any]) -> None:
    """Set the specs of one graph.

    region_specs: the specs of the placeholders of a region.
    """
    for node in graph_module.graph.nodes:
        if node.op != "output":
            node.meta["spec"] = region_specs[node] if node in region_specs else _spec_of(node, bound)
            _choose_memory(node)
            _let_rows_grow(node)


def _choose_memory(node: Node) -> None:
    """Copy a requested memory id to the specs of the node."""
    if "mem_id" in node.meta:
        for spec in specs_of(node):
            spec.mem_id = node.meta["mem_id"]


def _let_rows_grow(node: Node) -> None:
    """Make stacked results dynamic: a loop appends one row per iteration."""
    for region in regions(node):
        for position in region.stacked:
            node.meta["spec"][position].shape_dynamism = TensorShapeDynamism.DYNAMIC_BOUND


def _propagate_regions(graph_module: GraphModule, bound: Bound) -> None:
    """Propagate specs to nested graphs, outer graphs first.

    An inner graph can compute the results of an outer one.
    """
    for node in graph_module.graph.nodes:
        for region in regions(node):
            _propagate_specs(region.graph_module, bound, _given_specs(region, node.meta["spec"]))
            _share_results(region, node.meta["spec"])
            check_loop(node, region)
            _separate_specs(region, bound)
            _propagate_regions(region.graph_module, bound)


def _given_specs(region: Region, values: list[TensorSpec]) -> dict[Node, Any]:
    """Return the specs of a region's placeholders.

    An operand shares the outer spec, except for its rows, which are copies. A carried value has the
    spec of the final value.
    """
    slices = region.slices
    operands = {
        placeholder: operand.meta["spec"] if isinstance(operand, Node) else None
        for placeholder, operand in region.bindings
        if placeholder not in slices
    }
    return {**operands, **dict(zip(region.carriers, values))}


def _share_results(region: Region, specs: list[TensorSpec]) -> None:
    """Make a region compute into the specs that its control flow returns."""
    if not region.values:
        return
    output = region.graph_module.graph.output_node()
    results = _distinct_results(output)
    output.args = (tuple(results),)
    for result, index in zip(results, region.values):
        if specs[index] is None:
            continue
        result.meta["spec"] = specs[index]
        if result.target is operator.getitem:
            _set_item(result, specs[index])


def _separate_specs(region: Region, bound: Bound) -> None:
    """Clone results that are carried values, which the next iteration overwrites."""
    output = region.graph_module.graph.output_node()
    results = region.results
    for position in region.carried_results:
        if results[position] in region.carriers and specs_of(results[position]):
            results[position] = clone_before(output, results[position])
            results[position].meta["spec"] = _spec_of(results[position], bound)
    if region.carried_results:
        output.args = (tuple(results),)


def _set_item(item: Node, spec: TensorSpec) -> None:
    """Set the spec of a tuple element, and of every `getitem` of it."""
    container, index = item.args
    assert isinstance(container, Node)
    container.meta["spec"][index] = spec
    for user in container.users:
        if user.target is operator.getitem and user.args[1] == index:
            user.meta["spec"] = spec


def _distinct_results(output: Node) -> list[Node]:
    """Return the region's results without aliases.

    A result becomes a copy if it is a placeholder, a duplicate, or stacked by an inner loop.
    """
    results: list[Node] = []
    for value in output.args[0]:
        is_tensor = isinstance(value, Node) and bool(specs_of(value))
        is_taken = is_tensor and (
            value.op == "placeholder" or value in results or _is_filled_by_rows(value)
        )
        results.append(clone_before(output, value) if is_taken else value)
    return results


def _is_filled_by_rows(value: Node) -> bool:
    """Return true if an inner loop stacks `value`.

    Another graph computes the whole tensor, so it cannot share the memory of the rows.
    """
    if value.target is not operator.getitem:
        return False
    loop, index = value.args
    assert isinstance(loop, Node)
    return any(index in region.stacked for region in regions(loop))


def _spec_of(node: Node, bound: Bound) -> Any:
    if node.target is operator.getitem:
        container, index = node.args
        assert isinstance(container, Node) and isinstance(index, int)
        return container.meta["spec"][index]
    overwritten = overwritten_operand(node)
    if overwritten is not None:
        return overwritten.meta["spec"]
    specs = _spec_of_value(node.meta.get("val"), bound, node)
    if is_delegate_call(node):
        for index, argument in updated_arguments(node).items():
            specs[index] = argument.meta["spec"]
    return specs


def _spec_of_value(value: Any, bound: Bound, node: Node) -> Any:
    if isinstance(value, torch.Tensor):
        return _tensor_spec(value, bound, node)
    if isinstance(value, (list, tuple)):
        return [_spec_of_value(item, bound, node) for item in value]
    return None


def _tensor_spec(tensor: torch.Tensor, bound: Bound, node: Node) -> TensorSpec:
    if not any(isinstance(size, torch.SymInt) for size in tensor.shape):
        return TensorSpec.from_tensor(tensor)
    shape = tuple(_upper_bound(size, bound, node, dim) for dim, size in enumerate(tensor.shape))
    return TensorSpec(tensor.dtype, shape, planned_dim_order(tensor, bound), _shape_dynamism(tensor))


def _shape_dynamism(tensor: torch.Tensor) -> TensorShapeDynamism:
    sizes = (size for size in tensor.shape if isinstance(size, torch.SymInt))
    is_static = all(cast(Any, size).node.expr.is_number for size in sizes)
    return TensorShapeDynamism.STATIC if is_static else TensorShapeDynamism.DYNAMIC_BOUND


def _upper_bound(size: int | torch.SymInt, bound: Bound, node: Node, dim: int) -> int:
    number = bound(size)
    if number is None or number > MAX_SIZE:
        raise ExportError(
            ExportErrorType.NOT_SUPPORTED,
            f"dimension {dim} of '{node.name}' has size {size} without an upper bound, so its memory "
            f"cannot be planned; {_bound_advice(size)}",
            node,
        )
    return number


def _bound_advice(size: int | torch.SymInt) -> str:
    if free_unbacked_symbols(size):
        return "its size depends on data: add torch._check(size <= maximum) to the model"
    return "set the max of its torch.export.Dim"


def _mark_constants(program: ExportedProgram) -> None:
    """Mark the specs of constants and states."""
    mutated = set(mutation_targets(program).values())
    placeholders = program.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, program.graph_signature.input_specs):
        if spec.kind in _CONSTANT_KINDS:
            tensor_spec = node.meta["spec"]
            tensor_spec.state = node in mutated
            tensor_spec.const = not tensor_spec.state
            tensor_spec.requires_grad = spec.kind is InputKind.PARAMETER
