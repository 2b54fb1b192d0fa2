"""The supported releases of torch, and the differences between them.

Each difference is one function, whose docstring starts with the releases that need it. To drop a
release, delete its functions and change `OLDEST`. The rest of the compiler does not depend on the
release. The functions import torch, so that the supported range is available without it.
"""

import atexit
import functools
import os
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn

OLDEST, NEWEST = (2, 11), (2, 15)
"""The oldest and the newest supported minor release."""

SUPPORTED_TORCH = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
"""The supported range, for messages."""

TORCH_REQUIREMENT = f"torch>={OLDEST[0]}.{OLDEST[1]},<{NEWEST[0]}.{NEWEST[1] + 1}"
"""The supported range, for package metadata."""


# The first release whose `torch.export` accepts a construct, and does not fix its sizes.
_FIRST_EXPORTED = {
    "a cond with an operand whose size depends on values": (2, 13),
    "a norm whose order is a part of a size": (2, 13),
    "a power with a condition as exponent": (2, 13),
    "a quantile along a dynamic size": (2, 12),
    "torch.func.grad and torch.func.jvp": (2, 13),
}


def minor_release(text: str) -> tuple[int, int]:
    """Return the minor release of a version: (2, 13) for `2.13.0+cpu`."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def describe_installed() -> str:
    """Return a sentence about the installed and the supported torch."""
    try:
        found = version("torch")
    except PackageNotFoundError:
        return f"torch is not installed; install torch {SUPPORTED_TORCH}"
    return f"found torch {found}; install torch {SUPPORTED_TORCH}"


def is_unsupported() -> bool:
    """Return true if a torch outside the supported range is installed."""
    try:
        return not OLDEST <= minor_release(version("torch")) <= NEWEST
    except PackageNotFoundError:
        return False


def is_before(major: int, minor: int) -> bool:
    """Return true if the imported torch is older than a minor release."""
    import torch

    return minor_release(torch.__version__) < (major, minor)


def exit_process(exit_code: int) -> NoReturn:
    """2.15: exit without the interpreter's teardown.

    In the teardown, the triton of a CUDA build prints 30 lines about leaked objects.
    """
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)


def cholesky_operators() -> list[Any]:
    """2.11 to 2.13: `torch.cholesky` has its own operator."""
    import torch

    return [torch.ops.aten.cholesky.default] if is_before(2, 14) else []


def register_fake_uncached(operator: Any) -> Callable[..., Any]:
    """2.11, 2.12: `register_fake` has no `skip_cache`.

    Higher-order operators are never cached in these releases.
    """
    from torch._higher_order_ops.utils import register_fake

    return register_fake(operator) if is_before(2, 13) else register_fake(operator, skip_cache=True)


def can_export(construct: str) -> bool:
    """2.11, 2.12: return false if `torch.export` rejects or fixes a construct."""
    return not is_before(*_FIRST_EXPORTED[construct])


def repair_lstm() -> None:
    """2.11, 2.12: decomposed LSTMs return states [layers, 1, batch, width].

    `torch.export` records these shapes, so call this function before the export. The states become
    [layers, batch, width], as in eager PyTorch.
    """
    from torch._decomp import decompositions

    if is_before(2, 13) and not hasattr(decompositions.one_layer_lstm, "__wrapped__"):
        decompositions.one_layer_lstm = _with_states_of_one_layer(decompositions.one_layer_lstm)


def _with_states_of_one_layer(one_layer_lstm: Callable[..., Any]) -> Callable[..., Any]:
    """Reshape the states that `one_layer_lstm` returns to [batch, width]."""

    @functools.wraps(one_layer_lstm)
    def repaired(*args: Any, **options: Any) -> tuple[Any, tuple[Any, ...]]:
        output, states = one_layer_lstm(*args, **options)
        return output, tuple(state.reshape(-1, state.shape[-1]) for state in states)

    return repaired


def has_misshapen_states(node: Any) -> bool:
    """2.11, 2.12: return true for an LSTM that was exported before `repair_lstm`."""
    import torch

    if node.target is not torch.ops.aten.lstm.input or not is_before(2, 13):
        return False
    return any(user.args[1] != 0 and user.meta["val"].dim() == 4 for user in node.users)
