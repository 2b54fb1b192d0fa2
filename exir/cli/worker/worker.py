"""The persistent worker: torch is imported once, every request runs in a child of its own."""

import os
import signal
import sys
from typing import BinaryIO

from exir.cli.one_shot import compile_command_line, target_of
from exir.cli.reporting.messages import EXIT_INTERNAL_ERROR
from exir.cli.worker.heap import freeze_heap
from exir.cli.worker.isolation import Outcome, run_isolated
from exir.cli.worker.warm_up import warm_up
from exir.cli.worker.worker_protocol import WorkRequest, WorkResponse, read_request, write_response


def serve() -> None:
    """Answer requests from standard input until it is closed.

    Responses go to what standard output was; from here on everything printed goes to the
    error stream, Bazel's log of the worker.
    """
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    warm_up()
    freeze_heap()
    answer_requests(sys.stdin.buffer, responses)


def answer_requests(requests: BinaryIO, responses: BinaryIO) -> None:
    """Run each request in a child and answer it, one after the other."""
    while (request := read_request(requests)) is not None:
        outcome = run_isolated(lambda: _run(request, responses))
        output = outcome.output + _death_note(outcome, request)
        exit_code = EXIT_INTERNAL_ERROR if outcome.exit_code < 0 else outcome.exit_code
        write_response(responses, WorkResponse(exit_code, output, request.request_id))


def _run(request: WorkRequest, responses: BinaryIO) -> int:
    """In the child: compile. Nothing but the parent writes responses."""
    responses.close()
    if request.sandbox_dir:
        os.chdir(request.sandbox_dir)
    return compile_command_line(list(request.arguments))


def _death_note(outcome: Outcome, request: WorkRequest) -> str:
    if outcome.exit_code >= 0:
        return ""
    number = -outcome.exit_code
    reason = "; the machine may be out of memory" if number == signal.SIGKILL else ""
    return (
        f"internal error: {target_of(list(request.arguments))}: the compiling process was killed by"
        f" signal {number} ({signal.Signals(number).name}){reason}\n"
    )
