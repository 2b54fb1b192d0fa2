"""Tests which Python constructs are rejected, and which are rewritten and compile."""

import os
from pathlib import Path

import pytest

from exir.cli.conftest import Compile

_ROOT = Path(__file__).parents[3]


_LIBRARIES = [_ROOT / folder / "kernels.toml" for folder in ("kernels/portable", "runtime/prim")]


_NET = """
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {state}
    def forward(self, x):
        {first}
        return {last}

def model():
    net = Net()
    {change}
    return {returned}
"""


def _net_source(
    first: str,
    last: str,
    state: str = "pass",
    change: str = "pass",
    returned: str = "net, (torch.rand(8),)",
) -> str:
    return _NET.format(first=first, last=last, state=state, change=change, returned=returned)


_SCALE = """
import torch
@torch.library.custom_op("messages_test::scale_", mutates_args={"x"})
def scale_(x: torch.Tensor) -> None:
    x.mul_(2)
"""


_BUFFER = 'self.register_buffer("h", torch.zeros(8))'


_DYNAMIC = "__import__('exir').ModelSpec(net, (torch.rand(8),), dynamic_shapes=({0: torch.export.Dim('n', min=2, max=16)},))"


_SEQUENCE = "__import__('exir').ModelSpec(net, (torch.rand(8, 2, 4),), dynamic_shapes=({0: torch.export.Dim('n', min=1, max=16)},))"


# Models that cannot be compiled, and parts of the messages.
_REJECTED: dict[str, tuple[str, list[str]]] = {
    "growing state": (
        _net_source("self.h = torch.cat([self.h, x])", "self.h * 1", _BUFFER),
        [
            "of shape [16] is assigned to a buffer of shape [8]",
            "index_copy_",
            "app/net.py:11: self.h = torch.cat",
        ],
    ),
    "state that grows from nothing": (
        _net_source(
            "self.k = torch.cat([self.k, x[None]])",
            "self.k * 1",
            'self.register_buffer("k", torch.zeros(0, 8))',
        ),
        ["of shape [1, 8] is assigned to a buffer of shape [0, 8]", "app/net.py:11: self.k"],
    ),
    "sparse buffer": (
        _net_source(
            "pass", "torch.mv(self.a, x)", 'self.register_buffer("a", torch.eye(8).to_sparse())'
        ),
        ["'a' is a sparse tensor (torch.sparse_coo)", "to_dense()"],
    ),
    "compressed buffer": (
        _net_source("pass", "self.a @ x", 'self.register_buffer("a", torch.eye(8).to_sparse_csr())'),
        ["'a' is a sparse tensor (torch.sparse_csr)", "to_dense()"],
    ),
    "sparse value": (
        _net_source(
            "y = torch.sparse_coo_tensor(torch.ones(2, 1).long(), torch.ones(1), (8, 8))",
            "torch.mv(y, x)",
        ),
        ["is a sparse tensor (torch.sparse_coo)", "app/net.py:11: y = torch.sparse_coo_tensor"],
    ),
    "batch norm of its batch": (
        _net_source(
            "y = F.batch_norm(x.reshape(1, 2, 4), self.h[:2], self.h[2:4], training=True)", "y", _BUFFER
        ),
        ["training=False to F.batch_norm", "app/net.py:11: y = F.batch_norm"],
    ),
    "Python's assertion": (
        _net_source("assert (x > -9).all()", "x * 2"),
        ["use torch._assert, or remove it", "app/net.py:11: assert"],
    ),
    "slice at a position": (
        _net_source(
            "self.h[self.at : self.at + 1] = x[:1]",
            "self.h * 1",
            _BUFFER + "; self.at = nn.Buffer(torch.tensor(0))",
        ),
        ["an index depends on data; write with index_copy_", "app/net.py:11: self.h[self.at"],
    ),
    "scripted submodule": (
        _net_source("pass", "self.s(x)", "self.s = torch.jit.script(nn.Linear(8, 4))"),
        ["app/net.py:9: module 's' is compiled by torch.jit.script", "which torch.export cannot trace"],
    ),
    "scripted submodule of containers": (
        _net_source(
            "pass",
            "self.s(x)",
            "self.s = nn.Sequential(nn.ReLU(), nn.Sequential(torch.jit.script(nn.Linear(8, 4))))",
        ),
        ["app/net.py:9: module 's.1.0' is compiled by torch.jit.script"],
    ),
    "scripted class": (
        _net_source("pass", "x * 2", returned="torch.jit.script(net), (torch.rand(8),)"),
        ["app/net.py:12: the model is compiled by torch.jit.script"],
    ),
    "converted submodule": (
        _net_source(
            "pass",
            "self.s(x[None])",
            "self.s = nn.Linear(8, 4); self.qconfig = torch.ao.quantization.default_qconfig",
            change="torch.ao.quantization.prepare(net, inplace=True)(torch.rand(8))"
            "; torch.ao.quantization.convert(net, inplace=True)",
        ),
        ["app/net.py:9: module 's' is quantized in eager mode", "docs/how_to/quantize_a_model.md"],
    ),
    "state in a plain attribute": (
        _net_source(
            "self.k = x if self.k is None else torch.cat([self.k, x])",
            "self.k.sum()",
            "self.k = None",
        ),
        ["app/net.py:11: the plain attribute 'k'", "register_buffer('k', ...)", "return it"],
    ),
    "state in a list of a submodule": (
        _net_source(
            "pass",
            "self.s(x)",
            "self.s = nn.Sequential(Sums())",
        )
        + """
class Sums(nn.Module):
    def __init__(self):
        super().__init__()
        self.past = []

    def forward(self, x):
        self.past.append(x)
        return sum(self.past)
""",
        ["app/net.py:25: the plain attribute 's.0.past'"],
    ),
    "scripted model": (
        _net_source("pass", "x * 2", returned="torch.jit.script(nn.Linear(8, 4)), (torch.rand(8),)"),
        ["the model is compiled by torch.jit.script"],
    ),
    "submodule quantized in eager mode": (
        _net_source(
            "pass",
            "self.s(x[None])",
            "self.s = nn.Linear(8, 4)",
            change="net = torch.ao.quantization.quantize_dynamic(net, {nn.Linear})",
        ),
        ["app/net.py:9: module 's' is quantized in eager mode", "docs/how_to/quantize_a_model.md"],
    ),
    "quantized buffer": (
        _net_source(
            "pass",
            "x + self.q.dequantize()",
            'self.register_buffer("q", torch.quantize_per_tensor(torch.ones(8), 0.1, 0, torch.qint8))',
        ),
        ["app/net.py:9: 'q' is a quantized tensor (torch.qint8)", "docs/how_to/quantize_a_model.md"],
    ),
    "custom operator that writes": (
        _SCALE + _net_source("y = x.clone(); torch.ops.messages_test.scale_(y)", "y"),
        [
            "messages_test.scale_.default writes to its argument 'x'",
            "mutates_args=()",
            "net.py:16: y = x.clone()",
        ],
    ),
    "dimension that a line fixes": (
        _net_source("y = x.reshape(2, 4)", "y * 2", returned=_DYNAMIC),
        [
            "Constraints violated (n)",
            "change these lines so that they hold for all sizes",
            "app/net.py:11: y = x.reshape(2, 4)",
        ],
    ),
    **{
        f"loop over a dynamic length: {loop}": (
            _net_source(loop, "y", "self.cell = nn.GRUCell(4, 4)", returned=_SEQUENCE),
            ["Constraints violated (n)", f"app/net.py:11: {loop}", "use nn.LSTM, nn.GRU or nn.RNN"],
        )
        for loop in [
            "for row in x: y = self.cell(row)",
            "for row in x.unbind(0): y = self.cell(row)",
            "for t in range(x.shape[0]): y = self.cell(x[t])",
            "y = torch.stack([self.cell(x[t]) for t in range(x.size(0))])",
        ]
    },
    "packed sequence": (
        _net_source(
            "y = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([8, 5]))",
            "self.layer(y)[0].data",
            "self.layer = nn.LSTM(4, 4)",
            returned=_SEQUENCE,
        ),
        [
            "nn.LSTM receives a PackedSequence",
            "docs/how_to/use_dynamic_inputs.md",
            "app/net.py:12: return self.layer(y)",
        ],
    ),
    "dimension that a branch bounds": (
        _net_source("y = x * 2 if x.shape[0] > 4 else x", "y * 2", returned=_DYNAMIC),
        ["n = Dim('n', min=5, max=16)", "app/net.py:11: y = x * 2 if"],
    ),
    "operator without a kernel": (
        _net_source("y = torch.linalg.eigvals(x.reshape(2, 2, 2))", "y.real"),
        [
            "aten.linalg_eig.default, called on float32,",
            "torch.linalg.eigh",
            "app/net.py:11: y = torch.linalg",
        ],
    ),
    "counts without a bound": (
        _net_source("y = torch.bincount(x.long())", "y * 2"),
        ["torch.bincount(x, minlength=n)[:n]", "app/net.py:11: y = torch.bincount"],
    ),
}


