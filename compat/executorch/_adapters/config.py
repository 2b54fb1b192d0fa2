"""Configurations with all official fields.

Setting a field to an unsupported value raises an error.
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
    """Planning of dynamic shapes. Only upper bounds are supported."""

    UPPER_BOUND = 0
    SYMBOLIC = 1


@dataclass
class EdgeCompileConfig(capture.EdgeCompileConfig):
    """`exir.EdgeCompileConfig` with a field of older releases.

    `_use_edge_ops` must be true: edge programs always have edge operators.
    """

    _use_edge_ops: bool = True

    def __post_init__(self) -> None:
        if not self._use_edge_ops:
            raise ConfigError("'_use_edge_ops=False' is not supported: edge programs have edge operators; remove it")
        self._core_aten_ops_exception_list = self._core_aten_ops_exception_list or []
        self.preserve_ops = self.preserve_ops or []


@dataclass
class ExecutorchBackendConfig(capture.ExecutorchBackendConfig):
    """`exir.ExecutorchBackendConfig` with the official package's additional fields.

    Memory is planned for the upper bounds of dynamic sizes, and only in CPU memory. With
    `run_reinplace_pass`, `index_put` overwrites its operand if no later node reads it. The
    operators in `reinplace_extra_ops` do the same. They are user-defined operators, or PyTorch
    operators for which this project has an in-place kernel. A delegate that requests a device other
    than the CPU is an error, regardless of `propagate_device_config`. With
    `enable_non_cpu_memory_planning=False`, such a delegate receives CPU tensors, as in the official
    package.
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
            raise ConfigError("'dynamic_memory_planning_mode': only UPPER_BOUND is supported")
        check_device_config(self.propagate_device_config)
        if self.do_quant_fusion_and_const_prop:
            self.passes = [QuantFusionPass(), PropagateConstants(), *self.passes]
        if self.run_reinplace_pass or self.reinplace_extra_ops:
            extra = self.reinplace_extra_ops or frozenset()
            check_in_place(extra)
            self.passes = [*self.passes, Reinplace(DEFAULT_INPLACEABLE_OPS | extra)]
        if self.enable_non_cpu_memory_planning:
            self.passes = [*self.passes, OnTheCpu()]
