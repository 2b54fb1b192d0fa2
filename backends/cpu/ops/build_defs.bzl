"""Tests of ops."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//runtime:build_defs.bzl", "RUNTIME_COPTS")

def op_tests(name, srcs):
    """Declares a test for each file `<op>_test.c`.

    Args:
      name: name of the test suite of all of them.
      srcs: the files.
    """
    tests = [src[:-len(".c")] for src in srcs]
    for test in tests:
        cc_test(
            name = test,
            size = "small",
            srcs = [test + ".c"],
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
        tests = tests,
    )
