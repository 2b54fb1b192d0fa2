"""Packages of a hub, such as rules_python's `@pip`, that the compiler already has.

A hub has a repository for each package and follows requirements, so `@pip//timm` depends on a torch
package. The compiler already has torch and imports its own copy. The hub's torch, and the packages
that only torch requires, are not inputs of the actions.
"""

load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")

_DistributionsInfo = provider(
    doc = "The repositories below a Python library.",
    fields = {
        "included": "depset[string]: names of the repositories that do not depend on a package that the compiler has.",
        "excluded": "depset[string]: names of the repositories of packages that the compiler has, and of their dependencies.",
        "conflicts": "depset[string]: packages whose version differs from the compiler's, for a message.",
    },
)

_DIST_INFO = ".dist-info"

_CONFLICT_ERROR = """\
%s: '%s' depends on package versions that differ from those that models are compiled with:
%s
lock your packages with the rules' third_party/python/requirements.lock as constraints (pip-compile -c)"""

def _normalized(name):
    """Returns a package's name as normalized by PEP 503."""
    return name.replace("_", "-").replace(".", "-").lower()

def _distribution(ctx):
    """Returns name and version of an external target's package, or None.

    They come from its folder `<name>-<version>.dist-info`.
    """
    if not ctx.label.workspace_name:
        return None
    for file in getattr(ctx.rule.files, "data", []):
        folder = file.dirname.rpartition("/")[2]
        if file.basename == "METADATA" and folder.endswith(_DIST_INFO):
            name, _, version = folder[:-len(_DIST_INFO)].partition("-")
            return struct(name = _normalized(name), version = version)
    return None

def _version_conflict(label, distribution, locked_version):
    if distribution.version.partition("+")[0] == locked_version.partition("+")[0]:
        return []
    return ["  %s: %s (@%s), but the rules have %s" % (distribution.name, distribution.version, label.workspace_name, locked_version)]

def _aspect_impl(_target, ctx):
    deps = getattr(ctx.rule.attr, "deps", [])
    dep_infos = [dep[_DistributionsInfo] for dep in deps if _DistributionsInfo in dep]
    repository = [ctx.label.workspace_name] if ctx.label.workspace_name else []
    included = depset(repository, transitive = [info.included for info in dep_infos])
    excluded = depset(transitive = [info.excluded for info in dep_infos])
    conflicts = depset(transitive = [info.conflicts for info in dep_infos])
    packages = ctx.toolchains[TOOLCHAIN_TYPE].packages
    distribution = _distribution(ctx)
    if not distribution or distribution.name not in packages:
        return [_DistributionsInfo(included = included, excluded = excluded, conflicts = conflicts)]
    return [_DistributionsInfo(
        included = depset(),
        excluded = depset(transitive = [included, excluded]),
        conflicts = depset(_version_conflict(ctx.label, distribution, packages[distribution.name]), transitive = [conflicts]),
    )]

# For attributes whose libraries the compiler imports.
distributions_aspect = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["deps"],
    doc = "Finds packages that the compiler already has.",
    toolchains = [TOOLCHAIN_TYPE],
)

def excluded_repositories(label, target, attribute):
    """Returns the repositories whose files must not be inputs of compile actions.

    Fails if a package's version differs from the compiler's.

    Args:
      label: of the rule that has the library, for messages.
      target: the library, with `distributions_aspect` applied.
      attribute: name of the attribute that has the library, for messages.

    Returns:
      dict[string, None]: names of repositories.
    """
    info = target[_DistributionsInfo]
    conflicts = info.conflicts.to_list()
    if conflicts:
        fail(_CONFLICT_ERROR % (label, attribute, "\n".join(conflicts)))
    excluded = {name: None for name in info.excluded.to_list()}
    for name in info.included.to_list() if excluded else []:
        excluded.pop(name, None)
    return excluded
