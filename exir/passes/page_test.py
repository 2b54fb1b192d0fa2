"""Tests that the examples of docs/how_to/add_a_pass.md run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch

from exir.graph.program_bundle import CompilationContext
from exir.program import to_edge
from exir.testing.graphs import calls

_NEGATION = "edge.aten.neg.default"


class _TwiceNegated(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(600, 600)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(torch.neg(torch.neg(x)))


def _page_definitions() -> list[dict[str, Any]]:
    """Return the definitions of each example of the page."""
    page = Path("docs/how_to/add_a_pass.md").read_text(encoding="utf-8")
    found = []
    for example in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        # A dataclass looks up its module by this name.
        names: dict[str, Any] = {"__name__": __name__}
        exec(compile(example, "add_a_pass.md", "exec"), names)
        found.append(names)
    return found


def test_method_and_program_passes_of_the_page_run_in_one_list() -> None:
    first, second = _page_definitions()
    context = CompilationContext()
    edge = to_edge(torch.export.export(_TwiceNegated(), (torch.randn(1, 600),)), context=context)
    assert [str(node.target) for node in calls(edge.exported_program())].count(_NEGATION) == 2
    edge = edge.transform([first["RemoveDoubleNegation"](), second["NameLargeConstants"]()])
    assert _NEGATION not in [str(node.target) for node in calls(edge.exported_program())]
    assert context.diagnostics.messages == ["forward: linear.weight has 1440000 bytes"]
