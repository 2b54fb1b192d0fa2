"""The rule of executorch_model: compile a PyTorch module to a program."""

load("@rules_python//python:py_info.bzl", "PyInfo")
load("//rules:providers.bzl", "ExecutorchBackendInfo", "ExecutorchKernelsInfo", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "CODEGEN_TOOLCHAIN_TYPE", "TOOLCHAIN_TYPE")
load("//rules/private:c_names.bzl", "c_prefix")
load("//rules/private:compilation.bzl", "ExecutorchCompilationInfo", "collect_compilation", "run_compilation")
load("//rules/private:compiler_memory.bzl", "COMPILER_RESOURCES")
load("//rules/private:distributions.bzl", "distributions_aspect")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:report_action.bzl", "report_page")
load("//rules/private:validation.bzl", "VALIDATION_ATTRS", "validation")

_DOC = """Compiles a PyTorch module to an ExecuTorch program.

The default output is the program `<name without _pte>.pte`. The same action writes two more files, which have labels:

- `:<name>.manifest.json`: the manifest (docs/reference/manifest.md).
- `:<name>.ptd`: the weights, with `external_weights`.

Output groups, which are built on request:

- `pte`, `manifest`, `weights`: the files above.
- `dump`: the program as text.
- `debug_record`: the input of ExecuTorch's developer tools (docs/how_to/debug_record.md).
- `sources`: the source lines of each instruction, as JSON.
- `report`: an HTML page about the program (docs/how_to/inspect_a_program.md).
- `reference`: recorded calls of eager PyTorch, for parity tests.

A validation action loads the program with the runtime's verifier (docs/how_to/test_a_program.md)."""

_PTE_SUFFIX = "_pte"

_ATTRS = {
    "module": attr.label(
        mandatory = True,
        aspects = [distributions_aspect],
        providers = [PyInfo],
        doc = "`py_library` that defines the model. If it has several sources, one must be named like the target.",
    ),
    "entry_point": attr.string(
        default = "model",
        doc = "Function in the module, without parameters, that returns `(module, example_inputs)` or an `exir.ModelSpec`.",
    ),
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
        doc = "Parameters and buffers by name: a safetensors, GGUF or `.npz` file, or a state dict. Without it, the module initializes them with a fixed seed.",
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

def _check_attrs(ctx):
    name = ctx.attr.entry_point
    if not name or name[0].isdigit() or [c for c in name.elems() if not (c.isalnum() or c == "_")]:
        fail("%s: 'entry_point' must be a Python identifier, got '%s'" % (display_label(ctx.label), name))
    if ctx.attr.timeout < 1:
        fail("%s: 'timeout' must be a number of seconds, at least 1, got %d" % (display_label(ctx.label), ctx.attr.timeout))
    prefix = ctx.attr.prefix
    if prefix and prefix != c_prefix("", prefix):
        fail("%s: 'prefix' must start with a letter and consist of letters, digits and single '_', got '%s'" % (display_label(ctx.label), prefix))

def _impl(ctx):
    _check_attrs(ctx)
    compilation = collect_compilation(ctx)
    name = ctx.label.name
    stem = name[:-len(_PTE_SUFFIX)] if name.endswith(_PTE_SUFFIX) else name
    pte = ctx.actions.declare_file(stem + ".pte")
    manifest = ctx.actions.declare_file(stem + ".manifest.json")
    dump = ctx.actions.declare_file(stem + ".dump.txt")
    reference = ctx.actions.declare_file(stem + ".reference.calls")
    instruction_values = ctx.actions.declare_file(stem + ".reference.steps")
    debug_record = ctx.actions.declare_file(stem + ".etrecord")
    sources = ctx.actions.declare_file(stem + ".sources.json")
    weights = [ctx.actions.declare_file(stem + ".ptd")] if ctx.attr.external_weights else []
    outputs = {"--out-pte": pte, "--out-manifest": manifest}
    outputs.update({"--out-weights": file for file in weights})
    run_compilation(ctx, compilation, outputs, "Compiling")
    run_compilation(ctx, compilation, {"--out-reference": reference, "--out-instruction-values": instruction_values}, "Running eager PyTorch for")
    run_compilation(ctx, compilation, {"--out-dump": dump}, "Printing")
    run_compilation(ctx, compilation, {"--out-debug-record": debug_record}, "Recording")
    run_compilation(ctx, compilation, {"--out-sources": sources}, "Recording the lines of")
    return [
        # Bazel 4 uses only the runfiles of `data`.
        DefaultInfo(files = depset([pte]), runfiles = ctx.runfiles([pte])),
        OutputGroupInfo(
            _validation = validation(ctx, stem, pte, manifest, weights, compilation.backends),
            debug_record = depset([debug_record]),
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
            instruction_values = instruction_values,
            prefix = ctx.attr.prefix or c_prefix(ctx.label.package, stem),
            kernels = compilation.kernels,
            backends = depset(compilation.backends),
        ),
        ExecutorchCompilationInfo(compilation = compilation),
    ]

executorch_model = rule(
    implementation = _impl,
    attrs = dict(_ATTRS, **VALIDATION_ATTRS),
    doc = _DOC,
    provides = [ExecutorchModelInfo],
    toolchains = [TOOLCHAIN_TYPE, CODEGEN_TOOLCHAIN_TYPE],
)
