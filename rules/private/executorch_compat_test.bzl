"""executorch_compat_test: a checked-in program still loads and computes its recorded outputs."""

load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("//rules/private:arguments.bzl", "check_backend", "propagated_test_attrs", "require")
load("//rules/private:executorch_cc_library.bzl", "executorch_cc_library")
load("//rules/private:executorch_import.bzl", "executorch_import")

def executorch_compat_test(name, pte = None, calls = None, backend = None, weights = None, atol = 1e-4, rtol = 1e-4, tags = [], **kwargs):
    """Tests that a checked-in program still loads and computes its recorded outputs.

    Both files are checked in and do not change. The recorded calls are the output group `reference`
    of the model, built together with the program.

    Args:
      name: Name of the test.
      pte: The program, a `.pte` file.
      calls: The recorded calls, a `.calls` file.
      backend: The `executorch_backend` of its delegates, or a list of several.
      weights: The `.ptd` file of external weights.
      atol: Absolute tolerance.
      rtol: Relative tolerance.
      tags: Tags of the test.
      **kwargs: Attributes that every test has.
    """
    where = "executorch_compat_test(name = '%s')" % name
    require(where, "pte", pte, "the .pte file of the program")
    require(where, "calls", calls, "the file of recorded calls")
    check_backend(where, backend)
    propagated = propagated_test_attrs(kwargs)
    common = dict(
        propagated,
        tags = ["manual"] + tags,  # only the test needs them
        testonly = True,
    )
    executorch_import(
        name = name + "_import",
        backend = backend,
        pte = pte,
        weights = weights,
        **common
    )
    executorch_cc_library(
        name = name + "_lib",
        linked_registry = True,
        model = ":%s_import" % name,
        borrow = ["weights"],
        **common
    )
    files = [pte, calls] + ([weights] if weights else [])
    cc_test(
        name = name,
        args = ["$(rootpath %s)" % file for file in files] + ["--atol=%s" % atol, "--rtol=%s" % rtol],
        data = files,
        # The test program needs et_linked_registry, which only the statically linked library
        # defines.
        linkstatic = True,
        tags = tags,
        deps = [Label("//runtime/replay:run_calls_main"), ":%s_lib" % name],
        **kwargs
    )
