"""A repository with files of a Hugging Face repository: weights, configurations, tokenizers.

A program downloads the files. If Bazel was stopped, its own downloader starts again at the first byte, and
it does not report to a rule whether a file is missing or private.
"""

load("//rules/private/repository:exported_files.bzl", "export_files")
load("//rules/private/repository:python_interpreter.bzl", "find_any_python")
load("//rules/private/repository:python_sources.bzl", "PYTHON_SOURCES", "python_program")

_DOC = """\
Files of a Hugging Face repository at a commit, by their paths, such as `@<name>//:model.safetensors`. \
`@<name>//:files` has all of them.

The files are downloaded when a target needs one of them. The user's cache stores each file under its
hash; a cached file needs no network."""

_ATTRS = {
    "repo": attr.string(mandatory = True, doc = "Name of the repository, `organization/name`."),
    "revision": attr.string(mandatory = True, doc = "Commit hash of 40 digits."),
    "files": attr.string_dict(mandatory = True, doc = "SHA-256 of each file, by its path in the repository."),
    "token_env": attr.string(default = "HF_TOKEN", doc = "Environment variable with the access token."),
    "mirrors": attr.string_list(doc = "Addresses of other hubs, used in order if the hub fails."),
    "_python_sources": attr.label_list(default = PYTHON_SOURCES),
}

def _huggingface_impl(rctx):
    python = find_any_python(rctx)
    program = python_program(rctx, "fetch_huggingface")
    rctx.report_progress("fetching %s" % rctx.attr.repo)

    # The program reads the token from its environment. Bazel would write the values of variables in `environ` to a file.
    attributes = [rctx.attr.repo, rctx.attr.revision, rctx.attr.token_env, " ".join(rctx.attr.mirrors)]
    result = rctx.execute(
        [python.path, "-B", program] + attributes + [rctx.path(".")] +
        [word for item in rctx.attr.files.items() for word in item],
        environment = {"PYTHONPATH": str(program.dirname)},
        timeout = 24 * 3600,
    )
    if result.return_code:
        fail(result.stderr)
    export_files(rctx, rctx.attr.files.keys())

huggingface = repository_rule(
    implementation = _huggingface_impl,
    attrs = _ATTRS,
    doc = _DOC,
    environ = ["EXECUTORCH_PYTHON", "XDG_CACHE_HOME"],
)
