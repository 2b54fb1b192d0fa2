"""Folders from which Python imports packages of this repository."""

# From the root of the repository.
_FOLDERS = [
    "bindings/python",
    "tools/report",
]

def import_roots(repository):
    """Returns the entries of PYTHONPATH for this repository.

    Args:
      repository: path of the repository's root.

    Returns:
      list[string]
    """
    return [repository] + ["%s/%s" % (repository, folder) for folder in _FOLDERS]
