"""A repository of user-defined Python packages, in addition to those of the rules."""

load("//rules/private/repository:python_interpreter.bzl", "PYTHON_VERSIONS", "find_python")
load("//rules/private/repository:python_site.bzl", "SITE", "install_packages", "write_package")
load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES", "python_program")

_DOC = """\
Python packages of your own, such as `@<name>//timm`, for `deps` of models, tests and programs.

Packages that the rules also have, such as torch, come from the rules. Another version of such a
package is an error."""

_ATTRS = {
    "lock": attr.label(
        mandatory = True,
        allow_single_file = True,
        doc = "Lock file with exact versions and hashes, as `pip-compile --generate-hashes` writes it.",
    ),
    "python_version": attr.string(
        default = PYTHON_VERSIONS[0],
        doc = "Version of CPython, such as `3.11`.",
    ),
    "_base": attr.label(
        default = Label("@executorch_pip//:requirements.lock"),
        allow_single_file = True,
    ),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

_BUILD = """\
package(default_visibility = ["//visibility:public"])

""" + SITE

def _split_lock(rctx, python, extra):
    """Writes the lock file `extra`; returns "extra" or "base" by package name."""
    program = python_program(rctx, "extra_packages")
    result = rctx.execute(
        [python.path, "-B", program, rctx.path(rctx.attr.lock), rctx.path(rctx.attr._base), rctx.path(extra)],
        environment = {"PYTHONPATH": str(program.dirname)},
    )
    if result.return_code:
        fail(result.stderr)
    return dict([line.split(" ") for line in result.stdout.splitlines()])

def _python_packages_impl(rctx):
    python = find_python(rctx, rctx.attr.python_version)
    extra = rctx.attr.lock.name.rpartition("/")[2]
    origins = _split_lock(rctx, python, extra)
    if "extra" in origins.values():
        result = install_packages(rctx, python, rctx.path(extra))
        if result.return_code:
            fail(result.stderr)
    else:
        rctx.file("site/README", "The rules have all packages of the lock file.\n", executable = False)
    rctx.file("BUILD.bazel", _BUILD, executable = False)
    for name, origin in origins.items():
        write_package(rctx, name, "@executorch_pip//" + name if origin == "base" else None)

python_packages = repository_rule(
    implementation = _python_packages_impl,
    attrs = _ATTRS,
    doc = _DOC,
    environ = ["EXECUTORCH_PYTHON", "XDG_CACHE_HOME"],
)
