"""The BUILD file of a repository that consists of files."""

_BUILD = """\
package(default_visibility = ["//visibility:public"])

exports_files({files})

filegroup(
    name = "files",
    srcs = {files},
)
"""

def export_files(rctx, files):
    """Writes a BUILD file with a label for each file, and the target `:files`.

    Args:
      rctx: the repository's context.
      files: paths in the repository.
    """
    rctx.file("BUILD.bazel", _BUILD.format(files = repr(files)), executable = False)
