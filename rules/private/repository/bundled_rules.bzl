"""Rule sets for WORKSPACE mode: bundled with Bazel, or replacing built-in rules.

Debian's Bazel 7 has rule sets in its install base. Bazel 4 has the rules built in and needs files
that re-export them. With modules (MODULE.bazel), these repositories are not used.
"""

_DOC = "A rule set from Bazel's installation, or a replacement for it. Needs no network."

_ATTRS = {
    "bundled": attr.string(doc = "Folder in Bazel's install base that has the rule set."),
    "stand_in": attr.string(doc = "Folder under third_party/offline/workspace that is used if Bazel does not ship the rule set."),
    "_root": attr.label(default = Label("//:BUILD.bazel"), doc = "Finds this project's root folder."),
}

_MISSING = """\
this Bazel does not ship '{name}'; declare it in your WORKSPACE before executorch_dependencies(), or use MODULE.bazel \
(Bazel 7 and newer)"""

def _bundled(rctx):
    tools = rctx.path(Label("@bazel_tools//tools:BUILD")).realpath
    install_base = tools.dirname.dirname.dirname
    return rctx.path("{}/{}".format(install_base, rctx.attr.bundled)) if rctx.attr.bundled else None

def _stand_in(rctx):
    root = rctx.path(rctx.attr._root).dirname
    folder = "{}/third_party/offline/workspace/{}".format(root, rctx.attr.stand_in)
    return rctx.path(folder) if rctx.attr.stand_in else None

def _bundled_rules_impl(rctx):
    found = [path for path in (_bundled(rctx), _stand_in(rctx)) if path and path.exists]
    if not found:
        fail(_MISSING.format(name = rctx.name))
    for entry in found[0].readdir():
        rctx.symlink(entry, entry.basename)

bundled_rules = repository_rule(
    implementation = _bundled_rules_impl,
    attrs = _ATTRS,
    doc = _DOC,
    local = True,
)
