"""`MemoryPlanningPass`: assigns an address in planned memory to every tensor."""

from dataclasses import dataclass, field
from typing import ClassVar

from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node

from exir import memory
from exir.error import ConfigError
from exir.graph.program_bundle import ProgramBundle
from exir.memory_planning import (
    MemoryAlgoResult,
    MemoryPlanningAlgo,
    MemoryPlanningAlgorithmSuite,
    aligned,
)
from exir.pass_manager import BundlePass
from exir.planning.liveness import schedule
from exir.planning.plan_verifier import verify_memory_plan
from exir.tensor import TensorSpec, specs_of

SHARED_STATE_MEMORY_ID = 2
"""Id of the planned buffer for mutable buffers that methods share."""


@dataclass(frozen=True)
class MemoryPlanningPass(BundlePass):
    """Assigns an address to every tensor, and verifies the plan.

    Before: operators are out variants and nodes have specs. After: every spec that is neither constant
    nor caller-provided has `mem_id` and `mem_offset`, and `verify_memory_plan` accepts the plan. The
    graph module's meta has `non_const_buffer_sizes` (bytes by memory id, [0] unused) and
    `shared_memory_id` (the buffer that methods share, or 0). A spec that already has a `mem_id` keeps
    it, and each planned buffer is planned separately.

    memory_planning_algo: a planning algorithm such as `greedy`, or a suite of algorithms.
    alloc_graph_input: plan memory for inputs, and copy them at each call; False borrows the caller's
      memory.
    alloc_graph_output: plan memory for outputs; False writes them to the caller's memory.
    share_mutable_buffers: place mutable buffers of the same name at the same address in every
      method, in a separate planned buffer (memory id 2).
    alignment: alignment of every offset, in bytes; a power of two.
    """

    memory_planning_algo: MemoryPlanningAlgo = field(default_factory=MemoryPlanningAlgorithmSuite)
    alloc_graph_input: bool = True
    alloc_graph_output: bool = True
    share_mutable_buffers: bool = False
    alignment: int = 16
    name: ClassVar[str] = "memory_planning"

    def __post_init__(self) -> None:
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            raise ConfigError(f"'alignment' must be a power of two, got {self.alignment}")

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        programs = bundle.programs.values()
        shared = _SharedStates()
        for program in programs if self.share_mutable_buffers else ():
            shared.add(program, self.alignment)
        for program in programs:
            self._plan_program(program, shared)
        return bundle

    def ensures(self, bundle: ProgramBundle) -> None:
        for program in bundle.programs.values():
            sizes = program.graph_module.meta["non_const_buffer_sizes"]
            verify_memory_plan(program.graph_module, sizes, self.alignment)

    def _plan_program(self, program: ExportedProgram, shared: "_SharedStates") -> None:
        graph_module = program.graph_module
        placements = shared.place(program)
        specs = [spec for spec in self._specs_to_plan(graph_module) if spec not in placements]
        _check_requested_ids(graph_module, {*specs, *placements})
        plan = self.memory_planning_algo(self.alignment, specs, graph_module, program.graph_signature, 0)
        _apply_plan(plan)
        graph_module.meta["non_const_buffer_sizes"] = shared.with_separate_buffer(plan.bufsizes)
        graph_module.meta["shared_memory_id"] = shared.memory_id

    def _specs_to_plan(self, graph_module: GraphModule) -> list[TensorSpec]:
        """Return the specs that own memory, in schedule order.

        Constants and caller-provided tensors are excluded.
        """
        excluded = self._callers_specs(graph_module)
        found = (spec.storage for node in schedule(graph_module) for spec in specs_of(node))
        return [spec for spec in dict.fromkeys(found) if not (spec.const or spec in excluded)]

    def _callers_specs(self, graph_module: GraphModule) -> set[TensorSpec]:
        callers: list[Node] = []
        if not self.alloc_graph_input:
            callers += graph_module.graph.find_nodes(op="placeholder")
        if not self.alloc_graph_output:
            callers += graph_module.graph.output_node().all_input_nodes
        specs = (spec.storage for node in callers for spec in specs_of(node))
        return {spec for spec in specs if not spec.state}


@dataclass
class _SharedStates:
    """The address of every shared mutable buffer, by qualified name.

    Shared buffers are in a separate planned buffer.
    """

    offsets: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    size: int = 0

    @property
    def memory_id(self) -> int:
        """The id of the planned buffer; 0 if no buffer is shared."""
        return SHARED_STATE_MEMORY_ID if self.size else 0

    def add(self, program: ExportedProgram, alignment: int) -> None:
        """Assign addresses to the mutable buffers of `program` that have none yet."""
        for name, spec in sorted(states_by_name(program).items()):
            if self.sizes.setdefault(name, spec.nbytes()) != spec.nbytes():
                raise ConfigError(
                    f"'share_mutable_buffers': '{name}' has {spec.nbytes()} bytes in one method but "
                    f"{self.sizes[name]} in another; use one size"
                )
            if name not in self.offsets:
                self.offsets[name] = self.size
                self.size += aligned(spec.nbytes(), alignment)

    def place(self, program: ExportedProgram) -> set[TensorSpec]:
        """Set the addresses of the shared buffers of `program`, and return their specs."""
        shared = {n: spec for n, spec in states_by_name(program).items() if n in self.offsets}
        for name, spec in shared.items():
            spec.mem_id = SHARED_STATE_MEMORY_ID
            spec.mem_offset = self.offsets[name]
        return set(shared.values())

    def with_separate_buffer(self, bufsizes: list[int]) -> list[int]:
        """Return `bufsizes`, followed by the size of the buffer of the shared states."""
        if not self.size:
            return list(bufsizes)
        if len(bufsizes) > SHARED_STATE_MEMORY_ID:
            raise ConfigError(
                "'share_mutable_buffers': memory id 2 is in use by the planning algorithm; use other ids"
            )
        return [*bufsizes, self.size]


def _check_requested_ids(graph_module: GraphModule, planned: set[TensorSpec]) -> None:
    """Reject memory ids below 1, and memory ids of tensors that are not planned."""
    nodes = (node for node in schedule(graph_module) if node.target is not memory.alloc)
    for node in nodes:
        for spec in specs_of(node):
            if spec.mem_id is not None and (spec.mem_id < 1 or spec.storage not in planned):
                raise ConfigError(
                    f"memory id {spec.mem_id} of '{node.name}' is invalid; set ids of at least 1, and "
                    "only on planned tensors, not on constants or the caller's memory"
                )


def _apply_plan(plan: MemoryAlgoResult) -> None:
    for spec, place in plan.spec_dict.items():
        if spec.mem_id not in (None, place.mem_id):
            raise ConfigError(
                f"the planning algorithm placed a tensor with memory id {spec.mem_id} in buffer "
                f"{place.mem_id}; respect TensorSpec.mem_id"
            )
        spec.mem_id = place.mem_id
        spec.mem_obj_id = place.mem_obj_id
        spec.mem_offset = place.mem_offset


def states_by_name(program: ExportedProgram) -> dict[str, TensorSpec]:
    """Return the spec of every mutable buffer, by qualified name."""
    placeholders = program.graph.find_nodes(op="placeholder")
    return {
        str(spec.target): tensor_spec
        for node, spec in zip(placeholders, program.graph_signature.input_specs)
        if spec.kind is not InputKind.USER_INPUT
        for tensor_spec in specs_of(node)
        if tensor_spec.state
    }
