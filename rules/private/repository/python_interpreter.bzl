"""A repository with an interpreter of this machine and its standard library."""

load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES", "python_program")

PYTHON_VERSIONS = ["3.11", "3.12", "3.13"]

_PROBE = """
import os, platform, sys, sysconfig
given = f"{sys.version_info[0]}.{sys.version_info[1]}"
if (sys.implementation.name, given) != ("cpython", "%s"):
    sys.exit(f"is {platform.python_implementation()} {platform.python_version()}")
name = sysconfig.get_platform()
if name.startswith("macosx-"):  # with the system's version, and the same for programs that are for several processors
    name = "macosx-" + platform.machine()
print(os.path.realpath(getattr(sys, "_base_executable", sys.executable)), platform.python_version(), name)
"""

def _python_candidates(rctx, version):
    """Returns interpreters in order of preference.

    The system's interpreter is first, so that all users of a machine have the same action keys.
    """
    named = rctx.os.environ.get("EXECUTORCH_PYTHON")
    if named:
        return [named]
    program = "python" + version
    found = [rctx.path("/usr/bin/" + program), rctx.which(program), rctx.which("python3")]
    return [str(path) for path in found if path and path.exists]

def find_python(rctx, version):
    """Finds the machine's interpreter.

    Args:
      rctx: the repository's context.
      version: one of PYTHON_VERSIONS.

    Returns:
      struct of `path`, resolved because a version manager's shim is not the program itself, `version` with all components, and
      `platform`, such as `linux-x86_64`.
    """
    if version not in PYTHON_VERSIONS:
        fail("Python %s is not supported; supported versions: %s" % (version, ", ".join(PYTHON_VERSIONS)))
    python, refusals = _search(rctx, version)
    return python or _fail(version, refusals)

def find_any_python(rctx):
    """Finds an interpreter of any supported version.

    Args:
      rctx: the repository's context.

    Returns:
      struct, as find_python.
    """
    refusals = []
    for version in PYTHON_VERSIONS:
        python, found = _search(rctx, version)
        if python:
            return python
        refusals += found
    return _fail(" or ".join(PYTHON_VERSIONS), refusals)

def _search(rctx, version):
    """Returns the interpreter's struct, or None, and the reasons for rejecting others."""
    refusals = []
    for candidate in _python_candidates(rctx, version):
        result = rctx.execute([candidate, "-I", "-c", _PROBE % version])
        if result.return_code == 0:
            path, full_version, platform = result.stdout.strip().rsplit(" ", 2)
            return struct(path = path, version = full_version, platform = platform), []
        refusals.append("{} {}".format(candidate, result.stderr.strip()))
    return None, refusals

def _fail(version, refusals):
    fail("the Python packages need CPython {}; name one with EXECUTORCH_PYTHON. {}".format(
        version,
        "; ".join(refusals) or "No python3 was found",
    ))

_DOC = """\
A copy of the machine's interpreter, without packages.

Targets: `:python3` (the program), `:library` (the folder of its standard library, one source directory), and `:identity`, a file that \
changes when either does."""

_ATTRS = {
    "python_version": attr.string(
        default = PYTHON_VERSIONS[0],
        doc = "CPython's version, two numbers of it.",
    ),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

_BUILD = """\
package(default_visibility = ["//visibility:public"])

exports_files(["identity"])

filegroup(
    name = "python3",
    srcs = ["bin/python3"],
)

filegroup(
    name = "library",
    srcs = ["{library}"],
)
"""

def _python_interpreter_impl(rctx):
    python = find_python(rctx, rctx.attr.python_version)
    rctx.report_progress("copying " + python.path)
    installer = python_program(rctx, "install_interpreter")
    result = rctx.execute(
        [python.path, "-B", installer, rctx.path(".")],
        environment = {"PYTHONPATH": str(installer.dirname)},
    )
    if result.return_code:
        fail(result.stderr)
    rctx.file("identity", "python-%s %s\n" % (python.version, result.stdout.strip()), executable = False)
    library = "lib64" if rctx.path("lib64").exists else "lib"
    rctx.file("BUILD.bazel", _BUILD.format(library = library), executable = False)

python_interpreter = repository_rule(
    implementation = _python_interpreter_impl,
    attrs = _ATTRS,
    doc = _DOC,
    environ = ["EXECUTORCH_PYTHON", "XDG_CACHE_HOME"],
)
