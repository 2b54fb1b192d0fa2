"""Write a GGUF file with random weights and the vocabulary of another one.

python small_words.py GGUF-FILE SMALL-FILE
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import gguf

from exir.files.gguf_file import read_gguf_file
from models.chat.small_files import LLAMA, add_shape, add_tensors, finish

_KIND = dataclasses.replace(LLAMA, length=2048)


def write(source: Path, path: Path) -> None:
    """Write the file."""
    metadata = read_gguf_file(source, lambda key: key.startswith("tokenizer.")).metadata
    tokens = metadata["tokenizer.ggml.tokens"]
    writer = gguf.GGUFWriter(path, _KIND.architecture)
    add_shape(writer, _KIND)
    writer.add_tokenizer_model(metadata["tokenizer.ggml.model"])
    writer.add_tokenizer_pre(metadata["tokenizer.ggml.pre"])
    writer.add_token_list(tokens)
    writer.add_token_types(metadata["tokenizer.ggml.token_type"])
    writer.add_token_merges(metadata["tokenizer.ggml.merges"])
    writer.add_bos_token_id(metadata["tokenizer.ggml.bos_token_id"])
    writer.add_eos_token_id(metadata["tokenizer.ggml.eos_token_id"])
    writer.add_chat_template(metadata["tokenizer.chat_template"])
    add_tensors(writer, _KIND, len(tokens))
    finish(writer)


def main() -> int:
    source, path = map(Path, sys.argv[1:])
    write(source, path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
