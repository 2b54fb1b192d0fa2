"""Packages of a hub, such as rules_python's `@pip`, that the compiler has itself.

A hub has a repository per package and follows requirements, so `@pip//timm` depends on a torch. The
compiler already has torch and imports its own copy. The hub's torch, and the packages that only
torch requires, are not inputs of the actions.
"""

load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")

_DistributionsInfo = provider(
    doc = "The repositories below a Python library.",
    fields = {
        "kept": "depset[string]: names of the repositories that do not depend on a package that the compiler has.",
        "hidden": "depset[string]: names of the repositories of packages that the compiler has, and of their dependencies.",
        "clashes": "depset[string]: packages whose version differs from the compiler's, for a message.",
    },
)

_DIST_INFO = ".dist-info"

_CLASH = """\
%s: '%s' depends on other versions of packages than those that models are compiled with:
%s
lock yours with the rules' third_party/python/requirements.lock as constraints (pip-compile -c)"""

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

def _clash(label, distribution, ours):
    if distribution.version.partition("+")[0] == ours.partition("+")[0]:
        return []
    return ["  %s: %s (@%s), and the rules have %s" % (distribution.name, distribution.version, label.workspace_name, ours)]

def _aspect_impl(_target, ctx):
    deps = getattr(ctx.rule.attr, "deps", [])
    below = [dep[_DistributionsInfo] for dep in deps if _DistributionsInfo in dep]
    repository = [ctx.label.workspace_name] if ctx.label.workspace_name else []
    kept = depset(repository, transitive = [info.kept for info in below])
    hidden = depset(transitive = [info.hidden for info in below])
    clashes = depset(transitive = [info.clashes for info in below])
    packages = ctx.toolchains[TOOLCHAIN_TYPE].packages
    distribution = _distribution(ctx)
    if not distribution or distribution.name not in packages:
        return [_DistributionsInfo(kept = kept, hidden = hidden, clashes = clashes)]
    return [_DistributionsInfo(
        kept = depset(),
        hidden = depset(transitive = [kept, hidden]),
        clashes = depset(_clash(ctx.label, distribution, packages[distribution.name]), transitive = [clashes]),
    )]

# For attributes whose libraries the compiler imports.
distributions_aspect = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["deps"],
    doc = "Finds packages that the compiler has itself.",
    toolchains = [TOOLCHAIN_TYPE],
)

def hidden_repositories(label, target, attribute):
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
    clashes = info.clashes.to_list()
    if clashes:
        fail(_CLASH % (label, attribute, "\n".join(clashes)))
    hidden = {name: None for name in info.hidden.to_list()}
    for name in info.kept.to_list() if hidden else []:
        hidden.pop(name, None)
    return hidden
