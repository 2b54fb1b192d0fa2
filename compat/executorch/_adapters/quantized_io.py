"""Quantized inputs and outputs with the names and records of the official passes."""

from collections.abc import Sequence
from typing import Any

from executorch._adapters.attributes import EdgeProgramManager
from exir.graph.program_bundle import ProgramBundle
from exir.passes import quantize_io_pass

_KEYS = ("scale", "zp", "quant_min", "quant_max", "dtype")


class QuantizeInputs(quantize_io_pass.QuantizeInputs):
    """`quantize_io_pass.QuantizeInputs` that also updates the given manager."""

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        return _update_manager(self.edge_program_manager, super().run(bundle))


class QuantizeOutputs(quantize_io_pass.QuantizeOutputs):
    """`quantize_io_pass.QuantizeOutputs` that also updates the given manager."""

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        return _update_manager(self.edge_program_manager, super().run(bundle))


def _update_manager(manager: EdgeProgramManager | None, bundle: ProgramBundle) -> ProgramBundle:
    """Update the manager with the programs, because scripts continue to use it."""
    if manager is not None:
        manager._programs.update(bundle.programs)
        manager._constant_methods.update(bundle.constant_methods)
    return bundle


def get_config_method_name(
    prefix: str | None = "forward", arg_type: str = "input", index: int = 0, key: str = "scale"
) -> str:
    """Return the name of the constant method for `key` of an input or output."""
    assert arg_type in ("input", "output"), f"arg_type must be input or output, got {arg_type!r}"
    assert index >= 0, f"index must not be negative, got {index}"
    assert key in _KEYS, f"key must be one of {', '.join(_KEYS)}, got {key!r}"
    return f"{prefix}_{arg_type}{index}_{key}" if prefix is not None else f"{arg_type}{index}_{key}"


def extract_io_quant_params(
    edge_prog: EdgeProgramManager, *, input_idxs: Sequence[int] = (0,), output_idxs: Sequence[int] = (0,)
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the quantization parameters of inputs and outputs by node name.

    Afterwards, `edge_prog` has quantized inputs and outputs. The result has the keys `inputs` and `outputs`.
    """
    transformed = edge_prog.transform([QuantizeInputs(edge_prog, input_idxs), QuantizeOutputs(edge_prog, output_idxs)])
    methods, program = transformed._constant_methods, transformed.exported_program()
    names = {"input": program.graph_signature.user_inputs, "output": program.graph_signature.user_outputs}
    indices = {"input": input_idxs, "output": output_idxs}
    return {
        f"{kind}s": {str(names[kind][index]): _quant_params_entry(methods, kind, index) for index in indices[kind]}
        for kind in indices
    }


def _quant_params_entry(methods: dict[str, Any], kind: str, index: int) -> dict[str, Any]:
    found = {key: methods[get_config_method_name(None, kind, index, key)] for key in _KEYS}
    return {"zero_point" if key == "zp" else key: value for key, value in found.items()}
