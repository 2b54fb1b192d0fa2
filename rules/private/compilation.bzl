"""Runs of the compiler: for programs, and for references of parity tests."""

load("//rules:providers.bzl", "ExecutorchBackendInfo", "ExecutorchKernelsInfo")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")
load("//rules/private:compiler_memory.bzl", "COMPILER_RESOURCES")
load("//rules/private:config_rule.bzl", "add_config", "config_files", "config_layers")
load("//rules/private:kernel_sets.bzl", "kernel_tables", "operator_tables")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_command.bzl", "run_compiler")
load("//rules/private:python_module.bzl", "add_import_roots", "data_files", "imported_library", "module_file", "module_name")

ExecutorchCompilationInfo = provider(
    doc = "How a model is compiled, for other rules to run the compiler on it as well. Not public.",
    fields = {"compilation": "struct: what `compilation_of` gives."},
)

def _backends(ctx):
    return ([ctx.attr.backend] if ctx.attr.backend else []) + ctx.attr.backends

def _config(ctx):
    json_layers = [struct(file = None, json = ctx.attr.config_json)] if ctx.attr.config_json else []
    return (config_layers(ctx.label, "config", ctx.attr.config) if ctx.attr.config else []) + json_layers

def compilation_of(ctx):
    """Collects the compiler's inputs for a model.

    Args:
      ctx: the context of `executorch_model`.

    Returns:
      struct: inputs from the rule's attributes, its backends and its kernels.
    """
    library = imported_library(ctx.label, ctx.attr.module, "module")
    backends = [target[ExecutorchBackendInfo] for target in _backends(ctx)]
    kernels = [target[ExecutorchKernelsInfo] for target in [ctx.attr._kernels] + ctx.attr.kernels]
    for backend in backends:
        if backend.id and not backend.partitioner:
            fail("%s: the backend '%s' has no compiler side; use it in executorch_import, or choose another backend" % (display_label(ctx.label), backend.id))
    file = module_file(ctx.attr.module, "module")
    return struct(
        allow_fallback = None if ctx.attr.any_fallback else ctx.attr.allow_fallback,
        backends = backends,
        calibration = ctx.file.calibration,
        config = _config(ctx),
        entry_point = ctx.attr.entry_point,
        external_weights = ctx.attr.external_weights,
        kernels = depset(kernels, transitive = [backend.kernels for backend in backends]),
        sources = depset(transitive = [library.sources] + [backend.sources for backend in backends]),
        imports = depset(transitive = [library.imports] + [backend.imports for backend in backends]),
        data = depset(transitive = [library.data, data_files(ctx.attr.data)] + [backend.data for backend in backends]),
        label = display_label(ctx.label),
        memory_gb = ctx.attr.memory_gb,
        module = module_name(file),
        module_file = file,
        timeout = ctx.attr.timeout,
        tools = [tool for backend in backends for tool in backend.tools],
        weights = ctx.file.weights,
        workspace = ctx.workspace_name,
    )

def _arguments(actions, given):
    """Returns the compiler arguments that do not depend on the outputs."""
    args = actions.args()
    args.add("--target", given.label)
    args.add("--module", given.module)
    args.add("--module-file", given.module_file)
    programs = [tool.executable for tool in given.tools if tool.executable]
    files = depset(programs, transitive = [given.sources, given.data])
    add_import_roots(args, files, given.imports, given.workspace)
    args.add("--entry-point", given.entry_point)
    args.add("--timeout", given.timeout)
    for backend in given.backends:
        if backend.partitioner:
            args.add("--backend", backend.partitioner)
    args.add_all(operator_tables(given.kernels), before_each = "--operators")
    args.add_all(kernel_tables(given.kernels), before_each = "--kernels")
    add_config(args, given.config)
    if given.allow_fallback != None:
        args.add("--allow-fallback", ",".join(given.allow_fallback))
    if given.weights:
        args.add("--weights", given.weights)
    if given.external_weights:
        args.add("--external-weights")
    if given.calibration:
        args.add("--calibration", given.calibration)
    return args

def run_compilation(ctx, given, outputs, message, flags = {}, files = []):
    """Registers one run of the compiler.

    All runs have the same mnemonic, so that they share workers.

    Args:
      ctx: the context of a rule with the executorch toolchain.
      given: struct from `compilation_of`.
      outputs: dict from flags to output files.
      message: start of the progress message.
      flags: dict from further flags to their values.
      files: list[File]: the files among these values.
    """
    args = _arguments(ctx.actions, given)
    for flag, value in dict(outputs, **flags).items():
        args.add(flag, value)
    optional = [file for file in [given.weights, given.calibration] if file] + config_files(given.config)
    tables = [operator_tables(given.kernels), kernel_tables(given.kernels)]
    run_compiler(
        ctx,
        ctx.toolchains[TOOLCHAIN_TYPE],
        arguments = args,
        inputs = depset(optional + files, transitive = [given.sources, given.data] + tables),
        programs = given.tools,
        outputs = outputs.values(),
        mnemonic = "ExecutorchLower",
        message = "%s %s" % (message, given.label),
        requirements = {"block-network": "1", "requires-worker-protocol": "proto", "supports-path-mapping": "1", "supports-workers": "1"},
        resources = COMPILER_RESOURCES[given.memory_gb],
    )
