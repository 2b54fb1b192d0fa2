"""`ExternalConstantsPass`: chooses the constants that lie in files beside the program."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind
from torch.fx import Node

from exir.pass_manager import ProgramPass
from exir.tensor import TensorSpec

DEFAULT_FILE = "_default_external_constant"
"""Name of the file when nobody chooses another, without `.ptd`."""

EXTERNAL_FILE = "constant_tag"
"""Key of a placeholder's `meta`: the file of its constant."""

_LIFTED = "lifted_tensor"


@dataclass(frozen=True)
class ExternalConstantsPass(ProgramPass):
    """Notes for each constant which file it lies in.

    Before: nodes have specs. After: placeholders of the constants that `file_of` gives a
    name for have it in `meta["constant_tag"]`. Tensors that are literals of the model's
    code stay in the program, as do mutable buffers.

    file_of: name of the file for a placeholder, None for the program; without it one file
        has everything.
    trained_only: look at no other parameters than those the program computes gradients for.
    """

    file_of: Callable[[Node], str | None] | None = None
    trained_only: bool = False
    name: ClassVar[str] = "external_constants"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        trained = _trained(program)
        placeholders = program.graph.find_nodes(op="placeholder")
        for node, spec in zip(placeholders, program.graph_signature.input_specs):
            if _is_movable(node, spec) and (not self.trained_only or spec.target in trained):
                name = DEFAULT_FILE if self.file_of is None else self.file_of(node)
                if name is not None:
                    node.meta[EXTERNAL_FILE] = name.removesuffix(".ptd")
        return program


def _trained(program: ExportedProgram) -> set[str | None]:
    """Names of the parameters that have a gradient among the outputs."""
    outputs = program.graph_signature.output_specs
    return {spec.target for spec in outputs if spec.kind is OutputKind.GRADIENT_TO_PARAMETER}


def _is_movable(node: Node, spec: InputSpec) -> bool:
    tensor_spec = node.meta.get("spec")
    if spec.kind is InputKind.USER_INPUT or _LIFTED in (spec.target or ""):
        return False
    return isinstance(tensor_spec, TensorSpec) and tensor_spec.const and 0 not in tensor_spec.shape
