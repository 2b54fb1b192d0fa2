"""Advice on failures that torch explains in its internal terms."""

import linecache
import os
import traceback

import torch
from torch import nn

import exir
from exir.decomposition.gradients import ADVICE

_BY_EXCEPTION = {
    "GuardOnDataDependentSymNode": (
        "control flow depends on the values of a tensor; use torch.where or torch.cond"
    ),
}
_DERIVATIVES = ("grad_and_value_impl", "_vjp_with_argnums", "wrapper_fn")
"""The functions of torch's module of derivatives that torch.export does not record: of grad, vjp, jacrev and jacfwd."""


def advice_on(error: BaseException) -> str:
    """Return a line of advice, or "" if there is none."""
    text = _BY_EXCEPTION.get(type(error).__name__, "")
    if text and _asserts(error):
        text = "an assertion depends on the values of a tensor; use torch._assert, or remove it"
    elif text and _indexes(error):
        text = (
            "an index depends on data; write with index_copy_ and read with index_select at an index "
            "tensor of shape [1], or bound it with torch._check"
        )
    layer = _layer_of_packed_sequence(error)
    if layer:
        text = (
            f"nn.{layer} receives a PackedSequence, whose sizes depend on data; pass the padded tensor "
            "with dynamic batch and length, and ignore outputs after each length "
            "(docs/how_to/use_dynamic_inputs.md)"
        )
    if _takes_derivative(error):
        text = f"the model computes a derivative: {ADVICE}"
    return text and f"\n    {text}"


def _last_user_line(error: BaseException) -> str:
    """Return the innermost source line outside of torch and exir."""
    frames = [
        (frame.f_code.co_filename, number) for frame, number in traceback.walk_tb(error.__traceback__)
    ]
    roots = tuple(os.path.dirname(str(package.__file__)) + os.sep for package in (torch, exir))
    lines = [linecache.getline(file, number) for file, number in frames if not file.startswith(roots)]
    return lines[-1].strip() if lines else ""


def _asserts(error: BaseException) -> bool:
    return _last_user_line(error).startswith("assert ")


def _indexes(error: BaseException) -> bool:
    return "specialized integer from data-dependent expression" in str(error) and "[" in _last_user_line(
        error
    )


def _layer_of_packed_sequence(error: BaseException) -> str:
    """Return the class of the RNN layer that failed on a `PackedSequence`, or ""."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        layer = frame.f_locals.get("self")
        if isinstance(layer, nn.RNNBase) and frame.f_locals.get("batch_sizes") is not None:
            return type(layer).__name__
    return ""


def _takes_derivative(error: BaseException) -> bool:
    """Return whether the model takes a derivative.

    For torch.func, its functions are in the traceback. torch.autograd.grad has already returned,
    and its saved tensors appear as constants.
    """
    frames = (frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__))
    is_transform = any(
        code.co_name in _DERIVATIVES and code.co_filename.endswith("eager_transforms.py")
        for code in frames
    )
    return is_transform or "fake tensor in the exported program constant's list" in str(error)
