"""Write a GGUF file with user-defined tokens added to its vocabulary.

Usage: `python -m text.testing_added_tokens MODEL.gguf OUT.gguf`
"""

from __future__ import annotations

import sys
from pathlib import Path

import gguf

from exir.files.gguf_file import read_gguf_file

# Some tokens are prefixes of others, some share a first byte, and some are not ASCII.
ADDED = ("<think>", "</think>", "<think>\n", "<|tool|>", "   ", "      ", "é!", "中", "don't")


def main() -> int:
    model, out = map(Path, sys.argv[1:])
    metadata = read_gguf_file(model).metadata
    writer = gguf.GGUFWriter(out, metadata["general.architecture"])
    tokens = metadata["tokenizer.ggml.tokens"]
    writer.add_tokenizer_model(metadata["tokenizer.ggml.model"])
    writer.add_tokenizer_pre(metadata["tokenizer.ggml.pre"])
    writer.add_token_list([*tokens, *ADDED])
    writer.add_token_types([*metadata["tokenizer.ggml.token_type"], *[gguf.TokenType.USER_DEFINED] * len(ADDED)])
    writer.add_token_merges(metadata["tokenizer.ggml.merges"])
    writer.add_eos_token_id(metadata["tokenizer.ggml.eos_token_id"])
    writer.add_chat_template(metadata["tokenizer.chat_template"])
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.close):
        step()
    return 0


if __name__ == "__main__":
    sys.exit(main())
