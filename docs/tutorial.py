"""From a PyTorch module to programs, step by step: ExecuTorch's export tutorial in this project's spelling.

Run it, `python docs/tutorial.py FOLDER`, and it writes the program of each step there. `//tests/tutorial` runs each on the C runtime and
compares with eager PyTorch; and once more with `executorch.exir` in place of `exir`, as a script for the official package says it.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim, export
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from backends.demo.compiler_demo import BackendWithCompilerDemo, CompilerDemoPartitioner
from backends.mapping_demo.mapping_demo import BackendWithDelegateMappingDemo
from exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from exir.backend.backend_api import to_backend
from exir.dialects._ops import ops as exir_ops
from exir.pass_base import ExportPass
from exir.passes import MemoryPlanningPass
from exir.quantize import QuantizationOptions, quantize_program
from exir.quantize.quantizer import StaticQuantizer


@dataclass(frozen=True)
class Step:
    """A program, what each of its methods shall compute, and how close to it they must come."""

    program: bytes
    methods: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]
    atol: float = 1e-5


class SimpleConv(nn.Module):
    """A convolution and an activation function."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 16, kernel_size=3, padding=1)
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.relu(self.conv(x))


class Basic(nn.Module):
    """Adds two tensors."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y


class SinCos(nn.Module):
    """What the demo backend takes, sine and sums, and what it does not: cosine."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.cos(torch.sin(x) + x) * 2.0


class LowerableSin(nn.Module):
    """What the demo backend takes whole."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(x) + x


def export_and_lower() -> Step:
    """Exporting gives an ATen program, `to_edge` one of the edge dialect, `to_executorch` the one that a `.pte` holds."""
    module, x = SimpleConv().eval(), torch.randn(1, 3, 16, 16)
    aten_program = export(module, (x,))
    edge_manager = to_edge(aten_program, compile_config=EdgeCompileConfig())
    return Step(edge_manager.to_executorch().buffer, {"forward": (module, (x,))})


def dynamic_shapes() -> Step:
    """A dimension that varies has a name and bounds; the program refuses inputs outside of them."""
    module = Basic()
    batch = Dim("batch", min=2, max=9)
    shapes = {"x": {0: batch}, "y": {0: batch}}
    program = export(module, (torch.randn(3, 3), torch.randn(3, 3)), dynamic_shapes=shapes)
    violation(program, torch.randn(3, 3), torch.randn(4, 3), "the sizes of one name differ")
    violation(program, torch.randn(10, 3), torch.randn(10, 3), "a size above its bound")
    inputs = (torch.randn(7, 3), torch.randn(7, 3))
    return Step(to_edge(program).to_executorch().buffer, {"forward": (module, inputs)})


def violation(program: Any, x: Tensor, y: Tensor, what: str) -> None:
    """The exported program says itself what does not fit."""
    try:
        program.module()(x, y)
    except (AssertionError, RuntimeError):
        return
    raise AssertionError(f"{what}, and nobody noticed")


# Products of bytes are rounded in another order on the C runtime: an element may be a step of its scale off.
_ONE_STEP = 0.03


def quantized_by_recipe() -> Step:
    """A recipe says what becomes bytes; a static one runs the model on inputs like those to come."""
    module, x = SimpleConv().eval(), torch.randn(1, 3, 16, 16)
    quantized = quantize_program(export(module, (x,)), QuantizationOptions("int8_static"), calibration=[(x,)])
    program = to_edge(quantized.program).to_executorch()
    return Step(program.buffer, {"forward": (quantized.program.module(), (x,))}, _ONE_STEP)


def quantized_by_pt2e() -> Step:
    """The same flow step by step, as PT2E's tutorials have it: prepare, calibrate, convert, and export what came of it."""
    module, x = SimpleConv().eval(), torch.randn(1, 3, 16, 16)
    prepared = prepare_pt2e(export(module, (x,)).module(), StaticQuantizer(QuantizationOptions("int8_static")))
    with torch.no_grad():
        prepared(x)
    converted = convert_pt2e(prepared)
    return Step(to_edge(export(converted, (x,))).to_executorch().buffer, {"forward": (converted, (x,))}, _ONE_STEP)


def several_methods() -> Step:
    """One program may hold several methods, and constant methods beside them."""
    encode, decode, x = SimpleConv().eval(), Basic(), torch.randn(1, 3, 16, 16)
    programs = {"encode": export(encode, (x,)), "decode": export(decode, (x, x))}
    program = to_edge(programs, constant_methods={"picture_size": 16}).to_executorch()
    assert program.methods == {"encode", "decode"}
    return Step(program.buffer, {"encode": (encode, (x,)), "decode": (decode, (x, x))})


