"""Tests that messages about the user's module name the user's lines."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from exir.cli.arguments import parse_arguments
from exir.cli.loading.import_roots import use_import_roots
from exir.cli.loading.load_model import load_model
from exir.error import ModelError
from exir.model.spec import ModelSpec


@pytest.fixture(autouse=True)
def _modules_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = dict(sys.modules)
    yield
    for name in sys.modules.keys() - before.keys():
        del sys.modules[name]


def _load_source(
    folder: Path,
    source: str,
    entry_point: str = "model",
    module: str = "app.net",
    weights: Path | None = None,
    entry_point_args: str = "{}",
) -> ModelSpec:
    path = folder / "app" / "net.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)
    arguments = parse_arguments(
        [
            "--target=//app:net_pte",
            f"--module={module}",
            f"--module-file={path}",
            f"--import-root={folder}",
            f"--import-root={folder / 'of' / 'another' / 'library'}",
            f"--entry-point={entry_point}",
            f"--entry-point-args={entry_point_args}",
            "--out-pte=net.pte",
            *([] if weights is None else [f"--weights={weights}"]),
        ]
    )
    use_import_roots(arguments.import_roots)
    return load_model(arguments)


def _load_error(folder: Path, source: str, **options: Any) -> str:
    with pytest.raises(ModelError) as caught:
        _load_source(folder, source, **options)
    return str(caught.value)


_GOOD = """
import torch

def model():
    return torch.nn.Linear(2, 3), (torch.randn(1, 2),)
"""


def test_model_is_initialized_from_the_fixed_seed(tmp_path: Path) -> None:
    first = _load_source(tmp_path, _GOOD)
    del sys.modules["app.net"]
    torch.randn(5)
    second = _load_source(tmp_path, _GOOD)
    assert torch.equal(first.module.weight, second.module.weight)
    assert first.example_args is not None and second.example_args is not None
    assert torch.equal(first.example_args[0], second.example_args[0])


def test_entry_point_receives_its_arguments(tmp_path: Path) -> None:
    source = _GOOD.replace("model()", "model(wide, deep=1)").replace("2, 3", "2, wide + deep")
    spec = _load_source(tmp_path, source, entry_point_args='{"wide": 7, "deep": 3}')
    assert spec.module.weight.shape == (10, 2)


def test_unknown_entry_point_argument_is_named(tmp_path: Path) -> None:
    message = _load_error(
        tmp_path, _GOOD.replace("model()", "model(wide=3)"), entry_point_args='{"width": 7}'
    )
    assert "'entry_point_args' has 'width'" in message
    assert "its parameters: wide\n    app/net.py:" in message


def test_weights_drawn_at_import_are_deterministic(tmp_path: Path) -> None:
    source = _GOOD.replace("def model", "_X = torch.randn(1, 2)\ndef model").replace(
        "(torch.randn(1, 2),)", "(_X,)"
    )
    first = _load_source(tmp_path, source)
    del sys.modules["app.net"]
    second = _load_source(tmp_path, source)
    assert first.example_args is not None and second.example_args is not None
    assert torch.equal(first.example_args[0], second.example_args[0])


def test_bytecode_is_not_written_next_to_the_source(tmp_path: Path) -> None:
    _load_source(tmp_path, _GOOD)
    assert not list(tmp_path.rglob("__pycache__"))


def test_an_exception_at_import_is_shown_with_its_line(tmp_path: Path) -> None:
    message = _load_error(tmp_path, "import torch\nx = 1\ny = x + undefined\n")
    assert message == (
        "module 'app.net' cannot be imported: NameError: name 'undefined' is not defined\n"
        "    app/net.py:3: y = x + undefined"
    )


def test_operator_library_for_another_torch_is_explained(tmp_path: Path) -> None:
    """An example is torchvision from the default index with the CPU build of torch."""
    message = _load_error(tmp_path, "import torch\ntorch.library.register_fake('nowhere::nms')(abs)\n")
    assert "RuntimeError: operator nowhere::nms does not exist\n    app/net.py:2: " in message
    assert message.endswith(
        "\n    the library with the operators of 'nowhere' was not loaded; if it is in a package, lock the package's build"
        f" for torch {torch.__version__}"
    )


def test_a_syntax_error_is_shown_with_its_line(tmp_path: Path) -> None:
    message = _load_error(tmp_path, "import torch\ndef model(:\n")
    assert "SyntaxError: " in message
    assert message.endswith("app/net.py:2: def model(:")


def test_an_exit_at_import_is_an_error(tmp_path: Path) -> None:
    assert "SystemExit: 0" in _load_error(tmp_path, "raise SystemExit(0)\n")


def test_missing_dependency_message_states_where_to_add_it(tmp_path: Path) -> None:
    message = _load_error(tmp_path, "import left_out.thing\n")
    assert "app/net.py:1: import left_out.thing" in message
    assert "add the library that provides 'left_out' to 'deps'" in message


def test_missing_module_is_named(tmp_path: Path) -> None:
    message = _load_error(tmp_path, _GOOD, module="app.nett")
    assert message.startswith("module 'app.nett' was not found; searched: ")


def test_module_name_used_by_the_compiler_is_refused(tmp_path: Path) -> None:
    assert "the compiler or an earlier import root" in _load_error(tmp_path, _GOOD, module="exir.error")


def test_missing_entry_point_lists_those_that_exist(tmp_path: Path) -> None:
    source = _GOOD + "def _private(): pass\ndef mobilenet(): pass\n"
    message = _load_error(tmp_path, source, entry_point="mobilenett")
    assert message == (
        "module 'app.net' has no entry point 'mobilenett'; its functions: mobilenet, model; did you mean"
        " 'mobilenet'?"
    )


@pytest.mark.parametrize(
    "source, expected",
    [
        ("model = 3", "'model' in module 'app.net' is a int, not a function"),
        (
            "def model(size): pass",
            "has required parameters: size; pass them in 'entry_point_args'; 'weights', the weights file, is passed automatically\n    app/net.py:1: def model",
        ),
        ("def model(): return 3", "entry point 'model' must return (module, example_inputs) or an"),
        ("def model(): return 3, ()", "'module' must be a torch.nn.Module, got a int"),
        (
            "def model():\n    raise ValueError('no data')",
            "failed: ValueError: no data\n    app/net.py:2: raise",
        ),
    ],
)
def test_invalid_entry_point_is_refused(tmp_path: Path, source: str, expected: str) -> None:
    message = _load_error(tmp_path, source)
    assert expected in message
    assert "app/net.py" in message or "is a int, not a function" in message


def test_library_and_compiler_frames_are_omitted(tmp_path: Path) -> None:
    source = "import torch\ndef model():\n    torch.ones(2) @ torch.ones(3)\n"
    message = _load_error(tmp_path, source)
    assert [line.strip() for line in message.splitlines()[1:]] == [
        "app/net.py:3: torch.ones(2) @ torch.ones(3)"
    ]


_BY_WEIGHTS = """
import torch, exir

