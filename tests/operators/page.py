"""Writes docs/operators.md from the kernel tables and the compiler's decompositions.

The command is `tools/python -m tests.operators.page`; a test holds the page to them.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from exir.decomposition.decompositions import core_aten
from exir.operators.kernels import Kernel, KernelTable, load_kernels
from exir.operators.operators import own_operators
from exir.operators.rules import MAX_RANK

_PAGE = "docs/operators.md"
_INTRODUCTION = """\
# Operators

Made from the kernel tables by `tools/python -m tests.operators.page`; do not edit.

A ● says that a kernel takes the dtype for the operator's first tensor, or for its result where it has none. Every one of them, every number of
dimensions and every dim order that a row claims is tried against PyTorch by `kernels/testing/sweep_test.py`, and refused where there
is none: by the compiler, with the line of the model, and by the loader. Samples of torch's own operator database go through the compiler and the C
runtime in `tests/operators/op_db_test.py`."""
_MADE = """\
## Made of others

The compiler decomposes these, in any overload, into operators of the tables:"""
_EVALUATED = """\
## Evaluated at compile time

An operator of PyTorch that has neither a kernel nor a decomposition is evaluated by the compiler if it
depends on constants alone. Its value becomes a constant of the program. Such are `hamming_window`,
`kaiser_window`, `fft_fftfreq`, `tril_indices`, and `linalg_eig` of a parameter."""
_REFUSED_HEAD = """\
## Refused

These have neither a kernel nor a decomposition. The compiler, or `torch.export` before it, says so with the line of the model:

| operator | reason |
| --- | --- |"""
REFUSED = {
    "linalg_eig": "eigenvectors of a matrix that is not symmetric are complex, and no kernel iterates to them; `linalg_eigh` has one",
    "linalg_ldl_factor_ex": "no kernel pivots by blocks; `linalg_cholesky` and `linalg_lu_factor` have kernels for such matrices",
    "linalg_ldl_solve": "its factors are those of `linalg_ldl_factor_ex`",
    "linalg_lstsq": "`torch.export` knows no sizes of its results; `linalg_pinv(a) @ b` is the solution",
    "allclose": "`torch.export` refuses values that become numbers of Python; `isclose(a, b).all()` is a tensor",
    "equal": "as `allclose`; `(a == b).all()` is a tensor",
    "bincount": "its length follows from the elements; `torch.bincount(x, minlength=n)[:n]` and `torch._check(counts.shape[0] <= n)` bound it",
    "unique_dim": "slices of more than 64 elements are not compared; `unique` of one key for each slice is",
    "as_strided_scatter": "writing by strides would depend on where a tensor lies",
    "hash_tensor": "of no model",
}
"""Operators, and why they are refused."""

_SECTIONS = (
    ("kernels/portable", "PyTorch's operators"),
    ("kernels/quantized", "Operators on quantized tensors"),
    ("kernels/torchvision", "Torchvision's operators, in programs that ask for `//kernels/torchvision:kernels`"),
)
_COLUMNS = {
    "bool": "bool",
    "uint8": "u8",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}


def page(root: Path) -> str:
    """The whole page."""
    tables = {folder: load_kernels([root / folder / "kernels.toml"], own_operators()) for folder, _ in _SECTIONS}
    parts = [_INTRODUCTION]
    for folder, title in _SECTIONS:
        parts += [f"## {title}", _table(tables[folder])]
    known = {_base(name) for table in tables.values() for name in table.kernels}
    made = ", ".join(f"`{name}`" for name in _made_of_others(known))
    refused = "\n".join([_REFUSED_HEAD, *(f"| `{name}` | {reason} |" for name, reason in REFUSED.items())])
    return "\n\n".join([*parts, _MADE, made, _EVALUATED, refused]) + "\n"


def _table(table: KernelTable) -> str:
    head = ["| operator | dimensions |" + "".join(f" {short} |" for short in _COLUMNS.values())]
    head.append("| --- | --- |" + " --- |" * len(_COLUMNS))
    return "\n".join([*head, *(_row(name, kernels) for name, kernels in table.kernels.items())])


def _row(name: str, kernels: Sequence[Kernel]) -> str:
    operator = kernels[0].operator
    named = [argument.name for argument in operator.tensors if not argument.out] or [operator.outs[0].name]
    rules = [kernel.rules.tensors[named[0]] for kernel in kernels]
    taken = {dtype for rule in rules for dtype in rule.dtypes}
    marks = "".join(" ● |" if dtype in taken else " |" for dtype in _COLUMNS)
    return f"| `{name}` | {_dimensions(rule.ranks for rule in rules)} |{marks}"


def _dimensions(ranks: Iterable[tuple[int, int]]) -> str:
    lows, highs = zip(*ranks)
    low, high = min(lows), max(highs)
    if high == MAX_RANK:
        return "any" if low == 0 else f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def _base(name: str) -> str:
    return name.partition("::")[2].partition(".")[0]


def _made_of_others(known: set[str]) -> Iterator[str]:
    """Names without kernels of their own; what gradients are computed with is left out."""
    names = {op._opname for op in core_aten().table if op.namespace == "aten"}
    yield from sorted(name for name in names - known if "backward" not in name and not name.endswith("_"))


if __name__ == "__main__":
    root = Path(__file__).absolute().parents[2]
    (root / _PAGE).write_text(page(root), encoding="utf-8")
