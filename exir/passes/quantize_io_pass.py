"""Quantized inputs and outputs: the caller passes and receives integer tensors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind
from torch.fx import Node

from exir.dialects.edge import to_torch_overload
from exir.error import ConfigError
from exir.graph.program_bundle import ProgramBundle
from exir.graph.program_update import with_names_of_graph
from exir.pass_manager import BundlePass
from exir.tensor import scalar_type

_QUANTIZE = "quantized_decomposed::quantize_per_tensor"
_DEQUANTIZE = "quantized_decomposed::dequantize_per_tensor"


class InputOutputQuantization(NamedTuple):
    """Quantization parameters: an element q represents (q - zero_point) * scale."""

    scale: float
    zero_point: int
    quant_min: int
    quant_max: int
    dtype: torch.dtype


def quantize_input(program: ExportedProgram, index: int) -> InputOutputQuantization:
    """Make input `index` of `program` the quantized tensor that its users compute.

    The program can be of either dialect. Raises `ConfigError` unless all users quantize the input in the
    same way.
    """
    node = _user_input(program, index)
    found = {_quantization_of(user, _QUANTIZE) for user in node.users}
    quantization = found.pop() if len(found) == 1 else None
    if quantization is None:
        raise ConfigError(
            f"input {index} is not quantized in the same way by all its users; omit it from the pass"
        )
    for user in list(node.users):
        user.replace_all_uses_with(node)
        program.graph.erase_node(user)
    node.meta["val"] = node.meta["val"].to(quantization.dtype)
    program.graph_module.recompile()
    return quantization


def quantize_output(program: ExportedProgram, index: int) -> InputOutputQuantization:
    """Replace output `index` of `program` with the tensor before its dequantization.

    The program can be of either dialect. Raises `ConfigError` unless a dequantization computes the
    output.
    """
    output = program.graph.output_node()
    results, places = list(output.args[0]), _user_output_positions(program)
    node = results[places[index]] if index < len(places) else None
    quantization = _quantization_of(node, _DEQUANTIZE) if isinstance(node, Node) else None
    if node is None or quantization is None:
        raise ConfigError(f"output {index} is not the result of a dequantization; omit it from the pass")
    results[places[index]] = node.args[0]
    output.args = (tuple(results),)
    program.graph.eliminate_dead_code()
    with_names_of_graph(program)
    program.graph_module.recompile()
    return quantization


@dataclass(frozen=True)
class QuantizeInputs(BundlePass):
    """Makes a method take quantized inputs.

    Before: the method starts by quantizing these inputs. After: it takes quantized inputs. The constant
    methods `[<method>_]input<index>_scale`, `_zp`, `_quant_min`, `_quant_max` and `_dtype` return their
    parameters.

    edge_program_manager: unused; it is a parameter of ExecuTorch's class.
    quantized_inputs_idx: indices of the inputs.
    method_name: name of the method, and prefix of the constant methods; None for `forward`, without a
        prefix.
    """

    edge_program_manager: Any
    quantized_inputs_idx: Sequence[int]
    method_name: str | None = None
    name: ClassVar[str] = "quantize_inputs"

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        return _quantize_methods(
            bundle, self.method_name, "input", quantize_input, self.quantized_inputs_idx
        )


@dataclass(frozen=True)
class QuantizeOutputs(BundlePass):
    """Makes a method return quantized outputs.

    Before: the method ends by dequantizing these outputs. After: it returns quantized outputs. The
    constant methods `[<method>_]output<index>_scale`, `_zp`, `_quant_min`, `_quant_max` and `_dtype`
    return their parameters.

    edge_program_manager, method_name: see `QuantizeInputs`.
    quantized_outputs_idx_list: indices of the outputs.
    """

    edge_program_manager: Any
    quantized_outputs_idx_list: Sequence[int]
    method_name: str | None = None
    name: ClassVar[str] = "quantize_outputs"

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        return _quantize_methods(
            bundle, self.method_name, "output", quantize_output, self.quantized_outputs_idx_list
        )


def quantized_inputs(program: ExportedProgram) -> list[int]:
    """Return the indices of the inputs that `quantize_input` accepts."""
    count = len(program.graph_signature.user_inputs)
    found = [
        {_quantization_of(user, _QUANTIZE) for user in _user_input(program, index).users}
        for index in range(count)
    ]
    return [index for index, params in enumerate(found) if len(params) == 1 and None not in params]


def dequantized_outputs(program: ExportedProgram) -> list[int]:
    """Return the indices of the outputs that `quantize_output` accepts."""
    results = program.graph.output_node().args[0]
    nodes = [results[place] for place in _user_output_positions(program)]
    return [
        index
        for index, node in enumerate(nodes)
        if isinstance(node, Node) and _quantization_of(node, _DEQUANTIZE) is not None
    ]


def config_methods(
    prefix: str | None, kind: str, index: int, quantization: InputOutputQuantization
) -> dict[str, Any]:
    """Return the constant methods with the parameters of an input or output."""
    head = f"{prefix}_" if prefix else ""
    scale, zero_point, low, high, dtype = quantization
    values = {
        "scale": scale,
        "zp": zero_point,
        "quant_min": low,
        "quant_max": high,
        "dtype": scalar_type(dtype),
    }
    return {
        f"{head}{kind}{index}_{key}": int(value) if key == "dtype" else value
        for key, value in values.items()
    }


def _quantize_methods(
    bundle: ProgramBundle,
    method: str | None,
    kind: str,
    quantize: Callable[[ExportedProgram, int], InputOutputQuantization],
    indices: Sequence[int],
) -> ProgramBundle:
    program = bundle.programs[method or "forward"]
    quantized: dict[str, Any] = {}
    for index in indices:
        quantized |= config_methods(method, kind, index, quantize(program, index))
    constants: Mapping[str, Any] = {**bundle.constant_methods, **quantized}
    return ProgramBundle(bundle.programs, constants, bundle.context)


def _user_input(program: ExportedProgram, index: int) -> Node:
    names = program.graph_signature.user_inputs
    if index >= len(names):
        raise ConfigError(f"unknown input {index}; the program has {len(names)}")
    return next(node for node in program.graph.find_nodes(op="placeholder") if node.name == names[index])


def _user_output_positions(program: ExportedProgram) -> list[int]:
    """Return the positions of the user outputs among all graph outputs."""
    specs = program.graph_signature.output_specs
    return [place for place, spec in enumerate(specs) if spec.kind is OutputKind.USER_OUTPUT]


def _quantization_of(node: Node, operator: str) -> InputOutputQuantization | None:
    op = to_torch_overload(node.target) if node.op == "call_function" else None
    if op is None or op.name() != operator:
        return None
    return InputOutputQuantization(*node.args[1:6])
