"""The repositories of `repositories.bzl` for MODULE.bazel, as dependencies of this module's own development."""

load(":repositories.bzl", "project_repositories")

def _impl(_module_ctx):
    project_repositories()

project = module_extension(implementation = _impl)
