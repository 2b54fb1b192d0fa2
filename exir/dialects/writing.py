"""Out variants of operators that have but one result."""

from collections.abc import Callable

from torch import Tensor


def writing(functional: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The out variant of an operator: its result, copied to where it belongs."""

    def run(*args: object, out: Tensor) -> Tensor:
        return out.copy_(functional(*args))

    return run
