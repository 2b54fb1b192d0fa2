"""The extension that Bazel's own tools use."""

load("//java/private:system_jdk.bzl", "no_tools", "system_jdk")

# Repositories of rules_java that Bazel's own tools name.
_TOOLS = ["", "_linux", "_windows", "_darwin_x86_64", "_darwin_arm64"]

def _toolchains_impl(_module_ctx):
    system_jdk(name = "local_jdk")
    for name in _TOOLS:
        no_tools(name = "remote_java_tools" + name)

toolchains = module_extension(implementation = _toolchains_impl)
