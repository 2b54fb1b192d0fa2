"""`kv_update`: rows of a cache take new elements."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from backends.cpu.compiler.ops.spec import NoAttributes, Sizes


@dataclass(frozen=True)
class KvUpdate(NoAttributes):
    """Cache [outer, T, inner], rows [outer, n, inner], perhaps the places [n] of the rows, to the changed cache.

    Without places rows follow each other from `dims[0]` on. What lies outside of the cache ends the call.
    """

    code = 24
    in_place = 0

    def check(self, sizes: Sizes) -> None:
        self.expect(len(sizes) in (3, 4), "takes two or three inputs, gives one output")
        cache, rows, *_, y = sizes
        self.expect(cache == y and len(cache) == len(rows) == 3, f"{cache} does not become {y}")
        self.expect((rows[0], rows[2]) == (cache[0], cache[2]), f"rows {rows} are not of {cache}")

    def run(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[int]) -> None:
        cache, rows, *places = inputs
        found = places[0].long() if places else torch.arange(dims[0], dims[0] + rows.shape[1])
        changed = cache.clone()
        changed[:, found] = rows
        outputs[0].copy_(changed)
