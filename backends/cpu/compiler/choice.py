"""Which of the steps that compute the same is taken: by `cost`, and what the options say."""

from dataclasses import replace

import torch

from backends.cpu.compiler import cost
from backends.cpu.compiler.dims import Dim
from backends.cpu.compiler.graph import Step, StepGraph, Value, constant
from backends.cpu.compiler.kinds.block import Block
from backends.cpu.compiler.kinds.convert import HALVES
from backends.cpu.compiler.kinds.convolution import Convolution
from backends.cpu.compiler.kinds.depthwise import Depthwise
from backends.cpu.compiler.kinds.product import Product
from backends.cpu.compiler.kinds.window import Window
from backends.cpu.compiler.kinds.winograd import Winograd
from backends.cpu.compiler.options import Options
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
    batch, height, width, _ = (graph.bounds.most([dim]) for dim in step.output.dims)
    channels = step.inputs[0].dims[3]
    one = Winograd(operation.window.pads, cost.winograd_side(height * width), 1, operation.activation)
    all_tiles = batch * -(-height // one.side) * -(-width // one.side)
    chosen = replace(one, tiles=max(1, min(all_tiles, cost.winograd_tiles(one.tile(channels)))))
    workspace = _workspace(options.threads, chosen.workspace(channels))
    return replace(step, operation=chosen, workspaces=(workspace,))


def _make_block(graph: StepGraph, rewriter: Rewriter, project: Step, options: Options) -> None:
    """Join `project` with the depthwise convolution before it and what expands before that."""
    filtering = _sole_writer(rewriter, project.inputs[0])
    if filtering is None or not isinstance(filtering.operation, Depthwise):
        return
    expand = _sole_writer(rewriter, filtering.inputs[0])
    if expand is None or not _expands(expand) or not _takes_strips(graph, expand.output, options):
        return
    block = _block(graph, expand, filtering, project, options)
    rewriter.merge([expand, filtering], project, block)


def _sole_writer(rewriter: Rewriter, value: Value) -> Step | None:
    return rewriter.writer(value) if rewriter.sole_use(value) else None


def _expands(step: Step) -> bool:
    operation = step.operation
    if len(step.inputs) != 3 or len(step.output.dims) != 4:
        return False
    return isinstance(operation, Product) or (isinstance(operation, Convolution) and operation.groups == 1)


def _takes_strips(graph: StepGraph, expanded: Value, options: Options) -> bool:
    if options.strips != "auto":
        return options.strips == "always"
    return cost.prefers_strips(_FLOAT_BYTES * graph.bounds.most(expanded.dims[1:]))


def _block(graph: StepGraph, expand: Step, filtering: Step, project: Step, options: Options) -> Step:
    assert isinstance(filtering.operation, Depthwise) and isinstance(project.operation, Product)
    width, filtered_width = expand.output.dims[2], filtering.output.dims[2]
    rows = cost.strip_rows(graph.bounds.most([filtered_width]))
    block = Block(rows, _as_convolution(expand), filtering.operation, project.operation)
    floats = block.workspace(width, filtered_width, expand.output.dims[3])
    lanes = cost.lanes(options.threads, _FLOAT_BYTES * graph.bounds.most([floats]))
    weights = (*_expand_weights(expand), *filtering.inputs[1:], *project.inputs[1:])
    return Step(
        block,
        (expand.inputs[0], *weights),
        project.outputs,
        (_workspace(lanes, floats),),
        nodes=expand.nodes + filtering.nodes + project.nodes,
    )


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
