"""Tests that bad input gives one message and an exit code, and writes no file."""

import os
from pathlib import Path

import pytest

from exir.cli.conftest import Compile
from exir.torch_versions import can_export

_ROOT = Path(__file__).parents[3]
_LIBRARIES = [_ROOT / folder / "kernels.toml" for folder in ("kernels/portable", "runtime/prim")]

_LINEAR = """
import torch

def model():
    return torch.nn.Linear(2, 3), (torch.randn(1, 2),)
"""

_CUMSUM = """
import torch

class Cumsum(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        return torch.cumsum(y, 0), torch.flip(y, (0,))

def model():
    return Cumsum(), (torch.rand(3),)
"""

_WRONG_EXAMPLE = """
import torch

def model():
    return torch.nn.Linear(4, 3), (torch.randn(1, 5),)
"""

_WRONG_LAYER = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(4, 3)
    def forward(self, x):
        return self.head(x)

def model():
    return Net(), (torch.randn(1, 5),)
"""

_UNTRACEABLE = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_exporting():
            raise RuntimeError("no export")
        return x

def model():
    return Net(), (torch.randn(1, 5),)
"""

_BRANCH = """
import torch

class Branch(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x

def model():
    return Branch(), (torch.rand(3),)
"""

_DERIVATIVE = """
import torch

class Derivative(torch.nn.Module):
    def forward(self, x):
        def energy(y):
            return ({term}).sum(){factor}
        return torch.func.{function}(energy)(x)

def model():
    return Derivative(), (torch.rand(3),)
"""
# Without this support, `torch.export` reports an internal error.
_DERIVATIVE_PARTS = (
    [
        "computes a derivative: torch.export does not record torch.func.grad",
        "torch.func.jvp",
        "app/net.py:8: return torch.func",
    ]
    if can_export("torch.func.grad and torch.func.jvp")
    else ["cannot be exported"]
)
_ENERGY = """
import torch

class Energy(torch.nn.Module):
    def forward(self, x):
        x = x.detach().requires_grad_()
        with torch.enable_grad():
            energy = torch.tanh(x).sum()
        return torch.autograd.grad(energy, x)

def model():
    return Energy(), (torch.rand(3),)
"""

_DOUBLE = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def model():
    return Net(), (torch.rand(3).double(),)
"""

_CHANNELS_LAST = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        y = x.to(memory_format=torch.channels_last)
        return torch.nn.functional.layer_norm(y, (3, 5))

def model():
    return Net(), (torch.rand(1, 2, 3, 5),)
"""

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
_REFUSED: dict[str, tuple[str, list[str]]] = {
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
_TAKEN = {
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

_ONE_KERNEL = """
[dtypes]
float = ["float32"]

[[kernel]]
operator = "aten::{name}.out"
symbol = "et_op_{name}_out"
file = "op_{name}.c"
dtypes = "float"
"""


def _message_lines(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize(
    "source, flags, expected",
    [
        ("x = undefined\n", [], ["cannot be imported: NameError", "app/net.py:1: x = undefined"]),
        (_LINEAR, ["--entry-point=modle"], ["has no entry point 'modle'", "did you mean 'model'?"]),
        ("def model(): return 3\n", [], ["must return (module, example_inputs)", "app/net.py:1"]),
        (_LINEAR, ['--config-json={"edge": {"skip": 1}}'], ["config: [edge]: unknown key 'skip'"]),
        (_LINEAR, ["--weights=nowhere.safetensors"], ["nowhere.safetensors: cannot be read as weights"]),
        (_LINEAR, ["--backend=backends.nowhere:B"], ["module 'backends.nowhere' was not found"]),
        (_LINEAR, ["--operators=nowhere.toml"], ["--operators: nowhere.toml"]),
        (_LINEAR, ["--kernels=nowhere.toml"], ["--kernels: nowhere.toml"]),
        (
            _WRONG_EXAMPLE,
            [],
            [
                "cannot be exported: RuntimeError",
                "app/net.py:4: def model",
                "in the model: Linear(in_features=4, out_features=3, bias=True)",
                "example inputs: float32[1, 5]; eager PyTorch fails with them too; correct",
            ],
        ),
        (
            _WRONG_LAYER,
            [],
            [
                "app/net.py:9: return self.head(x)",
                "in 'head' of app/net.py:7: Linear(in_features=4, out_features=3, bias=True)",
                "example inputs: float32[1, 5]; eager PyTorch fails with them too; correct",
            ],
        ),
        (
            _UNTRACEABLE,
            [],
            ["app/net.py:7: raise RuntimeError", "eager PyTorch accepts them; rewrite the code"],
        ),
        (_BRANCH, [], ["cannot be exported", "app/net.py:6: if x.sum() > 0:", "use torch.where"]),
        *[
            (
                _DERIVATIVE.format(term=term, factor=factor, function=function),
                [],
                _DERIVATIVE_PARTS,
            )
            for term, factor, function in [
                ("y ** 2", "", "grad"),
                ("torch.sin(y)", " * 2", "grad"),
                ("y ** 3", "", "jacrev"),
                ("y ** 3", "", "hessian"),
            ]
        ],
        (_ENERGY, [], ["cannot be exported", "computes a derivative", "torch.func.jvp"]),
    ],
)
def test_user_error_is_one_message(
    compile_source: Compile, tmp_path: Path, source: str, flags: list[str], expected: list[str]
) -> None:
    outcome = compile_source(source, *flags)
    assert outcome.exit_code == 1
    assert outcome.output.startswith("error: //app:net_pte: ")
    for part in expected:
        assert part in outcome.output
    assert "Traceback" not in outcome.output and "exir/" not in outcome.output
    assert len(_message_lines(outcome.output)) <= 8
    assert os.listdir(tmp_path / "out") == []


@pytest.mark.parametrize("name", _REFUSED)
def test_refusal_names_line_problem_and_remedy(
    compile_source: Compile, tmp_path: Path, name: str
) -> None:
    source, expected = _REFUSED[name]
    outcome = compile_source(source, *(f"--kernels={table}" for table in _LIBRARIES))
    assert outcome.exit_code == 1, outcome.output
    assert outcome.output.startswith("error: //app:net_pte: ")
    for part in expected:
        assert part in outcome.output
    assert "internal error" not in outcome.output and "Traceback" not in outcome.output
    assert os.listdir(tmp_path / "out") == []


@pytest.mark.parametrize("name", _TAKEN)
def test_rewritable_construct_compiles(compile_source: Compile, name: str) -> None:
    outcome = compile_source(_TAKEN[name], *(f"--kernels={table}" for table in _LIBRARIES))
    assert outcome.exit_code == 0, outcome.output


def test_every_operator_without_a_kernel_is_named_with_its_line(
    compile_source: Compile, tmp_path: Path
) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="add"))
    outcome = compile_source(_CUMSUM, f"--kernels={table}")
    assert outcome.exit_code == 1
    assert "aten::cumsum.out on float32, float32: no kernel (app/net.py:7)" in outcome.output
    assert "aten::flip.out on float32, float32: no kernel (app/net.py:7)" in outcome.output
    assert "aten::add" not in outcome.output
    assert os.listdir(tmp_path / "out") == []


def test_first_ten_operators_without_a_kernel_are_named(compile_source: Compile, tmp_path: Path) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="add"))
    layer = "        y = torch.cumsum(y, 0)\n"
    source = _CUMSUM.replace("        return", 12 * layer + "        return")
    output = compile_source(source, f"--kernels={table}").output
    assert output.count("no kernel (app/net.py:") == 10
    assert "\n    and 4 more\n" in output


