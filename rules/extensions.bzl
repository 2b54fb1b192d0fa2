"""The external repositories, for MODULE.bazel.

    executorch = use_extension("@rules_executorch//rules:extensions.bzl", "executorch")
    use_repo(executorch, "executorch_pip")

Python packages of your own, for models, tests and programs:

    executorch.packages(name = "app_pip", lock = "//:requirements.lock")
    use_repo(executorch, "app_pip")
"""

load(":repositories.bzl", "executorch_packages", "executorch_repositories")

_packages = tag_class(
    attrs = {
        "name": attr.string(mandatory = True, doc = "Name of the repository."),
        "lock": attr.label(
            mandatory = True,
            doc = "Exact versions with hashes, as pip-compile --generate-hashes writes them.",
        ),
    },
    doc = "Python packages beyond those that models are compiled with: `@<name>//timm`, for instance.",
)

def _executorch_impl(module_ctx):
    executorch_repositories()
    owners = {}
    for module in module_ctx.modules:
        for tag in module.tags.packages:
            if tag.name in owners:
                fail("modules '%s' and '%s' both have packages named '%s'" % (owners[tag.name], module.name, tag.name))
            owners[tag.name] = module.name
            executorch_packages(name = tag.name, lock = tag.lock)

executorch = module_extension(
    implementation = _executorch_impl,
    tag_classes = {"packages": _packages},
)
