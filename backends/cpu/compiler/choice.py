"""Which of the steps that compute the same is taken: by `cost`, and what the options say."""

from dataclasses import replace

import torch

from backends.cpu.compiler import cost
from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import Step, StepGraph, Value, constant
from backends.cpu.compiler.kinds import winograd_i8
from backends.cpu.compiler.kinds.block import MOST_PARTS, Block, Part
from backends.cpu.compiler.kinds.convert import HALVES
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.convolution_i8 import ConvolutionI8
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.kinds.window import Window
from backends.cpu.compiler.kinds.winograd import Winograd
from backends.cpu.compiler.kinds.winograd_i8 import WinogradI8
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.packing import unquadded, winograd_pairs
from backends.cpu.compiler.rewrite import Rewriter

_FLOAT_BYTES = 4
_POINT = Window((1, 1))


def choose(graph: StepGraph, options: Options) -> None:
    """Make blocks of what is to be worked on in strips, and Winograd of convolutions that gain by it."""
    rewriter = Rewriter(graph)
    for step in rewriter.steps():
        if isinstance(step.operation, Product):
            _make_block(graph, rewriter, step, options)
        elif isinstance(step.operation, Convolution) and _takes_winograd(graph, step, options):
            rewriter.replace(step, _winograd(graph, step, step.operation, options))
        elif isinstance(step.operation, ConvolutionI8) and _takes_winograd_i8(step, step.operation, options):
            rewriter.replace(step, _winograd_i8(graph, step, step.operation, options))
    rewriter.finish()


def _takes_winograd(graph: StepGraph, step: Step, options: Options) -> bool:
    operation = step.operation
    assert isinstance(operation, Convolution)
    window = operation.window
    plain = window.kernel == (3, 3) and window.stride == window.dilation == (1, 1)
    if not plain or operation.planes or operation.groups != 1 or options.winograd == "never":
        return False
    if step.inputs[1].dtype in HALVES and options.winograd == "auto":
        return False
    pixels = graph.bounds.most(step.output.dims[1:3])
    channels, columns = step.inputs[0].dims[3], step.output.dims[3]
    return options.winograd == "always" or cost.prefers_winograd(pixels, channels, columns)


def _winograd(graph: StepGraph, step: Step, operation: Convolution, options: Options) -> Step:
    channels = step.inputs[0].dims[3]
    side = cost.winograd_side(graph.bounds.most(step.output.dims[1:3]))
    one = Winograd(operation.window.pads, side, 1, operation.activation)
    chosen = replace(one, tiles=_tiles(graph, step.output, side, cost.winograd_tiles(one.tile(channels))))
    workspace = _workspace(options.threads, chosen.workspace(channels))
    return replace(step, operation=chosen, workspaces=(workspace,))


def _takes_winograd_i8(step: Step, operation: ConvolutionI8, options: Options) -> bool:
    channels, columns = step.inputs[0].dims[3], step.output.dims[3]
    assert isinstance(channels, int) and isinstance(columns, int)
    return options.winograd == "always" and winograd_i8.takes(operation, channels, columns)


def _winograd_i8(graph: StepGraph, step: Step, operation: ConvolutionI8, options: Options) -> Step:
    x, quads, *columns = step.inputs
    channels, outputs = x.dims[3], step.output.dims[3]
    assert quads.constant is not None and isinstance(channels, int) and isinstance(outputs, int)
    codes = unquadded(quads.constant, outputs, channels, operation.window.kernel, 1)
    most = cost.winograd_tiles_i8(winograd_i8.words_of_tile(channels))
    tiles = _tiles(graph, step.output, winograd_i8.SIDE, most)
    chosen = WinogradI8(operation.window, operation.zero_point, operation.quantizing, tiles)
    workspace = _workspace(options.threads, chosen.workspace(channels))
    inputs = (x, constant(winograd_pairs(codes)), *columns)
    return replace(step, operation=chosen, inputs=inputs, workspaces=(workspace,))


