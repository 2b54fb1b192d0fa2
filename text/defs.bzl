"""wordpiece_vocabulary, bpe_vocabulary and unigram_vocabulary: vocabularies as C tables.

They read a vocab.txt, a GGUF file, a tokenizer.json or a SentencePiece model.
"""

load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("//tools/build_defs:macro_arguments.bzl", "c_prefix", "require")
load("//tools/build_defs:python_action.bzl", "python_action")
load(":vocabulary.bzl", "vocabulary_library")

# Attributes of a vocabulary that are also set on the target of its tables.
_PROPAGATED_ATTRS = ["compatible_with", "exec_compatible_with", "restricted_to", "tags", "target_compatible_with", "testonly"]

def wordpiece_vocabulary(name, vocabulary = None, symbol = None, **kwargs):
    """Defines a C library with a WordPiece vocabulary, for `et_wordpiece_encode`.

    Its header `<name>.h` declares `const et_wordpiece_vocabulary <symbol>`.

    Args:
      name: Name of the `cc_library`.
      vocabulary: The vocab.txt of an uncased model: a file with one token per line; pieces inside a word start with
        ##. Or a tokenizer.json of Hugging Face's tokenizers with a WordPiece tokenizer, which can be cased.
      symbol: C identifier; by default package and name, such as `models_search_words` for `//models/search:words`.
      **kwargs: Attributes that every rule has.
    """
    where = "wordpiece_vocabulary(name = '%s')" % name
    require(where, "vocabulary", vocabulary, "the vocab.txt or tokenizer.json")
    _vocabulary_library(where, name, "wordpiece", [vocabulary], symbol, "//text/generate:vocabulary", ["//text:wordpiece"], kwargs)

def bpe_vocabulary(name, model = None, config = None, chat_template = None, symbol = None, **kwargs):
    """Defines a C library with a byte-pair vocabulary and, if the files have one, its chat template.

    Its header `<name>.h` declares `const et_bpe_vocabulary <symbol>` and `const et_chat_template <symbol>_chat`.

    Args:
      name: Name of the `cc_library`.
      model: GGUF file, tokenizer.json of Hugging Face's tokenizers, or SentencePiece model (`.model`), with a
        byte-pair tokenizer.
      config: The tokenizer_config.json beside a tokenizer.json or SentencePiece model; it has the chat template.
      chat_template: File with a chat template, such as the `chat_template.jinja` beside a tokenizer.json. It
        replaces that of the other files. A tokenizer.json or SentencePiece model needs `config` as well.
      symbol: C identifier; by default package and name, such as `models_chat_words` for `//models/chat:words`.
      **kwargs: Attributes that every rule has.
    """
    where = "bpe_vocabulary(name = '%s')" % name
    require(where, "model", model, "the GGUF file, tokenizer.json or SentencePiece model")
    if chat_template and str(model).endswith((".json", ".model")) and not config:
        fail("%s: 'chat_template' is set, but 'config' is missing; set it to the tokenizer_config.json, which names the tokens that begin and end texts" % where)
    _vocabulary_library(where, name, "bpe", [model, config, chat_template], symbol, "//text/generate:bpe", ["//text:bpe", "//text:chat_template"], kwargs)

def unigram_vocabulary(name, model = None, symbol = None, **kwargs):
    """Defines a C library with a Unigram vocabulary, for `et_unigram_encode`.

    Its header `<name>.h` declares `const et_unigram_vocabulary <symbol>`.

    Args:
      name: Name of the `cc_library`.
      model: SentencePiece model of the type Unigram (`.model`), GGUF file with a tokenizer of the model `t5`, or a
        tokenizer.json of Hugging Face's tokenizers with a Unigram tokenizer.
      symbol: C identifier; by default package and name, such as `models_translate_words` for `//models/translate:words`.
      **kwargs: Attributes that every rule has.
    """
    where = "unigram_vocabulary(name = '%s')" % name
    require(where, "model", model, "the SentencePiece model, GGUF file or tokenizer.json")
    _vocabulary_library(where, name, "unigram", [model], symbol, "//text/generate:unigram", ["//text:unigram"], kwargs)

def _vocabulary_library(where, name, kind, files, symbol, generator, deps, common_attrs):
    """Defines a library of tables that a module of //text/generate writes. A missing file is None."""
    if symbol and symbol != c_prefix("", symbol):
        fail("%s: 'symbol' must start with a letter and consist of letters, digits and single '_', got '%s'" % (where, symbol))
    label = "%s//%s:%s" % (native.repository_name().replace("@@", "@"), native.package_name(), name)
    identifier = symbol or c_prefix(native.package_name(), name)
    propagated = {key: common_attrs[key] for key in _PROPAGATED_ATTRS if key in common_attrs}
    python_action(
        name = name + "_tables",
        srcs = [file for file in files if file],
        outs = [name + ".h", name + ".c"],
        arguments = ["$(location %s)" % file if file else "" for file in files] + [identifier, label],
        main = Label(generator),
        visibility = ["//visibility:private"],
        **propagated
    )
    cc_library(
        name = name + "_library",
        srcs = [name + ".c"],
        hdrs = [name + ".h"],
        visibility = ["//visibility:private"],
        deps = [Label(dep) for dep in deps],
        **propagated
    )
    vocabulary_library(
        name = name,
        kind = kind,
        library = name + "_library",
        symbol = identifier,
        tables = name + "_tables",
        **common_attrs
    )
