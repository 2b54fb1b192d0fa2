"""Choose among equivalent ops by the cost model and the options."""

from collections.abc import Callable
from dataclasses import replace

import torch

from backends.cpu.compiler import cost
from backends.cpu.compiler.dims import Dim, product
from backends.cpu.compiler.graph import Op, OpGraph, Value, constant
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.packing import unquadded, winograd_pairs
from backends.cpu.compiler.rewrite import Rewriter
from backends.cpu.schema.convolution import (
    ConvF32,
    ConvQs8,
    DwconvF32,
    MbconvBlock,
    MbconvF32,
    WinogradF32,
    WinogradQs8,
)
from backends.cpu.schema.cost_model import MBCONV_MAX_BLOCKS
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.kernel_sizes import MBCONV_MAX_ROWS, WINOGRAD_QS8_SIDE
from backends.cpu.schema.records import Window

_FLOAT_BYTES = 4
_POINT = Window((1, 1))


def choose(graph: OpGraph, options: Options) -> None:
    """Use row-tiled inverted residuals and Winograd convolutions if they are faster."""
    rewriter = Rewriter(graph)
    for op in rewriter.ops():
        if isinstance(op.spec, GemmF32):
            _fuse_block(graph, rewriter, op, options)
        elif isinstance(op.spec, ConvF32) and _takes_winograd(graph, op, options):
            rewriter.replace(op, _winograd(graph, op, op.spec, options))
        elif isinstance(op.spec, ConvQs8) and _takes_winograd_i8(op, op.spec, options):
            rewriter.replace(op, _winograd_i8(graph, op, op.spec, options))
    rewriter.finish()


def _takes_winograd(graph: OpGraph, op: Op, options: Options) -> bool:
    spec = op.spec
    assert isinstance(spec, ConvF32)
    if not _is_3x3(spec.window) or spec.planar or spec.groups != 1 or options.winograd == "never":
        return False
    if op.inputs[1].dtype in FLOAT16_DTYPES and options.winograd == "auto":
        return False
    pixels = graph.bounds.most(op.output.dims[1:3])
    channels, columns = op.inputs[0].dims[3], op.output.dims[3]
    return options.winograd == "always" or cost.prefers_winograd(pixels, channels, columns)


def _is_3x3(window: Window) -> bool:
    return window.kernel == (3, 3) and window.stride == window.dilation == (1, 1)


def _winograd(graph: OpGraph, op: Op, spec: ConvF32, options: Options) -> Op:
    channels = op.inputs[0].dims[3]
    side = cost.winograd_side(graph.bounds.most(op.output.dims[1:3]))
    one = WinogradF32(spec.window.padding, side, 1, spec.activation)
    chosen = replace(one, tiles=_tiles(graph, op.output, side, cost.winograd_tiles(one.tile_floats(channels))))
    workspace = _workspace(options.threads, chosen.workspace(channels))
    return replace(op, spec=chosen, workspaces=(workspace,))


def _takes_winograd_i8(op: Op, spec: ConvQs8, options: Options) -> bool:
    channels, columns = op.inputs[0].dims[3], op.output.dims[3]
    assert isinstance(channels, int) and isinstance(columns, int)
    fits = WinogradQs8.fits(channels, columns) and spec.groups == 1 and _is_3x3(spec.window)
    return options.winograd == "always" and fits


def _winograd_i8(graph: OpGraph, op: Op, spec: ConvQs8, options: Options) -> Op:
    x, quads, *columns = op.inputs
    channels, outputs = x.dims[3], op.output.dims[3]
    assert quads.constant is not None and isinstance(channels, int) and isinstance(outputs, int)
    codes = unquadded(quads.constant, outputs, channels, spec.window.kernel, 1)
    most = cost.winograd_tiles_i8(WinogradQs8.tile_words(channels))
    tiles = _tiles(graph, op.output, WINOGRAD_QS8_SIDE, most)
    chosen = WinogradQs8(spec.window, spec.zero_point, 0, 0, spec.output_quantization, tiles)
    workspace = _workspace(options.threads, chosen.workspace(channels))
    inputs = (x, constant(winograd_pairs(codes)), *columns)
    return replace(op, spec=chosen, inputs=inputs, workspaces=(workspace,))


