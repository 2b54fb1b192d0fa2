"""The rule behind executorch_cc_library: compiled models as a C library with just the kernels they use."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:c_names.bzl", "c_prefix")
load("//rules/private:kernel_sets.bzl", "kernel_tables", "operator_tables")
load("//rules/private:labels.bzl", "display_label", "source_root")
load("//rules/private:python_command.bzl", "run_module", "use_params_file")

_DOC = """Compiled models as a C library: a typed header `<package>/<name>.h`, the programs' bytes in read-only memory, and a
table of just the kernels and backends that they use. Nothing runs before `main` and nothing is looked up at run time."""

_ATTRS = {
    "models": attr.label_list(
        mandatory = True,
        allow_empty = False,
        providers = [ExecutorchModelInfo],
        doc = "The `executorch_model` targets. Their operators are united, and so are the kernels that they were compiled for.",
    ),
    "weights": attr.string(
        default = "embed",
        values = ["embed", "lend"],
        doc = "Where weights go that lie apart (`external_weights`): `embed` puts them into read-only memory too, files of equal " +
              "content once; with `lend` the load functions take the file's bytes.",
    ),
    "embed": attr.bool(
        default = True,
        doc = "Put the programs' bytes into the library. Without it load functions take the bytes of their files, which are in the runfiles " +
              "of what links the library (docs/how_to/programs_as_files.md).",
    ),
    "shared_memory": attr.bool(
        doc = "Define `<package>_<name>_memory`, a type that has room for any of the methods, for models that never run together.",
    ),
    "linked_registry": attr.bool(doc = "Also define `et_linked_registry`, which the test programs of //runtime/replay take."),
    "_runtime": attr.label(
        default = "//runtime",
        providers = [CcInfo],
    ),
    "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
}

_COPTS = ["-std=c11", "-Wall", "-Wextra"]

def _kernels(models):
    return depset(transitive = [model.kernels for model in models])

def _generate(ctx, toolchain, models, header, source, data):
    sets = _kernels(models)
    operators = operator_tables(sets)
    kernels = kernel_tables(sets)
    args = ctx.actions.args()

    # One word: a label of another repository begins with an @, as a file of arguments does.
    args.add("--target=" + display_label(ctx.label))
    args.add("--include", ctx.label.package + "/" + header.basename if ctx.label.package else header.basename)
    for model in models:
        args.add_all("--model", [model.prefix, model.manifest, model.pte])
        if model.weights:
            args.add_all("--weights", [model.prefix, model.weights])
    args.add_all(operators, before_each = "--operators")
    args.add_all(kernels, before_each = "--kernels")
    for backend in depset(transitive = [model.backends for model in models]).to_list():
        if backend.symbol:
            args.add("--backend", "%s=%s" % (backend.id, backend.symbol))
    if not ctx.attr.embed:
        for model in models:
            args.add_all("--lend-program", [model.prefix, _runfiles_path(ctx, model.pte)])
    if ctx.attr.shared_memory:
        args.add("--shared-memory", c_prefix(ctx.label.package, ctx.label.name))
    if ctx.attr.weights == "lend":
        args.add("--lend-weights")
    if ctx.attr.linked_registry:
        args.add("--linked-registry")
    args.add("--out-header", header)
    args.add("--out-source", source)
    args.add("--out-data", data)
    use_params_file(args)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = "rules.codegen.c_library",
        arguments = args,
        inputs = depset([model.manifest for model in models], transitive = [operators, kernels]),
        outputs = [header, source, data],
        mnemonic = "ExecutorchCodegen",
        message = "Generating C for %s" % display_label(ctx.label),
    )

def _runfiles_path(ctx, file):
    """Where a program that runs has a file, below the folder of its runfiles."""
    path = file.short_path
    return path[len("../"):] if path.startswith("../") else ctx.workspace_name + "/" + path

def _dependencies(ctx, models):
    backends = depset(transitive = [model.backends for model in models]).to_list()
    return [ctx.attr._runtime[CcInfo]] + [info.cc for info in _kernels(models).to_list()] + [info.cc for info in backends if info.cc]

def _embedded_files(ctx, models):
    weights = [model.weights for model in models if model.weights and ctx.attr.weights == "embed"]
    return ([model.pte for model in models] if ctx.attr.embed else []) + weights

def _compile(ctx, models, header, sources, dependencies):
    cc_toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    common = dict(actions = ctx.actions, feature_configuration = features, cc_toolchain = cc_toolchain)
    compilation, objects = cc_common.compile(
        name = ctx.label.name,
        public_hdrs = [header],
        srcs = sources,
        includes = [source_root(header)],
        user_compile_flags = _COPTS,
        additional_inputs = _embedded_files(ctx, models),
        compilation_contexts = [info.compilation_context for info in dependencies],
        **common
    )
    linking, made = cc_common.create_linking_context_from_compilation_outputs(
        name = ctx.label.name,
        compilation_outputs = objects,
        linking_contexts = [info.linking_context for info in dependencies],
        disallow_dynamic_library = True,
        **common
    )
    return CcInfo(compilation_context = compilation, linking_context = linking), _archives(made.library_to_link)

def _archives(library):
    """The library as files, which `bazel build` makes."""
    return [file for file in [library.static_library, library.pic_static_library] if file]

def _impl(ctx):
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    models = [target[ExecutorchModelInfo] for target in ctx.attr.models]
    name = ctx.label.name
    header = ctx.actions.declare_file(name + ".h")
    source = ctx.actions.declare_file(name + ".c")
    data = ctx.actions.declare_file(name + "_data.S")
    _generate(ctx, toolchain, models, header, source, data)
    dependencies = _dependencies(ctx, models)
    info, archives = _compile(ctx, models, header, [source, data], dependencies)
    lent = [] if ctx.attr.embed else [model.pte for model in models]
    return [DefaultInfo(files = depset([header] + archives), runfiles = ctx.runfiles(lent)), info]

# A rule's kind is the name it is given first, here that of the macro before it.
executorch_cc_library = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = [CODEGEN_TOOLCHAIN_TYPE] + use_cc_toolchain(),
)
