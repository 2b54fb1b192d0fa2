"""Parts of a program that a backend compiled."""

from typing import TYPE_CHECKING, Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule
from torch.utils import _pytree as pytree

from exir import schema
from exir._serialize import NamedDataStoreOutput
from exir.backend.compile_spec_schema import CompileSpec
from exir.capture import ExecutorchBackendConfig
from exir.delegate import (
    DelegatedModule,
    delegate_calls,
    executorch_call_delegate,
    lowered_module_of,
)

if TYPE_CHECKING:
    from exir.passes.memory_planning_pass import MemoryPlanningPass
    from exir.program import ExecutorchProgramManager


class LoweredBackendModule(DelegatedModule):
    """The payload of a backend, with the program that it was compiled from.

    In eager mode, a call runs that program; on a device, the backend runs the payload. The module
    can be used in another module, and exported with it. `meta` has data for the backend's tools,
    such as debug handles; it is not in the program.
    """

    def __init__(
        self,
        edge_program: ExportedProgram,
        backend_id: str,
        processed_bytes: bytes,
        compile_specs: list[CompileSpec],
        meta: dict[str, Any] | None = None,
        named_data_store_output: NamedDataStoreOutput | None = None,
    ) -> None:
        super().__init__(edge_program)
        self._backend_id = backend_id
        self._processed_bytes = processed_bytes
        self._compile_specs = compile_specs
        self._named_data_store_output = named_data_store_output
        self.meta = dict(meta or {})

    def __deepcopy__(self, memo: dict[int, Any]) -> "LoweredBackendModule":
        """Return this module: compiled parts are immutable, so copies share them."""
        return self

    @property
    def backend_id(self) -> str:
        """The name under which the runtime looks up the backend."""
        return self._backend_id

    @property
    def processed_bytes(self) -> bytes:
        """The payload that the runtime passes to the backend."""
        return self._processed_bytes

    @property
    def compile_specs(self) -> list[CompileSpec]:
        """The options that the payload was compiled with."""
        return self._compile_specs

    @property
    def named_data_store_output(self) -> NamedDataStoreOutput | None:
        """The named data that the payload refers to."""
        return self._named_data_store_output

    @property
    def original_module(self) -> ExportedProgram:
        """The delegated part as a program of the edge dialect."""
        return self.edge_program

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results of the original program, through `executorch_call_delegate`.

        Tracing therefore records the call.
        """
        # dynamo derives the results from `original_module`
        if torch.compiler.is_dynamo_compiling():
            return executorch_call_delegate(self, *args)
        outputs = executorch_call_delegate(self, *args, *kwargs.values())
        if self.returns_one:
            return outputs
        return pytree.tree_unflatten(list(outputs), self.edge_program.call_spec.out_spec)

    def program(
        self, emit_stacktrace: bool = False, memory_planning: "MemoryPlanningPass | None" = None
    ) -> schema.Program:
        """Return a program whose method `forward` is one call of this delegate."""
        config = ExecutorchBackendConfig(
            emit_stacktrace=emit_stacktrace, memory_planning_pass=memory_planning
        )
        return self._lower_to_program(config).executorch_program

    def buffer(
        self,
        extract_delegate_segments: bool = False,
        segment_alignment: int = 128,
        constant_tensor_alignment: int | None = None,
        delegate_alignment: int | None = None,
        memory_planning: "MemoryPlanningPass | None" = None,
    ) -> bytes:
        """Return the content of the `.pte` file of `program`."""
        config = ExecutorchBackendConfig(
            extract_delegate_segments=extract_delegate_segments,
            segment_alignment=segment_alignment,
            constant_tensor_alignment=constant_tensor_alignment,
            delegate_alignment=delegate_alignment,
            memory_planning_pass=memory_planning,
        )
        return self._lower_to_program(config).buffer

    def _lower_to_program(self, config: ExecutorchBackendConfig) -> "ExecutorchProgramManager":
        from exir.backend.rewrite import as_one_call
        from exir.program import to_executorch

        return to_executorch({"forward": as_one_call(self)}, config=config)


def get_lowered_backend_modules(graph_module: GraphModule) -> list[LoweredBackendModule]:
    """Return the lowered modules that `graph_module` calls, in order, each once."""
    found = [lowered_module_of(node) for node in delegate_calls(graph_module.graph)]
    return list(dict.fromkeys(found))
