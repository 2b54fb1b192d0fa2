"""Actions that static and shared libraries of models have in common."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE")
load("//rules/private:c_names.bzl", "c_prefix")
load("//rules/private:kernel_tables.bzl", "kernel_tables", "operator_tables")
load("//rules/private:labels.bzl", "display_label", "source_root")
load("//rules/private:model_info.bzl", "model_info")
load("//rules/private:python_command.bzl", "run_module", "use_params_file")

MODEL_LIBRARY_ATTRS = {
    "models": attr.label_list(
        mandatory = True,
        allow_empty = False,
        doc = "Several `executorch_model` targets. The library contains the union of their operators and kernels.",
    ),
    "borrow": attr.string_list(
        doc = "Files that the caller provides; the library embeds the others in read-only memory, equal weights once. The load " +
              "functions take the bytes of each borrowed file. `program`: the `.pte` files, which are runfiles of the targets that " +
              "link the library (docs/how_to/programs_as_files.md). `weights`: the `.ptd` files of models with `external_weights`.",
    ),
    "shared_memory": attr.bool(
        doc = "Define `<package>_<name>_memory`, a type that is large enough for each of the methods, for models that never run at the same time.",
    ),
    "cpp_namespace": attr.string(
        doc = "Namespace of the C++ classes, such as `acme::vision`. Default: the package, such as `models::vision`.",
    ),
    "cpp_class": attr.string(
        doc = "Name of the C++ class, for a library of one model. Default: the model's `prefix` in Pascal case.",
    ),
    "cpp_memory": attr.string(
        default = "any",
        doc = "Memory of objects of the C++ classes: `heap` (`create()` allocates it), `static` (`create()` uses static memory, for " +
              "one object of a class at a time), `caller` (`create(memory)`), or `any` (`heap` and `caller`).",
    ),
    "_cpp": attr.label(
        default = "//bindings/cc:core",
        providers = [CcInfo],
    ),
    "_runtime": attr.label(
        default = "//runtime",
        providers = [CcInfo],
    ),
    "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
}

_COPTS = ["-std=c11", "-Wall", "-Wextra"]

def library_models(rule_name, name, model, models, kwargs):
    """Returns the models of a library, after checking arguments of its macro.

    Args:
      rule_name: name of the macro.
      name: name of the library.
      model: label of the only model, or None.
      models: labels of several models, or an empty list.
      kwargs: the macro's other arguments.

    Returns:
      list: labels.
    """
    place = "%s(name = '%s')" % (rule_name, name)
    if bool(model) == bool(models):
        fail("%s: 'model' is %s; set either 'model' or 'models'" % (place, "set together with 'models'" if model else "missing"))
    for old, new in [("embed", "program"), ("weights", "weights")]:
        if old in kwargs:
            fail("%s: unknown attribute '%s'; set borrow = [\"%s\"] if the caller provides the file, otherwise remove '%s'" % (place, old, new, old))
    return [model] if model else models

_MEMORY_POLICIES = ["any", "caller", "heap", "static"]

def _check_attributes(ctx):
    for item in ctx.attr.borrow:
        if item not in ["program", "weights"]:
            fail("%s: 'borrow' has '%s'; the items are 'program' and 'weights'" % (display_label(ctx.label), item))
    if ctx.attr.cpp_memory not in _MEMORY_POLICIES:
        fail("%s: 'cpp_memory' is '%s'; set one of: %s" % (display_label(ctx.label), ctx.attr.cpp_memory, ", ".join(_MEMORY_POLICIES)))

def _kernel_infos(models):
    return depset(transitive = [model.kernels for model in models])

def generate_library(ctx, flags = [], exports = None):
    """Registers the action that writes the C side of the models.

    Args:
      ctx: the context of a rule with `MODEL_LIBRARY_ATTRS` and the code generation toolchain.
      flags: additional flags of the generator.
      exports: File for the linker version script. If given, the C side is that of a shared library.

    Returns:
      struct: `models`, list of ExecutorchModelInfo; the files `header` (C), `source` and `data`; and `headers`, the C and the C++
      header.
    """
    _check_attributes(ctx)
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    models = [model_info(ctx, target) for target in ctx.attr.models]
    name = ctx.label.name
    header = ctx.actions.declare_file(name + ".h")
    source = ctx.actions.declare_file(name + ".c")
    data = ctx.actions.declare_file(name + "_data.S")
    cpp_header = ctx.actions.declare_file(name + ".hpp")
    kernel_infos = _kernel_infos(models)
    operators = operator_tables(kernel_infos)
    kernels = kernel_tables(kernel_infos)
    args = ctx.actions.args()

    # Joined with "=": labels of other repositories start with @, which would mark a params file.
    args.add("--target=" + display_label(ctx.label))
    args.add("--include", _include_path(ctx, header))
    for model in models:
        args.add_all("--model", [model.prefix, model.manifest, model.pte])
        if model.weights:
            args.add_all("--weights", [model.prefix, model.weights])
    args.add_all(operators, before_each = "--operators")
    args.add_all(kernels, before_each = "--kernels")
    for backend in depset(transitive = [model.backends for model in models]).to_list():
        if backend.symbol:
            args.add("--backend", "%s=%s" % (backend.id, backend.symbol))
    if "program" in ctx.attr.borrow:
        for model in models:
            args.add_all("--borrow-program", [model.prefix, _runfiles_path(ctx, model.pte)])
    if ctx.attr.shared_memory:
        args.add("--shared-memory", c_prefix(ctx.label.package, ctx.label.name))
    if "weights" in ctx.attr.borrow:
        args.add("--borrow-weights")
    args.add_all(flags)
    if exports:
        args.add("--out-exports", exports)
    args.add("--out-cpp-header", cpp_header)
    args.add("--cpp-include", _include_path(ctx, cpp_header))
    args.add("--cpp-namespace=" + ctx.attr.cpp_namespace)
    args.add("--cpp-class=" + ctx.attr.cpp_class)
    args.add("--cpp-memory=" + ctx.attr.cpp_memory)
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
        outputs = [header, source, data, cpp_header] + ([exports] if exports else []),
        mnemonic = "ExecutorchCodegen",
        progress_message = "Generating C for %s" % display_label(ctx.label),
    )
    return struct(
        models = models,
        header = header,
        source = source,
        data = data,
        headers = [header, cpp_header],
    )

def _include_path(ctx, header):
    return ctx.label.package + "/" + header.basename if ctx.label.package else header.basename

def _runfiles_path(ctx, file):
    """Returns the path of a file below the runfiles folder of a running program."""
    path = file.short_path
    return path[len("../"):] if path.startswith("../") else ctx.workspace_name + "/" + path

def library_deps(ctx, models):
    """Returns the libraries that the C side of the models needs.

    Args:
      ctx: the context of a rule with `MODEL_LIBRARY_ATTRS`.
      models: list of ExecutorchModelInfo.

    Returns:
      list[CcInfo]: the runtime, the kernels and the backends.
    """
    backends = depset(transitive = [model.backends for model in models]).to_list()
    return [ctx.attr._runtime[CcInfo], ctx.attr._cpp[CcInfo]] + [info.cc for info in _kernel_infos(models).to_list()] + [info.cc for info in backends if info.cc]

def _embedded_files(ctx, models):
    weights = [model.weights for model in models if model.weights and "weights" not in ctx.attr.borrow]
    return ([] if "program" in ctx.attr.borrow else [model.pte for model in models]) + weights

def cc_toolchain_args(ctx, disabled_features = []):
    """Returns the C toolchain arguments of functions of `cc_common`.

    Args:
      ctx: the context of a rule with `MODEL_LIBRARY_ATTRS` and the C toolchain.
      disabled_features: features of the C toolchain to disable.

    Returns:
      dict: common arguments by name.
    """
    cc_toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features + disabled_features,
    )
    return dict(actions = ctx.actions, feature_configuration = features, cc_toolchain = cc_toolchain)

def compile_library(ctx, toolchain_args, generated, deps):
    """Registers the compilation of the C side.

    Args:
      ctx: the context of a rule with `MODEL_LIBRARY_ATTRS`.
      toolchain_args: dict, from `cc_toolchain_args`.
      generated: struct, from `generate_library`.
      deps: list[CcInfo], from `library_deps`.

    Returns:
      tuple: CcCompilationContext for users of the header, and CcCompilationOutputs.
    """
    return cc_common.compile(
        name = ctx.label.name,
        public_hdrs = generated.headers,
        srcs = [generated.source, generated.data],
        includes = [source_root(generated.header)],
        user_compile_flags = _COPTS,
        additional_inputs = _embedded_files(ctx, generated.models),
        compilation_contexts = [info.compilation_context for info in deps],
        **toolchain_args
    )

def borrowed_programs(ctx, models):
    """Returns the runfiles of programs that are not embedded in the library.

    Args:
      ctx: the context of a rule with `MODEL_LIBRARY_ATTRS`.
      models: list of ExecutorchModelInfo.

    Returns:
      runfiles: the programs' files.
    """
    return ctx.runfiles([model.pte for model in models] if "program" in ctx.attr.borrow else [])
