"""Reject modules that `torch.export` cannot trace."""

import torch
from torch import nn

from exir.debug.module_lines import line_of_script, line_that_makes
from exir.decomposition.unsupported import layout_fault
from exir.error import ModelError

_EAGER_QUANTIZED = ("torch.ao.nn.quantized.", "torch.ao.nn.intrinsic.quantized.", "torch.nn.quantized.")


def check_modules(module: nn.Module) -> None:
    """Raise a `ModelError` for the first submodule that cannot be exported.

    Such a module is compiled by `torch.jit.script`, is quantized in eager mode, or has sparse or
    quantized tensors. The error names the source line that creates the module, if known.
    """
    for name, submodule in module.named_modules():
        fault = _untraceable_reason(submodule)
        if fault:
            line = line_that_makes(module, name)
            if not line and isinstance(submodule, torch.jit.ScriptModule):
                line = line_of_script(submodule)
            raise _module_error(line, f"module '{name}'" if name else "the model", fault)
        for key, tensor in [
            *submodule.named_parameters(recurse=False),
            *submodule.named_buffers(recurse=False),
        ]:
            layout = layout_fault(tensor)
            if layout is not None:
                path = f"{name}.{key}".lstrip(".")
                raise _module_error(line_that_makes(module, path), f"'{path}'", layout)


def _module_error(line: str, description: str, fault: str) -> ModelError:
    return ModelError(f"{line}: {description} {fault}" if line else f"{description} {fault}")


def _untraceable_reason(module: nn.Module) -> str:
    """Return why torch.export cannot trace a module itself, or ""."""
    kind = f"{type(module).__module__}.{type(module).__name__}"
    if isinstance(module, torch.jit.ScriptModule) and not isinstance(
        module, torch.jit.TopLevelTracedModule
    ):
        return (
            "is compiled by torch.jit.script, which torch.export cannot trace; use the original module "
            "and its state_dict()"
        )
    if kind.startswith(_EAGER_QUANTIZED):
        return (
            f"is quantized in eager mode ({kind}), and torch.export does not read packed weights; pass "
            "the float model and quantize it with a recipe (docs/how_to/quantize_a_model.md)"
        )
    return ""
