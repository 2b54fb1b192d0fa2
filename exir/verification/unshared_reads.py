"""Lets methods that only read a buffer use the value that other methods write."""

from collections.abc import Collection, Iterator, Mapping

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind, OutputSpec, TensorArgument
from torch.fx import Node

from exir.graph.program_bundle import Diagnostics


def share_reads(programs: Mapping[str, ExportedProgram]) -> None:
    """Make each buffer that a method reads, and another method updates, state of both.

    The reader returns the buffer as its own update, so that it is not a constant. Planning with
    `share_mutable_buffers` then places it at the address that the other method writes.

    programs: functional programs by method name, which are changed.
    """
    updated = _updated_buffers(programs)
    for reader, program in programs.items():
        others = {buffer for name, buffers in updated.items() if name != reader for buffer in buffers}
        for placeholder, buffer in list(_reads(program)):
            if buffer in others - updated[reader]:
                _return_update(program, placeholder, buffer)


def note_unshared_reads(
    programs: Mapping[str, ExportedProgram], readers: Collection[str], diagnostics: Diagnostics
) -> None:
    """Add a note for each buffer that a method reads and only other methods update.

    programs: programs after `share_reads`. readers: the methods that do not share their buffers.
    """
    updated = _updated_buffers(programs, has_own_value=True)
    for reader in readers:
        for placeholder, buffer in _reads(programs[reader]):
            writers = [name for name, buffers in updated.items() if buffer in buffers]
            if writers and reader not in writers:
                diagnostics.note(
                    f"method '{reader}' uses the initial value of buffer '{buffer}', although method "
                    f"'{writers[0]}' updates it; to use the current value, set 'share_mutable_buffers' "
                    "of 'memory_planning'",
                    next(user for user in placeholder.users if user.op != "output"),
                )


def _updated_buffers(
    programs: Mapping[str, ExportedProgram], has_own_value: bool = False
) -> dict[str, set[str]]:
    """Return the updated buffers of each method.

    has_own_value: exclude buffers that are returned as they are.
    """
    found = {}
    for name, program in programs.items():
        signature = program.graph_signature
        placeholders = {node.name for node in program.graph.find_nodes(op="placeholder")}
        found[name] = {
            buffer
            for output, buffer in signature.buffers_to_mutate.items()
            if not (has_own_value and output in placeholders)
        }
    return found


def _reads(program: ExportedProgram) -> Iterator[tuple[Node, str]]:
    """Yield each buffer that an operator reads, with its placeholder."""
    placeholders = program.graph.find_nodes(op="placeholder")
    for node, spec in zip(placeholders, program.graph_signature.input_specs):
        if spec.kind is InputKind.BUFFER and any(user.op != "output" for user in node.users):
            yield node, str(spec.target)


def _return_update(program: ExportedProgram, placeholder: Node, buffer: str) -> None:
    output = program.graph.output_node()
    output.args = ((placeholder, *output.args[0]), *output.args[1:])
    update = OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument(placeholder.name), buffer)
    program.graph_signature.output_specs.insert(0, update)
