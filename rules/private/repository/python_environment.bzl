"""A repository with the packages of a lock file, as one folder that an action takes as a single input.

The packages are installed once for a user and machine (install_environment.py); the repository has links to their files. One
source directory instead of some 14,000 files keeps a sandboxed action as fast as an unsandboxed one.
"""

load("//rules/private/repository:python_interpreter.bzl", "find_python")
load("//rules/private/repository:python_site.bzl", "install_packages", "write_package")
load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES")

_DOC = """\
The packages of a hash-locked requirements file.

Targets: `:site` (the folder for PYTHONPATH), `:python3` (the interpreter), `:identity` (a file that changes when the \
lock, the interpreter or the recipe does), `:environment` (all three: what an action takes as inputs), and a \
`py_library` for each package, `//torch` for instance."""

_ATTRS = {
    "lock": attr.label(mandatory = True, allow_single_file = True, doc = "Exact versions with hashes, one a line."),
    "optional": attr.bool(doc = "Where the packages cannot be had, an empty folder and a line that says so are no failure."),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

_BUILD = """\
package(default_visibility = ["//visibility:public"])

exports_files(["identity", "python3", "site"])

filegroup(
    name = "environment",
    srcs = ["identity", "python3", "site"],
)
"""

def _install(rctx, python):
    """Makes the folder `site`; returns the name of what is in it, or None where it may be empty and is."""
    result = install_packages(rctx, python, rctx.path(rctx.attr.lock))
    if result.return_code == 0:
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
    python = find_python(rctx)
    installed = _install(rctx, python)
    rctx.symlink(python.path, "python3")
    rctx.file("identity", "{} python-{}\n".format(installed or "none", python.version), executable = False)
    rctx.file("BUILD.bazel", _BUILD, executable = False)
    for name in _locked_packages(rctx):
        write_package(rctx, name)

python_environment = repository_rule(
    implementation = _python_environment_impl,
    attrs = _ATTRS,
    doc = _DOC,
    environ = ["EXECUTORCH_PYTHON", "XDG_CACHE_HOME"],
)
