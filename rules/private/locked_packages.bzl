"""locked_packages: properties of a Python environment for the analysis phase."""

LockedPackagesInfo = provider(
    doc = "The packages of an environment.",
    fields = {"versions": "dict[string, string]: version by normalized name, such as `typing-extensions`."},
)

def _impl(ctx):
    return [LockedPackagesInfo(versions = ctx.attr.versions)]

locked_packages = rule(
    implementation = _impl,
    attrs = {
        "versions": attr.string_dict(
            mandatory = True,
            doc = "Version by name.",
        ),
    },
    doc = "Names and versions of the packages of a lock file, for `executorch_toolchain`.",
    provides = [LockedPackagesInfo],
)
