"""The rule of executorch_aar."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//rules/private:python_command.bzl", "run_module", "use_params_file")  # buildifier: disable=bzl-visibility

def _impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    aar = ctx.actions.declare_file(ctx.label.name + ".aar")
    args = ctx.actions.args()
    args.add("--target=" + display_label(ctx.label))
    args.add("--package=" + ctx.attr.package)
    args.add("--min-sdk=%d" % ctx.attr.min_sdk)
    args.add_all(ctx.files.classes, before_each = "--classes")
    args.add("--natives", ctx.file.natives)
    args.add("--out", aar)
    use_params_file(args)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = "rules.codegen.java_aar",
        arguments = args,
        inputs = depset(ctx.files.classes + [ctx.file.natives]),
        outputs = [aar],
        mnemonic = "ExecutorchAar",
        progress_message = "Packaging Android library %s" % display_label(ctx.label),
    )
    return [DefaultInfo(files = depset([aar]))]

aar = rule(
    implementation = _impl,
    attrs = {
        "classes": attr.label_list(
            mandatory = True,
            allow_files = [".jar"],
            doc = "Java libraries whose classes the AAR contains.",
        ),
        "min_sdk": attr.int(
            mandatory = True,
            doc = "The oldest API level.",
        ),
        "natives": attr.label(
            mandatory = True,
            allow_single_file = [".jar"],
            doc = "The jar with native libraries.",
        ),
        "package": attr.string(
            mandatory = True,
            doc = "Android package of the manifest.",
        ),
    },
    doc = "An Android library.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
