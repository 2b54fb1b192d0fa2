"""Tests of ops."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//runtime:build_defs.bzl", "RUNTIME_COPTS")

def op_tests(name, ops):
    """Declares the test `<op>_test.c` of each op.

    Args:
      name: name of the test suite of all of them.
      ops: names of ops.
    """
    for op in ops:
        cc_test(
            name = op + "_test",
            size = "small",
            srcs = [op + "_test.c"],
            copts = RUNTIME_COPTS,
            linkopts = ["-lm"],
            deps = [
                ":ops",
                ":testing",
                "@cmocka",
            ],
        )
    native.test_suite(
        name = name,
        tests = [op + "_test" for op in ops],
    )
