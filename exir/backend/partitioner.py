"""Partitioners select the parts of a program that a backend compiles."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx import Node

from exir.backend.compile_spec_schema import CompileSpec


class DelegationSpec(NamedTuple):
    """The backend of a partition, and its options."""

    backend_id: str
    compile_specs: list[CompileSpec]


@dataclass(frozen=True)
class PartitionResult:
    """A program with tagged nodes, and the meaning of each tag.

    tagged_exported_program: the partitioned program, or a copy of it, with
        `node.meta["delegation_tag"]` on every node to delegate, also in the graphs of control flow
        (`exir.graph.bodies` returns each as a program). All nodes of one tag in one graph become
        one delegate call. A tagged placeholder of a constant becomes a constant of every delegate
        that uses it; an untagged one is passed in every call.
    partition_tags: one entry per tag, in the order of compilation.
    """

    tagged_exported_program: ExportedProgram
    partition_tags: Mapping[str, DelegationSpec]


class Partitioner(ABC):
    """Selects partitions of a program for one backend. It must change only node tags.

    delegates_bodies: whether the partitioner also tags nodes in control-flow graphs. Otherwise,
      operators in these graphs are decomposed even if `ops_to_not_decompose` returns them.
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
        """Return the ATen operators of `ep` to keep, and a filter on their nodes.

        `to_edge_transform_and_lower` does not decompose these operators where the filter is None or
        returns true.
        """
        return [], None
