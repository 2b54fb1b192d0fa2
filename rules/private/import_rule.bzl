"""The rules of executorch_import: a prebuilt program, and a manifest to link it."""

load("//rules:providers.bzl", "ExecutorchBackendInfo", "ExecutorchKernelsInfo", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE", "TOOLCHAIN_TYPE")
load("//rules/private:c_names.bzl", "c_prefix")
load("//rules/private:compiler_memory.bzl", "COMPILER_RESOURCES")
load("//rules/private:kernel_tables.bzl", "kernel_tables", "operator_tables")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_command.bzl", "run_compiler", "run_module", "use_params_file")
load("//rules/private:python_module.bzl", "add_import_roots")
load("//rules/private:report_action.bzl", "report_page")
load("//rules/private:validation.bzl", "VALIDATION_ATTRS", "validation")

_DOC = """A prebuilt program. Libraries and tests link it like an `executorch_model`.

The default output is the program. `:<name>.manifest.json` is its manifest, which is written from the file alone, and
`:<name>.ptd` is its weights file, if any. Both are also output groups: `manifest` and `weights`. The build fails if
the program is damaged, or if an operator has no kernel."""

_KERNELS_DOC = _DOC + " It needs no torch."

_DELEGATED_DOC = _DOC + " The compiler sides of the backends measure their delegates."

_MODULE = "exir.cli.describe"

_ATTRS = dict(VALIDATION_ATTRS, **{
    "pte": attr.label(
        mandatory = True,
        allow_single_file = [".pte"],
        doc = "The program, a `.pte` file.",
    ),
    "weights": attr.label(
        allow_single_file = [".ptd"],
        doc = "The `.ptd` file of external weights.",
    ),
    "prefix": attr.string(doc = "Prefix of C names, a C identifier, instead of package and name."),
    "kernels": attr.label_list(
        providers = [ExecutorchKernelsInfo],
        doc = "`executorch_kernels` that the program can call, in addition to the built-in kernels.",
    ),
    # Backends that run delegates of other exporters. Only backends that the program uses are
    # linked.
    "_prebuilt_backends": attr.label_list(
        default = ["//backends/xnnpack"],
        providers = [ExecutorchBackendInfo],
    ),
    "_kernels": attr.label(
        default = "//kernels",
        providers = [ExecutorchKernelsInfo],
    ),
})

_DELEGATED_ATTRS = dict(
    _ATTRS,
    backends = attr.label_list(
        mandatory = True,
        providers = [ExecutorchBackendInfo],
        doc = "The backends of its delegates.",
    ),
)

def _prebuilt_backend_infos(ctx):
    return [target[ExecutorchBackendInfo] for target in ctx.attr._prebuilt_backends]

def _import_action(ctx, backends):
    """Returns the arguments and inputs of the action that writes the manifest."""
    kernels = [target[ExecutorchKernelsInfo] for target in [ctx.attr._kernels] + ctx.attr.kernels]
    kernel_infos = depset(kernels, transitive = [backend.kernels for backend in backends])
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    tables = [operator_tables(kernel_infos), kernel_tables(kernel_infos)]
    weights = [ctx.file.weights] if ctx.file.weights else []
    args = ctx.actions.args()

    # Joined with "=": labels of other repositories start with @, which would mark a params file.
    args.add("--target=" + display_label(ctx.label))
    args.add("--pte", ctx.file.pte)
    args.add_all(weights, before_each = "--weights")
    args.add_all(tables[0], before_each = "--operators")
    args.add_all(tables[1], before_each = "--kernels")
    args.add_all([backend.id for backend in backends if backend.id], before_each = "--backend-id")
    tools = [backend.measure for backend in _prebuilt_backend_infos(ctx)]
    for backend in _prebuilt_backend_infos(ctx):
        args.add("--measure", "%s=%s" % (backend.id, backend.measure.executable.path))
    args.add("--out-manifest", manifest)
    return struct(
        args = args,
        inputs = depset([ctx.file.pte] + weights, transitive = tables),
        kernels = kernel_infos,
        manifest = manifest,
        tools = tools,
        progress_message = "Reading %s" % ctx.file.pte.short_path,
        mnemonic = "ExecutorchImport",
        weights = weights,
    )

def _import_providers(ctx, action, backends):
    return [
        # Bazel 4 uses only the runfiles of `data`.
        DefaultInfo(files = depset([ctx.file.pte]), runfiles = ctx.runfiles([ctx.file.pte])),
        OutputGroupInfo(
            _validation = validation(ctx, display_label(ctx.label), ctx.label.name, ctx.file.pte, action.manifest, action.weights, backends),
            manifest = depset([action.manifest]),
            pte = depset([ctx.file.pte]),
            report = depset([report_page(ctx, display_label(ctx.label), ctx.label.name, ctx.file.pte, action.manifest)]),
            weights = depset(action.weights),
        ),
        ExecutorchModelInfo(
            pte = ctx.file.pte,
            weights = ctx.file.weights,
            manifest = action.manifest,
            reference = None,
            instruction_values = None,
            prefix = ctx.attr.prefix or c_prefix(ctx.label.package, ctx.label.name),
            kernels = action.kernels,
            backends = depset(backends + _prebuilt_backend_infos(ctx)),
        ),
    ]

def _kernels_impl(ctx):
    action = _import_action(ctx, [])
    toolchain = ctx.toolchains[CODEGEN_TOOLCHAIN_TYPE]
    use_params_file(action.args)
    run_module(
        ctx,
        toolchain,
        toolchain.generators,
        module = _MODULE,
        arguments = action.args,
        inputs = action.inputs,
        outputs = [action.manifest],
        mnemonic = action.mnemonic,
        progress_message = action.progress_message,
        tools = action.tools,
    )
    return _import_providers(ctx, action, [])

def _delegated_impl(ctx):
    backends = [target[ExecutorchBackendInfo] for target in ctx.attr.backends]
    action = _import_action(ctx, backends)
    files = depset(transitive = [backend.sources for backend in backends] + [backend.data for backend in backends])
    imports = depset(transitive = [backend.imports for backend in backends])
    action.args.add_all([backend.partitioner for backend in backends if backend.partitioner], before_each = "--backend")
    add_import_roots(action.args, files, imports, ctx.workspace_name)
    run_compiler(
        ctx,
        ctx.toolchains[TOOLCHAIN_TYPE],
        arguments = action.args,
        inputs = depset(transitive = [action.inputs, files]),
        tools = action.tools + [tool for backend in backends for tool in backend.tools],
        outputs = [action.manifest],
        mnemonic = action.mnemonic,
        progress_message = action.progress_message,
        execution_requirements = {"block-network": "1"},
        resource_set = COMPILER_RESOURCES[1],
        module = _MODULE,
    )
    return _import_providers(ctx, action, backends)

executorch_import = rule(
    implementation = _kernels_impl,
    attrs = _ATTRS,
    doc = _KERNELS_DOC,
    provides = [ExecutorchModelInfo],
    toolchains = [CODEGEN_TOOLCHAIN_TYPE],
)

executorch_import_delegated = rule(
    implementation = _delegated_impl,
    attrs = _DELEGATED_ATTRS,
    doc = _DELEGATED_DOC,
    provides = [ExecutorchModelInfo],
    toolchains = [TOOLCHAIN_TYPE, CODEGEN_TOOLCHAIN_TYPE],
)
