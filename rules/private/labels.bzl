"""Labels as people write them, and the folders that they count from."""

def display_label(label):
    """Returns `//package:name`, after `@repository` for another repository; without the `@@` of canonical forms."""
    repository = label.workspace_name
    return ("@" + repository if repository else "") + "//%s:%s" % (label.package, label.name)

def source_root(file):
    """Finds the folder that includes and imports of a file count from, relative to the execution root.

    Args:
      file: File: a source or an output, of any repository.

    Returns:
      string: "." for the execution root itself.
    """
    workspace = file.owner.workspace_root
    parts = [file.root.path] + ([workspace] if not file.root.path.endswith(workspace) else [])
    return "/".join([part for part in parts if part]) or "."
