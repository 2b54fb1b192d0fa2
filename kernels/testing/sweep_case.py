"""The calls that a kernel table row supports: dtypes, ranks and dim orders.

One property is varied at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from exir.operators.kernels import Kernel
from exir.operators.schemas import Argument
from kernels.testing.parity import random_tensor

ORDERS = ("contiguous", "channels_last", "reversed")
# A shape of rank r is the last r of these sizes. They are small and differ, and the last is even.
_SIZES = (*[1] * 12, 2, 3, 4, 6)
_MAX_RANK = 5  # the highest rank that a row supports is also tested


def shape_of(rank: int) -> tuple[int, ...]:
    """Return the shape of the tensors in calls of that rank."""
    return _SIZES[len(_SIZES) - rank :]


def dim_order_of(order: str, rank: int) -> tuple[int, ...]:
    """Return the dim order for one of ORDERS and a rank.

    Contiguous if the order has no variant for that rank.
    """
    if order == "reversed":
        return tuple(reversed(range(rank)))
    if order == "channels_last" and rank >= 3:
        return (0, *range(2, rank), 1)
    return tuple(range(rank))


def in_dim_order(tensor: torch.Tensor, order: str) -> torch.Tensor:
    """Return the tensor, stored in one of ORDERS."""
    dims = dim_order_of(order, tensor.dim())
    return tensor.permute(dims).contiguous().permute(torch.tensor(dims).argsort().tolist() if dims else ())


@dataclass(frozen=True)
class Case:
    """One call to try.

    `dtypes` has the dtype of each tensor argument. `rank` is the rank of the first argument that
    supports several ranks.
    """

    kernel: Kernel
    dtypes: Mapping[str, torch.dtype]
    rank: int
    order: str = "contiguous"
    seeds: list[str] = field(default_factory=list)  # names of the tensors created so far

    def __str__(self) -> str:
        dtypes = ", ".join(f"{name} {str(dtype).removeprefix('torch.')}" for name, dtype in self.dtypes.items())
        return f"{self.kernel.operator.name} of {dtypes}; {self.rank} dims, {self.order}"

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.rank)

    @property
    def reads(self) -> list[Argument]:
        return [argument for argument in self.kernel.operator.arguments if not (argument.out and argument.keyword_only)]

    def tensor(self, name: str, shape: Sequence[int] | None = None) -> torch.Tensor:
        """Return a tensor for an argument, by default with the shape of the case."""
        self.seeds.append(name)
        value = random_tensor(self.shape if shape is None else shape, self.dtypes[name], seed=len(self.seeds))
        takes_any = self.kernel.rules.tensors[name].layout == "any"
        return in_dim_order(value, self.order) if takes_any else value


def torch_dtype(name: str) -> torch.dtype:
    """Return the dtype with that name in the tables."""
    return getattr(torch, name)


def cases_of(kernel: Kernel) -> Iterator[Case]:
    """Yield calls with every dtype, rank and dim order of the row.

    Each call changes one property of the usual call.
    """
    usual, rank = _usual_dtypes(kernel), _usual_rank(kernel)
    yield Case(kernel, usual, rank)
    for name, rule in kernel.rules.tensors.items():
        for dtype in rule.dtypes:
            yield Case(kernel, {**usual, **_agreeing(kernel, name, torch_dtype(dtype))}, rank)
    for dtype in dict.fromkeys(dtype for rule in kernel.rules.tensors.values() for dtype in rule.dtypes):
        yield Case(kernel, _alike(kernel, usual, dtype), rank)
    for other in _ranks(kernel):
        for order in ORDERS:
            if other == 0 and order != "contiguous":
                continue
            yield Case(kernel, usual, other, order)


def _usual_dtypes(kernel: Kernel) -> dict[str, torch.dtype]:
    """Return float32 for arguments that support it, otherwise their first dtype.

    Arguments that must have equal dtypes get equal dtypes.
    """
    chosen: dict[str, torch.dtype] = {}
    for name, rule in kernel.rules.tensors.items():
        chosen[name] = torch_dtype("float32" if "float32" in rule.dtypes else rule.dtypes[0])
    for group in kernel.rules.same_dtype:
        chosen |= dict.fromkeys(group, chosen[group[0]])
    return chosen


def _agreeing(kernel: Kernel, name: str, dtype: torch.dtype) -> dict[str, torch.dtype]:
    groups = [group for group in kernel.rules.same_dtype if name in group]
    return dict.fromkeys(groups[0] if groups else [name], dtype)


def _alike(kernel: Kernel, usual: Mapping[str, torch.dtype], dtype: str) -> dict[str, torch.dtype]:
    """Use `dtype` for all arguments that support it."""
    rules = kernel.rules.tensors
    chosen = {
        name: torch_dtype(dtype) if dtype in rules[name].dtypes else usual_dtype for name, usual_dtype in usual.items()
    }
    for group in kernel.rules.same_dtype:
        chosen |= dict.fromkeys(group, chosen[group[0]])
    return chosen


def _lead_ranks(kernel: Kernel) -> tuple[int, int]:
    """Return the rank limits of the first argument that supports several ranks."""
    ranks = [rule.ranks for rule in kernel.rules.tensors.values()]
    return next((rank for rank in ranks if rank[0] < rank[1]), ranks[0])


def _usual_rank(kernel: Kernel) -> int:
    low, high = _lead_ranks(kernel)
    return min(max(low, 3), high)


def _ranks(kernel: Kernel) -> list[int]:
    low, high = _lead_ranks(kernel)
    return sorted({*range(low, min(high, _MAX_RANK) + 1), high})


def indices(case: Case, name: str, shape: tuple[int, ...], size: int) -> torch.Tensor:
    """Return distinct indices, because the order of repeated writes is undefined."""
    values = torch.arange(int(torch.tensor(shape).prod())) % max(size, 1)
    return values.reshape(shape).to(case.dtypes[name])


# A function that creates the arguments of a call before the outputs.
Maker = Callable[[Case], list[object]]
