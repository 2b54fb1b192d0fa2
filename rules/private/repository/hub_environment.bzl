"""A repository that has packages of a user's hub, such as rules_python's `@pip`, in place of the locked ones.

It installs nothing.
"""

load("//rules/private:required_packages.bzl", "REQUIRED_PACKAGES")

_DOC = """\
Packages of a hub, with the names that the rules use: `:compiler` (an `executorch_toolchain`), and an alias for each package, `//torch` \
for instance."""

_ATTRS = {
    "hub": attr.string(
        mandatory = True,
        doc = "Name of the hub's repository, such as `@pip`.",
    ),
    "packages": attr.string_list(doc = "Packages in addition to torch, numpy and flatbuffers, named as in the hub's labels."),
}

_BUILD = """\
load("@rules_executorch//rules:toolchain.bzl", "executorch_toolchain")

package(default_visibility = ["//visibility:public"])

executorch_toolchain(
    name = "compiler",
    libraries = {libraries},
)
"""

_ALIAS = """\
alias(
    name = "{name}",
    actual = "{actual}",
    visibility = ["//visibility:public"],
)
"""

def _hub_environment_impl(rctx):
    libraries = {name: "%s//%s" % (rctx.attr.hub, name) for name in REQUIRED_PACKAGES + rctx.attr.packages}
    rctx.file("BUILD.bazel", _BUILD.format(libraries = libraries.values()), executable = False)
    for name, label in libraries.items():
        rctx.file(name + "/BUILD.bazel", _ALIAS.format(name = name, actual = label), executable = False)

hub_environment = repository_rule(
    implementation = _hub_environment_impl,
    attrs = _ATTRS,
    doc = _DOC,
)
