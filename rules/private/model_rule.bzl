"""The rule behind executorch_model: a PyTorch module compiled to a program."""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules:providers.bzl", "ExecutorchBackendInfo", "ExecutorchKernelsInfo", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE", "TOOLCHAIN_TYPE")
load("//rules/private:c_names.bzl", "c_prefix")
load("//rules/private:compiler_memory.bzl", "COMPILER_RESOURCES")
load("//rules/private:config_rule.bzl", "add_config", "config_files", "config_layers")
load("//rules/private:distributions.bzl", "distributions_aspect")
load("//rules/private:kernel_sets.bzl", "kernel_tables", "operator_tables")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:python_command.bzl", "run_compiler")
load("//rules/private:python_module.bzl", "add_import_roots", "data_files", "imported_library", "module_file", "module_name")
load("//rules/private:report_action.bzl", "report_page")

_DOC = """Compiles a PyTorch module to an ExecuTorch program.

Writes `<name less _pte>.pte` and, beside it, a manifest in JSON and, with `external_weights`, the weights. Output groups, made when asked for: `pte`, `manifest`, `weights`, `dump` (the program as
text), `debug_record` (what ExecuTorch's developer tools read, docs/debug_record.md), `sources` (the model's lines behind each instruction, JSON), `report` (all of it as a page, docs/reports.md), and `reference` (example calls with eager PyTorch's outputs, which parity tests replay)."""

_PTE_SUFFIX = "_pte"

_ATTRS = {
    "module": attr.label(
        mandatory = True,
        aspects = [distributions_aspect],
        providers = [PyInfo],
        doc = "py_library that defines the model. A library of several sources needs one named as the target.",
    ),
    "entry_point": attr.string(
        default = "model",
        doc = "Function in the module that takes nothing and returns `(module, example_inputs)` or an `exir.ModelSpec`.",
    ),
    "backend": attr.label(
        providers = [ExecutorchBackendInfo],
        doc = "Backend to compile for; what it does not take runs on portable kernels.",
    ),
    "backends": attr.label_list(
        providers = [ExecutorchBackendInfo],
        doc = "Several of them, tried in order.",
    ),
    "allow_fallback": attr.string_list(doc = "Operators that may run on kernels, unless `any_fallback`."),
    "any_fallback": attr.bool(
        default = True,
        doc = "Let any operator that no backend takes run on a kernel.",
    ),
    "config": attr.label(
        allow_files = True,
        doc = "Compiler options (docs/config.md): an `executorch_config` or a TOML file.",
    ),
    "config_json": attr.string(doc = "Options over those, as JSON text."),
    "weights": attr.label(
        allow_single_file = [".safetensors", ".gguf", ".pt", ".pth"],
        doc = "Parameters and buffers by name: safetensors, GGUF or a state dict. Without it the module's own, made from a fixed seed.",
    ),
    "external_weights": attr.bool(
        doc = "Write the weights to `<name less _pte>.ptd` instead of into the program (docs/external_weights.md).",
    ),
    "calibration": attr.label(
        allow_single_file = [".safetensors", ".npz"],
        doc = "Inputs to quantize by (docs/quantization.md): for each input of the model, by its name, those of several calls.",
    ),
    "data": attr.label_list(
        allow_files = True,
        doc = "Files that the entry point reads, besides the data of its libraries: `exir.data_path(\"<package>/<file>\")`.",
    ),
    "time_limit": attr.int(
        default = 3600,
        doc = "Seconds after which a compilation that has not ended is ended, with a message.",
    ),
    "memory_gb": attr.int(
        default = 1,
        values = COMPILER_RESOURCES.keys(),
        doc = "Memory that a compilation takes, in gigabytes: twice the size of the weights, and half a gigabyte. Bazel runs as many at " +
              "a time as the machine's memory allows.",
    ),
    "prefix": attr.string(doc = "What its names in C begin with, instead of package and name: a C identifier."),
    "kernels": attr.label_list(
        providers = [ExecutorchKernelsInfo],
        doc = "Further kernels that the program may call, besides those that come with the rules.",
    ),
    "_kernels": attr.label(
        default = "//kernels",
        providers = [ExecutorchKernelsInfo],
    ),
}

def _check(ctx):
    name = ctx.attr.entry_point
    if not name or name[0].isdigit() or [c for c in name.elems() if not (c.isalnum() or c == "_")]:
        fail("%s: 'entry_point' must be a Python identifier, got '%s'" % (ctx.label, name))
    if ctx.attr.time_limit < 1:
        fail("%s: 'time_limit' must be a number of seconds, at least 1, got %d" % (ctx.label, ctx.attr.time_limit))
    prefix = ctx.attr.prefix
    if prefix and prefix != c_prefix("", prefix):
        fail("%s: 'prefix' must be letters, digits and single '_', first a letter, got '%s'" % (ctx.label, prefix))

def _backends(ctx):
    return ([ctx.attr.backend] if ctx.attr.backend else []) + ctx.attr.backends

def _config(ctx):
    json_layers = [struct(file = None, json = ctx.attr.config_json)] if ctx.attr.config_json else []
    return (config_layers(ctx.attr.config) if ctx.attr.config else []) + json_layers

