"""A repository with the packages of a lock file, as one folder that an action takes as a single input.

The packages are installed once for a user and machine (install_environment.py); the repository has links to their files. One
source directory instead of some 14,000 files keeps a sandboxed action as fast as an unsandboxed one.
"""

load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES", "python_program")

_DOC = """\
The packages of a hash-locked requirements file.

Targets: `:site` (the folder for PYTHONPATH), `:python3` (the interpreter), `:identity` (a file that changes when the \
lock, the interpreter or the recipe does), `:environment` (all three: what an action takes as inputs), and an empty \
`py_library` for each package, `//torch` for instance, which states a dependency."""

_ATTRS = {
    "lock": attr.label(mandatory = True, allow_single_file = True, doc = "Exact versions with hashes, one a line."),
    "optional": attr.bool(doc = "Where the packages cannot be had, an empty folder and a line that says so are no failure."),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

_PYTHON = "CPython 3.11 on x86-64 Linux"
_PROBE = """
import os, platform, sys, sysconfig
if (sys.implementation.cache_tag, sysconfig.get_platform()) != ("cpython-311", "linux-x86_64"):
    sys.exit(f"is {platform.python_implementation()} {platform.python_version()} for {sysconfig.get_platform()}")
print(os.path.realpath(getattr(sys, "_base_executable", sys.executable)), platform.python_version())
"""

_BUILD = """\
package(default_visibility = ["//visibility:public"])

exports_files(["identity", "python3", "site"])

filegroup(
    name = "environment",
    srcs = ["identity", "python3", "site"],
)
"""

# The environment carries the package itself; a target that imports it says so by depending on this.
_PACKAGE_BUILD = """\
load("@rules_python//python:py_library.bzl", "py_library")

py_library(
    name = "{name}",
    visibility = ["//visibility:public"],
)
"""

def _python_candidates(rctx):
    """Returns interpreters in order of preference; the system's first, so that a machine's users share action keys."""
    named = rctx.os.environ.get("EXECUTORCH_PYTHON")
    if named:
        return [named]
    found = [rctx.path("/usr/bin/python3.11"), rctx.which("python3.11"), rctx.which("python3")]
    return [str(path) for path in found if path and path.exists]

def _find_python(rctx):
    """Returns the real path and the version of the interpreter; a link to a version manager's shim is no program."""
    refusals = []
    for candidate in _python_candidates(rctx):
        result = rctx.execute([candidate, "-I", "-c", _PROBE])
        if result.return_code == 0:
            path, version = result.stdout.strip().rsplit(" ", 1)
            return struct(path = path, version = version)
        refusals.append("{} {}".format(candidate, result.stderr.strip()))
    fail("the Python packages need {}; name one with EXECUTORCH_PYTHON. {}".format(
        _PYTHON,
        "; ".join(refusals) or "No python3 was found",
    ))

_INTERPRETER_BUILD = """\
exports_files(["identity", "python3"], visibility = ["//visibility:public"])
"""

def _python_interpreter_impl(rctx):
    python = _find_python(rctx)
    rctx.symlink(python.path, "python3")
    rctx.file("identity", "python-%s\n" % python.version, executable = False)
    rctx.file("BUILD.bazel", _INTERPRETER_BUILD, executable = False)

python_interpreter = repository_rule(
    implementation = _python_interpreter_impl,
    doc = "The machine's interpreter, without packages: `:python3`, and `:identity`, a file that changes when its version does.",
    environ = ["EXECUTORCH_PYTHON"],
)

def _install(rctx, python):
    """Makes the folder `site`; returns the name of what is in it, or None where it may be empty and is."""
    installer = python_program(rctx, "install_environment")
    result = rctx.execute(
        [python.path, "-B", installer, rctx.path(rctx.attr.lock), rctx.path("site")],
        environment = {"PYTHONPATH": str(installer.dirname)},
        timeout = 3600,
    )
    if result.return_code == 0:
        if result.stderr:
            # buildifier: disable=print
            print(result.stderr.strip())
        return rctx.path(result.stdout.strip()).dirname.basename
    if not rctx.attr.optional:
        fail(result.stderr)

    # buildifier: disable=print
    print("going on without the packages of %s: %s" % (rctx.attr.lock.name, result.stderr.strip()))
    rctx.file("site/README", "These packages could not be installed.\n", executable = False)
    return None

def _locked_packages(rctx):
    lines = rctx.read(rctx.attr.lock).splitlines()
    return [line.split("==")[0] for line in lines if "==" in line and not line.startswith("#")]

def _python_environment_impl(rctx):
    python = _find_python(rctx)
    rctx.report_progress("installing the packages of " + rctx.attr.lock.name)
    installed = _install(rctx, python)
    rctx.symlink(python.path, "python3")
    rctx.file("identity", "{} python-{}\n".format(installed or "none", python.version), executable = False)
    rctx.file("BUILD.bazel", _BUILD, executable = False)
    for name in _locked_packages(rctx):
        rctx.file(name + "/BUILD.bazel", _PACKAGE_BUILD.format(name = name), executable = False)

python_environment = repository_rule(
    implementation = _python_environment_impl,
    attrs = _ATTRS,
    doc = _DOC,
    environ = ["EXECUTORCH_PYTHON", "XDG_CACHE_HOME"],
)
