"""The rule that writes the source of a model's Rust crate."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//rules/private:model_info.bzl", "model_info")  # buildifier: disable=bzl-visibility
load("//rules/private:python_command.bzl", "run_module", "use_params_file")  # buildifier: disable=bzl-visibility

_ATTRS = {
    "borrow": attr.string_list(doc = "Files that the caller provides: `program`, `weights`."),
    "library": attr.label(
        mandatory = True,
        doc = "The model's `executorch_cc_library`.",
    ),
    "model": attr.label(
        mandatory = True,
        doc = "An `executorch_model` or `executorch_import`.",
    ),
    "type_name": attr.string(doc = "Name of the model's type; '' for the default."),
}

def _impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    model = model_info(ctx, ctx.attr.model)
    source = ctx.actions.declare_file(ctx.label.name + ".rs")
    args = ctx.actions.args()

    # Joined with "=": labels of other repositories start with @, which would mark a params file.
    args.add("--target=" + display_label(ctx.label))
    args.add("--library=" + display_label(ctx.attr.library.label))
    args.add_all("--model", [model.prefix, model.manifest])
    args.add_all(ctx.attr.borrow, format_each = "--borrow-%s")
    args.add("--type-name=" + ctx.attr.type_name)
    args.add("--out", source)
    use_params_file(args)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = "rules.codegen.rust_crate",
        arguments = args,
        inputs = depset([model.manifest]),
        outputs = [source],
        mnemonic = "ExecutorchRust",
        progress_message = "Generating Rust for %s" % display_label(ctx.label),
    )
    return [DefaultInfo(files = depset([source]))]

rust_source = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = "The source of a model's Rust crate.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
