"""Run a compilation in a child process and report how it ended."""

import signal
from collections.abc import Callable, Sequence

from exir.cli.arguments import target_of, timeout_of
from exir.cli.reporting.messages import EXIT_INTERNAL_ERROR, EXIT_USER_ERROR
from exir.cli.worker.isolation import Outcome, run_isolated


def attend(argv: Sequence[str], compilation: Callable[[], int]) -> Outcome:
    """Run `compilation` in a child. Returns an exit code of the command line.

    A child that was killed by another process, for example if memory runs out, is run a second
    time.

    argv: the flags of the compilation.
    """
    outcome = run_isolated(compilation, timeout_of(argv))
    if outcome.exit_code == -signal.SIGKILL and not outcome.timed_out:
        outcome = run_isolated(compilation, timeout_of(argv))
    if outcome.returned and not outcome.timed_out:
        return outcome
    exit_code, note = _death_note(outcome, argv)
    return Outcome(exit_code, outcome.output + note, outcome.returned, outcome.timed_out)


def _death_note(outcome: Outcome, argv: Sequence[str]) -> tuple[int, str]:
    """Return the exit code and the message for a child that did not return."""
    target, exit_code = target_of(argv), outcome.exit_code
    if outcome.timed_out:
        return EXIT_USER_ERROR, (
            f"error: {target}: the compilation did not finish within {timeout_of(argv)} s; if the model needs longer,"
            " increase 'timeout'\n"
        )
    if exit_code >= 0:
        return EXIT_USER_ERROR, (
            f"error: {target}: the model or a library it imports ended the process with exit code "
            f"{exit_code}, as os._exit does; raise an exception instead\n"
        )
    reason = "; the machine may be out of memory" if exit_code == -signal.SIGKILL else ""
    return EXIT_INTERNAL_ERROR, (
        f"internal error: {target}: the compiler process was killed by signal {-exit_code}"
        f" ({signal.Signals(-exit_code).name}){reason}\n"
    )
