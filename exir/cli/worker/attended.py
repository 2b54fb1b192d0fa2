"""One compilation in a process of its own, attended: whatever ends that process, the user reads what it was."""

import signal
from collections.abc import Callable, Sequence

from exir.cli.arguments import target_of, time_limit_of
from exir.cli.reporting.messages import EXIT_INTERNAL_ERROR, EXIT_USER_ERROR
from exir.cli.worker.isolation import Outcome, run_isolated


def attend(argv: Sequence[str], compilation: Callable[[], int]) -> Outcome:
    """Run `compilation`, which is what `argv` asks for, in a child; the outcome's exit code is one of the command line's.

    A child that something else killed, as the system does when memory runs out, is run once more.
    """
    outcome = _run_within_limit(argv, compilation)
    if outcome.exit_code == -signal.SIGKILL:
        outcome = _run_within_limit(argv, compilation)
    if outcome.returned:
        return outcome
    exit_code, note = _death_note(outcome.exit_code, argv)
    return Outcome(exit_code, outcome.output + note, outcome.returned)


def _run_within_limit(argv: Sequence[str], compilation: Callable[[], int]) -> Outcome:
    def limited() -> int:
        # Its signal ends the process wherever it is, in C code as well.
        signal.setitimer(signal.ITIMER_REAL, time_limit_of(argv) or 0)
        return compilation()

    return run_isolated(limited)


def _death_note(exit_code: int, argv: Sequence[str]) -> tuple[int, str]:
    """The exit code and the message for a child that ended before its function returned."""
    target = target_of(argv)
    if exit_code >= 0:
        return EXIT_USER_ERROR, (
            f"error: {target}: code of the model, or of a library it imports, ended the process with exit code"
            f" {exit_code} (as os._exit does); raise an exception instead\n"
        )
    if exit_code == -signal.SIGALRM:
        return EXIT_USER_ERROR, (
            f"error: {target}: did not end within {time_limit_of(argv)} s; a model that needs longer takes a"
            " larger 'time_limit'\n"
        )
    reason = "; the machine may be out of memory" if exit_code == -signal.SIGKILL else ""
    return EXIT_INTERNAL_ERROR, (
        f"internal error: {target}: the compiling process was killed by signal {-exit_code}"
        f" ({signal.Signals(-exit_code).name}){reason}\n"
    )
