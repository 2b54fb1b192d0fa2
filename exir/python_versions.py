"""Differences between the supported releases of Python."""

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    # 3.10: the standard library cannot read TOML.
    import tomli as tomllib

__all__ = ["tomllib"]
