"""Options of the backend, and their encoding as compile specs for `preprocess`."""

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

    winograd: Winograd's algorithm for 3x3 convolutions. Float outputs are within 1e-4 of PyTorch;
        int8 outputs are bit-identical.
        - "auto": float32 only, if it is faster and the gain justifies its larger weights.
        - "never".
        - "always": wherever possible, including int8. For int8, it is slower on processors
          (AArch64) where one instruction adds four int8 products but two int16 products need
          several instructions.
    row_tiling: row-tiled fusion of inverted residuals. Results are bit-identical.
        - "auto": if the expanded image exceeds the cache. Two blocks are fused if the image between
          them is large.
        - "never".
        - "always": wherever possible.
    strassen: Strassen's algorithm for float32 linear layers and 1x1 convolutions. It needs 7/8 of
        the multiplications and 1.75 times the memory for weights, and doubles rounding errors.
        - "auto": if it is faster for the minimum number of rows, the gain justifies its larger
          weights, and no other op reads the same weights.
        - "never".
        - "always": wherever the maximum number of rows is large enough. Calls with few rows are
          slower.
    threads: maximum number of threads of a call, 1 to 64. Each has its own workspace.
    weights: dtype in which weights of GEMMs, convolutions and embeddings are stored: "auto" (dtype
        of the program), "float32", "float16" or "bfloat16". Ops compute in float32.
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
        """Return the options as compile specs."""
        return [CompileSpec(each.name, str(getattr(self, each.name)).encode()) for each in fields(self)]

    @staticmethod
    def read(specs: Iterable[CompileSpec]) -> "Options":
        """Decode `specs`. Options without a spec have their defaults.

        Raises `ConfigError` for invalid specs.
        """
        given = {spec.key: spec.value.decode() for spec in specs}
        unknown = sorted(given.keys() - {each.name for each in fields(Options)})
        if unknown:
            raise ConfigError(f"cpu: unknown compile spec '{unknown[0]}'")
        kinds = get_type_hints(Options)
        return Options(**{name: kinds[name](value) for name, value in given.items()})
