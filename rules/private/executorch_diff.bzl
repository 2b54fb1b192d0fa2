"""executorch_diff: compare two programs, as a page and as Markdown."""

load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_command.bzl", "run_module")

_DOC = """Compares two programs: `<name>.md` has a table for a pull request, and `<name>.html` is a page.

Both list the costs that differ (sizes, arena, instructions, calls of each operator) and changes to signatures, delegates and
constants."""

_ATTRS = {
    "old": attr.label(
        mandatory = True,
        allow_files = [".pte"],
        doc = "Program before the change: an `executorch_model`, or a `.pte` file.",
    ),
    "new": attr.label(
        mandatory = True,
        allow_files = [".pte"],
        doc = "Program after the change.",
    ),
}

def _program_file(ctx, attribute):
    target = getattr(ctx.attr, attribute)
    if ExecutorchModelInfo in target:
        return target[ExecutorchModelInfo].pte
    files = target[DefaultInfo].files.to_list()
    if len(files) != 1:
        fail("%s: '%s' %s has %d files; specify one program" % (display_label(ctx.label), attribute, display_label(target.label), len(files)))
    return files[0]

def _impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    programs = [_program_file(ctx, "old"), _program_file(ctx, "new")]
    markdown = ctx.actions.declare_file(ctx.label.name + ".md")
    page = ctx.actions.declare_file(ctx.label.name + ".html")
    args = ctx.actions.args()
    args.add_all(programs)
    args.add("--out-markdown", markdown)
    args.add("--html", page)
    run_module(
        ctx,
        toolchain,
        toolchain.reporters,
        module = "executorch_report.diff",
        arguments = args,
        inputs = depset(programs),
        outputs = [markdown, page],
        mnemonic = "ExecutorchDiff",
        progress_message = "Comparing programs for %s" % display_label(ctx.label),
    )
    return [DefaultInfo(files = depset([markdown, page]))]

executorch_diff = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
