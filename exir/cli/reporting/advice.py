"""Advice on failed exports, which torch explains in its internal terms."""

import contextlib
import io
import linecache
import os
import traceback

import torch
from torch import Tensor, nn
from torch.fx import GraphModule
from torch.utils._pytree import tree_leaves

import exir
from exir.debug.module_lines import line_that_makes
from exir.decomposition.gradients import ADVICE
from exir.model.spec import Method

_BY_EXCEPTION = {
    "GuardOnDataDependentSymNode": (
        "control flow depends on the values of a tensor; use torch.where or torch.cond"
    ),
}
_DERIVATIVES = ("grad_and_value_impl", "_vjp_with_argnums", "wrapper_fn")
"""The torch functions that implement grad, vjp, jacrev and jacfwd. torch.export does not record them."""


def advice_on(error: BaseException) -> str:
    """Return a line of advice, or "" if there is none."""
    text = _BY_EXCEPTION.get(type(error).__name__, "")
    if text and _is_assertion(error):
        text = "an assertion depends on the values of a tensor; use torch._assert, or remove it"
    elif text and _is_index_error(error):
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


def advice_on_inputs(error: BaseException, method: Method) -> str:
    """Return the layer that failed, the example inputs, and a remedy.

    The remedy depends on whether eager PyTorch accepts the example inputs.
    """
    inputs = ", ".join(
        _describe_input(value) for value in tree_leaves((method.args, dict(method.kwargs)))
    )
    if not _runs_in_eager_mode(method):
        remedy = "eager PyTorch fails with them too; correct the example inputs or the model"
    elif method.dynamic_shapes is None:
        remedy = "eager PyTorch accepts them; rewrite the code that the error names"
    else:
        remedy = "eager PyTorch accepts them; correct dynamic_shapes, or rewrite the code that the error names"
    return f"{_failed_layer(error, method)}\n    example inputs: {inputs or 'none'}; {remedy}"


def _describe_input(value: object) -> str:
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    return type(value).__name__


def _runs_in_eager_mode(method: Method) -> bool:
    printed = io.StringIO()
    try:
        with torch.no_grad(), contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
            method.as_module()(*method.args, **method.kwargs)
    except Exception:
        return False
    return True


def _failed_layer(error: BaseException, method: Method) -> str:
    """Return a line about the innermost module of the traceback, or ""."""
    called = [frame.f_locals.get("self") for frame, _ in traceback.walk_tb(error.__traceback__)]
    layers = [
        owner for owner in called if isinstance(owner, nn.Module) and not isinstance(owner, GraphModule)
    ]
    for name, submodule in method.module.named_modules():
        if layers and submodule is layers[-1]:
            line = line_that_makes(method.module, name)
            description = f"'{name}'" if name else "the model"
            made = f" of {line}" if line else ""
            return f"\n    in {description}{made}: {repr(submodule).splitlines()[0]}"
    return ""


def _last_user_line(error: BaseException) -> str:
    """Return the innermost source line outside of torch and exir."""
    frames = [
        (frame.f_code.co_filename, number) for frame, number in traceback.walk_tb(error.__traceback__)
    ]
    roots = tuple(os.path.dirname(str(package.__file__)) + os.sep for package in (torch, exir))
    lines = [linecache.getline(file, number) for file, number in frames if not file.startswith(roots)]
    return lines[-1].strip() if lines else ""


def _is_assertion(error: BaseException) -> bool:
    return _last_user_line(error).startswith("assert ")


def _is_index_error(error: BaseException) -> bool:
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
    """Return whether the model computes a derivative.

    For torch.func, its functions are in the traceback. torch.autograd.grad has already returned,
    and its saved tensors appear as constants.
    """
    frames = (frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__))
    is_transform = any(
        code.co_name in _DERIVATIVES and code.co_filename.endswith("eager_transforms.py")
        for code in frames
    )
    return is_transform or "fake tensor in the exported program constant's list" in str(error)
