"""The tokenizers of a WebAssembly library: their classes, types and C sources."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rules.codegen.names import c_comment

# JavaScript classes of bindings/web/runtime/tokenizer.mjs by kind.
RUNTIME_CLASSES = {"bpe": "BpeVocabulary", "wordpiece": "WordpieceVocabulary"}

_MODULE = """
const tokenizer{index} = {{
  name: {name},
  digest: {digest}n,
  compiled: {{}},
  modules: {{
    plain: () => new URL({file}, import.meta.url),
  }},
}};

/** Tokenizer of `{target}`. */
export class {class_name} extends executorch.{base} {{
  constructor(instance) {{
    super(instance, {name});
  }}

  static async load(options) {{
    return new {class_name}(await executorch.loadTokenizer(tokenizer{index}, options));
  }}
}}
"""

_TYPES = """
/** Tokenizer of `{target}`. */
export declare class {class_name} {{
  private constructor();
  static load(options?: TokenizerOptions): Promise<{class_name}>;
  /** The number of tokens of the vocabulary. */
  readonly vocabularySize: number;
  /** The size of the object's WebAssembly memory. */
  readonly memoryBytes: number;
{functions}  /** Returns the text of tokens. */
  decode(tokens: TokenArray): string;
  /** Returns the bytes of a token, which can be a part of a character. */
  piece(token: number | bigint): Uint8Array;
  /** Frees the memory. Later calls throw ExecutorchError. */
  dispose(): void;
  [Symbol.dispose](): void;
}}
"""

_FUNCTIONS = {
    "bpe": """\
  /** Returns the tokens of a text. Names of control tokens are plain text. */
  encode(text: string, options?: EncodeOptions): BigInt64Array;
  /** Returns the tokens of a chat, in the format of the model's chat template. */
  encodeChat(messages: readonly ChatMessage[], options?: ChatOptions): BigInt64Array;
  /** The tokens that end an answer. */
  readonly stopTokens: readonly bigint[];
""",
    "wordpiece": """\
  /** Returns the tokens of a text. Names of tokens are plain text. */
  encode(text: string, options?: WordpieceOptions): BigInt64Array;
""",
}

_SOURCE = """\
/* Generated from {target}. Do not edit. */
#include "bindings/web/wasm/tokenizer.h"
#include {header}

{chat}const et_web_tokenizer et_web_linked_tokenizer = {{{digest}, &et_web_{kind}, &{symbol}, CHAT}};
"""

# The header defines the template as a macro, if there is one.
_CHAT = """\
#ifdef {name}
#define CHAT &{name}
#else
#define CHAT NULL
#endif

"""


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer of a library.

    kind: `bpe` or `wordpiece`.
    target: label of the vocabulary, for comments.
    digest: of the tables, which the module and the .wasm file compare.
    symbol, header: of the vocabulary's C tables.
    file: name of the .wasm file.
    """

    kind: str
    class_name: str
    target: str
    digest: int
    symbol: str
    header: str
    file: str


def read_tokenizer(entry: Sequence[str]) -> Tokenizer:
    """Return the tokenizer of a command-line entry, which has the file of the tables.

    "label:" precedes the label, because an argument that starts with @ is a params file.
    """
    kind, class_name, target, tables, symbol, header, file = entry
    target = target.removeprefix("label:")
    # 63 bits of the SHA-256.
    digest = int.from_bytes(hashlib.sha256(Path(tables).read_bytes()).digest()[:8], "big") >> 1
    return Tokenizer(kind, class_name, target, digest, symbol, header, file)


def tokenizer_class(index: int, tokenizer: Tokenizer, target: str) -> str:
    """Return the JavaScript class. `target` is the label as part of a comment."""
    return _MODULE.format(
        index=index,
        name=json.dumps(tokenizer.class_name),
        digest=tokenizer.digest,
        file=json.dumps("./" + tokenizer.file),
        target=target,
        class_name=tokenizer.class_name,
        base=RUNTIME_CLASSES[tokenizer.kind],
    )


def tokenizer_types(tokenizer: Tokenizer, target: str) -> str:
    """Return the declaration. `target` is the label as part of a comment."""
    return _TYPES.format(target=target, class_name=tokenizer.class_name, functions=_FUNCTIONS[tokenizer.kind])


def tokenizer_source(tokenizer: Tokenizer) -> str:
    """Return the C source that selects the tokenizer of a .wasm file."""
    return _SOURCE.format(
        target=c_comment(tokenizer.target),
        header=json.dumps(tokenizer.header),
        digest=tokenizer.digest,
        kind=tokenizer.kind,
        symbol=tokenizer.symbol,
        chat=_CHAT.format(name=f"{tokenizer.symbol}_chat"),
    )
