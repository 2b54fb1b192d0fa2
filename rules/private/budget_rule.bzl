"""The rules of executorch_budget_test.

One compares the cost of a model with a budget file, the other writes that file.
"""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:model_info.bzl", "model_info")
load("//rules/private:python_tool.bzl", "tool_executable")

_ATTRS = {
    "model": attr.label(
        mandatory = True,
        doc = "An `executorch_model` or `executorch_import`.",
    ),
    "program": attr.label(
        allow_single_file = True,
        doc = "Binary that links the runtime and the selected kernels, to measure its code.",
    ),
    "_sources": attr.label(default = "//tools/report/executorch_report:sources"),
}

_OUT = attr.string(
    mandatory = True,
    doc = "Path of the budget in the workspace.",
)

_TEST_ATTRS = dict(
    _ATTRS,
    budget = attr.label(
        allow_single_file = [".json"],
        doc = "The budget file. Without it, the test fails and prints the command that writes it.",
    ),
    out = _OUT,
    code_slack = attr.int(doc = "Percentage by which the code size can exceed the budget."),
)

_UPDATE_ATTRS = dict(
    _ATTRS,
    out = _OUT,
)

_UPDATE_SUFFIX = ".update"

def _shell_quote(text):
    return "'%s'" % text.replace("'", "'\\''")

def _budget_executable(ctx, target, arguments, files):
    model = model_info(ctx, ctx.attr.model)
    optional_flags = [("--pte", model.pte), ("--weights", model.weights), ("--program", ctx.file.program)]
    file_flags = [(flag, file) for flag, file in optional_flags if file]
    common_arguments = ["--target", _shell_quote(target)]
    for flag, file in file_flags:
        common_arguments += [flag, _shell_quote(file.short_path)]
    return tool_executable(
        ctx,
        module = "executorch_report.budget",
        sources = ctx.attr._sources,
        arguments = common_arguments + arguments,
        files = [file for _, file in file_flags] + files,
    )

def _test_impl(ctx):
    budget = ctx.file.budget
    budget_flags = ["--budget", _shell_quote(budget.short_path)] if budget else ["--missing", _shell_quote(ctx.attr.out)]
    arguments = budget_flags + ["--code-slack", str(ctx.attr.code_slack)]
    return _budget_executable(ctx, display_label(ctx.label), arguments, [budget] if budget else [])

def _update_impl(ctx):
    return _budget_executable(ctx, display_label(ctx.label)[:-len(_UPDATE_SUFFIX)], ["--update", _shell_quote(ctx.attr.out)], [])

budget_test = rule(
    implementation = _test_impl,
    attrs = _TEST_ATTRS,
    doc = "Tests that the cost of a model is within a budget file.",
    test = True,
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)

budget_update = rule(
    implementation = _update_impl,
    attrs = _UPDATE_ATTRS,
    doc = "Writes the budget file.",
    executable = True,
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
