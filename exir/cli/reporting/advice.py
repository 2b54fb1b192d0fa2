"""What to do about failures that torch explains in terms of its own."""

import traceback

from exir.decomposition.derivatives import ADVICE

_BY_EXCEPTION = {
    "GuardOnDataDependentSymNode": "the model chooses its path by the values of a tensor; use torch.where or torch.cond",
}
_DERIVATIVES = ("grad_and_value_impl", "_vjp_with_argnums", "wrapper_fn")
"""The functions of torch's module of derivatives that torch.export does not record: of grad, vjp, jacrev and jacfwd."""


def advice_on(error: BaseException) -> str:
    """A line below the reason; empty where there is nothing to say."""
    text = _BY_EXCEPTION.get(type(error).__name__, "")
    if _takes_derivative(error):
        text = f"the model takes a derivative: {ADVICE}"
    return text and f"\n    {text}"


def _takes_derivative(error: BaseException) -> bool:
    """Functions of torch.func are in the traceback; torch.autograd.grad has ended, and left what it kept as constants."""
    frames = (frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__))
    is_transform = any(
        code.co_name in _DERIVATIVES and code.co_filename.endswith("eager_transforms.py")
        for code in frames
    )
    return is_transform or "fake tensor in the exported program constant's list" in str(error)
