"""Stubs of js_library and npm_package of Aspect's rules_js, and an analysis test of their results.

The stubs accept and arrange files as the rules do, so that the test needs no other rule set.
"""

_StubInfo = provider(
    doc = "The result of a stub.",
    fields = {"places": "dict[string, list[string]]: paths of files, relative to their package, by kind."},
)

def _place(ctx, file, root):
    """Returns the path of a generated file relative to a folder of the target's package.

    js_library and npm_package reject or omit files of other packages.
    """
    if file.is_source or file.owner.package != ctx.label.package:
        fail("%s: %s is not a generated file of the package" % (ctx.label, file.short_path))
    prefix = "/".join([part for part in [ctx.label.package, root] if part]) + "/"
    return file.short_path[len(prefix):] if file.short_path.startswith(prefix) else file.short_path

def _is_declaration(path):
    return path.endswith(".d.ts") or path.endswith(".d.mts")

def _js_library_impl(ctx):
    paths = [_place(ctx, file, "") for file in ctx.files.srcs]
    return [_StubInfo(places = {
        "sources": [path for path in paths if not _is_declaration(path)],
        "types": [path for path in paths if _is_declaration(path)],
    })]

stub_js_library = rule(
    implementation = _js_library_impl,
    attrs = {
        "srcs": attr.label_list(
            allow_files = True,
            doc = "The files.",
        ),
    },
    doc = "Sorts files as js_library does.",
)

def _npm_package_impl(ctx):
    return [_StubInfo(places = {"sources": [_place(ctx, file, ctx.attr.root) for file in ctx.files.srcs]})]

stub_npm_package = rule(
    implementation = _npm_package_impl,
    attrs = {
        "root": attr.string(doc = "Folder of the package whose files are at the root."),
        "srcs": attr.label_list(
            allow_files = True,
            doc = "The files.",
        ),
    },
    doc = "Arranges files as npm_package does.",
)

def _test_impl(ctx):
    expected = {"sources": ctx.attr.sources, "types": ctx.attr.types}
    actual = ctx.attr.target[_StubInfo].places
    problems = [
        "%s: expected %s, got %s" % (kind, sorted(names), sorted(actual.get(kind, [])))
        for kind, names in expected.items()
        if sorted(names) != sorted(actual.get(kind, []))
    ]
    return [AnalysisTestResultInfo(success = not problems, message = "\n".join(problems))]

places_test = rule(
    implementation = _test_impl,
    attrs = {
        "sources": attr.string_list(doc = "Paths of the sources."),
        "target": attr.label(
            mandatory = True,
            providers = [_StubInfo],
            doc = "A stub.",
        ),
        "types": attr.string_list(doc = "Paths of the declarations."),
    },
    doc = "Tests the files of a stub.",
    analysis_test = True,
)
