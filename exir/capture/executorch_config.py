"""Options of `to_executorch`."""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch.fx import Node

from exir.pass_manager import PassType


@dataclass
class ExecutorchBackendConfig:
    """Options of `to_executorch`.

    passes: passes that run before the built-in ones.
    memory_planning_pass: the memory planner, or one for each method; None for the default.
    to_out_var_pass: conversion to out variants; None for the default.
    sym_shape_eval_pass: pass that bounds symbolic shapes; None for the default.
    emit_stacktrace: store the source lines of each instruction in the program.
    extract_delegate_segments: store delegate payloads in separate segments; False stores them in
      the flatbuffer.
    segment_alignment: alignment of segments in the file, in bytes; a power of two.
    constant_tensor_alignment: alignment of each constant, in bytes; a power of two; None for 16.
    delegate_alignment: alignment of each delegate payload, in bytes; a power of two; None for 16.
    remove_view_copy: replace copies of views with views that share memory.
    fuse_int8: compute in int8 between quantized tensors, with operators that only this project's
        runtime supports. False computes in float, as in the graph.
    row_major_operands: copy operands to row-major order, and scales and zero points to float64 and
        int64, where the kernels of the official runtime need it. False copies an operand only where
        no linked kernel accepts its order.
    emit_mutable_buffer_names: store the qualified names of mutable buffers.
    external_constants: store constants in a separate file: True, or a function that returns the
        file's name for a constant's placeholder (None: in the program).
    external_mutable_weights: store parameters that a training graph differentiates in a separate
        file.
    external_content_keys: name external constants by their content instead of their qualified
        names. Programs with equal weights then have equal weights files, and a program rejects the
        file of other weights.
    external_named_data: store the named data of delegates in a separate file.
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
    fuse_int8: bool = False
    row_major_operands: bool = True
    emit_mutable_buffer_names: bool = False
    external_constants: bool | Callable[[Node], str | None] = False
    external_mutable_weights: bool = False
    external_content_keys: bool = False
    external_named_data: bool = False
