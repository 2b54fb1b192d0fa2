"""Tests that `provide` lets torchvision be imported without its library."""

import subprocess
import sys
from pathlib import Path

_PACKAGE = {
    "__init__.py": """\
import torch
from torchvision import extension
torch.library.register_fake("torchvision::nms")(lambda dets, scores, iou_threshold: dets.new_empty(0, dtype=torch.long))
extension._assert_has_ops()
""",
    "extension.py": """\
def _has_ops():
    return False

def _assert_has_ops():
    pass
""",
    "_C.so": "no library\n",
}

_USE = """\
import torch, torchvision
from torchvision import extension
boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [3.0, 3.0, 4.0, 4.0]])
kept = torch.ops.torchvision.nms(boxes, torch.tensor([0.5, 0.9, 0.1]), 0.5)
assert kept.tolist() == [1, 2], kept
pooled = torch.ops.torchvision.roi_align(torch.ones(1, 1, 4, 4), torch.tensor([[0.0, 0.0, 0.0, 2.0, 2.0]]), 1.0, 2, 2, 1, True)
assert pooled.shape == (1, 1, 2, 2)
assert extension._has_ops()
"""


def _run_python(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    package = folder / "torchvision"
    package.mkdir(exist_ok=True)
    for name, text in _PACKAGE.items():
        (package / name).write_text(text)
    path = repr([str(folder), *sys.path])
    command = [sys.executable, "-c", f"import sys\nsys.path[:] = {path}\n{code}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_torchvision_operators_need_the_import(tmp_path: Path) -> None:
    result = _run_python(tmp_path, "import torchvision")
    assert "operator torchvision::nms does not exist" in result.stderr


def test_torchvision_operators_are_registered(tmp_path: Path) -> None:
    result = _run_python(
        tmp_path,
        "from exir.dialects import torchvision_operators as t\nt.provide()\nt.provide()\n" + _USE,
    )
    assert result.returncode == 0, result.stderr


def test_torchvision_operators_may_be_registered_after_the_compiler(tmp_path: Path) -> None:
    code = (
        "import exir.dialects.out_variant\nfrom exir.dialects import torchvision_operators as t\nt.provide()\n"
        + _USE
    )
    result = _run_python(tmp_path, code)
    assert result.returncode == 0, result.stderr


def test_missing_torchvision_defines_no_operators() -> None:
    code = "import torch\nfrom exir.dialects import torchvision_operators as t\nt.provide()\nassert t._KEPT == []"
    result = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path[:] = {sys.path!r}\n{code}"], check=False
    )
    assert result.returncode == 0
