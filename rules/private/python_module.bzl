"""Imports of a py_library: the dotted name of its module, and the import roots."""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules/private:distributions.bzl", "DistributionsInfo", "excluded_repositories")
load("//rules/private:labels.bzl", "source_root")

def _is_python(file):
    return file.extension == "py"

def module_file(target, attribute):
    """Returns the source file of a library that is imported.

    If a library has several sources, it is the one with the target's name.

    Args:
      target: the py_library.
      attribute: the attribute that names the library, for messages.

    Returns:
      File
    """
    sources = [file for file in target[DefaultInfo].files.to_list() if _is_python(file)]
    if len(sources) == 1:
        return sources[0]
    for file in sources:
        if file.basename == target.label.name + ".py":
            return file
    fail("'%s' is %s, which has %d Python sources, but none is named %s.py" %
         (attribute, target.label, len(sources), target.label.name))

def module_name(file, imports = None):
    """Returns the dotted name of a source file, from its repository's root.

    Args:
      file: the source file.
      imports: depset[string]: PyInfo.imports of its library. If a folder's name contains a dot, the dotted name starts at one of
        these roots instead.

    Returns:
      string
    """
    path = file.short_path
    if path.startswith("../"):
        path = path[len("../"):].partition("/")[2]
    if "." in path[:-len(".py")]:
        for entry in imports.to_list() if imports else []:
            folder = entry.partition("/")[2]
            if path.startswith(folder + "/"):
                path = path[len(folder) + 1:]
                break
    return path[:-len(".py")].replace("/", ".")

def data_files(targets):
    """Returns the run-time files of targets, including data of their dependencies.

    Args:
      targets: list[Target]

    Returns:
      depset[File]
    """
    files = [target[DefaultInfo].files for target in targets]
    return depset(transitive = files + [target[DefaultInfo].default_runfiles.files for target in targets])

def python_library(target):
    """Returns everything that a py_library needs at run time.

    Args:
      target: the py_library, with `distributions_aspect` applied.

    Returns:
      struct: `sources` and `data`, depset[File]; `imports`, depset[string] as in PyInfo; `distributions`, depset[struct]
      of DistributionsInfo.
    """
    info = target[PyInfo]
    return struct(
        sources = info.transitive_sources,
        imports = info.imports,
        data = data_files([target]),
        distributions = target[DistributionsInfo].targets,
    )

def imported_library(library, versions):
    """Returns the files that the compiler needs to import a library.

    Args:
      library: struct of `python_library`, or ExecutorchBackendInfo.
      versions: dict[string, string]: the compiler's packages, version by name. Their files are omitted.

    Returns:
      struct: `sources`, `data` and `imports`, as in `library`.
    """
    excluded = excluded_repositories(library, versions)
    if not excluded:
        return library
    return struct(
        sources = _exclude_repositories(library.sources, excluded),
        imports = depset([entry for entry in library.imports.to_list() if entry.partition("/")[0] not in excluded]),
        data = _exclude_repositories(library.data, excluded),
    )

def _exclude_repositories(files, repositories):
    """Returns the files that are not in any of the repositories."""
    return depset([file for file in files.to_list() if file.owner.workspace_name not in repositories])

def add_import_roots(arguments, files, imports, workspace_name):
    """Adds `--import-root` flags: roots of the files, and imports of libraries.

    Args:
      arguments: Args. Each of the two groups has no duplicates.
      files: depset[File] or list[File]: all Python sources, data and programs.
      imports: depset[string]: PyInfo.imports; each starts with a repository's name.
      workspace_name: name of the main repository.
    """
    roots = [import_root(entry, workspace_name) for entry in imports.to_list()]

    # Evaluated at execution time, when path mapping may have renamed the folders.
    arguments.add_all(files, map_each = source_root, before_each = "--import-root", uniquify = True)
    arguments.add_all(roots, before_each = "--import-root", uniquify = True)

def import_root(entry, workspace_name):
    """Returns the folder of an import, relative to the execution root.

    Args:
      entry: string of PyInfo.imports; it starts with a repository's name.
      workspace_name: name of the main repository.

    Returns:
      string
    """
    repository, _, path = entry.partition("/")
    prefix = "" if repository in [workspace_name, "_main"] else "external/" + repository + "/"
    return (prefix + path).rstrip("/") or "."
