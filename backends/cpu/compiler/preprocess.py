"""`CpuBackend`: the interface through which exir compiles partitions."""

from collections.abc import Mapping

from torch.export import ExportedProgram

from backends.cpu.compiler.compile import op_graph, op_graphs
from backends.cpu.compiler.graph import OpGraph
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.payload import Payload, write
from backends.cpu.compiler.plan import plan
from backends.cpu.compiler.read_payload import read
from backends.cpu.schema.kernel_sizes import ALIGNMENT
from backends.cpu.schema.registry import BY_CODE
from exir._serialize import NamedDataStore, NamedDataStoreOutput
from exir.backend.backend_details import BackendDetails, PreprocessResult, RuntimeMemory
from exir.backend.compile_spec_schema import CompileSpec
from exir.backend.utils import DelegateMappingBuilder


class CpuBackend(BackendDetails):
    """Compiles partitions to payloads of version 1.

    Weights are named data; compile specs encode `Options`.
    """

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """Compile a partition.

        Raises `UnsupportedOperatorError` for a node that cannot be lowered.
        """
        return _result(op_graph(edge_program, Options.read(compile_specs)))

    @classmethod
    def preprocess_multimethod(
        cls,
        edge_programs: Mapping[str, list[ExportedProgram]],
        compile_specs: Mapping[str, list[list[CompileSpec]]],
    ) -> dict[str, list[PreprocessResult]]:
        """Compile all partitions as `preprocess` does. Shared weights get the same layout."""
        partitions = [
            (program, Options.read(specs))
            for name, programs in edge_programs.items()
            for program, specs in zip(programs, compile_specs[name], strict=True)
        ]
        graphs = iter(op_graphs(partitions))
        return {name: [_result(next(graphs)) for _ in programs] for name, programs in edge_programs.items()}

    @staticmethod
    def runtime_memory(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> RuntimeMemory:
        """Return the sizes of the handle and of scratch.

        The handle contains the tables of the payload.
        """
        rows = read(processed_bytes)
        references = sum(len((*op.inputs, *op.outputs, *op.workspaces)) for op in rows.ops)
        sums = references, sum(len(op.dims) for op in rows.ops), sum(len(op.words) for op in rows.ops)
        counts = rows.input_count + rows.output_count, len(rows.dims), len(rows.values), len(rows.ops), *sums
        handle = f"ET_CPU_HANDLE_BYTES({', '.join(f'{count}u' for count in counts)})"
        return RuntimeMemory(handle, f"{rows.scratch_bytes}u", "backends/cpu/runtime/handle.h")

    @staticmethod
    def runtime_parts(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> list[str]:
        """Return the symbols of the ops in the payload, by code, without duplicates."""
        codes = sorted({op.kind for op in read(processed_bytes).ops})
        return [f"et_cpu_op_{BY_CODE[code].op_name()}" for code in codes]


def _result(graph: OpGraph) -> PreprocessResult:
    payload = write(graph, plan(graph))
    return PreprocessResult(payload.data, _handles(graph), _stored(payload))


def _stored(payload: Payload) -> NamedDataStoreOutput:
    store = NamedDataStore()
    for key, data in payload.named.items():
        store.add_named_data(key, data, ALIGNMENT)
    return store.get_named_data_store_output()


def _handles(graph: OpGraph) -> Mapping[int, tuple[int, ...]] | Mapping[str, tuple[int, ...]]:
    """Return the debug handles of each op, by the index of the op."""
    mapping = DelegateMappingBuilder(generated_identifiers=True)
    for op in graph.ops:
        mapping.insert_delegate_mapping_entry(nodes=list(op.nodes))
    return mapping.get_delegate_mapping()
