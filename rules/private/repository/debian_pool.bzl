"""Source archives on Debian's mirrors."""

load("//rules/private/repository:python_sources.bzl", "python_program")

def debian_mirror(rctx):
    """Returns the base address of the machine's Debian mirror.

    Args:
      rctx: the repository's context; its rule has the attribute `_python_sources`.

    Returns:
      string, or None on other systems, which download from upstream.
    """
    python = rctx.which("python3")
    if not python:
        return None
    result = rctx.execute([python, "-B", python_program(rctx, "debian_mirror")])
    return result.stdout.strip() if result.return_code == 0 else None
