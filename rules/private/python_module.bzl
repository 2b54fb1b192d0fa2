"""How a py_library is imported: its module's dotted name and the folders on the path."""

load("//rules/private:labels.bzl", "source_root")

def _is_python(file):
    return file.extension == "py"

def module_file(target, attribute):
    """Finds the source file of a library that is imported.

    A library of one source is that source; of several, the one named as the target.

    Args:
      target: the py_library.
      attribute: name of the attribute that it was given in, for messages.

    Returns:
      File
    """
    sources = [file for file in target[DefaultInfo].files.to_list() if _is_python(file)]
    if len(sources) == 1:
        return sources[0]
    for file in sources:
        if file.basename == target.label.name + ".py":
            return file
    fail("'%s' is %s, which has %d Python sources and none named %s.py" %
         (attribute, target.label, len(sources), target.label.name))

def module_name(file):
    """Finds the dotted name that a source file is imported by, from its repository's root.

    Args:
      file: the source file.

    Returns:
      string
    """
    path = file.short_path
    if path.startswith("../"):
        path = path[len("../"):].partition("/")[2]
    return path[:-len(".py")].replace("/", ".")

def data_files(targets):
    """Finds what targets need when they run: their own files, and the data of the libraries behind them.

    Args:
      targets: list[Target]

    Returns:
      depset[File]
    """
    files = [target[DefaultInfo].files for target in targets]
    return depset(transitive = files + [target[DefaultInfo].default_runfiles.files for target in targets])

def import_roots(files, imports, workspace_name):
    """Finds the folders to put on the path.

    Args:
      files: list[File]: all Python sources.
      imports: list[string]: PyInfo.imports; each starts with a repository's name.
      workspace_name: name of the main repository.

    Returns:
      list[string]: paths from the execution root, in order, without repeats.
    """
    roots = {}
    for file in files:
        roots[source_root(file)] = True
    for entry in imports:
        repository, _, path = entry.partition("/")
        prefix = "" if repository in [workspace_name, "_main"] else "external/" + repository + "/"
        roots[(prefix + path).rstrip("/") or "."] = True
    return roots.keys()
