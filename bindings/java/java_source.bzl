"""The rules that write the sources of Java classes, and the jar with their native library."""

load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//rules/private:model_info.bzl", "model_info")  # buildifier: disable=bzl-visibility
load("//rules/private:python_command.bzl", "run_module", "use_params_file")  # buildifier: disable=bzl-visibility

def _source_impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    models = [(model_info(ctx, target), class_name) for target, class_name in ctx.attr.models.items()]
    classes = ctx.actions.declare_file(ctx.label.name + ".srcjar")
    source = ctx.actions.declare_file(ctx.label.name + ".c")
    args = ctx.actions.args()

    # Joined with "=": labels of other repositories start with @, which would mark a params file.
    args.add("--target=" + display_label(ctx.label.relative(":" + ctx.attr.library_name)))
    args.add("--library=" + display_label(ctx.attr.library.label))
    args.add("--package=" + ctx.attr.package)
    args.add("--name=" + ctx.attr.library_name)
    for model, class_name in models:
        args.add_all("--model", [model.prefix, model.manifest, class_name])
    args.add_all(ctx.attr.borrow, format_each = "--borrow-%s")
    args.add("--out-classes", classes)
    args.add("--out-source", source)
    use_params_file(args)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = "rules.codegen.java_library",
        arguments = args,
        inputs = depset([model.manifest for model, _ in models]),
        outputs = [classes, source],
        mnemonic = "ExecutorchJava",
        progress_message = "Generating Java for %s" % display_label(ctx.label),
    )
    return [DefaultInfo(files = depset([classes])), OutputGroupInfo(c = depset([source]))]

java_source = rule(
    implementation = _source_impl,
    attrs = {
        "borrow": attr.string_list(doc = "Files that the caller provides: `program`, `weights`."),
        "library": attr.label(
            mandatory = True,
            doc = "The models' `executorch_cc_library`.",
        ),
        "library_name": attr.string(
            mandatory = True,
            doc = "Name of the Java library.",
        ),
        "models": attr.label_keyed_string_dict(
            mandatory = True,
            doc = "Names of the classes by model; `-` for the default.",
        ),
        "package": attr.string(
            mandatory = True,
            doc = "Java package of the classes.",
        ),
    },
    doc = "The sources of models' Java classes, and the C source of their native library as output group `c`.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)

def _write_jar(ctx, arguments, inputs):
    """Registers the action that writes the jar; returns its file."""
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    jar = ctx.actions.declare_file(ctx.label.name + ".jar")
    arguments.add("--target=" + display_label(ctx.label))
    arguments.add("--out", jar)
    use_params_file(arguments)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = "rules.codegen.java_natives",
        arguments = arguments,
        inputs = depset(inputs),
        outputs = [jar],
        mnemonic = "ExecutorchJavaNatives",
        progress_message = "Packaging native libraries for %s" % display_label(ctx.label),
    )
    return [DefaultInfo(files = depset([jar]))]

def _natives_impl(ctx):
    args = ctx.actions.args()
    args.add("--name=%s_jni" % ctx.attr.library_name)
    args.add("--platform=%s-%s" % (ctx.attr.os, ctx.attr.cpu))
    args.add("--library", ctx.file.library)
    return _write_jar(ctx, args, [ctx.file.library])

java_natives = rule(
    implementation = _natives_impl,
    attrs = {
        "cpu": attr.string(
            mandatory = True,
            doc = "Java's name of the CPU.",
        ),
        "library": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "The shared library.",
        ),
        "library_name": attr.string(
            mandatory = True,
            doc = "Name of the Java library.",
        ),
        "os": attr.string(
            mandatory = True,
            doc = "Java's name of the operating system.",
        ),
    },
    doc = "A jar with a native library as a resource.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)

def _platforms_impl(_settings, attr):
    return {
        str(platform): {"//command_line_option:platforms": [str(platform)]}
        for platform in attr.platforms
    }

_each_platform = transition(
    implementation = _platforms_impl,
    inputs = [],
    outputs = ["//command_line_option:platforms"],
)

def _merged_impl(ctx):
    args = ctx.actions.args()
    args.add_all(ctx.files.natives, before_each = "--jar")
    return _write_jar(ctx, args, ctx.files.natives)

java_natives_for_platforms = rule(
    implementation = _merged_impl,
    attrs = {
        "natives": attr.label(
            mandatory = True,
            cfg = _each_platform,
            doc = "The `java_natives` to build for each platform.",
        ),
        "platforms": attr.label_list(
            mandatory = True,
            doc = "The platforms.",
        ),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
    doc = "A jar with a native library for each of several platforms.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
