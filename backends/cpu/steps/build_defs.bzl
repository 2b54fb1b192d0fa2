"""How step kinds are tested."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//runtime:build_defs.bzl", "RUNTIME_COPTS")

def step_tests(name, kinds):
    """The test of each kind: `kind`_test.c.

    Args:
      name: of all of them, as a test suite.
      kinds: the names of kinds.
    """
    for kind in kinds:
        cc_test(
            name = kind + "_test",
            size = "small",
            srcs = [kind + "_test.c"],
            copts = RUNTIME_COPTS,
            linkopts = ["-lm"],
            deps = [
                ":steps",
                ":testing",
                "@cmocka",
            ],
        )
    native.test_suite(
        name = name,
        tests = [kind + "_test" for kind in kinds],
    )
