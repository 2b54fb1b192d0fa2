"""Weights that a module computes from other parameters at each call."""

from torch import nn
from torch.nn.utils import prune, remove_spectral_norm, remove_weight_norm
from torch.nn.utils.parametrize import is_parametrized, remove_parametrizations
from torch.nn.utils.spectral_norm import SpectralNorm
from torch.nn.utils.weight_norm import WeightNorm

_WEIGHT = "weight"


def make_weight_constant(module: nn.Module) -> None:
    """Replace a computed weight of `module` with a parameter of its current value.

    The function supports parametrizations, weight norm, spectral norm and pruning.
    """
    if is_parametrized(module, _WEIGHT):
        # Removal changes the class, which copies of the module share.
        shared = type(module)
        module.__class__ = type(shared.__name__, shared.__bases__, dict(vars(shared)))
        remove_parametrizations(module, _WEIGHT, leave_parametrized=True)
    for hook in list(module._forward_pre_hooks.values()):
        name = getattr(hook, "name", getattr(hook, "_tensor_name", None))
        if name != _WEIGHT:
            continue
        if isinstance(hook, WeightNorm):
            remove_weight_norm(module, _WEIGHT)
        elif isinstance(hook, SpectralNorm):
            remove_spectral_norm(module, _WEIGHT)
        elif isinstance(hook, prune.BasePruningMethod):
            prune.remove(module, _WEIGHT)
