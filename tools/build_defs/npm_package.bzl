"""A repository with a package from npm, which `npm pack` downloads with the machine's configuration."""

_BUILD = """\
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "files",
    srcs = glob(["package/**"]),
)

exports_files(glob(["package/**"]))
"""

def _impl(rctx):
    package = "%s@%s" % (rctx.attr.package, rctx.attr.version)
    rctx.report_progress("fetching " + package)
    command = ["npm", "pack", "--silent", "--ignore-scripts", package]
    result = rctx.execute(command, timeout = 600, working_directory = ".")
    if result.return_code:
        fail("%s: npm cannot fetch it: %s" % (package, result.stderr or result.stdout))
    archive = rctx.path(result.stdout.strip().split("\n")[-1])
    rctx.download_and_extract(
        integrity = rctx.attr.integrity,
        url = "file://%s" % archive,
    )
    rctx.delete(archive)
    rctx.file("BUILD.bazel", _BUILD, executable = False)

npm_package = repository_rule(
    implementation = _impl,
    attrs = {
        "integrity": attr.string(
            mandatory = True,
            doc = "SHA-512 of the archive, as in package-lock.json.",
        ),
        "package": attr.string(
            mandatory = True,
            doc = "Name of the package. Its dependencies are not installed.",
        ),
        "version": attr.string(
            mandatory = True,
            doc = "Exact version.",
        ),
    },
    doc = "The files of a package from npm, in the folder `package`.",
)
