"""Tests error messages after mistakes in a BUILD file or a model.

Each mistake causes one message that states the place, the problem and the remedy.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outside_workspace.scratch_workspace import Build, Workspace, new_workspace

_BUILD = """\
load("@rules_executorch//rules:defs.bzl", "executorch_cc_library", "executorch_model", "executorch_parity_test", "executorch_report")
load("@rules_python//python:py_library.bzl", "py_library")

py_library(name = "net", srcs = ["net.py"])
executorch_model(name = "net_pte", module = ":net", {attributes})
"""

_GOOD_MODEL = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def model():
    return Net(), (torch.ones(4),)
"""

# A file next to the model that its target does not list, read in two ways.
_READ_BESIDE = _GOOD_MODEL.replace(
    "def model():", "def model():\n    open(__file__.replace('net.py', 'words.txt')).read()"
)
_READ_FROM_ROOT = _GOOD_MODEL.replace("def model():", "def model():\n    open('words.txt').read()")

_DOWNLOADS = _GOOD_MODEL.replace(
    "def model():",
    "def model():\n    torch.hub.load_state_dict_from_url('https://download.pytorch.org/models/net.pth')",
)

_EXITS = _GOOD_MODEL.replace("def model():", "def model():\n    __import__('os')._exit(3)")
_HANGS = _GOOD_MODEL.replace("def model():", "def model():\n    __import__('time').sleep(600)")

_UNKNOWN_OPERATOR = _GOOD_MODEL.replace("torch.relu(x)", "torch.linalg.ldl_factor(torch.eye(4) + x).LD")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    scratch = new_workspace(tmp_path_factory)
    scratch.write("words.txt", "one two\n")
    scratch.write("other.py", "")
    yield scratch
    scratch.shutdown()


def _build_model(workspace: Workspace, attributes: str = "", model: str = _GOOD_MODEL) -> Build:
    workspace.write("BUILD.bazel", _BUILD.format(attributes=attributes))
    workspace.write("net.py", model)
    return workspace.build("//:net_pte")


def _output_files(workspace: Workspace) -> list[Path]:
    """Return the model's files, without dangling links to an earlier program."""
    return [path for path in workspace.folder.glob("bazel-bin/net.*") if path.exists()]


