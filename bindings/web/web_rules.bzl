"""The rules that write the sources of a WebAssembly library, and collect its files."""

load("//bindings/web:model_configuration.bzl", "VARIANT_ISAS", "from_wasm", "to_plain_wasm", "to_wasm")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:labels.bzl", "display_label")  # buildifier: disable=bzl-visibility
load("//rules/private:model_info.bzl", "model_info")  # buildifier: disable=bzl-visibility
load("//rules/private:python_command.bzl", "run_module", "use_params_file")  # buildifier: disable=bzl-visibility
load("//text:vocabulary.bzl", "TextVocabularyInfo")

def _file_stem(library_name, class_name, models):
    """Returns the name of a model's files next to the module, without extension.

    It is not that of the library alone: a model `net_pte` has the output `net.pte`.
    """
    return "%s.%s" % (library_name, "model" if len(models) == 1 else class_name)

def _module_file(library_name, variant):
    return "%s.%s.wasm" % (library_name, variant)

def _tokenizer_file(library_name, class_name):
    return "%s.%s.wasm" % (library_name, class_name)

def _include_path(header):
    """Returns the path of a header relative to its repository."""
    return header.short_path.split("/", 2)[2] if header.short_path.startswith("../") else header.short_path

def _add_tokenizers(ctx, args, sources):
    """Adds the arguments of the tokenizers. Returns the files that the action reads.

    Args:
      ctx: context of the rule.
      args: arguments of the action.
      sources: the C files to write.
    """
    name = ctx.attr.library_name
    tables = []
    for (target, class_name), source in zip(ctx.attr.tokenizers.items(), sources):
        info = target[TextVocabularyInfo]
        if info.kind == "unigram":
            fail("%s: %s is a Unigram vocabulary, which WebAssembly libraries do not support; use it from C" % (display_label(ctx.label), display_label(target.label)))
        args.add("--tokenizer")
        args.add_all([
            info.kind,
            class_name,
            # A label of another repository starts with @, which would mark a params file.
            "label:" + display_label(target.label),
            info.tables,
            info.symbol,
            _include_path(info.header),
            _tokenizer_file(name, class_name),
        ])
        args.add("--out-tokenizer", source)
        tables.append(info.tables)
    return tables

def _worker_file(library_name):
    return library_name + ".worker.mjs"

