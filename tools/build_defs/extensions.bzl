"""The module extension of `repositories.bzl`: development dependencies."""

load(":repositories.bzl", "project_repositories")

def _impl(_module_ctx):
    project_repositories()

project = module_extension(implementation = _impl)
