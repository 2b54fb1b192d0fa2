"""`ExternalConstantsPass`: chooses the constants that are stored in weights files."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind
from torch.fx import Node

from exir.graph.constants import EXTERNAL_FILE
from exir.pass_manager import ProgramPass
from exir.tensor import TensorSpec

DEFAULT_FILE = "_default_external_constant"
"""Default file name, without `.ptd`."""

_LIFTED = "lifted_tensor"


@dataclass(frozen=True)
class ExternalConstantsPass(ProgramPass):
    """Assigns constants to weights files.

    Before: nodes have specs. After: the placeholder of a constant that `file_of` assigns to a file has
    the file's name in `meta["constant_tag"]`. Literals of the model's code and mutable buffers stay in
    the program.

    file_of: returns the file name for a placeholder, or None for the program. By default, one file
      stores all constants.
    trained_only: consider only the parameters for which the program computes gradients.
    """

    file_of: Callable[[Node], str | None] | None = None
    trained_only: bool = False
    name: ClassVar[str] = "external_constants"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        trained = _trained_parameters(program)
        placeholders = program.graph.find_nodes(op="placeholder")
        for node, spec in zip(placeholders, program.graph_signature.input_specs):
            if _is_movable(node, spec) and (not self.trained_only or spec.target in trained):
                name = DEFAULT_FILE if self.file_of is None else self.file_of(node)
                if name is not None:
                    node.meta[EXTERNAL_FILE] = name.removesuffix(".ptd")
        return program


def _trained_parameters(program: ExportedProgram) -> set[str | None]:
    """Return the names of the parameters that have a gradient among the outputs."""
    outputs = program.graph_signature.output_specs
    return {spec.target for spec in outputs if spec.kind is OutputKind.GRADIENT_TO_PARAMETER}


def _is_movable(node: Node, spec: InputSpec) -> bool:
    tensor_spec = node.meta.get("spec")
    if spec.kind is InputKind.USER_INPUT or _LIFTED in (spec.target or ""):
        return False
    return isinstance(tensor_spec, TensorSpec) and tensor_spec.const and 0 not in tensor_spec.shape
