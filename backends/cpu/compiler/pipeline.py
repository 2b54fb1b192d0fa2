"""The passes that prepare lowered ops for memory planning, in execution order.

`tools/python -m backends.cpu.compiler.pipeline` prints them.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby

from backends.cpu.compiler.attention_fusion import prepare_attention
from backends.cpu.compiler.caches import keep_float16_caches
from backends.cpu.compiler.channel_split import split_widest_block
from backends.cpu.compiler.choice import choose
from backends.cpu.compiler.float16 import store_weights, widen_reads
from backends.cpu.compiler.folding import eliminate_dead_ops, fold
from backends.cpu.compiler.fusion import fuse
from backends.cpu.compiler.graph import OpGraph, verify_graph
from backends.cpu.compiler.in_place import write_in_place
from backends.cpu.compiler.int8_bounds import bound_int8_sums, narrow_products
from backends.cpu.compiler.int8_fusion import compute_in_int8
from backends.cpu.compiler.int8_pads import fold_pads
from backends.cpu.compiler.map_fusion import join_maps
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.pack import PACKERS, pack
from backends.cpu.compiler.plan import write_results_in_place
from backends.cpu.compiler.quantized import QuantizedConstants
from backends.cpu.compiler.row_sharing import share_rows
from backends.cpu.compiler.strassen_choice import choose_strassen
from backends.cpu.schema.attention import SdpaF32, SdpaF32Qd8kv
from backends.cpu.schema.declarations import OpSpec
from backends.cpu.schema.gemm import Matmul
from exir.error import ExirError, InternalError

VERIFY_VARIABLE = "EXECUTORCH_CPU_VERIFY_PASSES"
"""If this environment variable is 1, `run_pipeline` verifies graphs after every pass."""


@dataclass
class Partition:
    """The op graph of a partition, which passes modify, and its options.

    constants: quantized values of dequantized weights, until `fuse_int8` has run.
    """

    graph: OpGraph
    options: Options = field(default_factory=Options)
    constants: QuantizedConstants = field(default_factory=QuantizedConstants)


@dataclass(frozen=True, kw_only=True)
class Pass(ABC):
    """A pass that modifies op graphs in place.

    before, after: conditions before and after the pass. Graphs are valid before and after every
        pass.
    completes: kinds of ops whose sizes satisfy `check_shapes` only after the pass.
    """

    name: str
    before: str
    after: str
    completes: tuple[type[OpSpec], ...] = ()

    @abstractmethod
    def apply(self, partitions: Sequence[Partition]) -> None:
        """Run on `partitions`."""


@dataclass(frozen=True, kw_only=True)
class PartitionPass(Pass):
    """A pass that runs on every partition separately."""

    run: Callable[[Partition], None]

    def apply(self, partitions: Sequence[Partition]) -> None:
        for partition in partitions:
            self.run(partition)


@dataclass(frozen=True, kw_only=True)
class ProgramPass(Pass):
    """A pass that runs on all partitions of a program at once.

    Partitions can share weights.
    """

    run: Callable[[Sequence[Partition]], None]

    def apply(self, partitions: Sequence[Partition]) -> None:
        self.run(partitions)


def _fuse_int8(partition: Partition) -> None:
    compute_in_int8(partition.graph, partition.constants)
    partition.constants = QuantizedConstants()  # frees the float32 copies of quantized weights


PIPELINE: tuple[Pass, ...] = (
    PartitionPass(
        name="eliminate_dead_ops",
        before="The graph contains the ops of every node, and weights have PyTorch's layout.",
        after="Each op writes a state or a value that a later op or the caller reads.",
        run=lambda part: eliminate_dead_ops(part.graph),
    ),
    PartitionPass(
        name="fold_affine",
        before="GEMMs and convolutions have no fused activation or residual.",
        after="Constant scales and shifts of columns are folded into the GEMM or convolution before them.",
        run=lambda part: fold(part.graph),
    ),
    PartitionPass(
        name="fuse_activations",
        before="Scales and shifts are folded, so an activation directly follows its GEMM or convolution.",
        after="A GEMM or convolution applies the activation or residual addition that is its only reader.",
        run=lambda part: fuse(part.graph),
    ),
    PartitionPass(
        name="fuse_elementwise",
        before="Elementwise ops that GEMMs and convolutions can apply are fused into them.",
        after="Consecutive elementwise ops of the same size are one op, if intermediate values have no other readers.",
        run=lambda part: join_maps(part.graph),
    ),
    PartitionPass(
        name="fold_int8_padding",
        before="Quantize and dequantize are separate ops around float32 convolutions.",
        after="Zero padding of quantized images is folded into the convolution, if it is the only reader.",
        run=lambda part: fold_pads(part.graph),
    ),
    PartitionPass(
        name="fuse_int8",
        before="Activations are fused, and the quantized values of dequantized weights are known.",
        after="A float op between dequantize and quantize is an int8 op, if an int8 variant exists.",
        run=_fuse_int8,
    ),
    PartitionPass(
        name="fuse_int8_clamps",
        before="Clamps that are not fused into an int8 op are lookup tables.",
        after="Lookup tables that only clamp are folded into the int8 op before them.",
        run=lambda part: bound_int8_sums(part.graph),
    ),
    PartitionPass(
        name="bound_int8_sums",
        before="The output range of every int8 op is final.",
        after="`max_exact_terms` of int8 convolutions is the number of terms that can be added in int16.",
        run=lambda part: narrow_products(part.graph),
    ),
    PartitionPass(
        name="update_caches_in_place",
        before="A float16 or bfloat16 state is updated by a cast, a float32 update, a cast and a copy.",
        after="Such updates write only new rows, and SDPA reads the state without a float32 copy.",
        run=lambda part: keep_float16_caches(part.graph),
    ),
    PartitionPass(
        name="prepare_attention",
        before="The dtypes of keys and values are final, and weights are not packed.",
        after="SDPA and matmul have workspaces, and one GEMM computes the queries, keys and values of the same rows.",
        run=lambda part: prepare_attention(part.graph, part.options),
        completes=(SdpaF32, SdpaF32Qd8kv, Matmul),
    ),
    PartitionPass(
        name="convert_weights",
        before="No later pass combines the elements of several weights.",
        after="Weights have the dtype of the option `weights`, unless it is `auto`.",
        run=lambda part: store_weights(part.graph, part.options),
    ),
    PartitionPass(
        name="choose_convolutions",
        before="Activations and residuals are fused, and weights have their final dtype.",
        after="The options and the cost model select Winograd for convolutions and row tiling for inverted residuals.",
        run=lambda part: choose(part.graph, part.options),
    ),
    ProgramPass(
        name="choose_strassen",
        before="The GEMMs of all partitions, and the ops that share their weights, are known.",
        after="The options and the cost model select Strassen's algorithm for GEMMs.",
        run=lambda parts: choose_strassen([(part.graph, part.options) for part in parts]),
    ),
    PartitionPass(
        name="split_widest_block",
        before="Inverted residuals that benefit from row tiling are one op, and weights are not packed.",
        after="Inverted residuals that caused the scratch peak compute half of their channels at a time.",
        run=lambda part: split_widest_block(part.graph),
    ),
    PartitionPass(
        name="pack_weights",
        before="The algorithm of every op is final, and weights have PyTorch's layout.",
        after="Weights have the layout that microkernels read, and ops with the same weight share its packed form.",
        run=lambda part: pack(part.graph),
        completes=tuple(PACKERS),
    ),
    PartitionPass(
        name="cast_weights",
        before="Ops that have a variant for float16 weights use it.",
        after="Ops that need float32 do not read float16 or bfloat16 constants.",
        run=lambda part: widen_reads(part.graph),
    ),
    PartitionPass(
        name="share_rows",
        before="Low-bit GEMMs have one output each.",
        after="Low-bit GEMMs of the same row are one op, up to the limit of outputs.",
        run=lambda part: share_rows(part.graph),
    ),
    PartitionPass(
        name="place_results",
        before="A result is in scratch, or is an argument or a constant.",
        after="Each result is in the caller's tensor.",
        run=lambda part: write_results_in_place(part.graph),
    ),
    PartitionPass(
        name="overwrite_operands",
        before="The order of the ops is final, so that lifetimes are known.",
        after="Elementwise ops overwrite an operand of the same size that no later op reads.",
        run=lambda part: write_in_place(part.graph),
    ),
)


def run_pipeline(
    partitions: Iterable[Partition], passes: Sequence[Pass] = PIPELINE, verify: bool | None = None
) -> list[Partition]:
    """Run `passes` on the partitions of a program, and verify the final op graphs.

    partitions: may be a generator. Each partition runs through all passes up to the first
        `ProgramPass` before the next one is read.
    verify: whether to also verify before the first pass and after every pass. The default is True
        if `EXECUTORCH_CPU_VERIFY_PASSES` is 1.

    Raises an `ExirError` that names the pass: `InternalError` for an invalid graph and for other
    exceptions.
    """
    verify = os.environ.get(VERIFY_VARIABLE) == "1" if verify is None else verify
    if verify:
        partitions = _verified(partitions, _completed_by(passes))
    steps = [
        _Step(each, _completed_by(passes[number:]), verify or number == len(passes))
        for number, each in enumerate(passes, 1)
    ]
    for is_joint, group in groupby(steps, lambda step: isinstance(step.pass_, ProgramPass)):
        some = list(group)
        if is_joint:
            partitions = list(partitions)
            _apply(some, partitions)
        else:
            partitions = [_apply(some, [each])[0] for each in partitions]
    return list(partitions)


@dataclass(frozen=True)
class _Step:
    """A pass in a pipeline.

    incomplete: kinds of ops that later passes complete.
    """

    pass_: Pass
    incomplete: Collection[type[OpSpec]]
    verifies: bool


def _completed_by(passes: Iterable[Pass]) -> set[type[OpSpec]]:
    return {kind for each in passes for kind in each.completes}


def _verified(partitions: Iterable[Partition], incomplete: Collection[type[OpSpec]]) -> Iterator[Partition]:
    for partition in partitions:
        with _errors_named("lower"):
            verify_graph(partition.graph, incomplete)
        yield partition


def _apply(steps: Iterable[_Step], partitions: list[Partition]) -> list[Partition]:
    for step in steps:
        with _errors_named(step.pass_.name):
            step.pass_.apply(partitions)
            for partition in partitions if step.verifies else ():
                verify_graph(partition.graph, step.incomplete)
    return partitions


@contextmanager
def _errors_named(name: str) -> Iterator[None]:
    """Add the name of a pass to errors.

    A prefix distinguishes it from passes of exir.
    """
    try:
        yield
    except ExirError as error:
        error.pass_name = error.pass_name or f"cpu.{name}"
        raise
    except Exception as error:
        raise InternalError(f"pass 'cpu.{name}' failed: {type(error).__name__}: {error}") from error


def print_pipeline(passes: Sequence[Pass] = PIPELINE) -> None:
    """Print the names and conditions of passes in execution order."""
    for number, each in enumerate(passes, 1):
        scope = " (all partitions)" if isinstance(each, ProgramPass) else ""
        print(f"{number:2} {each.name}{scope}\n   before: {each.before}\n   after:  {each.after}")


if __name__ == "__main__":
    print_pipeline()
