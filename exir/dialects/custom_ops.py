"""Out overloads of operators that have only a functional form.

`torch.library.custom_op` defines only the functional overload.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch._library.custom_ops import OPDEFS
from torch._ops import OpOverload
from torch.library import Library

# Torch drops the definitions of a library when the object is deleted.
_LIBRARIES: dict[str, Library] = {}


def define_out_overload(op: OpOverload) -> bool:
    """Define `<op>.out`, which runs `op` and copies its results.

    Its outputs follow the arguments of `op`. One output is named `out`; several are named `out0`,
    `out1` and so on. Returns false, and defines nothing, unless `op` is a functional operator of
    `custom_op` that returns tensors.
    """
    schema = op._schema
    if op.name().removesuffix(".default") not in OPDEFS or schema.is_mutable:
        return False
    if not schema.returns or any(
        not isinstance(result.type, torch.TensorType) for result in schema.returns
    ):
        return False
    names = (
        ["out"] if len(schema.returns) == 1 else [f"out{index}" for index in range(len(schema.returns))]
    )
    kinds = [f"Tensor({chr(ord('a') + index)}!)" for index in range(len(names))]
    returned = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
    arguments = str(schema).partition("(")[2].rpartition(") -> ")[0]
    separator = "" if any(argument.kwarg_only for argument in schema.arguments) else "*, "
    outputs = ", ".join(f"{kind} {name}" for kind, name in zip(kinds, names, strict=True))
    leading = f"{arguments}, " if arguments else ""

    def run(*args: object, **kwargs: object) -> Tensor | tuple[Tensor, ...]:
        functional_kwargs = {key: value for key, value in kwargs.items() if key not in names}
        results = op(*args, **functional_kwargs)
        written = []
        for name, result in zip(names, (results,) if len(names) == 1 else results, strict=True):
            out = kwargs[name]
            assert isinstance(out, Tensor)
            written.append(out.resize_(result.shape).copy_(result))
        return written[0] if len(written) == 1 else tuple(written)

    namespace, _, name = schema.name.partition("::")
    library = _LIBRARIES.setdefault(namespace, Library(namespace, "FRAGMENT"))
    library.define(f"{name}.out({leading}{separator}{outputs}) -> {returned}")
    library.impl(f"{name}.out", run, "CompositeExplicitAutograd")
    return True


def writing(functional: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the out variant of an operator. It resizes `out` and copies the result."""

    def run(*args: object, out: Tensor) -> Tensor:
        result = functional(*args)
        if out.shape != result.shape:
            out.resize_(result.shape)
        return out.copy_(result)

    return run
