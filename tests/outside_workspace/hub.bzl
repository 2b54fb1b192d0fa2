"""Repositories with the layout of rules_python's pip hub: one for each wheel.

The oldest Bazel has no pip hub, and a pip hub needs an index.
"""

_BUILD = """\
load("@rules_python//python:py_library.bzl", "py_library")

package(default_visibility = ["//visibility:public"])

py_library(
    name = "pkg",
    srcs = glob(["site-packages/**/*.py"]),
    data = glob(["site-packages/**/*"], exclude = ["**/*.py"]),
    imports = ["site-packages"],
    deps = %r,
)
"""

_ALIAS = """\
alias(
    name = %r,
    actual = %r,
    visibility = ["//visibility:public"],
)
"""

def _wheel_impl(rctx):
    for path, text in rctx.attr.files.items():
        rctx.file("site-packages/" + path, text, executable = False)
    if rctx.attr.shared_object:
        rctx.symlink(Label("//:native.so"), "site-packages/" + rctx.attr.shared_object)
    rctx.file("BUILD.bazel", _BUILD % rctx.attr.requires, executable = False)

wheel = repository_rule(
    implementation = _wheel_impl,
    attrs = {
        "files": attr.string_dict(mandatory = True),
        "requires": attr.string_list(),
        "shared_object": attr.string(),
    },
)

def _hub_impl(rctx):
    for name in rctx.attr.packages:
        rctx.file(name + "/BUILD.bazel", _ALIAS % (name, "@pip_%s//:pkg" % name), executable = False)
    rctx.file("BUILD.bazel", "", executable = False)

hub = repository_rule(
    implementation = _hub_impl,
    attrs = {"packages": attr.string_list(mandatory = True)},
)

def hub_repositories(torch_version):
    """Creates the hub `@pip`.

    It has torch with its requirement, the other packages that the compiler requires, and two
    packages. The first of these has data and a shared object, and requires the second one.

    Args:
      torch_version: the version that the torch package reports.
    """
    wheel(
        name = "pip_widgets",
        files = {
            "widgets-1.0.dist-info/METADATA": "Name: widgets\n",
            "widgets/__init__.py": "import ctypes, pathlib, gadgets\n" +
                                   "folder = pathlib.Path(__file__).parent\n" +
                                   "native = ctypes.CDLL(str(folder / '_native.so'))\n" +
                                   "factor = native.seven() * int((folder / 'factor.txt').read_text()) * gadgets.two\n",
            "widgets/factor.txt": "3\n",
        },
        requires = ["@pip_gadgets//:pkg", "@pip_torch//:pkg"],
        shared_object = "widgets/_native.so",
    )
    wheel(
        name = "pip_gadgets",
        files = {
            "gadgets-0.1.dist-info/METADATA": "Name: gadgets\n",
            "gadgets/__init__.py": "two = 2\n",
        },
    )
    wheel(
        name = "pip_torch",
        files = {
            "torch-%s.dist-info/METADATA" % torch_version: "Name: torch\nVersion: %s\n" % torch_version,
            "torch/__init__.py": "raise ImportError('the second torch')\n",
        },
        requires = ["@pip_torch_kernels//:pkg"],
    )
    wheel(
        name = "pip_torch_kernels",
        files = {
            "torch_kernels-1.0.dist-info/METADATA": "Name: torch-kernels\n",
            "torch_kernels/__init__.py": "",
        },
    )
    for name, version in [("flatbuffers", "25.12.19"), ("numpy", "2.4.6")]:
        wheel(
            name = "pip_" + name,
            files = {"%s-%s.dist-info/METADATA" % (name, version): "Name: %s\n" % name},
        )
    hub(
        name = "pip",
        packages = ["flatbuffers", "gadgets", "numpy", "torch", "widgets"],
    )
