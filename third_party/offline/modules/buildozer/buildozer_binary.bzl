"""The extension that Bazel's own tools ask for; its program says that it needs the network."""

_PROGRAM = """#!/bin/sh
echo "bazel mod tidy needs buildozer from the central registry, which --config=offline goes without" >&2
exit 1
"""

def _repository_impl(rctx):
    rctx.file("BUILD.bazel", "exports_files([\"buildozer.exe\"])\n")
    rctx.file("buildozer.exe", _PROGRAM)

_repository = repository_rule(implementation = _repository_impl)

def _extension_impl(_module_ctx):
    _repository(name = "buildozer_binary")

buildozer_binary = module_extension(implementation = _extension_impl)