# Models with constructs that torch.export alone does not accept.
_REWRITTEN = {
    "data of state": _net_source("self.h.data.copy_(x)", "self.h * 2", _BUFFER),
    "data that is added to": _net_source("self.h.data += x", "self.h * 2", _BUFFER),
    "position without dimensions": _net_source(
        "self.h[self.at] = x[0]; self.at.add_(1)",
        "self.h * 1",
        _BUFFER + "; self.at = nn.Buffer(torch.tensor(0))",
    ),
    "assertion on values": _net_source("torch._assert((x > -9).all(), 'range')", "x * 2"),
    "traced submodule": _net_source(
        "pass", "self.s(x)", "self.s = torch.jit.trace(nn.Linear(8, 4), torch.rand(8))"
    ),
}


@pytest.mark.parametrize("name", _REJECTED)
def test_refusal_names_line_problem_and_remedy(
    compile_source: Compile, tmp_path: Path, name: str
) -> None:
    source, expected = _REJECTED[name]
    outcome = compile_source(source, *(f"--kernels={table}" for table in _LIBRARIES))
    assert outcome.exit_code == 1, outcome.output
    assert outcome.output.startswith("error: //app:net_pte: ")
    for part in expected:
        assert part in outcome.output
    assert "internal error" not in outcome.output and "Traceback" not in outcome.output
    assert os.listdir(tmp_path / "out") == []


@pytest.mark.parametrize("name", _REWRITTEN)
def test_rewritable_construct_compiles(compile_source: Compile, name: str) -> None:
    outcome = compile_source(_REWRITTEN[name], *(f"--kernels={table}" for table in _LIBRARIES))
    assert outcome.exit_code == 0, outcome.output
