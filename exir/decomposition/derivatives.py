"""Detects derivatives that `torch.export` has not recorded."""

import torch
from torch.export import ExportedProgram

from exir.error import ModelError

ADVICE = (
    "torch.export does not record torch.func.grad, vjp, jacrev, jacfwd and hessian, and torch.autograd.grad of few"
    " functions only; write the derivative out, or take it along directions with torch.func.jvp"
)


def refuse_lost_derivatives(program: ExportedProgram) -> None:
    """Raise `ModelError` if the program uses a placeholder constant for a derivative.

    `torch.export` records reverse-mode functions of `torch.func` as constants without data.
    """
    lost = {
        spec.arg.name for spec in program.graph_signature.input_specs if _is_lost(program, spec.target)
    }
    for node in program.graph.nodes:
        if any(operand.name in lost for operand in node.all_input_nodes):
            raise ModelError(f"the model takes a derivative: {ADVICE}", node)


def _is_lost(program: ExportedProgram, target: str | None) -> bool:
    value = program.constants.get(target or "")
    return isinstance(value, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(value)
