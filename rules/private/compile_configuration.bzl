"""The configuration of actions that compile models: the user's, without the compilation mode.

Output paths contain the compilation mode, and a path is part of an action's key. Compile actions do
not read C settings, so a fixed mode lets `-c opt` reuse programs. Other C settings, such as
`--copt`, are not part of paths. Bazel 4 adds a hash to the path if the user's mode is another one, so
there, each mode still compiles models.
"""

def _impl(_settings, _attr):
    # Bazel's default mode. Then the configuration of most builds is the user's own.
    return {"//command_line_option:compilation_mode": "fastbuild"}

# For the `cfg` of a rule with COMPILE_CONFIGURATION_ATTRS.
compile_configuration = transition(
    implementation = _impl,
    inputs = [],
    outputs = ["//command_line_option:compilation_mode"],
)

COMPILE_CONFIGURATION_ATTRS = {
    # Bazel 4 requires this name.
    "_allowlist_function_transition": attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
}
