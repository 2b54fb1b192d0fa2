"""Modules that stay float."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import accumulate

from exir.error import ConfigError

_EXCLUDED = "excluded by "


def is_exclusion(reason: str) -> bool:
    """Whether a module stays float for this reason because a pattern names it."""
    return reason.startswith(_EXCLUDED)


class Exclusions:
    """Patterns of qualified names; a module is excluded by its own, or by that of one around it."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns
        self._unmatched = set(patterns)

    def reason(self, module: str) -> str:
        """Why the module of this name stays float, or nothing."""
        around = list(accumulate(module.split("."), lambda path, name: f"{path}.{name}"))
        found = [each for each in self._patterns if any(fnmatchcase(path, each) for path in around)]
        self._unmatched -= set(found)
        return f"{_EXCLUDED}'{found[0]}'" if found else ""

    def check(self) -> None:
        """Raise `ConfigError` when a pattern has excluded nothing."""
        if self._unmatched:
            raise ConfigError(f"'exclude': no module with an operator matches '{min(self._unmatched)}'")
