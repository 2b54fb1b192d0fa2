"""wordpiece_vocabulary and byte_pair_vocabulary: the tokens of a vocab.txt and of a GGUF file as tables in C."""

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
    _tables(name, vocabulary, symbol or name, "//text/generate:vocabulary", ["//text:wordpiece"], kwargs)

def byte_pair_vocabulary(name, model, symbol = None, **kwargs):
    """A library whose header `<name>.h` declares `const et_byte_pair_vocabulary <symbol>` and `const et_chat_template <symbol>_chat`.

    Args:
      name: name of the cc_library.
      model: label of a GGUF file, whose tokenizer is of byte pairs and which has a chat template.
      symbol: C identifier; `name` if there is none.
      **kwargs: what every rule takes.
    """
    _tables(name, model, symbol or name, "//text/generate:byte_pairs", ["//text:byte_pairs", "//text:chat_template"], kwargs)

def _tables(name, file, symbol, generator, deps, common):
    """A library of tables that a module of //text/generate makes of a file."""
    python_action(
        name = name + "_tables",
        srcs = [file],
        outs = [name + ".h", name + ".c"],
        arguments = ["$(location %s)" % file, symbol],
        main = Label(generator),
        visibility = ["//visibility:private"],
    )
    cc_library(
        name = name,
        srcs = [name + ".c"],
        hdrs = [name + ".h"],
        deps = [Label(dep) for dep in deps],
        **common
    )
