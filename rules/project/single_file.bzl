"""single_file: one output of a target, where a label of a single file is needed."""

_ATTRS = {
    "src": attr.label(
        mandatory = True,
        doc = "A target with several outputs.",
    ),
    "extension": attr.string(
        mandatory = True,
        doc = "Which of them.",
    ),
}

def _impl(ctx):
    files = [file for file in ctx.attr.src[DefaultInfo].files.to_list() if file.extension == ctx.attr.extension]
    if len(files) != 1:
        fail("%s: 'src' %s has %d outputs with extension '%s'" % (ctx.label, ctx.attr.src.label, len(files), ctx.attr.extension))
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

single_file = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = "One output of a target.",
)
