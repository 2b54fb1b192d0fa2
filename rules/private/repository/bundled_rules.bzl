"""Rule sets for WORKSPACE mode: bundled with Bazel, or replacing built-in rules.

Debian's Bazel 7 has rule sets in its install base. Bazel 4 has the rules built in and needs files
that re-export them. With modules (MODULE.bazel), these repositories are not used.
"""

_DOC = "A rule set from Bazel's installation, or a replacement for it. Needs no network."

_ATTRS = {
    "bundled": attr.string(doc = "Folder in Bazel's install base that has the rule set."),
    "replacement": attr.string(doc = "Folder under third_party/offline/workspace that is used if Bazel does not ship the rule set."),
    "_root": attr.label(default = Label("//:BUILD.bazel"), doc = "Finds this project's root folder."),
}

_NOT_BUNDLED_ERROR = """\
this Bazel does not ship '{name}'; declare it in your WORKSPACE before executorch_dependencies(), or use MODULE.bazel \
(Bazel 7 and newer)"""

def _bundled_path(rctx):
    tools = rctx.path(Label("@bazel_tools//tools:BUILD")).realpath
    install_base = tools.dirname.dirname.dirname
    return rctx.path("{}/{}".format(install_base, rctx.attr.bundled)) if rctx.attr.bundled else None

def _replacement_path(rctx):
    root = rctx.path(rctx.attr._root).dirname
    folder = "{}/third_party/offline/workspace/{}".format(root, rctx.attr.replacement)
    return rctx.path(folder) if rctx.attr.replacement else None

def _bundled_rules_impl(rctx):
    folders = [path for path in (_bundled_path(rctx), _replacement_path(rctx)) if path and path.exists]
    if not folders:
        fail(_NOT_BUNDLED_ERROR.format(name = rctx.name))
    for entry in folders[0].readdir():
        rctx.symlink(entry, entry.basename)

bundled_rules = repository_rule(
    implementation = _bundled_rules_impl,
    attrs = _ATTRS,
    doc = _DOC,
    local = True,
)
