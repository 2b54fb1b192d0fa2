"""`MemoryPlanningPass` with the official arguments and overridable methods."""

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from exir.error import ConfigError
from exir.memory_planning import MemoryPlanningAlgo, MemoryPlanningAlgorithmSuite
from exir.passes import memory_planning_pass


class MemoryPlanningPass(PassBase):
    """Plan memory with `exir.passes.MemoryPlanningPass`.

    A subclass can set `mem_id` of specs beforehand.
    """

    def __init__(
        self,
        memory_planning_algo: MemoryPlanningAlgo | None = None,
        allow_lifetime_and_storage_overlap: bool = False,
        alloc_graph_input: bool = True,
        alloc_graph_output: bool = True,
        alloc_mutable_buffers: bool = True,
        share_mutable_buffers: bool = False,
        alignment: int = 16,
        enable_non_cpu_memory_planning: bool = False,
    ) -> None:
        if allow_lifetime_and_storage_overlap or not alloc_mutable_buffers:
            raise ConfigError("only plans without overlaps and with mutable buffers are supported")
        self.memory_planning_algo = memory_planning_algo or MemoryPlanningAlgorithmSuite()
        self.alloc_graph_input = alloc_graph_input
        self.alloc_graph_output = alloc_graph_output
        self.alloc_mutable_buffers = alloc_mutable_buffers
        self.share_mutable_buffers = share_mutable_buffers
        self.alignment = alignment

    def call(self, graph_module: GraphModule) -> PassResult:
        """Plan the memory of a graph whose values have specs."""
        return self.run(graph_module)

    def run(self, graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None) -> PassResult:
        """Plan the memory of a graph whose values have specs."""
        return self.planner()(graph_module)

    def run_multimethod(self) -> PassResult | None:
        """Do nothing: `planner` plans all methods together."""
        return None

    def planner(self) -> memory_planning_pass.MemoryPlanningPass:
        """Return the compiler's pass with these options."""
        return memory_planning_pass.MemoryPlanningPass(
            self.memory_planning_algo,
            self.alloc_graph_input,
            self.alloc_graph_output,
            self.share_mutable_buffers,
            self.alignment,
        )
