"""wordpiece_vocabulary: the tokens of a vocab.txt as tables in C."""

load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("//rules/project:python_action.bzl", "python_action")

def wordpiece_vocabulary(name, vocabulary, symbol = None, **kwargs):
    """A library whose header `<name>.h` declares `const et_wordpiece_vocabulary <symbol>`, for `et_wordpiece_encode`.

    Args:
      name: name of the cc_library.
      vocabulary: label of the file: a token a line, pieces inside of words with ## before them.
      symbol: C identifier; `name` if there is none.
      **kwargs: what every rule takes.
    """
    python_action(
        name = name + "_tables",
        srcs = [vocabulary],
        outs = [name + ".h", name + ".c"],
        arguments = ["$(location %s)" % vocabulary, symbol or name],
        main = Label("//text/generate:vocabulary"),
        visibility = ["//visibility:private"],
    )
    cc_library(
        name = name,
        srcs = [name + ".c"],
        hdrs = [name + ".h"],
        deps = [Label("//text:wordpiece")],
        **kwargs
    )
