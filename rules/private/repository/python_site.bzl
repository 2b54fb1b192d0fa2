"""The folder `site` of a repository: installed packages, with py_library targets."""

load("//rules/private/repository:python_sources.bzl", "python_program")

# All packages are in one folder, so a target that depends on one can import the others.
_LIBRARY = """\
load("@rules_python//python:py_library.bzl", "py_library")

py_library(
    name = "{name}",
    data = ["//:site"],
    imports = ["../site"],
    visibility = ["//visibility:public"],
)
"""

_ALIAS = """\
alias(
    name = "{name}",
    actual = "{actual}",
    visibility = ["//visibility:public"],
)
"""

# BUILD text of the target `:site`: all files of the folder with the target's name.
SITE = """\
filegroup(
    name = "site",
    srcs = glob(["site/**"]),
)
"""

# Exit code of install_environment.py if an index does not have the locked build of torch.
NO_SUCH_TORCH = 3

def install_packages(rctx, python, lock, build_variables = {}, pack = False):
    """Creates the folder `site`, and prints the installed packages.

    Args:
      rctx: the repository's context; its rule has the attribute `_python_sources`.
      python: struct of `find_python`.
      lock: path of the lock file.
      build_variables: environment variables for packages that pip compiles.
      pack: if the modules are in an archive (pack_modules.py).

    Returns:
      result of install_environment.py.
    """
    rctx.report_progress("installing the packages of " + lock.basename)
    installer = python_program(rctx, "install_environment")
    variables = ["--build-variable=%s=%s" % variable for variable in build_variables.items()]
    result = rctx.execute(
        [python.path, "-B", installer, lock, rctx.path("site")] + (["--pack"] if pack else []) + variables,
        environment = {"PYTHONPATH": str(installer.dirname)},
        timeout = 3600,
    )
    if result.return_code == 0 and result.stderr:
        # buildifier: disable=print
        print(result.stderr.strip())
    return result

def write_package(rctx, name, actual = None):
    """Writes the BUILD file of one package.

    Args:
      rctx: the repository's context.
      name: name of the package, and of its py_library.
      actual: label of the py_library if it is in another repository.
    """
    text = _ALIAS.format(name = name, actual = actual) if actual else _LIBRARY.format(name = name)
    rctx.file(name + "/BUILD.bazel", text, executable = False)
