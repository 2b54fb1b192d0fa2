"""Out variants of operators that have but one result."""

from collections.abc import Callable

from torch import Tensor


def writing(functional: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The out variant of an operator: its result, copied to where it belongs, which takes its sizes."""

    def run(*args: object, out: Tensor) -> Tensor:
        result = functional(*args)
        if out.shape != result.shape:
            out.resize_(result.shape)
        return out.copy_(result)

    return run
