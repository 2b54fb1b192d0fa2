"""Packages that a library depends on by a hub such as rules_python's `@pip`, and that models are compiled with anyway.

A hub has each package in a repository of its own and follows what packages require, so `@pip//timm` brings a torch. The compiler has torch
already; its own is the one that is imported, and the hub's stays out of the actions, with what only it requires.
"""

load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")

_DistributionsInfo = provider(
    doc = "The repositories below a Python library.",
    fields = {
        "kept": "depset[string]: names of those that are reached without a package that the compiler has.",
        "hidden": "depset[string]: names of those of such packages, and of what is reached through them.",
        "clashes": "depset[string]: such packages that are of other versions, for a message.",
    },
)

_DIST_INFO = ".dist-info"

_CLASH = """\
%s: '%s' depends on other versions of packages than those that models are compiled with:
%s
lock yours with the rules' third_party/python/requirements.lock as constraints (pip-compile -c)"""

def _normalized(name):
    """A package's name as indexes compare it, of a name as folders have it."""
    return name.replace("_", "-").replace(".", "-").lower()

def _distribution(ctx):
    """Finds name and version of the package that a target of another repository is, by its folder `<name>-<version>.dist-info`."""
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

# For the attributes whose libraries the compiler imports.
distributions_aspect = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["deps"],
    doc = "Finds packages that the compiler has itself.",
    toolchains = [TOOLCHAIN_TYPE],
)

def hidden_repositories(label, target, attribute):
    """Finds the repositories whose files the compiler must not see; fails where packages are of other versions than its own.

    Args:
      label: of the rule that has the library, for messages.
      target: the library, seen by `distributions_aspect`.
      attribute: name of the attribute that it was given in, for messages.

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
