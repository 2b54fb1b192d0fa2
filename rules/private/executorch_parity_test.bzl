"""executorch_parity_test: the C runtime against eager PyTorch."""

load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("//rules:providers.bzl", "ExecutorchModelInfo")
load("//rules/private:executorch_cc_library.bzl", "executorch_cc_library")

_REPLAY_ATTRS = {
    "model": attr.label(
        mandatory = True,
        providers = [ExecutorchModelInfo],
        doc = "The `executorch_model`.",
    ),
}

def _replay_data_impl(ctx):
    info = ctx.attr.model[ExecutorchModelInfo]
    if not info.reference:
        fail("%s: %s was made elsewhere, so there is no eager PyTorch to compare it with" % (ctx.label, ctx.attr.model.label))
    files = [info.pte, info.reference] + ([info.weights] if info.weights else [])
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

_replay_data = rule(
    implementation = _replay_data_impl,
    attrs = _REPLAY_ATTRS,
    doc = "A model's program, its reference calls, and its weights where they lie apart, in this order.",
)

def _check_number(test, argument, value):
    if type(value) not in ["int", "float"] or value < 0:
        fail("executorch_parity_test(name = '%s'): '%s' must be a number, at least 0, got %r" % (test, argument, value))

# What every target takes and what the test needs must hold for the targets that it is made of.
_PASSED_ON = ["compatible_with", "exec_compatible_with", "features", "restricted_to", "target_compatible_with"]

def executorch_parity_test(name, model, atol = 1e-4, rtol = 1e-4, min_sqnr = 15, min_cosine = 0.98, args = [], tags = [], **kwargs):
    """Tests that the program on the C runtime gives what eager PyTorch gives.

    The model's example calls, and seeded random ones of the same shapes, were run by eager PyTorch in a cached build action; the
    test replays them and compares every output element: |actual - expected| <= atol + rtol * |expected|. Prints the largest absolute
    and relative error of each output.

    A quantized model (`[quantization]` in its config) is compared with the quantized eager model, where elements may be one step off
    besides, as sums are rounded in another order; and with the float model by signal-to-quantization-noise ratio and cosine, for
    the inputs that ranges were measured on.

    Args:
      name: name of the test.
      model: the `executorch_model`.
      atol: largest absolute error.
      rtol: largest relative error.
      min_sqnr: of a quantized model: smallest ratio of the float output's energy to the error's, in dB.
      min_cosine: of a quantized model: smallest cosine between its output and the float model's.
      args: further flags of the test's program.
      tags: tags of the test.
      **kwargs: what every test has.
    """
    options = [("atol", atol), ("rtol", rtol), ("min_sqnr", min_sqnr), ("min_cosine", min_cosine)]
    for option, value in options:
        _check_number(name, option, value)
    passed_on = {key: kwargs[key] for key in _PASSED_ON if key in kwargs}
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
        model = model,
        tags = ["manual"] + tags,
        testonly = True,
        **passed_on
    )
    cc_test(
        name = name,
        args = ["$(rootpaths :%s_data)" % name] + [
            "--%s=%s" % (option.replace("_", "-"), value)
            for option, value in options
        ] + args,
        data = [":%s_data" % name],
        # The program asks for a registry that only its own library defines.
        linkstatic = True,
        tags = tags,
        deps = [Label("//runtime/replay:run_calls_main"), ":%s_lib" % name],
        **kwargs
    )
