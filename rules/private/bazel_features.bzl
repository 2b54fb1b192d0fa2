"""Features that a supported Bazel release lacks.

Each feature is defined here once. To drop a release, delete its features and their users.
"""

# Tested by a function of Bazel 7, because Debian's builds do not report their version.
_IS_7_OR_NEWER = hasattr(native, "package_relative_label")

# Any changed tool of an action restarts its workers, and tools may be depsets. Bazel 4 restarts
# workers only if the runfiles of an executable change, and requires a list.
RESTARTS_WORKERS_FOR_TOOLS = _IS_7_OR_NEWER

# Rules are files of rule sets that a WORKSPACE declares. In Bazel 4, they are built in.
RULES_ARE_FILES = _IS_7_OR_NEWER

# Macros can resolve labels of their arguments, and Zig's toolchains work.
SUPPORTS_WASM = _IS_7_OR_NEWER

def toolchain_argument(toolchain_type):
    """Returns the argument of an action that names its toolchain; Bazel 4 does not have it.

    Args:
      toolchain_type: label of the type.
    """
    return {"toolchain": toolchain_type} if _IS_7_OR_NEWER else {}

def resource_argument(resource_set):
    """Returns the argument of an action with its CPU and memory; Bazel 4 requires a flag for it.

    Args:
      resource_set: function that estimates them.
    """
    return {"resource_set": resource_set} if _IS_7_OR_NEWER else {}

def select_wasi(wasi, default):
    """Returns branches of a `select()`; the `@platforms` of Bazel 4 does not define WASI.

    Args:
      wasi: value for WASI.
      default: dict of the other branches.
    """
    return dict(default, **{"@platforms//os:wasi": wasi}) if _IS_7_OR_NEWER else default
