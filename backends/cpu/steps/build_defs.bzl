"""How step kinds are built and tested."""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")
load("//runtime:build_defs.bzl", "RUNTIME_COPTS")

# Of what checks steps, or runs once for many rows: no loops.
SMALL_COPTS = RUNTIME_COPTS + ["-Os"]

def step_library(name, deps = [], copts = RUNTIME_COPTS, **kwargs):
    """A library of what steps are made with.

    Args:
      name: name of the cc_library.
      deps: what it uses besides the step's own header.
      copts: how it is compiled.
      **kwargs: what every cc_library has.
    """
    cc_library(
        name = name,
        copts = copts,
        linkstatic = True,
        deps = deps + [":step"],
        **kwargs
    )

def step_test(name, deps):
    """The test `name`.c of kinds.

    Args:
      name: of the test and its source.
      deps: the kinds.
    """
    cc_test(
        name = name,
        size = "small",
        srcs = [name + ".c"],
        copts = RUNTIME_COPTS,
        linkopts = ["-lm"],
        deps = deps + [
            ":testing",
            "@cmocka",
        ],
    )

def step_kind(name, srcs = [], deps = [], test_deps = [], copts = RUNTIME_COPTS):
    """A kind: `name`.c, which defines et_cpu_step_`name`, and its test.

    Args:
      name: of the kind.
      srcs: sources besides.
      deps: the loops that it calls.
      test_deps: kinds that its test compares it with.
      copts: how it is compiled.
    """
    step_library(
        name = name,
        srcs = [name + ".c"] + srcs,
        copts = copts,
        deps = deps + [":check"],
    )
    step_test(
        name = name + "_test",
        deps = [":" + name] + test_deps,
    )
