"""Find a pip for this Python, and read pip's messages.

On Debian, a Python can be installed without pip.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path

from commands import BootstrapError
from debian_mirror import debian_codename, debian_mirror
from private_apt import PrivateApt
from user_cache import cache_root, publish

_DEBIAN_WHEELS = "usr/share/python-wheels"
_ADVICE = (
    "this Python has no pip; install it (`apt-get install python3-pip`) or set EXECUTORCH_PYTHON to another interpreter"
)
_IGNORED_PREFIXES = ("WARNING", "ERROR: Ignored the following versions")


def pip_errors(text: str) -> str:
    """Return the error messages among pip's standard error."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(_IGNORED_PREFIXES)).strip()


def find_pip() -> list[str]:
    """Return the command that runs pip: the interpreter's, or a wheel of the system."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    wheel = _wheel_in(Path("/") / _DEBIAN_WHEELS) or _wheel_in(_bundled_wheels()) or _wheel_from_debian()
    # A wheel is a zip archive, which Python can run.
    return [sys.executable, f"{wheel}/pip"]


def _wheel_in(folder: Path) -> Path | None:
    return next(iter(sorted(folder.glob("pip-*.whl"))), None)


def _bundled_wheels() -> Path:
    """Return the folder in which Python keeps a pip for virtual environments.

    Debian omits it.
    """
    return Path(tempfile.__file__).parent / "ensurepip/_bundled"


def _wheel_from_debian() -> Path:
    entry = cache_root() / f"pip-{debian_codename()}"
    try:
        publish(entry, _download_pip)
    except BootstrapError as error:
        raise BootstrapError(f"{_ADVICE}; downloading it from Debian failed: {error}") from None
    return next((entry / _DEBIAN_WHEELS).glob("pip-*.whl"))


def _download_pip(folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="private-apt-", dir=folder) as scratch:
        apt = PrivateApt(Path(scratch), debian_mirror(), debian_codename(), "amd64", ["ca-certificates"])
        apt.update()
        apt.unpack(["python3-pip-whl"], folder)
