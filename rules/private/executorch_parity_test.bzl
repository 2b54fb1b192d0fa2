"""executorch_parity_test: compare the C runtime with eager PyTorch."""

load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("//rules:toolchain.bzl", "TOOLCHAIN_TYPE")
load("//rules/private:arguments.bzl", "propagated_test_attrs", "require")
load("//rules/private:compilation.bzl", "ExecutorchCompilationInfo", "run_compilation")
load("//rules/private:compile_configuration.bzl", "COMPILE_CONFIGURATION_ATTRS", "compile_configuration")
load("//rules/private:executorch_cc_library.bzl", "executorch_cc_library")
load("//rules/private:labels.bzl", "display_label")
load("//rules/private:model_info.bzl", "model_info")

_REPLAY_ATTRS = {
    "model": attr.label(
        mandatory = True,
        doc = "The `executorch_model`.",
    ),
    "inputs": attr.label(
        allow_single_file = [".safetensors", ".npz"],
        doc = "Inputs of additional calls.",
    ),
    "sweep": attr.int(doc = "Number of additional calls with random inputs."),
    "sweep_seed": attr.int(doc = "Seed of the random inputs."),
}

def _reference_files(ctx, info):
    """Returns the reference calls: the model's, or the test's if it adds calls."""
    if not ctx.file.inputs and not ctx.attr.sweep:
        return [info.reference, info.instruction_values]
    calls = ctx.actions.declare_file(ctx.label.name + ".reference.calls")
    instruction_values = ctx.actions.declare_file(ctx.label.name + ".reference.steps")
    input_flags = {"--reference-inputs": ctx.file.inputs} if ctx.file.inputs else {}
    run_compilation(
        ctx,
        ctx.attr.model[ExecutorchCompilationInfo].compilation,
        outputs = {"--out-reference": calls, "--out-instruction-values": instruction_values},
        message = "Running eager PyTorch for",
        flags = dict(input_flags, **{"--sweep": ctx.attr.sweep, "--sweep-seed": ctx.attr.sweep_seed}),
        files = input_flags.values(),
    )
    return [calls, instruction_values]

def _replay_data_impl(ctx):
    info = model_info(ctx, ctx.attr.model)
    if not info.reference:
        fail("%s: %s is a prebuilt program without an eager model; use executorch_compat_test" % (display_label(ctx.label), display_label(ctx.attr.model.label)))
    files = [info.pte] + _reference_files(ctx, info) + ([info.weights] if info.weights else [])
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

replay_data = rule(
    implementation = _replay_data_impl,
    attrs = dict(_REPLAY_ATTRS, **COMPILE_CONFIGURATION_ATTRS),
    cfg = compile_configuration,
    doc = "A model's program, its reference calls with their instruction values, and its weights file, if any, in this order.",
    toolchains = [TOOLCHAIN_TYPE],
)

def _check_number(test, argument, value):
    if type(value) not in ["int", "float"] or value < 0:
        fail("executorch_parity_test(name = '%s'): '%s' must be a number, at least 0, got %r" % (test, argument, value))

def _per_output_flags(test, argument, values):
    """Returns tolerance flags for individual outputs."""
    if type(values) != "dict":
        fail("executorch_parity_test(name = '%s'): '%s' must be a dict from the number of an output to a number, got %r" % (test, argument, values))
    for index, value in values.items():
        if type(index) != "int" or index < 0:
            fail("executorch_parity_test(name = '%s'): '%s' has the key %r; use the number of an output, from 0" % (test, argument, index))
        _check_number(test, "%s[%d]" % (argument, index), value)
    return ["--%s=%d:%s" % (argument.replace("_", "-"), index, value) for index, value in values.items()]

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
    """Tests that a program on the C runtime computes the outputs of eager PyTorch.

    A cached build action runs eager PyTorch on the example inputs of the model, and on random inputs of the same shapes. The test
    replays these calls and compares every output element: |actual - expected| <= atol + rtol *
    |expected|. It prints the largest absolute and relative error of each output. If it fails, it
    reports the first instruction whose result differs from PyTorch's, and its source line in the
    model; for a delegate call, all source lines of the delegate.

    A quantized model (`[quantization]` in its config) is compared with two models. For the
    quantized eager model, the tolerance is increased by one quantization step, or by the effect of
    rounding inside the program if that is larger. For the float model, the test compares the SQNR
    (signal-to-quantization-noise ratio) and the cosine on the calibration inputs.

    Args:
      name: Name of the test.
      model: The `executorch_model`.
      atol: Absolute tolerance; 1e-4 by default. For a quantized model, the effect of rounding inside the program is added.
      rtol: Relative tolerance.
      output_atol: Absolute tolerance of individual outputs, by index: `{1: 1e-3}`.
      output_rtol: Relative tolerance of individual outputs, by index.
      min_sqnr: For a quantized model: minimum SQNR, in dB.
      min_cosine: For a quantized model: minimum cosine between its output and that of the float model.
      inputs: `.safetensors` or `.npz` file with inputs of additional calls. It has one array per
        model input, by name: the values of all calls, stacked along a new first dimension or
        concatenated along the first one. Inputs without an array have their example values.
      sweep: Number of additional calls with random inputs; dynamic dimensions have random sizes within their bounds.
      sweep_seed: Seed of these random inputs.
      args: Additional flags of the test program.
      tags: Tags of the test.
      **kwargs: Attributes that every test has.
    """
    require("executorch_parity_test(name = '%s')" % name, "model", model, "the executorch_model to test")

    # By default, outputs of a quantized model may differ by the effect of rounding inside the
    # program.
    rounding = ["--allow-rounding"] if atol == None else []
    options = [("atol", 1e-4 if atol == None else atol), ("rtol", rtol), ("min_sqnr", min_sqnr), ("min_cosine", min_cosine)]
    for option, value in options:
        _check_number(name, option, value)
    per_output = _per_output_flags(name, "output_atol", output_atol) + _per_output_flags(name, "output_rtol", output_rtol)
    propagated = propagated_test_attrs(kwargs)

    # Manual: only the test needs the target, so `//...` must not build it where the test is
    # filtered out.
    executorch_cc_library(
        name = name + "_lib",
        linked_registry = True,
        model = model,
        borrow = ["weights"],
        tags = ["manual"] + tags,
        testonly = True,
        **propagated
    )
    replay_data(
        name = name + "_data",
        inputs = inputs,
        model = model,
        sweep = sweep,
        sweep_seed = sweep_seed,
        tags = ["manual"] + tags,
        testonly = True,
        **propagated
    )
    cc_test(
        name = name,
        args = ["$(rootpaths :%s_data)" % name] + [
            "--%s=%s" % (option.replace("_", "-"), value)
            for option, value in options
        ] + rounding + per_output + args,
        data = [":%s_data" % name],
        # The test program needs et_linked_registry, which only the statically linked library
        # defines.
        linkstatic = True,
        tags = tags,
        deps = [Label("//runtime/replay:run_calls_main"), ":%s_lib" % name],
        **kwargs
    )