@pytest.mark.parametrize(
    ("rule", "cast", "message"),
    [
        ("", ".double()", "float64 for 'self' and 'out'; supported: float32 (app/net.py:6)"),
        ("ranks = [2, 3]\n", "", "1 dimensions for 'self' and 'out'; supported: 2 to 3 (app/net.py:6)"),
        (
            'layout = "channels_last"\n',
            "",
            "dim order (0) for 'self' and 'out'; supported: tensors with channels last",
        ),
    ],
    ids=["dtype", "rank", "layout"],
)
def test_a_tensor_without_a_kernel_is_named(
    compile_source: Compile, tmp_path: Path, rule: str, cast: str, message: str
) -> None:
    table = tmp_path / "kernels.toml"
    table.write_text(_ONE_KERNEL.format(name="relu") + rule)
    outcome = compile_source(_DOUBLE.replace(".double()", cast), f"--kernels={table}")
    assert outcome.exit_code == 1
    assert f"aten::relu.out: no kernel supports {message}" in outcome.output


def test_tensor_is_copied_to_the_kernels_layout(compile_source: Compile) -> None:
    outcome = compile_source(_CHANNELS_LAST, *(f"--kernels={table}" for table in _LIBRARIES))
    assert (outcome.exit_code, outcome.output) == (0, "")


def test_portable_kernels_suffice_for_a_linear_model(compile_source: Compile) -> None:
    outcome = compile_source(_LINEAR, *(f"--kernels={table}" for table in _LIBRARIES))
    assert (outcome.exit_code, outcome.output) == (0, "")


def test_traceback_is_printed_on_request(compile_source: Compile) -> None:
    outcome = compile_source("x = undefined\n", "--traceback")
    assert outcome.exit_code == 1
    assert "Traceback (most recent call last)" in outcome.output
    assert "\nerror: //app:net_pte: module 'app.net' cannot be imported" in outcome.output


def test_internal_error_has_a_traceback(
    compile_source: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise ZeroDivisionError("our mistake")

    monkeypatch.setattr("exir.cli.one_shot.lower_programs", fail)
    outcome = compile_source(_LINEAR)
    assert outcome.exit_code == 2
    assert "Traceback" in outcome.output
    assert "internal error: //app:net_pte: ZeroDivisionError: our mistake" in outcome.output
    assert os.listdir(tmp_path / "out") == []


def test_model_output_is_printed(compile_source: Compile) -> None:
    assert compile_source(_LINEAR + "\nprint('loading')\n").output == "loading\n"
