"""Programs with data-dependent sizes, by the source and the use of the size."""

from functools import partial

import torch
from torch import nn

from exir.testing.case import Cases
from exir.testing.models import Example
from exir.torch_versions import can_export

# Each source sets `n`. The inputs are 8 floats, one integer and 8 integers.
_SOURCES = {
    "where": "n = torch.where(x > 0)[0].shape[0]",
    "masked_select": "n = torch.masked_select(x, x > 0).shape[0]",
    "item": "n = k.item(); torch._check(n >= 0); torch._check(n <= 8)",
    "repeat_interleave": "n = torch.repeat_interleave(x, r).shape[0]",
    "unique": "n = torch.unique(r).shape[0]",
    "two_masks": "n = x[x > 0].shape[0] + x[x < 0].shape[0]",
}
_USES = {
    "zeros": "return torch.zeros(n) + 1",
    "view": "return torch.ones(n, 4).view(n, 2, 2) * 2",
    "expand": "return x[:1].expand(n) + 1",
    "cat": "return torch.cat([torch.zeros(n), x])",
}
if can_export("a cond with an operand whose size depends on values"):
    _USES["cond"] = "return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (torch.zeros(n),))"


def _make_example(source: str, use: str) -> Example:
    namespace = {"torch": torch}
    exec(f"def forward(self, x, k, r):\n    {source}\n    {use}", namespace)
    module = type("Sized", (nn.Module,), {"forward": namespace["forward"]})()
    torch.manual_seed(0)
    return Example(module, (torch.randn(8), torch.tensor(3), torch.ones(8, dtype=torch.int64)))


def _all_cases() -> Cases:
    """Return cases that cover every source and every use."""
    names = {(source, "zeros") for source in _SOURCES} | {("where", use) for use in _USES}
    return {
        f"{source}_{use}": partial(_make_example, _SOURCES[source], _USES[use])
        for source, use in sorted(names)
    }


CASES = _all_cases()
