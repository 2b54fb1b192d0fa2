"""Configurations with the official fields.

A field that asks for what is not there is refused when it is set, not passed over.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from executorch._adapters.devices import OnTheCpu, check_device_config
from executorch._adapters.memory_planning_pass import MemoryPlanningPass
from executorch._adapters.quant_fusion import QuantFusionPass
from executorch._adapters.reinplace import DEFAULT_INPLACEABLE_OPS, Reinplace, check_in_place
from exir import capture
from exir.error import ConfigError
from exir.passes.propagate_constants import PropagateConstants


class DynamicMemoryPlanningMode(IntEnum):
    """Memory of dynamic shapes is planned for their upper bounds."""

    UPPER_BOUND = 0
    SYMBOLIC = 1


@dataclass
class EdgeCompileConfig(capture.EdgeCompileConfig):
    """`exir.EdgeCompileConfig` with the field of older releases.

    _use_edge_ops: programs of the edge dialect always have edge operators; False is refused.
    """

    _use_edge_ops: bool = True

    def __post_init__(self) -> None:
        if not self._use_edge_ops:
            raise ConfigError("'_use_edge_ops=False' is not provided: edge programs have edge operators")
        self._core_aten_ops_exception_list = self._core_aten_ops_exception_list or []
        self.preserve_ops = self.preserve_ops or []


@dataclass
class ExecutorchBackendConfig(capture.ExecutorchBackendConfig):
    """`exir.ExecutorchBackendConfig` with the official package's further fields.

    Memory is planned for upper bounds, on the CPU. With `run_reinplace_pass`, `index_put` changes its operand where it lies if nobody
    reads that afterwards, as do the operators of `reinplace_extra_ops`: PyTorch's whose in-place variant has a kernel here, and your own.
    A delegate that asks for another device than the CPU is refused, whatever `propagate_device_config` says of copies to it, but with
    `enable_non_cpu_memory_planning=False`, where it is given tensors of the CPU as the official package does.
    """

    memory_planning_pass: Any = field(default_factory=MemoryPlanningPass)
    dynamic_memory_planning_mode: DynamicMemoryPlanningMode = DynamicMemoryPlanningMode.UPPER_BOUND
    propagate_device_config: Any = None
    enable_non_cpu_memory_planning: bool = True
    do_quant_fusion_and_const_prop: bool = False
    run_reinplace_pass: bool = False
    reinplace_extra_ops: frozenset[Any] | None = None

    def __post_init__(self) -> None:
        if self.dynamic_memory_planning_mode is not DynamicMemoryPlanningMode.UPPER_BOUND:
            raise ConfigError("'dynamic_memory_planning_mode' must be UPPER_BOUND")
        check_device_config(self.propagate_device_config)
        if self.do_quant_fusion_and_const_prop:
            self.passes = [QuantFusionPass(), PropagateConstants(), *self.passes]
        if self.run_reinplace_pass or self.reinplace_extra_ops:
            extra = self.reinplace_extra_ops or frozenset()
            check_in_place(extra)
            self.passes = [*self.passes, Reinplace(DEFAULT_INPLACEABLE_OPS | extra)]
        if self.enable_non_cpu_memory_planning:
            self.passes = [*self.passes, OnTheCpu()]