def _gather(ctx):
    """What the compiler is given by the model and its backends together."""
    library = imported_library(ctx.label, ctx.attr.module, "module")
    backends = [target[ExecutorchBackendInfo] for target in _backends(ctx)]
    kernels = [target[ExecutorchKernelsInfo] for target in [ctx.attr._kernels] + ctx.attr.kernels]
    return struct(
        backends = backends,
        config = _config(ctx),
        kernels = depset(kernels, transitive = [backend.kernels for backend in backends]),
        sources = depset(transitive = [library.sources] + [backend.sources for backend in backends]),
        imports = depset(transitive = [library.imports] + [backend.imports for backend in backends]),
        data = depset(transitive = [library.data, data_files(ctx.attr.data)] + [backend.data for backend in backends]),
        tools = [tool for backend in backends for tool in backend.tools],
    )

def _arguments(ctx, given):
    """What the compiler is told, the same for the program and the reference."""
    file = module_file(ctx.attr.module, "module")
    args = ctx.actions.args()
    args.add("--target", display_label(ctx.label))
    args.add("--module", module_name(file))
    args.add("--module-file", file)
    programs = [tool.executable for tool in given.tools if tool.executable]
    files = depset(programs, transitive = [given.sources, given.data])
    add_import_roots(args, files, given.imports, ctx.workspace_name)
    args.add("--entry-point", ctx.attr.entry_point)
    args.add("--time-limit", ctx.attr.time_limit)
    for backend in given.backends:
        if backend.id and not backend.partitioner:
            fail("%s: the backend '%s' runs programs that were compiled elsewhere, and compiles none" % (ctx.label, backend.id))
        if backend.partitioner:
            args.add("--backend", backend.partitioner)
    args.add_all(operator_tables(given.kernels), before_each = "--operators")
    args.add_all(kernel_tables(given.kernels), before_each = "--kernels")
    add_config(args, given.config)
    if not ctx.attr.any_fallback:
        args.add("--allow-fallback", ",".join(ctx.attr.allow_fallback))
    if ctx.file.weights:
        args.add("--weights", ctx.file.weights)
    if ctx.attr.external_weights:
        args.add("--external-weights")
    if ctx.file.calibration:
        args.add("--calibration", ctx.file.calibration)
    return args

def _lower(ctx, given, outputs, message):
    """Registers one run of the compiler. `outputs` maps flags to files.

    All runs have one mnemonic, so that they share workers.
    """
    args = _arguments(ctx, given)
    for flag, file in outputs.items():
        args.add(flag, file)
    optional = [file for file in [ctx.file.weights, ctx.file.calibration] if file] + config_files(given.config)
    tables = [operator_tables(given.kernels), kernel_tables(given.kernels)]
    run_compiler(
        ctx,
        ctx.toolchains[TOOLCHAIN_TYPE],
        arguments = args,
        inputs = depset(optional, transitive = [given.sources, given.data] + tables),
        programs = given.tools,
        outputs = outputs.values(),
        mnemonic = "ExecutorchLower",
        message = "%s %s" % (message, display_label(ctx.label)),
        requirements = {"requires-worker-protocol": "proto", "supports-path-mapping": "1", "supports-workers": "1"},
        resources = COMPILER_RESOURCES[ctx.attr.memory_gb],
    )

def _impl(ctx):
    _check(ctx)
    given = _gather(ctx)
    name = ctx.label.name
    stem = name[:-len(_PTE_SUFFIX)] if name.endswith(_PTE_SUFFIX) else name
    pte = ctx.actions.declare_file(stem + ".pte")
    manifest = ctx.actions.declare_file(stem + ".manifest.json")
    dump = ctx.actions.declare_file(stem + ".dump.txt")
    reference = ctx.actions.declare_file(stem + ".reference.calls")
    record = ctx.actions.declare_file(stem + ".etrecord")
    sources = ctx.actions.declare_file(stem + ".sources.json")
    weights = [ctx.actions.declare_file(stem + ".ptd")] if ctx.attr.external_weights else []
    outputs = {"--out-pte": pte, "--out-manifest": manifest}
    outputs.update({"--out-weights": file for file in weights})
    _lower(ctx, given, outputs, "Compiling")
    _lower(ctx, given, {"--out-reference": reference}, "Running eager PyTorch for")
    _lower(ctx, given, {"--out-dump": dump}, "Printing")
    _lower(ctx, given, {"--out-debug-record": record}, "Recording")
    _lower(ctx, given, {"--out-sources": sources}, "Recording the lines of")
    return [
        DefaultInfo(files = depset([pte, manifest] + weights)),
        OutputGroupInfo(
            debug_record = depset([record]),
            dump = depset([dump]),
            manifest = depset([manifest]),
            pte = depset([pte]),
            reference = depset([reference]),
            report = depset([report_page(ctx, stem, pte, manifest, sources)]),
            sources = depset([sources]),
            weights = depset(weights),
        ),
        ExecutorchModelInfo(
            pte = pte,
            weights = weights[0] if weights else None,
            manifest = manifest,
            reference = reference,
            prefix = ctx.attr.prefix or c_prefix(ctx.label.package, stem),
            kernels = given.kernels,
            backends = depset(given.backends),
        ),
    ]

# A rule's kind is the name it is given first, here that of the macro before it.
executorch_model = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    provides = [ExecutorchModelInfo],
    toolchains = [TOOLCHAIN_TYPE, CODEGEN_TOOLCHAIN_TYPE],
)