def renamed(tensors):
    return {name.removeprefix("layer."): tensor for name, tensor in tensors.items()}

def model(weights):
    size = int(weights.metadata["size"])
    return exir.ModelSpec(torch.nn.Linear(size, 3), (torch.randn(1, size),), map_weights=renamed)
"""


def test_weights_file_builds_the_model(tmp_path: Path) -> None:
    tensors = {"layer.weight": torch.ones(3, 5), "layer.bias": torch.zeros(3)}
    save_file(tensors, tmp_path / "w.safetensors", {"size": "5"})
    spec = _load_source(tmp_path, _BY_WEIGHTS, weights=tmp_path / "w.safetensors")
    assert torch.equal(spec.module.weight, torch.ones(3, 5))


def test_missing_weights_file_is_explained(tmp_path: Path) -> None:
    message = _load_error(tmp_path, _BY_WEIGHTS)
    assert message == (
        "entry point 'model' needs a weights file; set the attribute 'weights'\n"
        "    app/net.py:7: def model"
    )


@pytest.mark.parametrize(
    "body, expected",
    [
        (
            "return 3",
            "'map_weights' must return a mapping from names to tensors\n    app/net.py:4: def renamed",
        ),
        (
            "return tensors['gone']",
            "'map_weights' failed: KeyError: 'gone'\n    app/net.py:5: return tensors['gone']",
        ),
    ],
)
def test_invalid_weight_map_is_refused(tmp_path: Path, body: str, expected: str) -> None:
    save_file({"w": torch.ones(1)}, tmp_path / "w.safetensors", {"size": "5"})
    source = _BY_WEIGHTS.replace(
        'return {name.removeprefix("layer."): tensor for name, tensor in tensors.items()}', body
    )
    assert expected in _load_error(tmp_path, source, weights=tmp_path / "w.safetensors")


def test_download_without_a_network_is_explained_with_its_line(tmp_path: Path) -> None:
    source = """\
def model():
    try:
        raise LookupError("the hub is offline: HF_HUB_OFFLINE=1")
    except LookupError:
        raise OSError("cannot load the weights") from None
"""
    message = _load_error(tmp_path, source)
    assert "OSError: cannot load the weights\n    app/net.py:5: raise OSError" in message
    assert "create the model without weights" in message
