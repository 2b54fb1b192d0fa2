"""Arguments of operators with indices, masks or sorted rows."""

from __future__ import annotations

import torch

from kernels.testing.sweep_case import Case, Maker, indices


def _along(name: str, *rest: str | int | bool) -> Maker:
    """Return a maker that indexes the last dimension with an index of its full size."""

    def make(case: Case) -> list[object]:
        index = indices(case, "index", case.shape, case.shape[-1] if case.rank else 1)
        others = [
            case.tensor(argument) if isinstance(argument, str) and argument in case.dtypes else argument
            for argument in rest
        ]
        return [case.tensor(name), -1, index, *others]

    return make


def _searched(case: Case) -> list[object]:
    """Return arguments of searchsorted: an unsorted sequence, values, and a sorter."""
    sequence = case.tensor("sorted_sequence")
    sorter = sequence.sort(-1).indices
    return [sequence, case.tensor("self"), case.dtypes["out"] == torch.int32, False, None, sorter]


def _indexed(case: Case) -> list[object]:
    """Index the first dimension with a tensor or, if the dtype is bool, with a mask."""
    size = case.shape[0] if case.rank else 1
    if case.dtypes["indices"] == torch.bool:
        return [case.tensor("self"), [torch.arange(size) % 2 == 0]]
    return [case.tensor("self"), [indices(case, "indices", (size,), size)]]


def _index_put(accumulate: bool) -> Maker:
    def make(case: Case) -> list[object]:
        target, index_list = _indexed(case)
        return [target, index_list, case.tensor("values", case.shape[1:]), accumulate]

    return make


def _masked(*rest: str) -> Maker:
    return lambda case: [case.tensor("self"), case.tensor("mask"), *(case.tensor(name) for name in rest)]


def _embedding(case: Case) -> list[object]:
    return [case.tensor("weight", (7, 3)), indices(case, "indices", case.shape, 7), -1, False, False]


MAKERS: dict[str, Maker] = {
    "aten::embedding.out": _embedding,
    "aten::gather.out": _along("self", False),
    "aten::index.Tensor_out": _indexed,
    "aten::index_put.out": _index_put(False),
    "aten::index_put_": _index_put(False),
    "aten::index_select.out": lambda case: [case.tensor("self"), 0, indices(case, "index", (1,), case.shape[0])],
    "aten::masked_fill.Scalar_out": lambda case: [*_masked()(case), 2],
    "aten::masked_scatter.out": _masked("source"),
    "aten::masked_select.out": _masked(),
    "aten::scatter.src_out": _along("self", "src"),
    "aten::scatter.value_out": _along("self", 1),
    "aten::scatter_add.out": _along("self", "src"),
    "aten::scatter_reduce.two_out": _along("self", "src", "prod", False),
    "aten::searchsorted.Tensor_out": _searched,
}
