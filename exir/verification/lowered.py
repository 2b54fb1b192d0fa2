"""The verifier of the last stage: out variants, memory nodes and specs."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.fx import Node

from exir import memory
from exir.dialects.edge import to_torch_overload
from exir.dialects.out_variant import returns_tensors, written_arguments
from exir.error import EdgeDialectError
from exir.graph.control_flow import graphs
from exir.graph.in_place import overwritten_operand
from exir.schema import TensorShapeDynamism
from exir.tensor import TensorSpec, dim_order_of_strides
from exir.verification.structure import is_beside_operators, is_described_call, operands_of


def verify_lowered(program: ExportedProgram) -> None:
    """Raise an `EdgeDialectError` that names a node outside the last stage's dialect.

    In this dialect,

    - operators belong to the edge dialect or PyTorch, and calls match their schemas;
    - operators write only to allocated memory, inputs, states, or the result of an operator that
      they overwrite;
    - `memory.alloc` and `memory.view` agree with their specs;
    - specs agree with the values.
    """
    for graph_module in graphs(program.graph_module):
        for node in graph_module.graph.nodes:
            if is_described_call(node):
                _check_call(node)
            _check_specs(node)


def _check_call(node: Node) -> None:
    op = to_torch_overload(node.target)
    if op is not None:
        operands = operands_of(node, op)
        for name in written_arguments(op):
            _check_written(node, name, operands.get(name))
    elif node.target is memory.alloc:
        _check_alloc(node)
    elif node.target is memory.view:
        _check_view(node)
    elif not is_beside_operators(node.target):
        raise EdgeDialectError(f"{node.target} is not an operator of a lowered program", node)


def _check_written(node: Node, name: str, value: object) -> None:
    if value is None:  # the caller omits this optional output
        return
    if not (
        isinstance(value, Node)
        and (_is_provided(value) or (value is overwritten_operand(node) and _is_result(value)))
    ):
        raise EdgeDialectError(
            f"{node.target} writes to '{name}', which is not a memory.alloc, an input or a state: "
            f"{value}",
            node,
        )


def _is_provided(value: Node) -> bool:
    return value.op == "placeholder" or value.target is memory.alloc


def _is_result(value: Node) -> bool:
    """Return whether an operator computed `value` into memory allocated for it."""
    op = to_torch_overload(value.target)
    return op is not None and returns_tensors(op)


def _check_alloc(node: Node) -> None:
    requested, spec = node.args[0], node.meta.get("spec")
    if _shapes_and_dtypes(requested) != [(leaf.shape, leaf.dtype) for leaf in _flatten_specs(spec)]:
        raise EdgeDialectError(f"memory.alloc has {requested}, but its spec is {spec}", node)


def _shapes_and_dtypes(requested: Any) -> list[Any]:
    each_given = requested if isinstance(requested, list) else [requested]
    return [(tuple(shape), dtype) for shape, dtype in each_given]


def _check_view(node: Node) -> None:
    base, spec = node.args[0].meta.get("spec"), node.meta.get("spec")
    if not isinstance(base, TensorSpec) or not isinstance(spec, TensorSpec) or spec.base is not base:
        raise EdgeDialectError("memory.view: the base of its spec is not the base of its argument", node)
    if spec.nbytes() > base.nbytes():
        raise EdgeDialectError(
            f"memory.view: the view needs {spec.nbytes()} bytes, but its base has {base.nbytes()}",
            node,
        )


def _check_specs(node: Node) -> None:
    if "spec" not in node.meta or "val" not in node.meta:
        return
    vals = node.meta["val"]
    val_list = vals if isinstance(vals, (list, tuple)) else [vals]
    tensors = [val for val in val_list if isinstance(val, Tensor)]
    specs = list(_flatten_specs(node.meta["spec"]))
    if len(specs) != len(tensors) or not all(map(_spec_matches, specs, tensors)):
        found = ", ".join(f"{spec.dtype} {list(spec.shape)} {list(spec.dim_order)}" for spec in specs)
        raise EdgeDialectError(f"meta['spec'] does not match meta['val']: {found}, but {vals}", node)


def _flatten_specs(spec: Any) -> Iterator[TensorSpec]:
    if isinstance(spec, TensorSpec):
        yield spec
    for item in spec if isinstance(spec, (list, tuple)) else ():
        yield from _flatten_specs(item)


def _spec_matches(spec: TensorSpec, val: Tensor) -> bool:
    """Return whether a spec describes a value.

    Symbolic sizes are not compared. The pass that chose their bounds is responsible for them. A branch
    can compute a smaller value into the dynamic tensor of its control flow.
    """
    if spec.dtype != val.dtype or len(spec.shape) != val.dim():
        return False
    symbolic = [isinstance(size, torch.SymInt) for size in val.shape]
    if any(symbolic):
        return all(s or size == expected for s, size, expected in zip(symbolic, val.shape, spec.shape))
    order = dim_order_of_strides(tuple(val.shape), tuple(val.stride()))
    is_dynamic = spec.shape_dynamism is TensorShapeDynamism.DYNAMIC_BOUND
    fits = all(size <= largest for size, largest in zip(val.shape, spec.shape))
    return spec.dim_order == order and (fits if is_dynamic else spec.shape == tuple(val.shape))
