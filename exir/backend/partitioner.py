"""How a backend says which parts of a program it takes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from exir.backend.compile_spec_schema import CompileSpec


class DelegationSpec(NamedTuple):
    """Which backend compiles a partition, and with what options."""

    backend_id: str
    compile_specs: list[CompileSpec]


@dataclass(frozen=True)
class PartitionResult:
    """A program whose nodes carry tags, and what each tag means.

    tagged_exported_program: the program given to the partitioner, or a copy of it, with
        `node.meta["delegation_tag"]` set on every node to be delegated, in the graphs of its control flow as
        well (`exir.graph.bodies` gives each as a program). All nodes of one tag in one graph
        become one delegate call. A constant's placeholder that is tagged becomes a constant
        of every delegate that uses it; one that is not tagged is passed at every call.
    partition_tags: one entry a tag, in the order in which partitions are compiled.
    """

    tagged_exported_program: ExportedProgram
    partition_tags: Mapping[str, DelegationSpec]


class Partitioner(ABC):
    """Chooses partitions of a program for one backend. Must change nothing but node tags.

    delegates_bodies: whether it tags nodes in graphs of control flow as well. Otherwise, operators there are
        decomposed, whatever `ops_to_not_decompose` returns.
    """

    delegates_bodies: ClassVar[bool] = False

    def __call__(self, exported_program: ExportedProgram) -> PartitionResult:
        return self.partition(exported_program)

    @abstractmethod
    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tag the nodes of an edge-dialect program."""

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        """ATen operators of `ep` that this backend wants whole, and a filter on their nodes.

        `to_edge_transform_and_lower` leaves those nodes undecomposed for which the filter is
        None or true.
        """
        return [], None
