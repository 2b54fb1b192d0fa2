"""The error message for a file that is not a program."""

from pathlib import Path

from exir.base_error import InvalidProgramError
from exir.files.git_lfs import NOT_FETCHED, is_pointer


def no_program(path: Path, error: InvalidProgramError) -> str:
    """Return a message with the file, the fault and the remedy."""
    if is_pointer(path):
        return f"{path} {NOT_FETCHED}"
    return f"{path}: {error}\n  the file is damaged, or no ExecuTorch program: export or fetch it again"
