"""Labels for display, and the root folders of files."""

def display_label(label):
    """Returns `//package:name` or `@repository//package:name`, without canonical `@@`."""
    repository = label.workspace_name
    return ("@" + repository if repository else "") + "//%s:%s" % (label.package, label.name)

def source_root(file):
    """Returns the root of a file's includes and imports, from the execution root.

    Args:
      file: File: a source or an output, of any repository.

    Returns:
      string: "." for the execution root itself.
    """
    workspace = file.owner.workspace_root
    parts = [file.root.path] + ([workspace] if not file.root.path.endswith(workspace) else [])
    return "/".join([part for part in parts if part]) or "."
