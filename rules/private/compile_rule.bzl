"""The rule of a model's compilation: the actions of executorch_model, in the compile configuration."""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules:providers.bzl", "ExecutorchBackendInfo", "ExecutorchKernelsInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE", "TOOLCHAIN_TYPE")
load("//rules/private:c_names.bzl", "c_prefix")
load("//rules/private:compilation.bzl", "ExecutorchCompilationInfo", "collect_compilation", "model_label", "run_compilation")
load("//rules/private:compile_configuration.bzl", "COMPILE_CONFIGURATION_ATTRS", "compile_configuration")
load("//rules/private:compiler_memory.bzl", "COMPILER_RESOURCES")
load("//rules/private:distributions.bzl", "distributions_aspect")
load("//rules/private:report_action.bzl", "report_page")
load("//rules/private:validation.bzl", "VALIDATION_ATTRS", "validation")

# The attributes of a model and of its compilation.
MODEL_ATTRS = {
    "module": attr.label(
        mandatory = True,
        providers = [PyInfo],
        doc = "`py_library` that defines the model. If it has several sources, one must be named like the target.",
    ),
    "entry_point": attr.string(
        default = "model",
        doc = "Function in the module that returns `(module, example_inputs)` or an `exir.ModelSpec`. A parameter `weights` is the weights file; others are in `entry_point_args`.",
    ),
    "entry_point_args_json": attr.string(doc = "Keyword arguments of the entry point, as JSON text. The macro sets it from `entry_point_args`."),
    "backend": attr.label(
        providers = [ExecutorchBackendInfo],
        doc = "Backend to compile for; other operators run on portable kernels.",
    ),
    "backends": attr.label_list(
        providers = [ExecutorchBackendInfo],
        doc = "Several backends, in order of preference.",
    ),
    "allow_fallback": attr.string_list(doc = "Operators that may fall back to kernels, unless `any_fallback`."),
    "any_fallback": attr.bool(
        default = True,
        doc = "Let every operator that no backend supports fall back to a kernel.",
    ),
    "config": attr.label(
        allow_files = True,
        doc = "Compiler options (docs/reference/config.md): an `executorch_config` or a TOML file.",
    ),
    "config_json": attr.string(doc = "Compiler options as JSON text, instead of `config`."),
    "weights": attr.label(
        allow_single_file = [".safetensors", ".gguf", ".npz", ".pt", ".pth", ".index.json"],
        doc = "Parameters and buffers by name: a safetensors, GGUF or `.npz` file, or a state dict; or the `.index.json` of safetensors files in `data`. Without it, the module initializes them with a fixed seed.",
    ),
    "weights_metadata": attr.label(
        allow_single_file = [".json"],
        doc = "JSON file with metadata that the weights file lacks, such as a `config.json`. The entry point reads it from `weights.metadata`.",
    ),
    "external_weights": attr.bool(
        doc = "Write the weights to `<name without _pte>.ptd` instead of into the program (docs/how_to/external_weights.md).",
    ),
    "calibration": attr.label(
        allow_single_file = [".safetensors", ".npz"],
        doc = "Calibration inputs (docs/how_to/quantize_a_model.md): for each input of the model, by its name, the values of several calls.",
    ),
    "data": attr.label_list(
        allow_files = True,
        doc = "Files that the entry point reads with `exir.data_path(\"<package>/<file>\")`, in addition to the data of its libraries.",
    ),
    "toolchain": attr.label(
        doc = "An `executorch_toolchain` to use instead of the registered one, such as one with another torch (docs/how_to/choose_pytorch.md).",
    ),
    "timeout": attr.int(
        default = 3600,
        doc = "Timeout of the compilation, in seconds.",
    ),
    "memory_gb": attr.int(
        default = 1,
        values = COMPILER_RESOURCES.keys(),
        doc = "Memory that the compilation needs, in gigabytes: about twice the size of the weights plus 0.5. Bazel runs as many " +
              "compilations at a time as fit into the machine's memory.",
    ),
    "prefix": attr.string(doc = "Prefix of C names, a C identifier, instead of package and name."),
    "kernels": attr.label_list(
        providers = [ExecutorchKernelsInfo],
        doc = "`executorch_kernels` that the program can call, in addition to the built-in kernels.",
    ),
    "_kernels": attr.label(
        default = "//kernels",
        providers = [ExecutorchKernelsInfo],
    ),
}

