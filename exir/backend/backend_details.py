"""What a backend's compiler takes and gives."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch.export import ExportedProgram

from exir._serialize import NamedDataStoreOutput
from exir.backend.compile_spec_schema import CompileSpec
from exir.plan.memory import RuntimeMemory

__all__ = ["BackendDetails", "PreprocessResult", "RuntimeMemory"]


@dataclass(frozen=True)
class PreprocessResult:
    """A compiled partition.

    processed_bytes: the payload that the backend's runtime side reads.
    debug_handle_map: the payload's own instruction ids to the debug handles of the nodes
        that they came from (see `DelegateMappingBuilder`).
    data_store_output: named data that the runtime side finds by its keys (see `NamedDataStore`);
        delegates of the whole program share what they give one key.
    _delegate_info_meta: anything the backend's tools want to find again; kept in
        `LoweredBackendModule.meta`, never written to the program.
    """

    processed_bytes: bytes = b""
    debug_handle_map: Mapping[int, tuple[int, ...]] | Mapping[str, tuple[int, ...]] = field(
        default_factory=dict
    )
    data_store_output: NamedDataStoreOutput | None = None
    _delegate_info_meta: Any = None


class BackendDetails(ABC):
    """A backend's compiler. Its subclass's name is the backend id in the `.pte`."""

    @staticmethod
    @abstractmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """Compile one partition.

        `edge_program` is the partition alone, in edge dialect: its constants first, then the
        inputs of the delegate call, in the order of the call. Its graph is the backend's to
        change. The payload may depend on nothing else but `compile_specs`, so that equal
        inputs give equal bytes. Raises a `UserError` for a program that it cannot carry.
        """

    @classmethod
    def preprocess_multimethod(
        cls,
        edge_programs: Mapping[str, list[ExportedProgram]],
        compile_specs: Mapping[str, list[list[CompileSpec]]],
    ) -> dict[str, list[PreprocessResult]]:
        """Compile all partitions of all methods, which a backend may want to see together.

        Both have, by the name of the method, an entry for each partition in the order of their tags, and so has
        what is returned. Calls `preprocess` for each unless it is overridden.
        """
        return {
            name: [cls.preprocess(p, s) for p, s in zip(programs, compile_specs[name], strict=True)]
            for name, programs in edge_programs.items()
        }

    @staticmethod
    def runtime_memory(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> RuntimeMemory:
        """What the backend's C `measure` will ask for, for this payload and without options or a store.

        The manifest states with it what memory a method needs. Nothing for a backend that keeps nothing.
        """
        return RuntimeMemory()

    @staticmethod
    def runtime_parts(processed_bytes: bytes, compile_specs: list[CompileSpec]) -> list[str]:
        """C symbols of the parts (`et_backend_part`) of the runtime side that this payload needs.

        Only those that a program's delegates name are linked. Nothing for a backend that is linked as a whole.
        """
        return []
