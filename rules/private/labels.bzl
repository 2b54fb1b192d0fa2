"""Labels for display, and the root folders of files."""

def display_label(label):
    """Returns `//package:name` or `@repository//package:name`, without canonical `@@`."""
    repository = label.workspace_name
    return ("@" + repository if repository else "") + "//%s:%s" % (label.package, label.name)

def folder_paths(target):
    """Returns the paths of a folder.

    Args:
      target: Target: a source directory, or the files of the folder with the target's name, in its package.

    Returns:
      struct of `path` and `short_path`, as of a File.
    """
    label = target.label
    parts = [part for part in [label.package, label.name] if part]
    repository = [label.workspace_name] if label.workspace_name else []
    path = "/".join([part for part in [label.workspace_root] if part] + parts)
    files = target[DefaultInfo].files.to_list()
    if len(files) == 1 and not files[0].path.startswith(path + "/"):
        return struct(path = files[0].path, short_path = files[0].short_path)
    return struct(
        path = path,
        short_path = "/".join([".." for _ in repository] + repository + parts),
    )

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