def test_valid_model_builds(workspace: Workspace) -> None:
    build = _build_model(workspace)
    assert build.exit_code == 0, build.stderr
    assert [path.name for path in sorted(_output_files(workspace))] == ["net.manifest.json", "net.pte"]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('entry_point = "2x"', "'entry_point' must be a Python identifier, got '2x'"),
        ("memory_gb = 3", "invalid value in 'memory_gb' attribute"),
        ("timeout = 0", "'timeout' must be a number of seconds, at least 1, got 0"),
        (
            'prefix = "new-net"',
            "'prefix' must start with a letter and consist of letters, digits and single '_', got 'new-net'",
        ),
        ('weights = "net.py"', "'//:net.py' does not produce any executorch_model weights files"),
        (
            'backends = ["//:b"]',
            "executorch_model(name = 'net_pte'): unknown attribute 'backends'; pass the list to 'backend'",
        ),
        ("backend = []", "'backend' is an empty list; omit it to use only kernels"),
        (
            'backend = "cpu"',
            "executorch_model(name = 'net_pte'): 'backend' takes the label of an executorch_backend, got the name 'cpu';"
            ' write "@rules_executorch//backends/cpu"',
        ),
        ('backend = ["XNNPACK"]', "got the name 'XNNPACK'; write \"@rules_executorch//backends/xnnpack\""),
        (
            'config = {"nonsense": {}}',
            "executorch_model(name = 'net_pte'): unknown section 'nonsense'; valid sections: edge,",
        ),
        (
            'config = {"quantization": "int8_static"}',
            "section 'quantization' must be a dict, got \"int8_static\"; its keys are: recipe, exclude,",
        ),
        (
            'config = {"executorch": {"fuse": True}}',
            "executorch_model(name = 'net_pte'): section 'executorch': unknown key 'fuse'; valid keys: emit_stacktrace,",
        ),
        (
            'config = {"executorch": {"segment_alignment": "64"}}',
            "section 'executorch': 'segment_alignment' must be of type int, got \"64\"",
        ),
        (
            'allow_fallback = ["exp"]',
            "'allow_fallback' has \"exp\"; write operators as 'aten::exp', or 'aten::exp.out'",
        ),
        ('config = {"executorch": {}}, config_json = "{}"', "'config' and 'config_json' are both set; remove one"),
    ],
)
def test_invalid_attribute_fails_in_analysis(workspace: Workspace, attributes: str, message: str) -> None:
    build = _build_model(workspace, attributes)
    assert build.exit_code != 0
    assert build.mnemonics == ()
    assert message in build.stderr.replace("'@@//", "'//")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            'atol = "small"',
            "executorch_parity_test(name = 'net_test'): 'atol' must be a number, at least 0, got \"small\"",
        ),
        (
            "output_atol = [1]",
            "executorch_parity_test(name = 'net_test'): 'output_atol' must be a dict from the number of an output to a number, got [1]",
        ),
        ("min_sqnr = -1", "executorch_parity_test(name = 'net_test'): 'min_sqnr' must be a number, at least 0, got -1"),
    ],
)
def test_invalid_test_argument_fails_while_loading(workspace: Workspace, argument: str, message: str) -> None:
    test = f'executorch_parity_test(name = "net_test", model = ":net_pte", {argument})\n'
    workspace.write("BUILD.bazel", _BUILD.format(attributes="") + test)
    build = workspace.build("//:net_pte")
    assert build.exit_code != 0
    assert message in build.stderr


@pytest.mark.parametrize(
    ("macro", "message"),
    [
        ("executorch_model", "'module' is missing; specify the py_library that defines the model"),
        ("executorch_models", "'module' is missing; specify the py_library that defines the model"),
        ("executorch_import", "'pte' is missing; specify the .pte file of the program"),
        ("executorch_cc_library", "'model' is missing; set either 'model' or 'models'"),
        ("executorch_parity_test", "'model' is missing; specify the executorch_model to test"),
        ("executorch_budget_test", "'model' is missing; specify the model to measure"),
        ("executorch_compat_test", "'pte' is missing; specify the .pte file of the program"),
        ("executorch_report", "'targets' is missing; specify a list of models, or of targets that depend on models"),
    ],
)
def test_missing_macro_argument_is_named(workspace: Workspace, macro: str, message: str) -> None:
    workspace.write("BUILD.bazel", f'load("@rules_executorch//rules:defs.bzl", "{macro}")\n\n{macro}(name = "it")\n')
    build = workspace.build("--nobuild", "//:all")
    assert build.exit_code != 0
    assert f"{macro}(name = 'it'): {message}" in build.stderr


@pytest.mark.parametrize("macro", ["executorch_cc_library", "executorch_shared_library"])
@pytest.mark.parametrize(("argument", "item"), [("embed = False", "program"), ('weights = "borrow"', "weights")])
def test_replaced_library_attribute_names_the_new_one(
    workspace: Workspace, macro: str, argument: str, item: str
) -> None:
    call = f'{macro}(name = "it", model = ":net_pte", {argument})\n'
    workspace.write("BUILD.bazel", f'load("@rules_executorch//rules:defs.bzl", "{macro}")\n\n{call}')
    build = workspace.build("--nobuild", "//:all")
    assert build.exit_code != 0
    old = argument.split(maxsplit=1)[0]
    assert f"{macro}(name = 'it'): unknown attribute '{old}'; set borrow = [\"{item}\"]" in build.stderr


