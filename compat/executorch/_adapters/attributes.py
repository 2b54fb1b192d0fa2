"""Official attributes that classes of this compiler do not have.

They are set when the official modules are imported.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch._adapters.emit import EmitterOutput, official_output
from executorch._adapters.operators import edge_out_variant
from executorch._adapters.tensor import calculate_aligned_num_bytes, stride_from_dim_order
from exir import schema
from exir.backend.compile_spec_schema import CompileSpec
from exir.dialects.edge import EdgeOpOverload
from exir.program import EdgeProgramManager, ExecutorchProgramManager
from exir.tensor import TensorSpec


def _edge_programs(manager: EdgeProgramManager) -> dict[str, ExportedProgram]:
    return manager._programs


def _emitter_output(manager: ExecutorchProgramManager) -> EmitterOutput:
    return official_output(manager._emitted)


def _execution_programs(manager: ExecutorchProgramManager) -> dict[str, ExportedProgram]:
    return manager._programs


def _same_option(spec: CompileSpec, other: Any) -> bool:
    """Return true if `other`, of either class of specs, has the same key and value."""
    if not isinstance(other, (CompileSpec, schema.CompileSpec)):
        return NotImplemented
    return spec.key == other.key and bytes(spec.value) == bytes(other.value)


def _stride_of_spec(spec: TensorSpec) -> tuple[int, ...]:
    return tuple(stride_from_dim_order(spec.shape, spec.dim_order))


def _allocated_memory(spec: TensorSpec) -> int:
    return calculate_aligned_num_bytes(spec.nbytes(), 16)


_ATTRIBUTES: Mapping[type, Mapping[str, Any]] = {
    CompileSpec: {"__eq__": _same_option},
    EdgeOpOverload: {"to_out_variant": edge_out_variant},
    EdgeProgramManager: {
        "_config_methods": property(lambda manager: manager._constant_methods),
        "_edge_programs": property(_edge_programs),
    },
    ExecutorchProgramManager: {
        "_emitter_output": property(_emitter_output),
        "_execution_programs": property(_execution_programs),
    },
    TensorSpec: {
        "allocated_memory": property(_allocated_memory),
        "is_dynamic_shape_tensor": property(lambda spec: not spec.is_static),
        "is_dynamic_unbound_tensor": property(lambda spec: False),
        "is_static_shape_tensor": property(lambda spec: spec.is_static),
        "is_upper_bound_tensor": property(lambda spec: not spec.is_static),
        "layout": torch.strided,
        "lifetime": [None, None],
        "scalar_type": property(lambda spec: spec.dtype),
        "stride": property(_stride_of_spec),
    },
}


def give() -> None:
    """Set the attributes."""
    for cls, names in _ATTRIBUTES.items():
        for name, value in names.items():
            setattr(cls, name, value)


give()

__all__ = ["EdgeProgramManager", "ExecutorchProgramManager", "TensorSpec"]
