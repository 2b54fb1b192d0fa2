"""Programs without the data of their weights."""

import copy

from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram


def get_fake_program(real_exported_program: ExportedProgram) -> ExportedProgram:
    """Return a copy with fake tensors as weights.

    The graph and the signature are copied; constants are shared with the real program.
    """
    real = real_exported_program
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    return ExportedProgram(
        root=real.graph_module,
        graph=copy.deepcopy(real.graph),
        graph_signature=copy.deepcopy(real.graph_signature),
        state_dict={name: mode.from_tensor(tensor) for name, tensor in real.state_dict.items()},
        range_constraints=copy.deepcopy(real.range_constraints),
        module_call_graph=copy.deepcopy(real.module_call_graph),
        constants=real.constants,
        verifiers=[real.verifier],
    )


def update_to_real_program(fake_exported_program: ExportedProgram, real_exported_program: ExportedProgram) -> None:
    """Set the weights of a fake program to those of the real one."""
    fake_exported_program._state_dict = real_exported_program.state_dict
    fake_exported_program._constants = real_exported_program.constants
