"""executorch_parity_test: the C runtime against eager PyTorch."""

load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")
load("//rules/private:arguments.bzl", "require")
load("//rules/private:compilation.bzl", "ExecutorchCompilationInfo", "run_compilation")
load("//rules/private:executorch_cc_library.bzl", "executorch_cc_library")
load("//rules/private:labels.bzl", "display_label")

_REPLAY_ATTRS = {
    "model": attr.label(
        mandatory = True,
        providers = [ExecutorchModelInfo],
        doc = "The `executorch_model`.",
    ),
    "inputs": attr.label(
        allow_single_file = [".safetensors", ".npz"],
        doc = "Inputs of further calls.",
    ),
    "sweep": attr.int(doc = "Number of further calls with random inputs."),
    "sweep_seed": attr.int(doc = "Seed of these."),
}

def _reference(ctx, info):
    """The reference calls and their steps: the model's, or of this test where it asks for more calls."""
    if not ctx.file.inputs and not ctx.attr.sweep:
        return [info.reference, info.steps]
    calls = ctx.actions.declare_file(ctx.label.name + ".reference.calls")
    steps = ctx.actions.declare_file(ctx.label.name + ".reference.steps")
    given = {"--reference-inputs": ctx.file.inputs} if ctx.file.inputs else {}
    run_compilation(
        ctx,
        ctx.attr.model[ExecutorchCompilationInfo].compilation,
        outputs = {"--out-reference": calls, "--out-steps": steps},
        message = "Running eager PyTorch for",
        flags = dict(given, **{"--sweep": ctx.attr.sweep, "--sweep-seed": ctx.attr.sweep_seed}),
        files = given.values(),
    )
    return [calls, steps]

def _replay_data_impl(ctx):
    info = ctx.attr.model[ExecutorchModelInfo]
    if not info.reference:
        fail("%s: %s was made elsewhere, so there is no eager PyTorch to compare it with" % (display_label(ctx.label), display_label(ctx.attr.model.label)))
    files = [info.pte] + _reference(ctx, info) + ([info.weights] if info.weights else [])
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

_replay_data = rule(
    implementation = _replay_data_impl,
    attrs = _REPLAY_ATTRS,
    doc = "A model's program, its reference calls, the steps of these, and its weights where they lie apart, in this order.",
    toolchains = [TOOLCHAIN_TYPE],
)

def _check_number(test, argument, value):
    if type(value) not in ["int", "float"] or value < 0:
        fail("executorch_parity_test(name = '%s'): '%s' must be a number, at least 0, got %r" % (test, argument, value))

def _of_outputs(test, argument, values):
    """The flags of tolerances that single outputs have."""
    if type(values) != "dict":
        fail("executorch_parity_test(name = '%s'): '%s' must be a dict from the number of an output to a number, got %r" % (test, argument, values))
    for index, value in values.items():
        if type(index) != "int" or index < 0:
            fail("executorch_parity_test(name = '%s'): '%s' has the key %r; give the number of an output, from 0" % (test, argument, index))
        _check_number(test, "%s[%d]" % (argument, index), value)
    return ["--%s=%d:%s" % (argument.replace("_", "-"), index, value) for index, value in values.items()]

# What every target takes and what the test needs must hold for the targets that it is made of.
_PASSED_ON = ["compatible_with", "exec_compatible_with", "features", "restricted_to", "target_compatible_with"]

def executorch_parity_test(
        name,
        model = None,
        atol = None,
        rtol = 1e-4,
        output_atol = {},
        output_rtol = {},
        min_sqnr = 15,
        min_cosine = 0.98,
        inputs = None,
        sweep = 0,
        sweep_seed = 0,
        args = [],
        tags = [],
        **kwargs):
    """Tests that the program on the C runtime gives what eager PyTorch gives.

    The model's example calls, and seeded random ones of the same shapes, were run by eager PyTorch in a cached build action; the
    test replays them and compares every output element: |actual - expected| <= atol + rtol * |expected|. Prints the largest absolute
    and relative error of each output. A test that fails names the first instruction whose result is not what PyTorch gives for it, with
    the line of the model: of a delegate call the lines that it stands for.

    A quantized model (`[quantization]` in its config) is compared with the quantized eager model, where elements may be one step off
    besides, or as far as rounding inside the program moves them; and with the float model by signal-to-quantization-noise ratio and cosine, for
    the inputs that ranges were measured on.

    Args:
      name: name of the test.
      model: the `executorch_model`.
      atol: largest absolute error. By default 1e-4; an output of a quantized model may differ besides as far as values one quantization
        step off inside the program move it.
      rtol: largest relative error.
      output_atol: the same of single outputs, by their number: `{1: 1e-3}`.
      output_rtol: the same of single outputs.
      min_sqnr: of a quantized model: smallest ratio of the float output's energy to the error's, in dB.
      min_cosine: of a quantized model: smallest cosine between its output and the float model's.
      inputs: a `.safetensors` or `.npz` file with inputs of further calls: for each input of the model, by its name, those of all calls,
        stacked in one dimension more, or joined in the first. Inputs that it lacks are those of the example.
      sweep: number of further calls with random inputs; dimensions that are not fixed are of random sizes within their bounds.
      sweep_seed: seed of these.
      args: further flags of the test's program.
      tags: tags of the test.
      **kwargs: what every test has.
    """
    require("executorch_parity_test(name = '%s')" % name, "model", model, "the executorch_model to test")

    # By default a quantized model's outputs may differ as far as rounding inside the program moves them.
    rounding = ["--allow-rounding"] if atol == None else []
    options = [("atol", 1e-4 if atol == None else atol), ("rtol", rtol), ("min_sqnr", min_sqnr), ("min_cosine", min_cosine)]
    for option, value in options:
        _check_number(name, option, value)
    per_output = _of_outputs(name, "output_atol", output_atol) + _of_outputs(name, "output_rtol", output_rtol)
    passed_on = {key: kwargs[key] for key in _PASSED_ON if key in kwargs}

    # Manual, as the test alone needs them: who leaves it out builds them neither.
    executorch_cc_library(
        name = name + "_lib",
        linked_registry = True,
        model = model,
        weights = "lend",
        tags = ["manual"] + tags,
        testonly = True,
        **passed_on
    )
    _replay_data(
        name = name + "_data",
        inputs = inputs,
        model = model,
        sweep = sweep,
        sweep_seed = sweep_seed,
        tags = ["manual"] + tags,
        testonly = True,
        **passed_on
    )
    cc_test(
        name = name,
        args = ["$(rootpaths :%s_data)" % name] + [
            "--%s=%s" % (option.replace("_", "-"), value)
            for option, value in options
        ] + rounding + per_output + args,
        data = [":%s_data" % name],
        # The program asks for a registry that only its own library defines.
        linkstatic = True,
        tags = tags,
        deps = [Label("//runtime/replay:run_calls_main"), ":%s_lib" % name],
        **kwargs
    )
