"""Sources that Debian's mirrors keep."""

load("//rules/private/repository:python_sources.bzl", "python_program")

def debian_mirror(rctx):
    """Asks the machine for its Debian mirror.

    Args:
      rctx: the repository's context; its rule has the attribute `_python_sources`.

    Returns:
      address of the mirror, or None: what upstream serves does for machines without one.
    """
    python = rctx.which("python3")
    if not python:
        return None
    result = rctx.execute([python, "-B", python_program(rctx, "debian_mirror")])
    return result.stdout.strip() if result.return_code == 0 else None
