"""The machine's Python interpreter, and a repository with it alone."""

_PYTHON = "CPython 3.11 on x86-64 Linux"
_PROBE = """
import os, platform, sys, sysconfig
if (sys.implementation.cache_tag, sysconfig.get_platform()) != ("cpython-311", "linux-x86_64"):
    sys.exit(f"is {platform.python_implementation()} {platform.python_version()} for {sysconfig.get_platform()}")
print(os.path.realpath(getattr(sys, "_base_executable", sys.executable)), platform.python_version())
"""

def _python_candidates(rctx):
    """Returns interpreters in order of preference; the system's first, so that a machine's users share action keys."""
    named = rctx.os.environ.get("EXECUTORCH_PYTHON")
    if named:
        return [named]
    found = [rctx.path("/usr/bin/python3.11"), rctx.which("python3.11"), rctx.which("python3")]
    return [str(path) for path in found if path and path.exists]

def find_python(rctx):
    """Finds the machine's interpreter.

    Args:
      rctx: the repository's context.

    Returns:
      struct of its `path`, the real one, as a link to a version manager's shim is no program, and its `version`.
    """
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
    python = find_python(rctx)
    rctx.symlink(python.path, "python3")
    rctx.file("identity", "python-%s\n" % python.version, executable = False)
    rctx.file("BUILD.bazel", _INTERPRETER_BUILD, executable = False)

python_interpreter = repository_rule(
    implementation = _python_interpreter_impl,
    doc = "The machine's interpreter, without packages: `:python3`, and `:identity`, a file that changes when its version does.",
    environ = ["EXECUTORCH_PYTHON"],
)
