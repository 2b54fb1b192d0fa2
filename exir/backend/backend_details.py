"""The interface of a backend's compiler."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch.export import ExportedProgram

from exir._serialize import NamedDataStoreOutput
from exir.backend.compile_spec_schema import CompileSpec
from exir.inspection.memory import RuntimeMemory

__all__ = ["BackendDetails", "PreprocessResult", "RuntimeMemory"]


@dataclass(frozen=True)
class PreprocessResult:
    """A compiled partition.

    processed_bytes: the payload for the backend's runtime side.
    debug_handle_map: debug handles of nodes, by instruction ids of the payload (see
        `DelegateMappingBuilder`).
    data_store_output: named data that the runtime side finds by key (see `NamedDataStore`). All
        delegates of a program share the data of a key.
    _delegate_info_meta: any data for the backend's tools. It is stored in
      `LoweredBackendModule.meta`, but not in the program.
    """

    processed_bytes: bytes = b""
    debug_handle_map: Mapping[int, tuple[int, ...]] | Mapping[str, tuple[int, ...]] = field(
        default_factory=dict
    )
    data_store_output: NamedDataStoreOutput | None = None
    _delegate_info_meta: Any = None


class BackendDetails(ABC):
    """The compiler of a backend. The subclass's name is its backend id in the `.pte`."""

    @staticmethod
    @abstractmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """Compile one partition.

        `edge_program` contains only the partition, in the edge dialect. Its inputs are the
        constants, then the inputs of the delegate call in order. The backend can change its graph.
        The payload must depend only on the program and on `compile_specs`: equal inputs must
        produce equal bytes. Raises `UserError` for an unsupported program.
        """

    @classmethod
    def preprocess_multimethod(
        cls,
        edge_programs: Mapping[str, list[ExportedProgram]],
        compile_specs: Mapping[str, list[list[CompileSpec]]],
    ) -> dict[str, list[PreprocessResult]]:
        """Compile all partitions of all methods at once.

        For each method, the arguments and the result have one entry per partition, in the order of
        their tags. By default, this calls `preprocess` for each partition.
        """
        return {
            name: [cls.preprocess(p, s) for p, s in zip(programs, compile_specs[name], strict=True)]
            for name, programs in edge_programs.items()
        }

    @staticmethod
    def runtime_memory(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> RuntimeMemory:
        """Return the memory that the backend's `measure` requests for a payload.

        `measure` is the backend's C function. The manifest uses the values to compute a method's
        memory. They assume that the method is loaded without options and without a store. The
        result is empty if the backend needs no memory.
        """
        return RuntimeMemory()

    @staticmethod
    def runtime_parts(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> list[str]:
        """Return the C symbols of the runtime parts that a payload needs.

        Only the parts (`et_backend_part`) that a program's delegates need are linked. The list is
        empty if the backend is linked as a whole.
        """
        return []
