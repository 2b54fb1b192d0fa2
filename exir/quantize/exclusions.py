"""Modules that the options exclude from quantization."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import accumulate

from exir.error import ConfigError

_EXCLUDED = "excluded by "


def is_exclusion(reason: str) -> bool:
    """Return true if the reason is that a pattern excludes the module."""
    return reason.startswith(_EXCLUDED)


class Exclusions:
    """Patterns of qualified names.

    A pattern excludes a module if it matches the name of the module or of one that contains it.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns
        self._unmatched = set(patterns)

    def reason(self, module: str) -> str:
        """Return why the module stays float, or ""."""
        around = list(accumulate(module.split("."), lambda path, name: f"{path}.{name}"))
        found = [
            pattern for pattern in self._patterns if any(fnmatchcase(path, pattern) for path in around)
        ]
        self._unmatched -= set(found)
        return f"{_EXCLUDED}'{found[0]}'" if found else ""

    def check_all_matched(self) -> None:
        """Raise `ConfigError` if a pattern did not exclude any module."""
        if self._unmatched:
            raise ConfigError(
                f"'exclude': '{min(self._unmatched)}' matches no module with an "
                "operator; correct the name"
            )
