"""The rules that write the sources of a WebAssembly library, and collect its files."""

load("//bindings/web:model_configuration.bzl", "VARIANT_ISAS", "to_wasm")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//rules/private:model_info.bzl", "model_info")  # buildifier: disable=bzl-visibility
load("//rules/private:python_command.bzl", "run_module", "use_params_file")  # buildifier: disable=bzl-visibility

def _file_stem(library_name, class_name, models):
    """Returns the name of a model's files next to the module, without extension.

    It is not that of the library alone: a model `net_pte` has the output `net.pte`.
    """
    return "%s.%s" % (library_name, "model" if len(models) == 1 else class_name)

def _module_file(library_name, variant):
    return "%s.%s.wasm" % (library_name, variant)

def _source_impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    models = [(model_info(ctx, target), class_name) for target, class_name in ctx.attr.models.items()]
    name = ctx.attr.library_name
    outputs = {
        "module": ctx.actions.declare_file(name + ".mjs"),
        "source": ctx.actions.declare_file(name + "_wasm.c"),
        "types": ctx.actions.declare_file(name + ".d.mts"),
    }
    args = ctx.actions.args()

    # Joined with "=": labels of other repositories start with @, which would mark a params file.
    args.add("--target=" + display_label(ctx.label.relative(":" + name)))
    args.add("--library=" + display_label(ctx.attr.library.label))
    for model, class_name in models:
        args.add_all("--model", [model.prefix, model.manifest, class_name, _file_stem(name, class_name, models)])
    for variant in ctx.attr.variants:
        args.add_all("--module", [variant, _module_file(name, variant)])
    args.add_all(ctx.files._runtime, before_each = "--runtime")
    args.add("--types", ctx.file._types)
    if ctx.attr.embed:
        args.add("--embed")
    args.add("--out-module", outputs["module"])
    args.add("--out-source", outputs["source"])
    args.add("--out-types", outputs["types"])
    use_params_file(args)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = "rules.codegen.web_library",
        arguments = args,
        inputs = depset([model.manifest for model, _ in models] + ctx.files._runtime + [ctx.file._types]),
        outputs = outputs.values(),
        mnemonic = "ExecutorchWeb",
        progress_message = "Generating JavaScript for %s" % display_label(ctx.label),
    )
    return [
        DefaultInfo(files = depset([outputs["module"], outputs["types"]])),
        OutputGroupInfo(c = depset([outputs["source"]])),
    ]

web_source = rule(
    implementation = _source_impl,
    attrs = {
        "embed": attr.bool(doc = "Whether the .wasm files contain the programs and weights."),
        "library": attr.label(
            mandatory = True,
            doc = "The models' `executorch_cc_library`.",
        ),
        "library_name": attr.string(
            mandatory = True,
            doc = "Name of the WebAssembly library.",
        ),
        "models": attr.label_keyed_string_dict(
            mandatory = True,
            doc = "Names of the classes by model; `-` for the default.",
        ),
        "variants": attr.string_list(
            mandatory = True,
            doc = "The variants, the fastest first.",
        ),
        # Each module after those that it imports.
        "_runtime": attr.label_list(
            default = ["//bindings/web:runtime/%s.mjs" % name for name in [
                "errors",
                "dtypes",
                "slots",
                "files",
                "variants",
                "instance",
                "model",
                "program",
            ]],
            allow_files = [".mjs"],
        ),
        "_types": attr.label(
            default = "//bindings/web:runtime/types.d.mts",
            allow_single_file = True,
        ),
    },
    doc = "The module and the declarations of a library, and the C source of its .wasm file as output group `c`.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)

def _link(ctx, file, name):
    link = ctx.actions.declare_file(name)
    ctx.actions.symlink(output = link, target_file = file)
    return link

def _copy(ctx, file, name):
    """Returns a copy, because `npm pack` omits symbolic links."""
    copy = ctx.actions.declare_file(name)
    ctx.actions.run_shell(
        inputs = [file],
        outputs = [copy],
        command = "cp \"$1\" \"$2\"",
        arguments = [file.path, copy.path],
        mnemonic = "ExecutorchNpm",
        progress_message = "Copying %{output}",
    )
    return copy

def _model_files(ctx):
    """Returns the programs and weights, with the names that the module expects."""
    files = []
    for target, class_name in ctx.attr.models.items():
        model = model_info(ctx, target)
        stem = _file_stem(ctx.label.name, class_name, ctx.attr.models)
        files.append(_link(ctx, model.pte, stem + ".pte"))
        if model.weights:
            files.append(_link(ctx, model.weights, stem + ".ptd"))
    return files

def _package_json(ctx):
    name = ctx.label.name
    exports = {".": {"types": "./%s.d.mts" % name, "default": "./%s.mjs" % name}}
    return json.encode_indent({
        "name": ctx.attr.npm_name or name,
        "version": ctx.attr.npm_version,
        "license": ctx.attr.npm_license,
        "type": "module",
        "exports": dict(exports, **{"./*": "./*"}),
        "types": "./%s.d.mts" % name,
        "files": ["*"],
        "sideEffects": False,
    }, indent = "  ") + "\n"

def _npm_package(ctx, files):
    """Returns the files of an npm package, in a folder of their own."""
    folder = ctx.label.name + "_npm/"
    package = ctx.actions.declare_file(folder + "package.json")
    ctx.actions.write(package, _package_json(ctx))
    licenses = [_copy(ctx, ctx.file._license, folder + "LICENSE.rules_executorch")]
    if ctx.file.npm_license_file:
        licenses.append(_copy(ctx, ctx.file.npm_license_file, folder + "LICENSE"))
    return [package] + licenses + [_copy(ctx, file, folder + file.basename) for file in files]

def _library_impl(ctx):
    modules = [
        _link(ctx, ctx.split_attr.binary[variant][DefaultInfo].files_to_run.executable, _module_file(ctx.label.name, variant))
        for variant in ctx.attr.variants
    ]
    files = ctx.attr.source[DefaultInfo].files.to_list() + modules + ([] if ctx.attr.embed else _model_files(ctx))
    return [
        DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files)),
        OutputGroupInfo(npm = depset(_npm_package(ctx, files)), wasm = depset(modules)),
    ]

web_library = rule(
    implementation = _library_impl,
    attrs = {
        "binary": attr.label(
            mandatory = True,
            cfg = to_wasm,
            doc = "The `cc_binary` to link for each variant.",
        ),
        "c_toolchain": attr.string(doc = "Label of a C toolchain to prefer for the .wasm files."),
        "embed": attr.bool(doc = "Whether the .wasm files contain the programs and weights."),
        "models": attr.label_keyed_string_dict(
            mandatory = True,
            doc = "Names of the classes by model.",
        ),
        "npm_license": attr.string(doc = "SPDX expression of the package's license."),
        "npm_license_file": attr.label(
            allow_single_file = True,
            doc = "Its text.",
        ),
        "npm_name": attr.string(doc = "Name of the package."),
        "npm_version": attr.string(doc = "Version of the package."),
        "platform": attr.string(
            mandatory = True,
            doc = "Label of the platform of the .wasm files.",
        ),
        "source": attr.label(
            mandatory = True,
            doc = "The `web_source`.",
        ),
        "variants": attr.string_list(
            mandatory = True,
            doc = "The variants: %s." % ", ".join(VARIANT_ISAS),
        ),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
        "_license": attr.label(
            default = "//:LICENSE",
            allow_single_file = True,
        ),
    },
    doc = "The files of a WebAssembly library; output group `npm` is a package.",
)