def _tiles(graph: StepGraph, output: Value, side: int, most: int) -> int:
    """How many tiles are worked on at once: at most `most`, and as many as there are."""
    batch, height, width, _ = (graph.bounds.most([dim]) for dim in output.dims)
    return max(1, min(batch * -(-height // side) * -(-width // side), most))


def _make_block(graph: StepGraph, rewriter: Rewriter, project: Step, options: Options) -> None:
    """Join `project` with the depthwise convolution before it and what expands before that; and the block that
    they are with the one before it, where what lies between is large."""
    filtering = _sole_writer(rewriter, project.inputs[0])
    if filtering is None or not isinstance(filtering.operation, Depthwise):
        return
    expand = _sole_writer(rewriter, filtering.inputs[0])
    if expand is None or not _expands(expand) or not _uses_row_tiling(graph, expand.output, options):
        return
    steps, block = [expand, filtering], _block(graph, expand, filtering, project, options)
    before = _sole_writer(rewriter, expand.inputs[0])
    if before is not None and _may_precede(before, block) and _uses_row_tiling(graph, before.output, options):
        steps, block = [before, *steps], _chain(graph, before, block, options)
    rewriter.merge(steps, project, block)


def _sole_writer(rewriter: Rewriter, value: Value) -> Step | None:
    return rewriter.writer(value) if rewriter.sole_use(value) else None


def _expands(step: Step) -> bool:
    operation = step.operation
    if len(step.inputs) != 3 or len(step.output.dims) != 4:
        return False
    return isinstance(operation, Product) or (isinstance(operation, Convolution) and operation.groups == 1)


def _uses_row_tiling(graph: StepGraph, expanded: Value, options: Options) -> bool:
    if options.row_tiling != "auto":
        return options.row_tiling == "always"
    return cost.prefers_row_tiling(_FLOAT_BYTES * graph.bounds.most(expanded.dims[1:]))


def _block(graph: StepGraph, expand: Step, filtering: Step, project: Step, options: Options) -> Step:
    assert isinstance(filtering.operation, Depthwise) and isinstance(project.operation, Product)
    part = Part(_as_convolution(expand), filtering.operation, project.operation)
    filtered_width = filtering.output.dims[2]

    def floats(rows: int) -> Dim:
        return part.workspace(rows, expand.output.dims[2], filtered_width, expand.output.dims[3])

    rows = cost.strip_rows(
        graph.bounds.most([filtered_width]), lambda rows: _FLOAT_BYTES * graph.bounds.most([floats(rows)])
    )
    weights = (*_expand_weights(expand), *filtering.inputs[1:], *project.inputs[1:])
    return Step(
        Block(rows, (part,)),
        (expand.inputs[0], *weights),
        project.outputs,
        (_lanes(graph, floats(rows), options),),
        nodes=expand.nodes + filtering.nodes + project.nodes,
    )


def _may_precede(before: Step, block: Step) -> bool:
    """Whether `before` is a block that may make the rows which `block` expands as they are needed."""
    first, second = before.operation, block.operation
    assert isinstance(second, Block)
    if not isinstance(first, Block) or len(first.parts) == MOST_PARTS:
        return False
    expand = second.parts[0].expand
    return expand.window.is_point and not expand.planes and len(before.inputs) == first.without_residual


def _chain(graph: StepGraph, before: Step, block: Step, options: Options) -> Step:
    """Both as one: `before` makes one row at a time, which lies beside what it needs itself."""
    assert isinstance(before.operation, Block) and isinstance(block.operation, Block)
    row = product(before.output.dims[2:])
    floats = before.workspaces[0].dims[1] + row + block.workspaces[0].dims[1]
    return Step(
        Block(block.operation.rows, before.operation.parts + block.operation.parts),
        before.inputs + block.inputs[1:],
        block.outputs,
        (_lanes(graph, floats, options),),
        nodes=before.nodes + block.nodes,
    )


def _lanes(graph: StepGraph, floats: Dim, options: Options) -> Value:
    """A workspace of so many floats for each of as many threads as are worth it."""
    return _workspace(cost.lanes(options.threads, _FLOAT_BYTES * graph.bounds.most([floats])), floats)


def _as_convolution(expand: Step) -> Convolution:
    operation = expand.operation
    if isinstance(operation, Convolution):
        return operation
    assert isinstance(operation, Product)
    return Convolution(_POINT, activation=operation.activation)


def _expand_weights(expand: Step) -> tuple[Value, Value]:
    """Weight [N, C, kh, kw] and bias, whichever of both kinds it is."""
    _, weight, bias = expand.inputs
    assert weight.constant is not None
    if weight.constant.dim() == 2:
        weight = constant(weight.constant[:, :, None, None])
    return weight, bias


def _workspace(lanes: int, floats: Dim) -> Value:
    return Value(torch.float32, (lanes, floats))
