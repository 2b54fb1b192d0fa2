"""Compiler actions: for programs, and for references of parity tests."""

load("//rules:providers.bzl", "ExecutorchBackendInfo", "ExecutorchKernelsInfo")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")
load("//rules/private:compiler_memory.bzl", "COMPILER_RESOURCES")
load("//rules/private:config_rule.bzl", "add_config_flags", "config_files", "config_layers")
load("//rules/private:distributions.bzl", "check_versions")
load("//rules/private:kernel_tables.bzl", "kernel_tables", "operator_tables")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_command.bzl", "run_compiler")
load("//rules/private:python_module.bzl", "add_import_roots", "data_files", "imported_library", "module_file", "module_name", "python_library")

ExecutorchCompilationInfo = provider(
    doc = "The compile actions of a model. Not public.",
    fields = {
        "attrs": "dict: values of the model's attributes in the compile configuration.",
        "compilation": "struct: from `collect_compilation`, for other rules that run the compiler on the model.",
        "files": "dict[string, File]: outputs by kind. `weights` may be None.",
        "validation": "depset[File]: from `validation`.",
    },
)

# Suffix of the target with a model's compile actions.
COMPILATION_SUFFIX = ".compilation"

def model_label(ctx):
    """Returns the display label of the model that a target compiles.

    Args:
      ctx: the context of a rule whose targets have COMPILATION_SUFFIX.

    Returns:
      string
    """
    return display_label(ctx.label)[:-len(COMPILATION_SUFFIX)]

def _backend_targets(ctx):
    return ([ctx.attr.backend] if ctx.attr.backend else []) + ctx.attr.backends

def _all_config_layers(ctx, label):
    json_layers = [struct(file = None, json = ctx.attr.config_json)] if ctx.attr.config_json else []
    return (config_layers(label, "config", ctx.attr.config) if ctx.attr.config else []) + json_layers

def _imported_libraries(ctx, label, toolchain, backends):
    """Returns the libraries that the compiler imports: the module and the partitioners.

    Packages of a toolchain that the model names replace those of its libraries. Otherwise, their versions must agree.
    """
    libraries = [("module", python_library(ctx.attr.module))] + [("backend", backend) for backend in backends]
    versions = toolchain.packages.versions
    if not ctx.attr.toolchain:
        for attribute, library in libraries:
            check_versions(label, attribute, library, versions)
    return [imported_library(library, versions) for _, library in libraries]

def _compile_toolchain(ctx, label):
    """Returns the toolchain that the model names, or the registered one."""
    target = ctx.attr.toolchain
    if not target:
        return ctx.toolchains[TOOLCHAIN_TYPE]
    info = target[platform_common.ToolchainInfo] if platform_common.ToolchainInfo in target else None
    if getattr(info, "toolchain_type", None) != TOOLCHAIN_TYPE:
        fail("%s: 'toolchain' has %s, which is not an executorch_toolchain; declare one (docs/how_to/choose_pytorch.md), or omit 'toolchain'" %
             (label, display_label(target.label)))
    return info

def collect_compilation(ctx, label):
    """Collects the compiler's inputs for a model.

    Args:
      ctx: the context of `executorch_compilation`.
      label: string: the model's label.

    Returns:
      struct: inputs from the rule's attributes, its backends and its kernels.
    """
    backends = [target[ExecutorchBackendInfo] for target in _backend_targets(ctx)]
    kernels = [target[ExecutorchKernelsInfo] for target in [ctx.attr._kernels] + ctx.attr.kernels]
    for backend in backends:
        if backend.id and not backend.partitioner:
            fail("%s: the backend '%s' has no compiler side; use it in executorch_import, or choose another backend" % (label, backend.id))
    toolchain = _compile_toolchain(ctx, label)
    libraries = _imported_libraries(ctx, label, toolchain, backends)
    file = module_file(ctx.attr.module, "module")
    return struct(
        allow_fallback = None if ctx.attr.any_fallback else ctx.attr.allow_fallback,
        backends = backends,
        calibration = ctx.file.calibration,
        config = _all_config_layers(ctx, label),
        entry_point = ctx.attr.entry_point,
        entry_point_args = ctx.attr.entry_point_args_json,
        external_weights = ctx.attr.external_weights,
        kernels = depset(kernels, transitive = [backend.kernels for backend in backends]),
        sources = depset(transitive = [library.sources for library in libraries]),
        imports = depset(transitive = [library.imports for library in libraries]),
        data = depset(transitive = [library.data for library in libraries] + [data_files(ctx.attr.data)]),
        label = label,
        memory_gb = ctx.attr.memory_gb,
        module = module_name(file),
        module_file = file,
        timeout = ctx.attr.timeout,
        toolchain = toolchain,
        tools = [tool for backend in backends for tool in backend.tools],
        weights = ctx.file.weights,
        weights_metadata = ctx.file.weights_metadata,
        workspace = ctx.workspace_name,
    )

def _compiler_args(actions, compilation):
    """Returns the compiler arguments that do not depend on the outputs."""
    args = actions.args()
    args.add("--target", compilation.label)
    args.add("--module", compilation.module)
    args.add("--module-file", compilation.module_file)
    executables = [tool.executable for tool in compilation.tools if tool.executable]
    files = depset(executables, transitive = [compilation.sources, compilation.data])
    add_import_roots(args, files, compilation.imports, compilation.workspace)
    args.add("--entry-point", compilation.entry_point)
    if compilation.entry_point_args:
        args.add("--entry-point-args", compilation.entry_point_args)
    args.add("--timeout", compilation.timeout)
    for backend in compilation.backends:
        if backend.partitioner:
            args.add("--backend", backend.partitioner)
    args.add_all(operator_tables(compilation.kernels), before_each = "--operators")
    args.add_all(kernel_tables(compilation.kernels), before_each = "--kernels")
    add_config_flags(args, compilation.config)
    if compilation.allow_fallback != None:
        args.add("--allow-fallback", ",".join(compilation.allow_fallback))
    if compilation.weights:
        args.add("--weights", compilation.weights)
    if compilation.weights_metadata:
        args.add("--weights-metadata", compilation.weights_metadata)
    if compilation.external_weights:
        args.add("--external-weights")
    if compilation.calibration:
        args.add("--calibration", compilation.calibration)
    return args

def run_compilation(ctx, compilation, outputs, message, flags = {}, files = []):
    """Registers a compiler action.

    All compiler actions have the same mnemonic, so that they share workers.

    Args:
      ctx: the context of a rule with the executorch toolchain.
      compilation: struct from `collect_compilation`.
      outputs: dict from flags to output files.
      message: start of the progress message.
      flags: dict from additional flags to their values.
      files: list[File]: the files among these values.
    """
    args = _compiler_args(ctx.actions, compilation)
    for flag, value in dict(outputs, **flags).items():
        args.add(flag, value)
    optional_files = [file for file in [compilation.weights, compilation.weights_metadata, compilation.calibration] if file] + config_files(compilation.config)
    tables = [operator_tables(compilation.kernels), kernel_tables(compilation.kernels)]
    run_compiler(
        ctx,
        compilation.toolchain,
        arguments = args,
        inputs = depset(optional_files + files, transitive = [compilation.sources, compilation.data] + tables),
        tools = compilation.tools,
        outputs = outputs.values(),
        mnemonic = "ExecutorchLower",
        progress_message = "%s %s" % (message, compilation.label),
        execution_requirements = {"block-network": "1", "requires-worker-protocol": "proto", "supports-path-mapping": "1", "supports-workers": "1"},
        resource_set = COMPILER_RESOURCES[compilation.memory_gb],
    )