def _tiles(graph: OpGraph, output: Value, side: int, most: int) -> int:
    """Return the number of tiles that a thread transforms at once, at most `most`."""
    batch, height, width, _ = (graph.bounds.most([dim]) for dim in output.dims)
    return max(1, min(batch * -(-height // side) * -(-width // side), most))


def _fuse_block(graph: OpGraph, rewriter: Rewriter, project: Op, options: Options) -> None:
    """Fuse `project` and the two convolutions before it into an `mbconv_f32`.

    The convolutions are an expansion and a depthwise convolution. Then fuse the result with a
    preceding `mbconv_f32` if the image between them is large.
    """
    filtering = _sole_writer(rewriter, project.inputs[0])
    if filtering is None or not isinstance(filtering.spec, DwconvF32):
        return
    if filtering.spec.window.kernel[0] > MBCONV_MAX_ROWS:
        return
    expand = _sole_writer(rewriter, filtering.inputs[0])
    if expand is None or not _expands(expand) or not _gains(graph, expand.output, cost.prefers_row_tiling, options):
        return
    ops, block = [expand, filtering], _block(graph, expand, filtering, project, options)
    before = _sole_writer(rewriter, expand.inputs[0])
    if before is not None and _may_precede(before, block) and _gains(graph, before.output, cost.prefers_chain, options):
        ops, block = [before, *ops], _chain(graph, before, block, options)
    rewriter.merge(ops, project, block)


def _sole_writer(rewriter: Rewriter, value: Value) -> Op | None:
    return rewriter.writer(value) if rewriter.sole_use(value) else None


def _expands(op: Op) -> bool:
    spec = op.spec
    if len(op.inputs) != 3 or len(op.output.dims) != 4:
        return False
    return isinstance(spec, GemmF32) or (isinstance(spec, ConvF32) and spec.groups == 1)


def _gains(graph: OpGraph, image: Value, is_large: Callable[[int], bool], options: Options) -> bool:
    """Return whether computing `image` in row tiles is faster.

    is_large: returns whether row tiling is faster for an image of the given size in bytes.
    """
    if options.row_tiling != "auto":
        return options.row_tiling == "always"
    return is_large(_FLOAT_BYTES * graph.bounds.most(image.dims[1:]))


def _block(graph: OpGraph, expand: Op, filtering: Op, project: Op, options: Options) -> Op:
    assert isinstance(filtering.spec, DwconvF32) and isinstance(project.spec, GemmF32)
    block = MbconvBlock(_as_convolution(expand), filtering.spec, project.spec)
    filtered_width = filtering.output.dims[2]

    def floats(rows: int) -> Dim:
        return block.workspace(rows, expand.output.dims[2], filtered_width, expand.output.dims[3])

    rows = cost.tile_rows(
        graph.bounds.most([filtered_width]), lambda rows: _FLOAT_BYTES * graph.bounds.most([floats(rows)])
    )
    weights = (*_expand_weights(expand), *filtering.inputs[1:], *project.inputs[1:])
    return Op(
        MbconvF32(rows, (block,)),
        (expand.inputs[0], *weights),
        project.outputs,
        (_lanes(graph, floats(rows), options),),
        nodes=expand.nodes + filtering.nodes + project.nodes,
    )


def _may_precede(before: Op, block: Op) -> bool:
    """Return whether `before` is an `mbconv_f32` that can be chained with `block`.

    `before` then computes the input of `block` row by row.
    """
    first, second = before.spec, block.spec
    assert isinstance(second, MbconvF32)
    if not isinstance(first, MbconvF32) or len(first.blocks) == MBCONV_MAX_BLOCKS:
        return False
    expand = second.blocks[0].expand
    return expand.window.is_point and not expand.planar and len(before.inputs) == first.without_residual


def _chain(graph: OpGraph, before: Op, block: Op, options: Options) -> Op:
    """Return one op that computes `before` and `block`.

    `before` computes one row at a time and stores it in its part of the workspace.
    """
    assert isinstance(before.spec, MbconvF32) and isinstance(block.spec, MbconvF32)
    row = product(before.output.dims[2:])
    floats = before.workspaces[0].dims[1] + row + block.workspaces[0].dims[1]
    return Op(
        MbconvF32(block.spec.rows, before.spec.blocks + block.spec.blocks),
        before.inputs + block.inputs[1:],
        block.outputs,
        (_lanes(graph, floats, options),),
        nodes=before.nodes + block.nodes,
    )


def _lanes(graph: OpGraph, floats: Dim, options: Options) -> Value:
    """Return a workspace of `floats` floats per thread.

    The cost model limits the number of threads.
    """
    return _workspace(cost.lanes(options.threads, _FLOAT_BYTES * graph.bounds.most([floats])), floats)


def _as_convolution(expand: Op) -> ConvF32:
    spec = expand.spec
    if isinstance(spec, ConvF32):
        return spec
    assert isinstance(spec, GemmF32)
    return ConvF32(_POINT, activation=spec.activation)


def _expand_weights(expand: Op) -> tuple[Value, Value]:
    """Return the weight [N, C, kh, kw] and the bias of a GEMM or a convolution."""
    _, weight, bias = expand.inputs
    assert weight.constant is not None
    if weight.constant.dim() == 2:
        weight = constant(weight.constant[:, :, None, None])
    return weight, bias


def _workspace(lanes: int, floats: Dim) -> Value:
    return Value(torch.float32, (lanes, floats))
