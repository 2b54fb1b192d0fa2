"""Out variants of operators that have one result."""

from collections.abc import Callable

from torch import Tensor


def writing(functional: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the out variant of an operator. It resizes `out` and copies the result."""

    def run(*args: object, out: Tensor) -> Tensor:
        result = functional(*args)
        if out.shape != result.shape:
            out.resize_(result.shape)
        return out.copy_(result)

    return run
