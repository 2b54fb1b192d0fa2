"""A backend that adds and multiplies by constants in named data."""

from __future__ import annotations

import hashlib

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from exir._serialize import NamedDataStore
from exir.backend.backend_details import BackendDetails, PreprocessResult, RuntimeMemory
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.entry import BackendEntry
from exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from exir.backend.tags import constant_specs, tag_constant_data, tag_nodes
from exir.dialects.edge import to_torch_overload

_PARTS = {b"a": "bias_add", b"m": "bias_mul"}
_OPERATORS = (torch.ops.aten.add.Tensor, torch.ops.aten.mul.Tensor)


class BiasBackend(BackendDetails):
    """The payload is one letter, `a` or `m`, and the key of the constant."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        (call,) = edge_program.graph.find_nodes(op="call_function", target=_only_target(edge_program))
        (weight,) = edge_program.state_dict.values()
        data = weight.detach().numpy().tobytes()
        key = hashlib.sha256(data).hexdigest()
        store = NamedDataStore()
        store.add_named_data(key, data, 64)
        letter = "a" if to_torch_overload(call.target) is torch.ops.aten.add.Tensor else "m"
        return PreprocessResult(f"{letter}{key}".encode(), data_store_output=store.get_named_data_store_output())

    @staticmethod
    def runtime_memory(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> RuntimeMemory:
        return RuntimeMemory("sizeof(bias_handle)", header="tests/feature_models/bias_backend/bias_backend.h")

    @staticmethod
    def runtime_parts(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> list[str]:
        return [_PARTS[processed_bytes[:1]]]


class BiasPartitioner(Partitioner):
    """Delegates each addition and multiplication with a constant separately."""

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        constants = constant_specs(exported_program)
        chosen = [node for node in exported_program.graph.nodes if _is_biased(node, constants)]
        tags = {f"bias_{index}": node for index, node in enumerate(chosen)}
        for tag, node in tags.items():
            tag_nodes([node], tag)
        tag_constant_data(exported_program)
        return PartitionResult(exported_program, {tag: DelegationSpec(BiasBackend.__name__, []) for tag in tags})


BACKEND = BackendEntry(id="bias", partitioner=BiasPartitioner)


def _is_biased(node: Node, constants: dict) -> bool:
    if node.op != "call_function" or to_torch_overload(node.target) not in _OPERATORS:
        return False
    return isinstance(node.args[1], Node) and node.args[1].name in constants


def _only_target(program: ExportedProgram) -> object:
    (target,) = {node.target for node in program.graph.nodes if node.op == "call_function"}
    return target
