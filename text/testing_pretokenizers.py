"""Write the pre-tokenizers of C tests.

python -m text.testing_pretokenizers HEADER.h SOURCE.c
"""

from __future__ import annotations

import sys
from pathlib import Path

from text.generate.bpe import splitter_arrays, splitter_list
from text.generate.pretokenizers import DIGIT, GPT2, LLAMA3
from text.generate.splitter import compile_splitters

_PATTERNS = (DIGIT, GPT2, LLAMA3)
# Names, the numbers of their patterns, and ignore_merges.
_PRETOKENIZERS = {
    "kGpt2": ((1,), "false"),
    "kSmol": ((0, 1), "false"),
    "kLlama3": ((2,), "false"),
    "kWhole": ((2,), "true"),
}


def main() -> None:
    source, header = sorted(map(Path, sys.argv[1:]))
    declared = "".join(f"extern const et_bpe_pretokenizer {name};\n" for name in _PRETOKENIZERS)
    header.write_text(f'#pragma once\n#include "executorch/text/bpe.h"\n\n{declared}', encoding="utf-8")
    splitters = compile_splitters(_PATTERNS)
    shared = f"range_starts, range_classes, {len(splitters.classes.starts)}, {splitters.classes.count}"
    text = f'#include "text/{header.name}"\n\n{splitter_arrays(splitters)}'
    for name, (numbers, ignores_merges) in _PRETOKENIZERS.items():
        text += splitter_list(f"{name}_splitters", numbers)
        text += f"const et_bpe_pretokenizer {name} = {{\n    {shared}, {name}_splitters, {len(numbers)}, {ignores_merges},\n}};\n"
    source.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
