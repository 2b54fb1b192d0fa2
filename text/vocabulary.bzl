"""The rule of a vocabulary's C library, which also describes the vocabulary to other rules."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

TextVocabularyInfo = provider(
    doc = "A vocabulary that is compiled to C tables. `wordpiece_vocabulary`, `bpe_vocabulary` and `unigram_vocabulary` return it.",
    fields = {
        "header": "File: the header that declares it.",
        "kind": "string: `bpe`, `unigram` or `wordpiece`.",
        "symbol": "string: C identifier of the vocabulary.",
        "tables": "File: the C source of the tables.",
    },
)

def _file_with_extension(files, extension):
    return [file for file in files if file.extension == extension][0]

def _impl(ctx):
    library = ctx.attr.library
    return [
        DefaultInfo(files = library[DefaultInfo].files, runfiles = library[DefaultInfo].default_runfiles),
        library[CcInfo],
        library[OutputGroupInfo],
        TextVocabularyInfo(
            header = _file_with_extension(ctx.files.tables, "h"),
            kind = ctx.attr.kind,
            symbol = ctx.attr.symbol,
            tables = _file_with_extension(ctx.files.tables, "c"),
        ),
    ]

vocabulary_library = rule(
    implementation = _impl,
    attrs = {
        "kind": attr.string(
            mandatory = True,
            values = ["bpe", "unigram", "wordpiece"],
            doc = "The algorithm.",
        ),
        "library": attr.label(
            mandatory = True,
            providers = [CcInfo],
            doc = "The C library of the tables.",
        ),
        "symbol": attr.string(
            mandatory = True,
            doc = "C identifier of the vocabulary.",
        ),
        "tables": attr.label(
            mandatory = True,
            allow_files = [".c", ".h"],
            doc = "The source and the header of the tables.",
        ),
    },
    doc = "The C library of a vocabulary.",
    provides = [CcInfo, TextVocabularyInfo],
)
