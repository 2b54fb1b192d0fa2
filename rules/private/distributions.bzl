"""Packages of a hub, such as rules_python's `@pip`, that the compiler already has.

A hub has a repository for each package and follows requirements, so `@pip//timm` depends on a torch
package. The compiler already has torch and imports its own copy. The hub's torch, and the packages
that only torch requires, are not inputs of the actions.
"""

DistributionsInfo = provider(
    doc = "The external repositories below a Python library. Not public.",
    fields = {
        "targets": "depset[struct], each before its dependencies: `label`; `repository`, a name; `name` and `version` of the " +
                   "package, or None; `deps`, tuple of labels. Empty if the library depends on no other repository.",
    },
)

_DIST_INFO = ".dist-info"

_CONFLICT_ERROR = """\
%s: '%s' depends on package versions that differ from those that models are compiled with:
%s
compile models with your packages (docs/how_to/choose_pytorch.md), or lock them with the rules' \
third_party/python/requirements.lock as constraints (pip-compile -c)"""

def _normalized(name):
    """Returns a package's name as normalized by PEP 503."""
    return name.replace("_", "-").replace(".", "-").lower()

def _distribution(ctx):
    """Returns name and version of an external target's package, or None twice.

    They come from its folder `<name>-<version>.dist-info`.
    """
    for file in getattr(ctx.rule.files, "data", []) if ctx.label.workspace_name else []:
        folder = file.dirname.rpartition("/")[2]
        if file.basename == "METADATA" and folder.endswith(_DIST_INFO):
            name, _, version = folder[:-len(_DIST_INFO)].partition("-")
            return _normalized(name), version
    return None, None

def _aspect_impl(_target, ctx):
    deps = [dep for dep in getattr(ctx.rule.attr, "deps", []) if DistributionsInfo in dep]
    below = [dep[DistributionsInfo].targets for dep in deps]
    if not ctx.label.workspace_name and not any(below):
        return [DistributionsInfo(targets = depset(order = "topological"))]
    name, version = _distribution(ctx)
    node = struct(
        label = ctx.label,
        repository = ctx.label.workspace_name,
        name = name,
        version = version,
        # A list cannot be in a depset.
        deps = tuple([dep.label for dep in deps]),
    )
    return [DistributionsInfo(targets = depset([node], transitive = below, order = "topological"))]

# For attributes whose libraries the compiler imports.
distributions_aspect = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["deps"],
    doc = "Finds the packages below a Python library.",
)

def distribution_versions(targets):
    """Returns the packages below Python libraries.

    Args:
      targets: list[Target]: the libraries, with `distributions_aspect` applied.

    Returns:
      dict[string, string]: version by name.
    """
    nodes = depset(transitive = [target[DistributionsInfo].targets for target in targets], order = "topological")
    return {node.name: node.version for node in nodes.to_list() if node.name}

def _public_version(version):
    """Returns a version without its build, such as `+cpu`."""
    return version.partition("+")[0]

def _packages_below(library):
    # A backend that another rule defines may lack this field.
    return getattr(library, "distributions", depset()).to_list()

def check_versions(where, attribute, library, versions):
    """Fails if a package below a library has another version than the compiler's.

    Args:
      where: label of the rule that names the library, for the message.
      attribute: the attribute that names the library, for the message.
      library: struct of `python_library`, or ExecutorchBackendInfo.
      versions: dict[string, string]: the compiler's packages, version by name.
    """
    conflicts = [
        "  %s: %s (@%s), but models are compiled with %s" % (node.name, node.version, node.repository, versions[node.name])
        for node in _packages_below(library)
        if node.name in versions and _public_version(node.version) != _public_version(versions[node.name])
    ]
    if conflicts:
        fail(_CONFLICT_ERROR % (where, attribute, "\n".join(conflicts)))

def excluded_repositories(library, versions):
    """Returns the repositories whose files must not be inputs of compile actions.

    Args:
      library: struct of `python_library`, or ExecutorchBackendInfo.
      versions: dict[string, string]: the compiler's packages, version by name.

    Returns:
      dict[string, None]: names of repositories.
    """
    nodes = _packages_below(library)
    reached = {node.label: None for node in nodes[:1]}
    included = {}
    for node in nodes:
        if node.label in reached and node.name not in versions:
            included[node.repository] = None
            reached.update({dep: None for dep in node.deps})
    return {node.repository: None for node in nodes if node.repository and node.repository not in included}
