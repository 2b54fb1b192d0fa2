"""Compares random networks that the official exporter lowers for XNNPACK.

./bazelw run //tests/random_networks:xnnpack -- --first SEED [--count N] [--mode MODE]
"""

from __future__ import annotations

import argparse
import collections
import logging
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import executorch.kernels.quantized
import executorch.runtime
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from torch import Tensor, nn
from torch.export import Dim
from torch.utils._pytree import tree_leaves
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from exir.cli.reporting.calls import Call, write_calls
from tests.random_networks.comparison import Outcome, Result, result_of_replay
from tests.random_networks.generator import plain_network
from tests.random_networks.isolated import ProcessEnded, run_isolated
from tests.random_networks.main import finding
from tests.random_networks.network import Network

MODES = ("float32", "float16", "int8_channels", "int8_tensor", "int8_dynamic")
_SIZES, _MEASURED, _SECONDS = (2, 5, 3, 8), 3, 100
# Relative to the largest element, if no quantizer determines the tolerance.
_TOLERANCES = {"float16": 4e-3}


def compare_official(network: Network, mode: str) -> Result:
    """Return `NOT_EXPORTED` if the official exporter, runtime or eager PyTorch fails."""
    try:
        module, inputs, sizes = _module_for(network, mode)
        converted = _converted(module, inputs, sizes, mode)
        program = _lowered(converted, inputs, sizes)
        all_inputs = _all_inputs(network, inputs, sizes)
        shapes = [_shapes(tree_leaves(converted(*tensor))) for tensor in all_inputs]
        # It can terminate its process.
        calls, largest = run_isolated(lambda: _official_calls(program, all_inputs, shapes), _SECONDS)
    except Exception as error:
        return Result(Outcome.NOT_EXPORTED, f"{type(error).__name__}: {error}")
    if b"XnnpackBackend" not in program:
        return Result(Outcome.NOT_QUANTIZED, "nothing is delegated")
    return _replayed(program, calls, _tolerance(converted, largest, mode))


def _module_for(network: Network, mode: str) -> tuple[nn.Module, tuple[Tensor, ...], Any]:
    module, inputs = network.module(), network.inputs()
    if mode == "float16":
        module, inputs = module.half(), tuple(tensor.half() for tensor in inputs)
    batch_varies = any(dimension == 0 for dimension, _ in network.dynamic)
    sizes = ({0: Dim("size", min=2, max=max(_SIZES))},) if batch_varies else None
    return module, inputs, sizes


def _converted(module: nn.Module, inputs: tuple[Tensor, ...], sizes: Any, mode: str) -> nn.Module:
    if not mode.startswith("int8"):
        return module
    config = get_symmetric_quantization_config(is_per_channel=mode != "int8_tensor", is_dynamic=mode == "int8_dynamic")
    exported = torch.export.export(module, inputs, dynamic_shapes=sizes).module()
    prepared = prepare_pt2e(exported, XNNPACKQuantizer().set_global(config))
    generator = torch.Generator().manual_seed(1)
    for _ in range(_MEASURED):
        prepared(*(torch.randn(tensor.shape, generator=generator) for tensor in inputs))
    return convert_pt2e(prepared)


def _lowered(module: nn.Module, inputs: tuple[Tensor, ...], sizes: Any) -> bytes:
    exported = torch.export.export(module, inputs, dynamic_shapes=sizes)
    edge = to_edge_transform_and_lower(
        exported, partitioner=[XnnpackPartitioner()], compile_config=EdgeCompileConfig(_check_ir_validity=False)
    )
    return bytes(edge.to_executorch().buffer)


def _all_inputs(network: Network, inputs: tuple[Tensor, ...], sizes: Any) -> list[tuple[Tensor, ...]]:
    generator = torch.Generator().manual_seed(network.seed + 1)
    firsts = _SIZES if sizes is not None else (inputs[0].shape[0],)
    further = [torch.randn((first, *inputs[0].shape[1:]), generator=generator).to(inputs[0].dtype) for first in firsts]
    # The official runtime does not check the dim order of its inputs.
    if inputs[0].dim() == 4 and not inputs[0].is_contiguous():
        further = [drawn.contiguous(memory_format=torch.channels_last) for drawn in further]
    return [inputs, *((image,) for image in further)]


def _official_calls(
    program: bytes, all_inputs: list[tuple[Tensor, ...]], all_shapes: list[list[tuple[int, ...]]]
) -> tuple[bytes, float]:
    """Return the recorded calls, and their largest element.

    The official exporter does not transpose a channels-last image of one channel. Its depthwise
    convolution then reads the width as channels, and returns another shape. Such a program is not a
    reference.
    """
    method = executorch.runtime.Runtime.get().load_program(program).load_method("forward")
    calls = [
        Call("forward", inputs, tuple(output.clone() for output in method.execute(list(inputs))))
        for inputs in all_inputs
    ]
    for call, expected in zip(calls, all_shapes, strict=True):
        if _shapes(call.outputs) != expected:
            raise ValueError(f"official outputs of shapes {_shapes(call.outputs)}, expected {expected}")
    return write_calls(calls), max(float(output.abs().nan_to_num().max()) for call in calls for output in call.outputs)


def _shapes(tensors: Iterable[Tensor]) -> list[tuple[int, ...]]:
    return [tuple(tensor.shape) for tensor in tensors]


def _tolerance(module: nn.Module, largest: float, mode: str) -> float:
    """Return a bit more than the largest quantization step, or a relative tolerance."""
    if mode in ("int8_channels", "int8_tensor"):
        assert isinstance(module, torch.fx.GraphModule)
        steps = [node.args[1] for node in module.graph.nodes if "quantize_per_tensor" in str(node.target)]
        return max([1.05 * float(step) for step in steps if isinstance(step, float)], default=1e-4 * largest)
    return _TOLERANCES.get(mode, 1e-4) * max(largest, 1e-6)


def _replayed(program: bytes, calls: bytes, tolerance: float) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, "net.pte"), Path(folder, "net.calls")]
        for file, content in zip(files, (program, calls), strict=True):
            file.write_bytes(content)
        command = [os.environ["RUN_CALLS"], *map(str, files), f"--atol={tolerance}", "--rtol=0"]
        return result_of_replay(subprocess.run(command, capture_output=True, text=True, check=False))


def _attempt(network: Network, mode: str) -> Result:
    try:
        return run_isolated(lambda: compare_official(network, mode), 3 * _SECONDS)
    except ProcessEnded as ended:
        return Result(Outcome.CRASHED, str(ended))


def main(argv: list[str] | None = None) -> int:
    """Return the exit code: 1 if there is a finding."""
    parser = argparse.ArgumentParser(prog="xnnpack", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="seed of the first network")
    parser.add_argument("--count", type=int, default=1, help="number of networks, with consecutive seeds")
    parser.add_argument("--mode", choices=MODES, help="how networks are lowered (default: alternating)")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    counts: collections.Counter[Outcome] = collections.Counter()
    for seed in range(options.first, options.first + options.count):
        mode, network = options.mode or MODES[seed % len(MODES)], plain_network(seed)
        result = _attempt(network, mode)
        counts[result.outcome] += 1
        if result.outcome.is_a_finding:
            print(finding(network, mode, result), flush=True)
    summary = ", ".join(f"{counts[outcome]} {outcome.name.lower()}" for outcome in Outcome if counts[outcome])
    print(f"{options.count} networks: {summary}")
    return int(any(outcome.is_a_finding for outcome in counts))


if __name__ == "__main__":
    sys.exit(main())