_ATTRS = dict(
    MODEL_ATTRS,
    # Bazel checks the extensions of files in the model's own rule, so that errors name the model.
    calibration = attr.label(allow_single_file = True),
    module = attr.label(
        mandatory = True,
        aspects = [distributions_aspect],
        providers = [PyInfo],
    ),
    weights = attr.label(allow_single_file = True),
)

def resolved_attrs(ctx):
    """Returns the values of MODEL_ATTRS after Bazel resolved `select()`.

    Args:
      ctx: the context of a rule with MODEL_ATTRS.

    Returns:
      dict: by name; labels instead of targets.
    """
    values = {name: getattr(ctx.attr, name) for name in MODEL_ATTRS if not name.startswith("_")}
    return {
        name: [_label_or_value(entry) for entry in value] if type(value) == "list" else _label_or_value(value)
        for name, value in values.items()
    }

def _label_or_value(value):
    return value.label if type(value) == "Target" else value

def _check_attrs(ctx, label):
    name = ctx.attr.entry_point
    if not name or name[0].isdigit() or [c for c in name.elems() if not (c.isalnum() or c == "_")]:
        fail("%s: 'entry_point' must be a Python identifier, got '%s'" % (label, name))
    if ctx.attr.timeout < 1:
        fail("%s: 'timeout' must be a number of seconds, at least 1, got %d" % (label, ctx.attr.timeout))
    prefix = ctx.attr.prefix
    if prefix and prefix != c_prefix("", prefix):
        fail("%s: 'prefix' must start with a letter and consist of letters, digits and single '_', got '%s'" % (label, prefix))

def _impl(ctx):
    label = model_label(ctx)
    _check_attrs(ctx, label)
    compilation = collect_compilation(ctx, label)

    # A folder, because in the user's configuration, the model's own files may have the same root.
    stem = "%s/%s" % (ctx.label.name, ctx.attr.stem)
    pte = ctx.actions.declare_file(stem + ".pte")
    manifest = ctx.actions.declare_file(stem + ".manifest.json")
    weights = ctx.actions.declare_file(stem + ".ptd") if ctx.attr.external_weights else None
    dump = ctx.actions.declare_file(stem + ".dump.txt")
    reference = ctx.actions.declare_file(stem + ".reference.calls")
    instruction_values = ctx.actions.declare_file(stem + ".reference.steps")
    debug_record = ctx.actions.declare_file(stem + ".etrecord")
    sources = ctx.actions.declare_file(stem + ".sources.json")
    outputs = {"--out-pte": pte, "--out-manifest": manifest}
    if weights:
        outputs["--out-weights"] = weights
    run_compilation(ctx, compilation, outputs, "Compiling")
    run_compilation(ctx, compilation, {"--out-reference": reference, "--out-instruction-values": instruction_values}, "Running eager PyTorch for")
    run_compilation(ctx, compilation, {"--out-dump": dump}, "Printing")
    run_compilation(ctx, compilation, {"--out-debug-record": debug_record}, "Recording")
    run_compilation(ctx, compilation, {"--out-sources": sources}, "Recording the lines of")
    return [ExecutorchCompilationInfo(
        attrs = resolved_attrs(ctx),
        compilation = compilation,
        files = dict(
            debug_record = debug_record,
            dump = dump,
            instruction_values = instruction_values,
            manifest = manifest,
            pte = pte,
            reference = reference,
            report = report_page(ctx, label, stem, pte, manifest, sources),
            sources = sources,
            weights = weights,
        ),
        validation = validation(ctx, label, stem, pte, manifest, [weights] if weights else [], compilation.backends),
    )]

executorch_compilation = rule(
    implementation = _impl,
    attrs = dict(
        _ATTRS,
        stem = attr.string(
            mandatory = True,
            doc = "Name of the files, without extension.",
        ),
        **dict(COMPILE_CONFIGURATION_ATTRS, **VALIDATION_ATTRS)
    ),
    cfg = compile_configuration,
    doc = "The compile actions of a model. The target's name is that of the model, with COMPILATION_SUFFIX.",
    provides = [ExecutorchCompilationInfo],
    toolchains = [TOOLCHAIN_TYPE, CODEGEN_TOOLCHAIN_TYPE],
)
