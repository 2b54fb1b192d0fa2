"""Devices of delegates. Programs run only on the CPU, without device copies."""

from dataclasses import dataclass
from typing import Any, ClassVar

from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from exir.delegate import delegate_calls, lowered_module_of
from exir.error import ConfigError
from exir.graph.control_flow import graphs
from exir.pass_manager import ProgramPass
from exir.schema import DeviceType

TARGET_DEVICE_COMPILE_SPEC_KEY = "target_device"


@dataclass(frozen=True)
class PropagateDeviceConfig:
    """Device copies to omit, for all methods or by method name.

    Programs do not have device copies, so true is an error.
    """

    skip_h2d_for_method_inputs: bool | dict[str, bool] = False
    skip_d2h_for_method_outputs: bool | dict[str, bool] = False

    def __post_init__(self) -> None:
        for name, skipped in vars(self).items():
            if any(skipped.values()) if isinstance(skipped, dict) else skipped:
                raise ConfigError(
                    f"'{name}' is not supported: programs run on the CPU, and all tensors are in its memory"
                )


class PropagateDevicePass(PassBase):
    """Raise ConfigError for a delegate on a device other than the CPU.

    The delegate's compile specs name the device. The pass does not change the graph. The options
    are those of `PropagateDeviceConfig`; memory is planned for the CPU regardless of
    `enable_non_cpu_memory_planning`.
    """

    def __init__(
        self,
        skip_h2d_for_method_inputs: bool = False,
        skip_d2h_for_method_outputs: bool = False,
        enable_non_cpu_memory_planning: bool = False,
    ) -> None:
        super().__init__()
        PropagateDeviceConfig(skip_h2d_for_method_inputs, skip_d2h_for_method_outputs)

    def call(self, graph_module: GraphModule) -> PassResult:
        check_devices(graph_module)
        return PassResult(graph_module, False)


@dataclass(frozen=True)
class OnTheCpu(ProgramPass):
    """`PropagateDevicePass` as a pass of `to_executorch`.

    Before: no requirements. After: every delegate runs on the CPU; the program is unchanged.
    """

    name: ClassVar[str] = "on_the_cpu"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        check_devices(program.graph_module, "; set enable_non_cpu_memory_planning=False to pass tensors in CPU memory")
        return program


def check_device_config(value: Any) -> None:
    """Raise ConfigError unless `value` is a valid `propagate_device_config`.

    Valid values are None, a `PropagateDeviceConfig`, and a dict of them by method name.
    """
    configs = value if isinstance(value, dict) else {"": value}
    for method, config in configs.items():
        if config is not None and not isinstance(config, PropagateDeviceConfig):
            where = f" for method '{method}'" if method else ""
            raise ConfigError(
                "'propagate_device_config' must be a PropagateDeviceConfig, or a dict of them by method, got "
                f"{type(config).__name__}{where}"
            )


def check_devices(graph_module: GraphModule, remedy: str = "") -> None:
    """Raise ConfigError for a delegate on a device other than the CPU."""
    for subgraph in graphs(graph_module):
        for node in delegate_calls(subgraph.graph):
            lowered = lowered_module_of(node)
            device, index = target_device(lowered) or (DeviceType.CPU, 0)
            if device is not DeviceType.CPU:
                raise ConfigError(
                    f"'{node.name}' runs on {device.name.lower()}:{index}, as backend '{lowered.backend_id}' "
                    f"requests, but programs run on the CPU without copies to other devices{remedy}"
                )


def target_device(lowered: Any) -> tuple[DeviceType, int] | None:
    """Return the device that a delegate's compile specs name, or None."""
    devices = (spec.value for spec in lowered.compile_specs if spec.key == TARGET_DEVICE_COMPILE_SPEC_KEY)
    value = next(devices, None)
    return None if value is None else parsed_device(value)


def parsed_device(value: bytes) -> tuple[DeviceType, int]:
    """Return the kind and the index of a device such as `cuda:1`.

    Raises ValueError for a kind that the file format does not have.
    """
    kind, _, index = value.decode().strip().upper().partition(":")
    if kind not in DeviceType.__members__:
        known = ", ".join(device.name for device in DeviceType)
        raise ValueError(f"Unknown device type '{kind.lower()}'. Valid types: {known}")
    return DeviceType[kind], int(index or 0)
