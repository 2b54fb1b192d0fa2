"""Options of `to_executorch`."""

from dataclasses import dataclass, field

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
    emit_mutable_buffer_names: write the qualified names of mutable buffers.
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
    emit_mutable_buffer_names: bool = False