def _source_impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    models = [(model_info(ctx, target), class_name) for target, class_name in ctx.attr.models.items()]
    name = ctx.attr.library_name
    outputs = {
        "module": ctx.actions.declare_file(name + ".mjs"),
        "source": ctx.actions.declare_file(name + "_wasm.c"),
        "types": ctx.actions.declare_file(name + ".d.mts"),
    }
    tokenizer_sources = [
        ctx.actions.declare_file("%s_%s_tokenizer.c" % (name, class_name))
        for class_name in ctx.attr.tokenizers.values()
    ]
    args = ctx.actions.args()

    # Joined with "=": labels of other repositories start with @, which would mark a params file.
    args.add("--target=" + display_label(ctx.label.relative(":" + name)))
    args.add("--library=" + display_label(ctx.attr.library.label))
    for model, class_name in models:
        args.add_all("--model", [model.prefix, model.manifest, class_name, _file_stem(name, class_name, models)])
    for variant in ctx.attr.variants:
        args.add_all("--module", [variant, _module_file(name, variant)])

    # The module of the other number of threads is omitted.
    omitted = "single_thread.mjs" if ctx.attr.threads else "threads.mjs"
    runtime = [file for file in ctx.files._runtime if file.basename != omitted]
    runtime += ctx.files._tokenizer_runtime if tokenizer_sources else []
    types = [ctx.file._types] + ([ctx.file._tokenizer_types] if tokenizer_sources else [])
    args.add_all(runtime, before_each = "--runtime")
    args.add_all(types, before_each = "--types")
    tables = _add_tokenizers(ctx, args, tokenizer_sources)
    if ctx.attr.embed:
        args.add("--embed")
    if ctx.attr.threads:
        args.add("--worker", _worker_file(name))
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
        inputs = depset([model.manifest for model, _ in models] + runtime + types + tables),
        outputs = outputs.values() + tokenizer_sources,
        mnemonic = "ExecutorchWeb",
        progress_message = "Generating JavaScript for %s" % display_label(ctx.label),
    )
    return [
        DefaultInfo(files = depset([outputs["module"], outputs["types"]])),
        OutputGroupInfo(
            c = depset([outputs["source"]]),
            **{"tokenizer_%d" % i: depset([source]) for i, source in enumerate(tokenizer_sources)}
        ),
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
        "threads": attr.bool(doc = "Whether calls use several threads."),
        "tokenizers": attr.label_keyed_string_dict(
            cfg = from_wasm,
            providers = [TextVocabularyInfo],
            doc = "Names of the classes by vocabulary.",
        ),
        "variants": attr.string_list(
            mandatory = True,
            doc = "The variants, the fastest first.",
        ),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),

        # Each module after those that it imports.
        "_runtime": attr.label_list(
            default = ["//bindings/web:runtime/%s.mjs" % name for name in [
                "errors",
                "dtypes",
                "slots",
                "files",
                "variants",
                "single_thread",
                "threads",
                "instance",
                "model",
                "program",
            ]],
            allow_files = [".mjs"],
        ),
        # Only in libraries with tokenizers.
        "_tokenizer_runtime": attr.label(
            default = "//bindings/web:runtime/tokenizer.mjs",
            allow_single_file = True,
        ),
        "_tokenizer_types": attr.label(
            default = "//bindings/web:runtime/tokenizer.d.mts",
            allow_single_file = True,
        ),
        "_types": attr.label(
            default = "//bindings/web:runtime/types.d.mts",
            allow_single_file = True,
        ),
    },
    doc = "The module and the declarations of a library. Output group `c` is the C source of its .wasm file, `tokenizer_<i>` that of a " +
          "tokenizer.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)

def _link(ctx, file, name):
    link = ctx.actions.declare_file(name)
    ctx.actions.symlink(output = link, target_file = file)
    return link

def _strip(ctx, target, name):
    """Returns a linked module without its custom sections."""
    module = target[DefaultInfo].files_to_run.executable
    stripped = ctx.actions.declare_file(name)
    args = ctx.actions.args()
    args.add_all([module, stripped])
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = "rules.codegen.wasm_strip",
        arguments = args,
        inputs = depset([module]),
        outputs = [stripped],
        mnemonic = "ExecutorchWasm",
        progress_message = "Stripping %{output}",
    )
    return stripped

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
        _strip(ctx, ctx.split_attr.binary[variant], _module_file(ctx.label.name, variant))
        for variant in ctx.attr.variants
    ] + [
        _strip(ctx, target, _tokenizer_file(ctx.label.name, class_name))
        for target, class_name in ctx.attr.tokenizers.items()
    ]
    files = ctx.attr.source[DefaultInfo].files.to_list() + modules + ([] if ctx.attr.embed else _model_files(ctx))
    if ctx.attr.threads:
        files.append(_link(ctx, ctx.file._worker, _worker_file(ctx.label.name)))
    return [
        DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files)),
        OutputGroupInfo(
            js = ctx.attr.source[DefaultInfo].files,
            npm = depset(_npm_package(ctx, files)),
            wasm = depset(modules),
        ),
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
        "threads": attr.bool(doc = "Whether calls use several threads."),
        "tokenizers": attr.label_keyed_string_dict(
            cfg = to_plain_wasm,
            doc = "Names of the tokenizers' classes by `cc_binary`.",
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
        "_worker": attr.label(
            default = "//bindings/web:runtime/worker.mjs",
            allow_single_file = True,
        ),
    },
    doc = "The files of a WebAssembly library; output group `npm` is a package.",
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)
