"""Out overloads of the `quantized_decomposed` operators, whose functional ones torch registers.

Torch does so in `torch.ao.quantization.fx._decomposed`, which programs that are quantized have imported.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.library import Library

from exir.operators.operators import own_operators

_NAMESPACE = "quantized_decomposed"


def _writing(base: str) -> Callable[..., Tensor]:
    """The out overload of the functional operator `base`."""

    def run(*args: Any, out: Tensor, **kwargs: Any) -> Tensor:
        functional = getattr(getattr(torch.ops, _NAMESPACE), base)
        return out.copy_(functional.default(*args, **kwargs))

    return run


def _defined(operator: str) -> list[str]:
    return [schema.overload_name for schema in torch._C._jit_get_schemas_for_operator(operator)]


def _register() -> Library:
    """Define those of the operator table that nobody else has defined in this process."""
    library = Library(_NAMESPACE, "FRAGMENT")
    for operator in own_operators():
        namespace, _, name = operator.name.partition("::")
        base, _, overload = name.partition(".")
        if namespace == _NAMESPACE and overload not in _defined(f"{namespace}::{base}"):
            library.define(name + operator.schema)
            library.impl(name, _writing(base), "CompositeExplicitAutograd")
    return library


# Torch drops the operators with the object that registered them, so it lives as long as the module.
_LIBRARY = _register()