@pytest.mark.parametrize("macro", ["executorch_cc_library", "executorch_shared_library"])
def test_unknown_memory_policy_lists_the_policies(workspace: Workspace, macro: str) -> None:
    library = _BUILD.format(attributes="").replace("executorch_cc_library", macro)
    library += f'{macro}(name = "it", cpp_memory = "stack", model = ":net_pte")\n'
    workspace.write("BUILD.bazel", library)
    build = workspace.build("--nobuild", "//:it")
    assert build.exit_code != 0
    assert "//:it: 'cpp_memory' is 'stack'; set one of: any, caller, heap, static" in build.stderr


@pytest.mark.parametrize("argument", ["model", "models"])
def test_report_names_its_accepted_inputs(workspace: Workspace, argument: str) -> None:
    report = f'executorch_report(name = "page", {argument} = ":net_pte")\n'
    workspace.write("BUILD.bazel", _BUILD.format(attributes="") + report)
    build = workspace.build("//:net_pte")
    assert build.exit_code != 0
    assert (
        f"executorch_report(name = 'page'): unknown attribute '{argument}'; "
        "pass models, or targets that depend on models, to 'targets'"
    ) in build.stderr


def test_file_as_module_is_refused_with_the_remedy(workspace: Workspace) -> None:
    workspace.write("BUILD.bazel", _BUILD.format(attributes="").replace('module = ":net"', 'module = "net.py"'))
    build = workspace.build("//:net_pte")
    assert build.exit_code != 0
    assert (
        "executorch_model(name = 'net_pte'): 'module' must be a py_library, got the file 'net.py'; "
        "specify a py_library that has it in 'srcs'"
    ) in build.stderr


def test_built_library_is_compiled(workspace: Workspace) -> None:
    assert _build_model(workspace).exit_code == 0
    library = 'executorch_cc_library(name = "net_cc", model = ":net_pte")\n'
    workspace.write("BUILD.bazel", _BUILD.format(attributes="") + library)
    build = workspace.build("//:net_cc")
    assert build.exit_code == 0, build.stderr
    assert build.mnemonics.count("CppCompile") == 2


@pytest.mark.parametrize(
    ("attributes", "model", "messages"),
    [
        ("", "import no_such_package\n" + _GOOD_MODEL, ["//:net_pte", "no_such_package", "net.py"]),
        ('entry_point = "modle"', _GOOD_MODEL, ["//:net_pte", "modle", "model"]),
        ('config = {"backends": {"npu": {}}}', _GOOD_MODEL, ["//:net_pte", "npu"]),
        ("", _UNKNOWN_OPERATOR, ["//:net_pte", "linalg_ldl_factor", "net.py:5"]),
        ("", "import other\n" + _GOOD_MODEL, ["//:net_pte", "add the library that provides 'other' to 'deps'"]),
        ("", _READ_BESIDE, ["//:net_pte", "No such file or directory", "words.txt", "in 'data' of the model"]),
        ("", _READ_FROM_ROOT, ["//:net_pte", "No such file or directory", "words.txt", "in 'data' of the model"]),
        (
            "",
            _DOWNLOADS,
            ["//:net_pte", "net.py:8: torch.hub", "create the model without weights", "set the attribute `weights`"],
        ),
        ("", _EXITS, ["//:net_pte", "ended the process with exit code 3"]),
        ("timeout = 5", _HANGS, ["//:net_pte", "did not finish within 5 s"]),
    ],
    ids=[
        "import",
        "entry_point",
        "config",
        "operator",
        "undeclared import",
        "undeclared file",
        "undeclared path",
        "download",
        "exit",
        "hang",
    ],
)
def test_error_is_named_and_leaves_no_file(
    workspace: Workspace, attributes: str, model: str, messages: list[str]
) -> None:
    build = _build_model(workspace, attributes, model)
    assert build.exit_code != 0
    for message in messages:
        assert message in build.stderr
    # Bazel shows the failed command, which names one file of the compiler.
    ours = [line for line in build.stderr.splitlines() if "exir/" in line.replace("exir/cli/start.py @", "")]
    assert ours == [], "the compiler's own traceback is shown"
    assert _output_files(workspace) == []
