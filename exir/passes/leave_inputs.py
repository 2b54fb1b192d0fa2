"""`LeaveInputs`: removes writes to the caller's inputs."""

from dataclasses import dataclass
from typing import ClassVar

from torch.export import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, OutputKind, OutputSpec
from torch.fx import Node

from exir.dialects.edge import EdgeOpOverload
from exir.error import internal_assert
from exir.graph.in_place import overwritten_operand
from exir.graph.program_bundle import Diagnostics, ProgramBundle
from exir.pass_manager import BundlePass


@dataclass(frozen=True)
class LeaveInputs(BundlePass):
    """Removes the outputs that write to inputs, and reports them to the user.

    A planned input is a copy of the caller's tensor, and its memory can be reused during the run.
    An input that is not planned can be in read-only memory. Before: writes to inputs are among the
    outputs. After: there are none. Results are unchanged, and calls that only computed the new
    value of an input are removed.

    borrowed: methods whose inputs are not planned. They keep their writes if no kernel table is given,
        because the program can then run on the official runtime, which writes to borrowed inputs.
    """

    name: ClassVar[str] = "leave_inputs"

    borrowed: tuple[str, ...] = ()

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        for method, program in self._written_inputs(bundle):
            _leave_inputs(method, program, bundle.context.diagnostics)
        return bundle

    def ensures(self, bundle: ProgramBundle) -> None:
        for method, program in self._written_inputs(bundle):
            specs = program.graph_signature.output_specs
            internal_assert(not any(map(_writes_input, specs)), f"method '{method}' writes to an input")

    def _written_inputs(self, bundle: ProgramBundle) -> list[tuple[str, ExportedProgram]]:
        borrowed = self.borrowed if bundle.context.kernels is None else ()
        return [
            (method, program) for method, program in bundle.programs.items() if method not in borrowed
        ]


def _writes_input(spec: OutputSpec) -> bool:
    return spec.kind is OutputKind.USER_INPUT_MUTATION


def _leave_inputs(method: str, program: ExportedProgram, diagnostics: Diagnostics) -> None:
    output = program.graph.output_node()
    ends = list(zip(program.graph_signature.output_specs, output.args[0]))
    remaining = [end for end in ends if not _writes_input(end[0])]
    if len(remaining) == len(ends):
        return
    program._graph_signature = ExportGraphSignature(
        program.graph_signature.input_specs, [spec for spec, _ in remaining]
    )
    output.args = (tuple(value for _, value in remaining),)
    for spec, value in ends:
        if _writes_input(spec):
            diagnostics.note(
                f"method '{method}' writes to its input '{spec.target}', but the caller's tensor stays "
                "unchanged; return the new value if it is needed",
                value,
            )
            _erase_unused(value)


def _erase_unused(value: Node) -> None:
    """Erase `value` if it has no users, and then its unused operands.

    A call that mutates an operand stays.
    """
    is_pure = isinstance(value.target, EdgeOpOverload) and overwritten_operand(value) is None
    if value.users or not is_pure:
        return
    operands = value.all_input_nodes
    value.graph.erase_node(value)
    for operand in operands:
        _erase_unused(operand)
