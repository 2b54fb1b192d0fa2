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
    files = [info.pte, info.reference] + ([info.weights] if info.weights else [])
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files))]

_replay_data = rule(
    implementation = _replay_data_impl,
    attrs = _REPLAY_ATTRS,
    doc = "A model's program, its reference calls, and its weights where they lie apart, in this order.",
)

def executorch_parity_test(name, model, atol = 1e-4, rtol = 1e-4, tags = [], **kwargs):
    """Tests that the program on the C runtime gives what eager PyTorch gives.

    The model's example calls, and seeded random ones of the same shapes, were run by eager PyTorch in a cached build action; the
    test replays them and compares every output element: |actual - expected| <= atol + rtol * |expected|. Prints the largest absolute
    and relative error of each output.

    Args:
      name: name of the test.
      model: the `executorch_model`.
      atol: largest absolute error.
      rtol: largest relative error.
      tags: tags of the test.
      **kwargs: what every test has.
    """
    executorch_cc_library(
        name = name + "_lib",
        linked_registry = True,
        model = model,
        weights = "lend",
        tags = ["manual"],
        testonly = True,
    )
    _replay_data(
        name = name + "_data",
        model = model,
        tags = ["manual"],
        testonly = True,
    )
    cc_test(
        name = name,
        args = ["$(rootpaths :%s_data)" % name, "--atol=%s" % atol, "--rtol=%s" % rtol],
        data = [":%s_data" % name],
        # The program asks for a registry that only its own library defines.
        linkstatic = True,
        tags = tags,
        deps = [Label("//runtime/replay:run_calls_main"), ":%s_lib" % name],
        **kwargs
    )
