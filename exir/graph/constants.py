"""The tensors of a program: parameters, buffers and lifted constants."""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import count

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec, OutputKind, TensorArgument
from torch.fx import Node
from torch.fx.node import map_arg

from exir.error import ModelError

EXTERNAL_FILE = "constant_tag"
"""Key of a placeholder's `meta`: the weights file of its constant."""

_CARRIED = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def mark_exchangeable(
    programs: Mapping[str, ExportedProgram], names: Collection[str], file: str
) -> None:
    """Store constants with these qualified names in a weights file, under their names.

    Passes and backends do not read them, so other files can provide other values. Raises `ModelError` if
    no program has one of the names.
    """
    missing = set(names)
    for program in programs.values():
        nodes = {node.name: node for node in program.graph.find_nodes(op="placeholder")}
        for spec in program.graph_signature.input_specs:
            if spec.kind in _CARRIED and spec.target in names:
                nodes[spec.arg.name].meta[EXTERNAL_FILE] = file
                missing.discard(spec.target)
    if missing:
        raise ModelError(
            f"'exchangeable' has '{min(missing)}', which no method reads as a parameter or buffer; check the name, and"
            " quantize only weights"
        )


class ConstantTable:
    """Reads and edits a program's constants, with placeholders and signature.

    Tensors are never mutated: they may belong to the model or to another method.
    """

    def __init__(self, program: ExportedProgram, fake_mode: FakeTensorMode) -> None:
        self._program = program
        self._fake_mode = fake_mode
        self._specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
        self._written = frozenset(
            spec.target
            for spec in program.graph_signature.output_specs
            if spec.kind is OutputKind.BUFFER_MUTATION
        )

    def tensor(self, value: object) -> Tensor | None:
        """Return the constant of a node, or None.

        A mutated buffer is not a constant, nor is a tensor that a weights file provides.
        """
        if not isinstance(value, Node) or EXTERNAL_FILE in value.meta:
            return None
        spec = self._specs.get(value.name)
        if spec is None or spec.kind not in _CARRIED or self._is_written(spec):
            return None
        tensor = self._storage_of(spec).get(spec.target)
        return tensor.detach() if isinstance(tensor, Tensor) else None

    def name(self, node: Node) -> str:
        """Return the qualified name of the constant that `node` represents."""
        return self._specs[node.name].target

    def with_value(self, node: Node, tensor: Tensor) -> Node:
        """Return the constant of `node` with another value.

        The result is `node` itself if it has one use, else a new constant.
        """
        if _use_count(node) > 1:
            return self.add(self.name(node), tensor)
        self.set_value(node, tensor)
        return node

    def set_value(self, node: Node, tensor: Tensor) -> None:
        """Set the constant of `node` to `tensor` for all users."""
        spec = self._specs[node.name]
        is_parameter = spec.kind is InputKind.PARAMETER
        self._storage_of(spec)[spec.target] = _as_parameter(tensor) if is_parameter else tensor
        node.meta["val"] = self._to_fake(tensor)

    def add(self, name: str, tensor: Tensor) -> Node:
        """Add a constant called `name`, or `name` and a number if the name is taken."""
        target = self._unused_name(name)
        position, first_input = self._first_input()
        with self._program.graph.inserting_before(first_input):
            node = self._program.graph.placeholder("c_" + re.sub(r"\W", "_", target))
        node.meta = {"val": self._to_fake(tensor)}
        spec = InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(node.name), target)
        self._program.graph_signature.input_specs.insert(position, spec)
        self._program.constants[target] = tensor
        self._specs[node.name] = spec
        return node

    def drop_unused(self) -> None:
        """Remove unused constants."""
        specs = self._program.graph_signature.input_specs
        nodes = self._program.graph.find_nodes(op="placeholder")
        unused = [self._is_unused(spec, node) for spec, node in zip(specs, nodes)]
        specs[:] = [spec for spec, drop in zip(specs, unused) if not drop]
        for node in [node for node, drop in zip(nodes, unused) if drop]:
            self._program.graph.erase_node(node)
        self._forget_unnamed(self._program.state_dict)
        self._forget_unnamed(self._program.constants)

    def _is_unused(self, spec: InputSpec, node: Node) -> bool:
        return not node.users and spec.kind in _CARRIED and not self._is_written(spec)

    def _is_written(self, spec: InputSpec) -> bool:
        return spec.kind is InputKind.BUFFER and spec.target in self._written

    def _storage_of(self, spec: InputSpec) -> dict[str, Tensor]:
        in_constants = spec.kind is InputKind.CONSTANT_TENSOR or spec.persistent is False
        return self._program.constants if in_constants else self._program.state_dict

    def _to_fake(self, tensor: Tensor) -> Tensor:
        return self._fake_mode.from_tensor(tensor, static_shapes=True)

    def _unused_name(self, name: str) -> str:
        used_names = {spec.target for spec in self._program.graph_signature.input_specs}
        return next(candidate for candidate in _strip_number(name) if candidate not in used_names)

    def _first_input(self) -> tuple[int, Node]:
        """Return the position and the node of the first non-constant."""
        for position, node in enumerate(self._program.graph.nodes):
            spec = self._specs.get(node.name)
            if node.op != "placeholder" or spec is None or spec.kind is InputKind.USER_INPUT:
                return position, node
        raise AssertionError("a graph ends with its output node")

    def _forget_unnamed(self, home: dict[str, Tensor]) -> None:
        targets = {spec.target for spec in self._program.graph_signature.input_specs}
        for target in [name for name in home if name not in targets]:
            del home[target]


def _use_count(node: Node) -> int:
    """Count the uses of `node`; a user can have it as several operands."""
    uses: list[Node] = []
    for user in node.users:
        map_arg((user.args, user.kwargs), uses.append)
    return uses.count(node)


def _as_parameter(tensor: Tensor) -> torch.nn.Parameter:
    return torch.nn.Parameter(tensor, requires_grad=False)


def _strip_number(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{number}" for number in count(1))
