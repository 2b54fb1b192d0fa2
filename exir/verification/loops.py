"""Check that the values that a loop carries and stacks fit in memory."""

from torch.fx import Node

from exir.error import ExportError, ExportErrorType
from exir.graph.control_flow import Region
from exir.tensor import TensorSpec


def check_loop(node: Node, region: Region) -> None:
    """Raise an `ExportError` that names a value that `node` cannot carry or stack.

    Every iteration writes a carried value to the same memory. Its dtype, sizes and layout must
    therefore equal those of the initial value. Stacked rows must be contiguous, because they are
    stored one after another.
    """
    values = node.meta["spec"]
    for value, position in enumerate(region.carried):
        start = region.operands[position]
        _check_carried(node, value, "starts as", values[value], start)
    for value, position in enumerate(region.carried_results):
        _check_carried(node, value, "is returned as", values[value], region.results[position])
    for position in region.stacked:
        _check_row(node, position, values[position], region.results[position])


def _check_carried(
    node: Node, value: int, how: str, carried: TensorSpec | None, operand: object
) -> None:
    spec = operand.meta["spec"] if isinstance(operand, Node) else None
    if _describe_spec(spec) != _describe_spec(carried):
        raise ExportError(
            ExportErrorType.NOT_SUPPORTED,
            f"carried value {value} of {node.target} {how} {_format_spec(spec)}, but is stored as {_format_spec(carried)};"
            " use one dtype, one layout and the same sizes for its initial value and its result (.to(), .contiguous())",
            node,
        )


def _check_row(node: Node, value: int, rows: TensorSpec, operand: object) -> None:
    spec = operand.meta["spec"] if isinstance(operand, Node) else None
    if spec is None or not (spec.is_contiguous and rows.is_contiguous):
        raise ExportError(
            ExportErrorType.NOT_SUPPORTED,
            f"result {value} of the body of {node.target} is {_format_spec(spec)}, which cannot be stacked into"
            f" {_format_spec(rows)}; return a contiguous tensor (.contiguous())",
            node,
        )


def _describe_spec(spec: TensorSpec | None) -> object:
    return None if spec is None else (spec.dtype, spec.shape, spec.dim_order)


def _format_spec(spec: TensorSpec | None) -> str:
    if spec is None:
        return "a number"
    order = "" if spec.is_contiguous else f" in dim order {list(spec.dim_order)}"
    return f"{str(spec.dtype).removeprefix('torch.')}{list(spec.shape)}{order}"
