"""Write the page with the results of all languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.interface.description import Interface

PAGE = "docs/reference/language_results.md"

_PAGE = """\
# Results in C, C++, Rust, Java and Python

This page states, for each test model, how many outputs are bit-identical in all languages. It is
for users who port an app from one language to another.

`//tests/languages:results_test` runs the same calls in the Python runtime, and in programs in C,
C++, Rust and Java that use the generated headers, crates and classes. It compares the sizes and
bytes of all outputs. A difference fails the test, so the number of differing outputs is 0 in each
row. Java runs each call three times: with arrays, with direct buffers, and with
[`Program`](../how_to/use_from_java.md#run-any-program). The last does not run methods that share
state, and the model with a backend for tests.

| Models | Methods | Calls | Outputs | Bytes | C differs | C++ differs | Rust differs | Java differs |
|---|---|---|---|---|---|---|---|---|
| {models} | {methods} | {calls} | {outputs} | {nbytes} | 0 | 0 | 0 | 0 |

To run it:

```
./bazelw test //tests/languages:results_test
```

The test needs `rustc` and a JDK. The calls are those that eager PyTorch recorded for parity tests.
Some models with dynamic sizes have three additional calls with random sizes. Methods that share
state run in one object, so each call depends on the previous ones. The bytes include the sizes of
outputs.

The table has all models of `tests/` that compile and load, except two whose backend is written for
a test and is not in the Python runtime.

## Models

| Model | Methods | Features | Calls | Outputs | Bytes |
|---|---|---|---|---|---|
{rows}
## Next

- [Use a model from C](../how_to/use_from_c.md), [from C++](../how_to/use_from_cpp.md),
  [from Rust](../how_to/use_from_rust.md) and [from Java](../how_to/use_from_java.md)
- [Test a program](../how_to/test_a_program.md): comparison with eager PyTorch
"""


@dataclass(frozen=True)
class Row:
    """The results of one model."""

    interface: Interface
    calls: int
    outputs: int
    nbytes: int

    @property
    def features(self) -> str:
        """The features of the interface that the calls use."""
        methods = self.interface.methods
        arguments = [slot for method in methods for slot in method.arguments]
        kinds = {slot.kind for method in methods for slot in method.io_slots} - {"tensor"}
        found = {
            "dynamic sizes": any(slot.is_dynamic for slot in arguments),
            "state": any(method.state for method in methods),
            "shared state": bool(self.interface.state_bytes),
            "external weights": self.interface.weights is not None,
        }
        names = {"null": "None", "double": "float"}
        return ", ".join([name for name, has in found.items() if has] + sorted(names.get(kind, kind) for kind in kinds))


def page_text(rows: Sequence[Row]) -> str:
    def total(values: Iterable[int]) -> str:
        return f"{sum(values):,}"

    lines = (
        f"| `{row.interface.target}` | {len(row.interface.methods)} | {row.features} | {row.calls} | {row.outputs} "
        f"| {row.nbytes:,} |\n"
        for row in rows
    )
    return _PAGE.format(
        models=len(rows),
        methods=total(len(row.interface.methods) for row in rows),
        calls=total(row.calls for row in rows),
        outputs=total(row.outputs for row in rows),
        nbytes=total(row.nbytes for row in rows),
        rows="".join(lines),
    )
