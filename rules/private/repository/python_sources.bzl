"""The Python that repository rules run."""

_NAMES = [
    "byte_code",
    "commands",
    "debian_mirror",
    "errors",
    "extra_packages",
    "install_environment",
    "install_interpreter",
    "pip_command",
    "private_apt",
    "user_cache",
    "wheel_files",
]

# An attribute of the rules that run any, which find it by `python_program`.
PYTHON_SOURCES = [Label("//rules/private/repository:%s.py" % name) for name in _NAMES]

def python_program(rctx, name):
    """Finds a program among the attribute `_python_sources`, and has the repository depend on all of them.

    Args:
      rctx: the repository's context.
      name: file name without extension.

    Returns:
      path
    """

    # Asking for a file's path is what has Bazel 7 watch it; an attribute alone has not.
    paths = {label.name: rctx.path(label) for label in rctx.attr._python_sources}
    return paths[name + ".py"]
