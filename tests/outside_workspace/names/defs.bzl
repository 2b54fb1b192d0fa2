"""A model, with its C library and its parity test."""

load("@rules_executorch//rules:defs.bzl", "executorch_cc_library", "executorch_model", "executorch_parity_test")

def compiled_model(name, module):
    executorch_model(name = name + "_pte", module = module)
    executorch_cc_library(name = name + "_cc", model = name + "_pte", visibility = ["//visibility:public"])
    executorch_parity_test(name = name + "_parity_test", model = name + "_pte")
