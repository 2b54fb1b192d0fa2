"""Finds methods that read a buffer that only other methods update."""

from collections.abc import Iterator, Mapping

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from exir.graph.program_bundle import Diagnostics


def note_unshared_reads(programs: Mapping[str, ExportedProgram], diagnostics: Diagnostics) -> None:
    """Add a note for each buffer that a method reads and only other methods update.

    A buffer that a method does not update is a constant of this method, even if methods share their
    mutable buffers.

    programs: functional programs by method name.
    """
    updated = {
        name: set(program.graph_signature.buffers_to_mutate.values())
        for name, program in programs.items()
    }
    for reader, program in programs.items():
        for buffer, user in _reads(program):
            writers = [name for name, buffers in updated.items() if buffer in buffers]
            if writers and reader not in writers:
                diagnostics.note(
                    f"method '{reader}' uses the initial value of buffer '{buffer}', although method "
                    f"'{writers[0]}' updates it; to use the current value, set "
                    f"'share_mutable_buffers' and copy the buffer to itself in '{reader}'",
                    user,
                )


def _reads(program: ExportedProgram) -> Iterator[tuple[str, Node]]:
    """Yield each buffer that an operator reads, and the first such operator."""
    placeholders = program.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, program.graph_signature.input_specs):
        if spec.kind is InputKind.BUFFER and node.users:
            yield str(spec.target), next(iter(node.users))
