"""A repository with an interpreter of this machine and its standard library."""

load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES", "python_program")

PYTHON_VERSIONS = ["3.11", "3.12", "3.13", "3.14"]

_PROBE = """
import os, platform, sys, sysconfig
version = f"{sys.version_info[0]}.{sys.version_info[1]}"
if (sys.implementation.name, version) != ("cpython", "%s"):
    sys.exit(f"is {platform.python_implementation()} {platform.python_version()}")
target = sysconfig.get_platform()
if target.startswith("macosx-"):  # without the version of macOS, and with one machine for universal programs
    target = "macosx-" + platform.machine()
print(os.path.realpath(getattr(sys, "_base_executable", sys.executable)), platform.python_version(), target)
"""

def _python_candidates(rctx, version):
    """Returns interpreters in order of preference.

    The system's interpreter is first, so that all users of a machine have the same action keys.
    """
    override = rctx.os.environ.get("EXECUTORCH_PYTHON")
    if override:
        return [override]
    program = "python" + version
    paths = [rctx.path("/usr/bin/" + program), rctx.which(program), rctx.which("python3")]
    return [str(path) for path in paths if path and path.exists]

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
    python, rejections = _probe_candidates(rctx, version)
    return python or _fail_not_found(version, rejections)

def find_any_python(rctx):
    """Finds an interpreter of any supported version.

    Args:
      rctx: the repository's context.

    Returns:
      struct, as find_python.
    """
    rejections = []
    for version in PYTHON_VERSIONS:
        python, new_rejections = _probe_candidates(rctx, version)
        if python:
            return python
        rejections += new_rejections
    return _fail_not_found(" or ".join(PYTHON_VERSIONS), rejections)

def _probe_candidates(rctx, version):
    """Returns the interpreter's struct, or None, and the reasons for rejecting others."""
    rejections = []
    for candidate in _python_candidates(rctx, version):
        result = rctx.execute([candidate, "-I", "-c", _PROBE % version])
        if result.return_code == 0:
            path, full_version, platform = result.stdout.strip().rsplit(" ", 2)
            return struct(path = path, version = full_version, platform = platform), []
        rejections.append("{} {}".format(candidate, result.stderr.strip()))
    return None, rejections

def _fail_not_found(version, rejections):
    fail("the Python packages need CPython {}; specify one with EXECUTORCH_PYTHON. {}".format(
        version,
        "; ".join(rejections) or "No python3 was found",
    ))

_DOC = """\
A copy of the machine's interpreter, without packages.

Targets: `:python3` (the program), `:library` (the files of its standard library), and `:identity`, a file that \
changes when either does."""

_ATTRS = {
    "python_version": attr.string(
        default = PYTHON_VERSIONS[0],
        doc = "Version of CPython, such as `3.11`.",
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
    srcs = glob(["{library}/**"]),
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
