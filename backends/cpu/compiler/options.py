"""What a compilation for this backend may be told, and how that reaches `preprocess`."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import get_type_hints

from exir.backend.compile_spec_schema import CompileSpec
from exir.error import ConfigError

CHOICES = ("auto", "never", "always")
WEIGHTS = ("auto", "float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Options:
    """Options of `[backends.cpu]`.

    winograd: for 3x3 convolutions, "auto" where it is faster and its larger weights are worth it,
        "never", or "always" where it can be. It rounds more: outputs are within 1e-4 of PyTorch's. Of bytes it
        is taken by "always" alone: results are the same, and it is slower where four products of bytes are one instruction
        and two of int16 are several (AArch64).
    row_tiling: row-tiled fusion of blocks that expand, filter and project channels. "auto" tiles a block
        whose expanded image does not fit into the cache, and fuses two blocks if the image between them
        does not fit either; "never"; or "always" where it is possible. Results are bit-identical.
    strassen: for linear layers and convolutions of one pixel of float32: seven eighths of the multiplications, 1.75 of
        the weights' bytes, and errors of rounding twice as large. "auto" where an example has so many rows, even at the
        lower bounds of sizes, that it is faster and worth the bytes, and no other op reads the same weights as they
        are; "never"; or "always" where rows are many by their upper bound, though few take longer then.
    threads: how many threads a call may use at once; each has workspace of its own.
    weights: what weights of products, convolutions and tables are stored as: "auto" as the program has them, or
        "float32", "float16", "bfloat16". They are computed with as float32.
    """

    winograd: str = "auto"
    row_tiling: str = "auto"
    threads: int = 4
    weights: str = "auto"
    strassen: str = "auto"

    def __post_init__(self) -> None:
        known = {"winograd": CHOICES, "row_tiling": CHOICES, "weights": WEIGHTS, "strassen": CHOICES}
        for name, choices in known.items():
            if (value := getattr(self, name)) not in choices:
                raise ConfigError(f"cpu: '{name}' must be one of {', '.join(choices)}, got '{value}'")
        if not 1 <= self.threads <= 64:
            raise ConfigError(f"cpu: 'threads' must be from 1 to 64, got {self.threads}")

    def specs(self) -> list[CompileSpec]:
        """As compile specs."""
        return [CompileSpec(each.name, str(getattr(self, each.name)).encode()) for each in fields(self)]

    @staticmethod
    def read(specs: Iterable[CompileSpec]) -> "Options":
        """What `specs` gave. Raises `ConfigError`; what a spec does not say is the default."""
        given = {spec.key: spec.value.decode() for spec in specs}
        unknown = sorted(given.keys() - {each.name for each in fields(Options)})
        if unknown:
            raise ConfigError(f"cpu: unknown compile spec '{unknown[0]}'")
        kinds = get_type_hints(Options)
        return Options(**{name: kinds[name](value) for name, value in given.items()})
