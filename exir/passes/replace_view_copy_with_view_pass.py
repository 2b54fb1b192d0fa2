"""`ReplaceViewCopyWithViewPass`: replaces shape-only copies with views."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import SymInt
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import statically_known_true

from exir import memory
from exir.dialects.edge import to_torch_overload
from exir.graph.constants import EXTERNAL_FILE
from exir.graph.control_flow import regions
from exir.graph.edit import insert_before
from exir.graph.fake_mode import fake_mode_of
from exir.graph.in_place import overwritten_operand
from exir.graph.program_update import with_graph_module
from exir.operators.properties_of import properties_of
from exir.pass_manager import ProgramPass
from exir.tensor import TensorSpec

_aten = torch.ops.aten


@dataclass(frozen=True)
class ReplaceViewCopyWithViewPass(ProgramPass):
    """Turns copies into views if the results stay the same.

    Before: nodes have specs, and operators are functional. After: a shape-only copy of a contiguous
    tensor is a `memory.view` whose spec has the input's spec as its base. Copies to the same dtype and
    dim order are removed, or become views. A copy stays:

    - if the result leaves the method, and its memory is that of an input, a constant, a buffer or
        another output;
    - if the result is written back to a buffer;
    - if an operator later mutates the source or the result in place;
    - if the result requests a specific planned buffer;
    - if the source is a constant in a weights file, which stores only one shape;
    - if the options state that the memory is not planned.

    alias_inputs, alias_outputs: whether views of inputs, and views that are outputs or alias outputs,
        may share memory; False if the caller provides that memory.
    """

    alias_inputs: bool = True
    alias_outputs: bool = True
    name: ClassVar[str] = "replace_view_copy_with_view"

    def run(self, program: ExportedProgram) -> ExportedProgram:
        finder = _MemorySharing(program, self.alias_inputs, self.alias_outputs)
        for node in list(program.graph.nodes):
            if _is_redundant_copy(node) and finder.may_share(node) and not _is_passed_on(node):
                _share_all(node)
            elif _is_view_copy(node) and finder.may_share(node):
                _make_view(node)
        return with_graph_module(program, program.graph_module)


class _MemorySharing:
    """Decides which results can share their input's memory."""

    def __init__(self, program: ExportedProgram, alias_inputs: bool, alias_outputs: bool) -> None:
        placeholders = program.graph.find_nodes(op="placeholder")
        self._external = {node.meta["spec"] for node in placeholders if EXTERNAL_FILE in node.meta}
        kinds = [spec.kind for spec in program.graph_signature.input_specs]
        self._roots = {node.meta["spec"]: kind for node, kind in zip(placeholders, kinds)}
        self._alias_inputs = alias_inputs
        self._alias_outputs = alias_outputs
        self._changes = _changes_in_place(program)

    def may_share(self, node: Node) -> bool:
        storage = _viewed_input(node).meta["spec"].storage
        is_shared_output = _is_output_storage(storage, node)
        if storage in self._external or any(_is_write_back(user) for user in node.users):
            return False
        if self._changes_later(node, (storage, node.meta["spec"])):
            return False
        if node.meta["spec"].mem_id not in (None, storage.mem_id):
            return False
        if is_shared_output and not self._alias_outputs:
            return False
        root_kind = self._roots.get(storage)
        if root_kind is InputKind.USER_INPUT and not self._alias_inputs:
            return False
        may_leave = self._alias_outputs and root_kind is None and not is_shared_output
        return may_leave or not _is_output(node)

    def _changes_later(self, node: Node, storages: tuple[TensorSpec, TensorSpec]) -> bool:
        """Return true if an operator after `node` mutates one of these storages in place."""
        return any(node < change and spec.storage in storages for change, spec in self._changes)


def _changes_in_place(program: ExportedProgram) -> list[tuple[Node, TensorSpec]]:
    """Return the operators that mutate an operand, with its spec.

    Write-backs are excluded, because they come last.
    """
    operands = (
        (node, overwritten_operand(node)) for node in program.graph.nodes if not _is_write_back(node)
    )
    return [(node, operand.meta["spec"]) for node, operand in operands if operand is not None]


def _viewed_input(node: Node) -> Node:
    source = node.args[0] if node.args else node.kwargs["self"]
    assert isinstance(source, Node)
    return source


def _is_output(node: Node) -> bool:
    return any(user.op == "output" for user in node.users)


def _is_output_storage(storage: TensorSpec, node: Node) -> bool:
    """Return true if an output other than `node` is in `storage`."""
    outputs = node.graph.output_node().all_input_nodes
    specs = [out.meta["spec"] for out in outputs if out is not node]
    return any(isinstance(spec, TensorSpec) and spec.storage is storage for spec in specs)


def _is_passed_on(node: Node) -> bool:
    """Return true if control flow uses `node`; its graphs then refer to the spec."""
    return any(regions(user) for user in node.users)


def _is_write_back(node: Node) -> bool:
    return node.target is _aten.copy_.default


def _view_overload(node: Node) -> OpOverload | None:
    return to_torch_overload(node.target) if node.op == "call_function" else None


def _is_view_copy(node: Node) -> bool:
    op = _view_overload(node)
    if op is None or not properties_of(op).view_of:
        return False
    source, result = _viewed_input(node).meta["spec"], node.meta["spec"]
    is_sized = (source.is_static and result.is_static) or op is _aten.view_copy.default
    return is_sized and source.is_contiguous and result.is_contiguous


def _is_redundant_copy(node: Node) -> bool:
    op = _view_overload(node)
    if op is None or not properties_of(op).copy_of:
        return False
    source, result = _viewed_input(node).meta["spec"], node.meta["spec"]
    return source.dtype == result.dtype and source.dim_order == result.dim_order


def _has_strides_of_source(node: Node) -> bool:
    """Return true if a copy has the strides of its source.

    With sizes of 1, the dim order does not determine the strides. The copy determines them, and torch
    derives the layouts of later results from them.
    """
    strides, others = (operand.meta["val"].stride() for operand in (_viewed_input(node), node))
    return all(statically_known_true(a == b) for a, b in zip(strides, others, strict=True))


def _make_view(node: Node) -> None:
    source = _viewed_input(node)
    base, spec = source.meta["spec"], node.meta["spec"]
    size = node.args[1] if _view_overload(node) is _aten.view_copy.default else _sizes_of_copy(node)
    # Keep the spec object: graphs of control flow that read the view share it.
    spec.base, spec.const = base, base.const
    node.target = memory.view
    node.args = (source, size)
    node.kwargs = {}


def _sizes_of_copy(node: Node) -> list[int | Node]:
    """Return the sizes of a copy. New nodes read the dynamic ones from its source."""
    sizes = enumerate(node.meta["val"].shape)
    return [_insert_size(node, dim) if isinstance(size, SymInt) else size for dim, size in sizes]


def _insert_size(copy: Node, dim: int) -> Node:
    """Insert a node before `copy` that reads a size of its source."""
    source = _viewed_input(copy)
    size = insert_before(copy, _aten.sym_size.int, (source, dim), {}, fake_mode_of(copy.graph))
    size.meta["spec"] = None
    return size


def _share_all(node: Node) -> None:
    """Remove a copy, or make it a view if its strides differ."""
    if _has_strides_of_source(node) or not node.meta["spec"].is_contiguous:
        node.replace_all_uses_with(_viewed_input(node))
        node.graph.erase_node(node)
    else:
        _make_view(node)
