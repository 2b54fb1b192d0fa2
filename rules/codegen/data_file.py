"""Write an assembler file that embeds programs in read-only memory.

The file uses `.incbin`. A C array of 14 MB would take a compiler minutes and gigabytes.
"""

from __future__ import annotations

from rules.codegen.names import c_string

# Constants inside a program are aligned relative to its first byte.
_ALIGNMENT_LOG2 = 7

_HEAD = f"""\
/* Generated. The programs' bytes, where the linker may place them in flash. */
#if defined(__APPLE__)
#define SYMBOL(name) _##name
  .section __TEXT,__const
#else
#define SYMBOL(name) name
  .section .rodata
#endif
#define ALIGN .p2align {_ALIGNMENT_LOG2}
"""

_PROGRAM = """
  ALIGN
  .globl SYMBOL({prefix}_program_data)
SYMBOL({prefix}_program_data):
  .incbin "{path}"
"""

_WEIGHTS = """
  ALIGN
{labels}
  .incbin "{path}"
"""

_TAIL = """
#if defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
"""


def data_source(programs: list[tuple[str, str]], weights: dict[str, list[str]] | None = None) -> str:
    """Return the text of the assembler file.

    `programs` lists (symbol prefix, path relative to the execution root). `weights` maps the path of a
    weights file to the symbol prefixes of the models that share it.
    """
    parts = [_PROGRAM.format(prefix=prefix, path=c_string(path)) for prefix, path in programs]
    for path, prefixes in (weights or {}).items():
        labels = "\n".join(_label(prefix) for prefix in prefixes)
        parts.append(_WEIGHTS.format(labels=labels, path=c_string(path)))
    return _HEAD + "".join(parts) + _TAIL


def _label(prefix: str) -> str:
    return f"  .globl SYMBOL({prefix}_weights_data)\nSYMBOL({prefix}_weights_data):"
