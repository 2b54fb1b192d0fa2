"""The passes of the compiler, one per file.

Names are resolved on first use, because a pass can need modules that import this package.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "ConstraintBasedSymShapeEvalPass": "exir.passes.sym_shape_eval_pass",
    "HintBasedSymShapeEvalPass": "exir.passes.sym_shape_eval_pass",
    "InitializedMutableBufferPass": "exir.passes.init_mutable_pass",
    "MemoryPlanningPass": "exir.passes.memory_planning_pass",
    "QuantizeInputs": "exir.passes.quantize_io_pass",
    "QuantizeOutputs": "exir.passes.quantize_io_pass",
    "SpecPropPass": "exir.passes.spec_prop_pass",
    "ToOutVarPass": "exir.passes.to_out_var_pass",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'exir.passes' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)
