"""The external repositories, for MODULE.bazel.

    executorch = use_extension("@rules_executorch//rules:extensions.bzl", "executorch")
    use_repo(executorch, "executorch_pip")
"""

load(":repositories.bzl", "executorch_repositories")

def _executorch_impl(_module_ctx):
    executorch_repositories()

executorch = module_extension(implementation = _executorch_impl)
