"""The rule of executorch_model: a compiled model, and its kernels and backends."""

load("//rules:providers.bzl", "ExecutorchBackendInfo", "ExecutorchKernelsInfo", "ExecutorchModelInfo")
load("//rules/private:c_names.bzl", "c_prefix")
load("//rules/private:compilation.bzl", "ExecutorchCompilationInfo")
load("//rules/private:compile_rule.bzl", "MODEL_ATTRS", "resolved_attrs")
load("//rules/private:labels.bzl", "display_label")

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

_OUTPUT_GROUPS = ["debug_record", "dump", "manifest", "pte", "reference", "report", "sources", "weights"]

_PTE_SUFFIX = "_pte"

# Separates a model from its compilation: kernels and backends have the user's configuration, and programs do not.
_ATTRS = dict(
    MODEL_ATTRS,
    compilation = attr.label(
        mandatory = True,
        providers = [ExecutorchCompilationInfo],
        doc = "The target with the compile actions. The macro `executorch_model` defines it.",
    ),
)

def model_stem(name):
    """Returns the name of a model's files, without extension.

    Args:
      name: name of the model's target.

    Returns:
      string
    """
    return name[:-len(_PTE_SUFFIX)] if name.endswith(_PTE_SUFFIX) else name

def _check_selects(ctx, compiled):
    """Fails if an attribute has another value in the compile configuration."""
    for name, value in resolved_attrs(ctx).items():
        if value != compiled[name]:
            fail("%s: '%s' depends on the compilation mode, but a model is the same in every mode; select on a custom flag, or define two models (docs/explanation/caching_and_determinism.md)" %
                 (display_label(ctx.label), name))

def _impl(ctx):
    compiled = ctx.attr.compilation[ExecutorchCompilationInfo]
    _check_selects(ctx, compiled.attrs)
    files = {}
    for kind, target in compiled.files.items():
        if target:
            files[kind] = ctx.actions.declare_file(target.basename)
            ctx.actions.symlink(output = files[kind], target_file = target)
    backends = [target[ExecutorchBackendInfo] for target in ([ctx.attr.backend] if ctx.attr.backend else []) + ctx.attr.backends]
    kernels = [target[ExecutorchKernelsInfo] for target in [ctx.attr._kernels] + ctx.attr.kernels]
    groups = {kind: depset([files[kind]] if kind in files else []) for kind in _OUTPUT_GROUPS}

    # Files that Bazel writes with the default output of a target on the command line.
    groups["_hidden_top_level_INTERNAL_"] = depset([files[kind] for kind in ["manifest", "weights"] if kind in files])
    return [
        # Bazel 4 uses only the runfiles of `data`.
        DefaultInfo(files = depset([files["pte"]]), runfiles = ctx.runfiles([files["pte"]])),
        OutputGroupInfo(_validation = compiled.validation, **groups),
        ExecutorchModelInfo(
            pte = files["pte"],
            weights = files.get("weights"),
            manifest = files["manifest"],
            reference = files["reference"],
            instruction_values = files["instruction_values"],
            prefix = ctx.attr.prefix or c_prefix(ctx.label.package, model_stem(ctx.label.name)),
            kernels = depset(kernels, transitive = [backend.kernels for backend in backends]),
            backends = depset(backends),
        ),
        compiled,
    ]

executorch_model = rule(
    implementation = _impl,
    attrs = _ATTRS,
    doc = _DOC,
    provides = [ExecutorchModelInfo],
)
