"""Bazel's persistent worker: every request runs in a child process."""

import os
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

from exir.cli.one_shot import compile_command_line
from exir.cli.worker.attended import attend
from exir.cli.worker.declared_inputs import enter_inputs_only, package_folders, with_absolute_outputs
from exir.cli.worker.heap import freeze_heap
from exir.cli.worker.network import block_network
from exir.cli.worker.warm_up import warm_up
from exir.cli.worker.worker_protocol import WorkRequest, WorkResponse, read_request, write_response


def serve() -> None:
    """Answer requests from standard input until it is closed.

    Responses are written to the original standard output. Everything that is printed goes to
    standard error, which is Bazel's log of the worker.
    """
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    warm_up()
    freeze_heap()
    answer_requests(sys.stdin.buffer, responses)


def answer_requests(requests: BinaryIO, responses: BinaryIO) -> None:
    """Run each request in a child, one after another, and write its response."""
    while (request := read_request(requests)) is not None:
        with tempfile.TemporaryDirectory(prefix="executorch_inputs_") as folder:
            outcome = attend(request.arguments, lambda: _run_request(request, responses, Path(folder)))
        write_response(responses, WorkResponse(outcome.exit_code, outcome.output, request.request_id))


def _run_request(request: WorkRequest, responses: BinaryIO, folder: Path) -> int:
    """Compile in the child, with the request's inputs in `folder`.

    Only the parent writes responses.
    """
    responses.close()
    block_network(Path(tempfile.mkdtemp(dir=folder)))
    if request.sandbox_dir:
        os.chdir(request.sandbox_dir)
    arguments = with_absolute_outputs(request.arguments)
    if request.inputs:  # Bazel lists at least the model's source
        enter_inputs_only(request.inputs, Path(tempfile.mkdtemp(dir=folder)), package_folders())
    return compile_command_line(arguments)
