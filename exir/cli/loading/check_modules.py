"""Modules that `torch.export` does not trace, refused by name."""

import torch
from torch import nn

from exir.decomposition.unsupported import layout_fault
from exir.error import ModelError

_EAGER_QUANTIZED = ("torch.ao.nn.quantized.", "torch.ao.nn.intrinsic.quantized.", "torch.nn.quantized.")


def check_modules(module: nn.Module) -> None:
    """Raise `ModelError` at the first submodule that cannot be exported.

    Such are modules of `torch.jit.script`, modules that were quantized in eager mode, and those with sparse
    or quantized tensors.
    """
    for name, each in module.named_modules():
        where = f"module '{name}'" if name else "the model"
        if isinstance(each, torch.jit.ScriptModule) and not isinstance(
            each, torch.jit.TopLevelTracedModule
        ):
            raise ModelError(
                f"{where} is compiled by torch.jit.script, and torch.export traces Python; use the module"
                " before torch.jit.script, with the weights of its state_dict()"
            )
        if type(each).__module__.startswith(_EAGER_QUANTIZED):
            raise ModelError(
                f"{where} is quantized in eager mode ({type(each).__module__}.{type(each).__name__}), and torch.export"
                " does not read packed weights; give the float model and quantize it when it is compiled"
                " (docs/how_to/quantize_a_model.md)"
            )
        for key, tensor in [*each.named_parameters(recurse=False), *each.named_buffers(recurse=False)]:
            fault = layout_fault(tensor)
            if fault is not None:
                raise ModelError(f"'{name}.{key}'".replace("'.", "'") + f" {fault}")
