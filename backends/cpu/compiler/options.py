"""What a compilation for this backend may be told, and how that reaches `preprocess`."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from exir.backend.compile_spec_schema import CompileSpec
from exir.error import ConfigError

WINOGRAD = ("auto", "never", "always")


@dataclass(frozen=True)
class Options:
    """Options of `[backends.cpu]`.

    winograd: for 3x3 convolutions, "auto" where it is faster and its larger weights are worth it,
        "never", or "always" where it can be.
    threads: how many threads a call may use at once; each has workspace of its own.
    """

    winograd: str = "auto"
    threads: int = 4

    def __post_init__(self) -> None:
        if self.winograd not in WINOGRAD:
            raise ConfigError(f"cpu: 'winograd' must be one of {', '.join(WINOGRAD)}, got '{self.winograd}'")
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
        default = Options()
        return Options(given.get("winograd", default.winograd), int(given.get("threads", default.threads)))
