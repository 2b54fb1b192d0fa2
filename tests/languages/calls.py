"""Encode the calls of a model for drivers, and run them in Python.

A file of calls has, for each call, the index of its method (u32), then its arguments. An argument or output is its rank
(u32), sizes (i32), number of bytes (u64) and bytes, little-endian. Integers and other scalars have rank 0. Inputs that are the
same in every call and outputs that are None are omitted.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from executorch_runtime import Method, Program
from exir.cli.reporting.calls import read_calls
from exir.weights.tensor_bytes import elements_of
from rules.interface.description import Interface, Slot
from rules.interface.description import Method as MethodInterface

_SEED = 0
_BACKENDS_WITH_ISA = ("CpuBackend", "XnnpackBackend")


@dataclass(frozen=True)
class Results:
    """The encoded calls, and their outputs in the Python runtime.

    calls, outputs: encoded, as drivers read and write them.
    dtypes: of each output; the kind of an output that is not a tensor.
    call_count, output_count: how many.
    """

    calls: bytes
    outputs: bytes
    dtypes: list[str]
    call_count: int
    output_count: int


def run_in_python(
    interface: Interface, program: Path, weights: Path | None, calls: Path | None, isa: str = ""
) -> Results:
    """Run recorded calls; random ones, if `calls` is None.

    isa: instruction set of the backends that have this option; "" for the fastest.
    """
    backends = [backend for backend in _BACKENDS_WITH_ISA if isa and backend in interface.backends]
    options = {backend: {"isa": isa} for backend in backends}
    methods = _load(interface, Program(program, *([weights] if weights else [])), options)
    index_of = {method.name: index for index, method in enumerate(interface.methods)}
    recorded = (
        [(index_of[call.method], call.inputs) for call in read_calls(calls.read_bytes()) if not call.expected_status]
        if calls
        else [(index, _random_inputs(method)) for index, method in enumerate(interface.methods)]
    )
    given, computed, dtypes = [], [], []
    for index, inputs in recorded:
        method = interface.methods[index]
        outputs = [
            _encode(slot, value)
            for slot, value in zip(method.outputs, methods[index](*inputs), strict=True)
            if slot.kind != "null"
        ]
        given.append(struct.pack("<I", index))
        given += [_encode(slot, inputs[slot.index]) for slot in method.arguments]
        computed += outputs
        dtypes += [slot.dtype or slot.kind for slot in method.outputs if slot.kind != "null"]
    return Results(b"".join(given), b"".join(computed), dtypes, len(recorded), len(dtypes))


def _load(interface: Interface, program: Program, options: Mapping[str, Mapping[str, str]]) -> list[Method]:
    """Load all methods; methods with the same shared buffer share it."""
    methods: list[Method] = []
    owner: Method | None = None
    for method in interface.methods:
        shared = method.memory.shared
        share = (owner, shared + 1) if owner is not None and shared is not None else None
        methods.append(program.method(method.name, seed=_SEED, share=share, backend_options=options))
        if shared is not None and owner is None:
            owner = methods[-1]
    return methods


def _random_inputs(method: MethodInterface) -> tuple[Any, ...]:
    generator = torch.Generator().manual_seed(_SEED)
    return tuple(
        torch.randn(slot.shape, generator=generator).to(getattr(torch, slot.dtype))
        if slot.kind == "tensor"
        else slot.value
        for slot in method.inputs
    )


def _encode(slot: Slot, value: Any) -> bytes:
    if slot.kind == "tensor":
        tensor = torch.from_numpy(value) if isinstance(value, np.ndarray) else value
        return _pack(tuple(tensor.shape), elements_of(tensor, slot.dim_order))
    formats = {"int": "<q", "double": "<d", "bool": "<?"}
    return _pack((), value.encode() if slot.kind == "string" else struct.pack(formats[slot.kind], value))


def _pack(sizes: tuple[int, ...], data: bytes) -> bytes:
    return struct.pack(f"<I{len(sizes)}iQ", len(sizes), *sizes, len(data)) + data
