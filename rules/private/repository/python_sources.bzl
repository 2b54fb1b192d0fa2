"""Python programs of the repository rules."""

_PROGRAMS = [
    "commands",
    "debian_mirror",
    "extra_packages",
    "fetch_huggingface",
    "huggingface_client",
    "install_environment",
    "install_interpreter",
    "pack_modules",
    "packed_modules",
    "pip_command",
    "private_apt",
    "user_cache",
    "wheel_files",
]

# Default of the attribute `_python_sources` of rules that run a program with `python_program`.
PYTHON_SOURCES = [Label("//rules/private/repository:%s.py" % name) for name in _PROGRAMS]

def python_program(rctx, name):
    """Returns the path of a program, and makes the repository depend on all programs.

    Args:
      rctx: the repository's context.
      name: file name without extension.

    Returns:
      path
    """

    # Bazel 7 watches only files whose path was requested; an attribute is not enough.
    paths = {label.name: rctx.path(label) for label in rctx.attr._python_sources}
    return paths[name + ".py"]