class ReluToSigmoid(ExportPass):
    """A pass says what an operator becomes."""

    def call_operator(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Any:
        if op == exir_ops.edge.aten.relu.default:
            op = exir_ops.edge.aten.sigmoid.default
        return super().call_operator(op, args, kwargs, meta)


def transform() -> Step:
    """Passes run on the edge program; the manager that they are run on stays as it is."""
    module, x = SimpleConv().eval(), torch.randn(1, 3, 16, 16)
    manager = to_edge(export(module, (x,))).transform([ReluToSigmoid()])
    return Step(manager.to_executorch().buffer, {"forward": (lambda x: torch.sigmoid(module.conv(x)), (x,))})


def whole_module() -> Step:
    """A backend compiles a whole program; the result can be saved as a program of its own."""
    module, x = LowerableSin(), torch.randn(3, 4)
    edge = to_edge(export(module, (x,))).exported_program()
    lowered = to_backend(BackendWithCompilerDemo.__name__, edge, [])
    return Step(lowered.buffer(), {"forward": (module, (x,))})


def composed() -> Step:
    """What a backend has compiled is a module, which may stand in another."""
    x = torch.randn(3, 4)
    edge = to_edge(export(LowerableSin(), (x,))).exported_program()
    lowered = to_backend(BackendWithCompilerDemo.__name__, edge, [])

    class Composite(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lowered = lowered

        def forward(self, x: Tensor) -> Tensor:
            return torch.exp(self.lowered(x))

    program = to_edge(export(Composite(), (x,))).to_executorch()
    return Step(program.buffer, {"forward": (lambda x: torch.exp(torch.sin(x) + x), (x,))})


def partitioned() -> Step:
    """A partitioner chooses what a backend compiles; its debug handles lead back to the nodes of the edge program."""
    module, x = SinCos(), torch.randn(3, 4)
    program = to_edge_transform_and_lower(export(module, (x,)), partitioner=[CompilerDemoPartitioner()]).to_executorch()
    (first, *_) = program.delegate_map["forward"].values()
    assert first["name"] == BackendWithCompilerDemo.__name__
    assert all(first["delegate_map"].values())
    return Step(program.buffer, {"forward": (module, (x,))})


def mapped() -> Step:
    """A backend's own instructions lead back to the model: a profile says `index` 0 of the delegate, the maps which lines that is.

    This backend makes one instruction of a convolution and its relu, and three of a tangent.
    """
    module, inputs = BackendWithDelegateMappingDemo.get_test_model_and_inputs()
    edge = to_edge(export(module, inputs)).exported_program()
    lowered = to_backend(BackendWithDelegateMappingDemo.__name__, edge, [])
    targets = {node.meta["debug_handle"]: str(node.target) for node in edge.graph.nodes if node.op == "call_function"}
    sources = [
        [targets[handle].split(".")[-2] for handle in handles] for handles in lowered.meta["debug_handle_map"].values()
    ]
    assert sources == [["convolution", "relu"], ["convolution", "relu"], ["tan"], ["tan"], ["tan"]]
    return Step(lowered.buffer(), {"forward": (module, inputs)})


def planned() -> Step:
    """The planner may leave the memory of inputs and outputs to who calls the method."""
    module, x = SimpleConv().eval(), torch.randn(1, 3, 16, 16)
    planner = MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)
    config = ExecutorchBackendConfig(memory_planning_pass=planner)
    return Step(to_edge(export(module, (x,))).to_executorch(config).buffer, {"forward": (module, (x,))})


STEPS: dict[str, Callable[[], Step]] = {
    "export_and_lower": export_and_lower,
    "dynamic_shapes": dynamic_shapes,
    "quantized_by_recipe": quantized_by_recipe,
    "quantized_by_pt2e": quantized_by_pt2e,
    "several_methods": several_methods,
    "transform": transform,
    "whole_module": whole_module,
    "composed": composed,
    "partitioned": partitioned,
    "mapped": mapped,
    "planned": planned,
}


def main(folder: str) -> None:
    """Write the program of every step to `folder`, which is made if it does not exist."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, step in STEPS.items():
        Path(folder, f"{name}.pte").write_bytes(step().program)


if __name__ == "__main__":
    main(sys.argv[1])
