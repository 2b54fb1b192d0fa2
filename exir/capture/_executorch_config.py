"""Options of `to_executorch`."""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch.fx import Node

from exir.pass_manager import PassType


@dataclass
class ExecutorchBackendConfig:
    """Options of `to_executorch`.

    passes: run before the built-in ones.
    memory_planning_pass: the planner, or one a method; None for the default.
    to_out_var_pass: the conversion to out variants; None for the default.
    sym_shape_eval_pass: bounds symbolic shapes; None for the default.
    emit_stacktrace: write each instruction's source lines into the program.
    extract_delegate_segments: keep delegate blobs in segments of their own, else inline.
    segment_alignment: of segments in the file, in bytes, a power of two.
    constant_tensor_alignment, delegate_alignment: bytes, a power of two; None for 16.
    remove_view_copy: turn view copies into views that share memory.
    fuse_bytes: compute in whole numbers what lies between quantized tensors, by operators that this project's runtime has and the
        official one has not; else in floats, as the graph says.
    row_major_operands: copy operands to row-major order, and scales and zero points to float64 and int64, where the official
        runtime's kernels take no other; this project's do.
    emit_mutable_buffer_names: write the qualified names of mutable buffers.
    external_constants: put constants into a file beside the program: True, or a function of a
        constant's placeholder that returns the file's name (None for the program).
    external_mutable_weights: put the parameters that a training graph has gradients of there.
    external_content_keys: name external constants by their content, not by their qualified names,
        so that programs with equal weights have equal files, and others' files do not fit.
    external_named_data: put delegates' named data there too.
    """

    passes: list[PassType] = field(default_factory=list)
    memory_planning_pass: PassType | dict[str, PassType] | None = None
    to_out_var_pass: PassType | None = None
    sym_shape_eval_pass: PassType | dict[str, PassType] | None = None
    emit_stacktrace: bool = False
    extract_delegate_segments: bool = True
    segment_alignment: int = 128
    constant_tensor_alignment: int | None = None
    delegate_alignment: int | None = None
    remove_view_copy: bool = True
    fuse_bytes: bool = False
    row_major_operands: bool = True
    emit_mutable_buffer_names: bool = False
    external_constants: bool | Callable[[Node], str | None] = False
    external_mutable_weights: bool = False
    external_content_keys: bool = False
    external_named_data: bool = False
