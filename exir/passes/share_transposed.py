"""Stores a matrix once if it is used both untransposed and transposed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import SymInt
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Node

from exir.dialects.edge import edge_op
from exir.graph.constants import ConstantTable
from exir.graph.edit import insert_before, replace_and_erase
from exir.graph.fake_mode import fake_mode_of
from exir.graph.linear_layers import is_transpose
from exir.graph.program_bundle import ProgramBundle
from exir.pass_manager import BundlePass

_ATEN = torch.ops.aten
_EMBEDDING = edge_op(_ATEN.embedding.default)
_LINEAR = edge_op(_ATEN.linear.default)
_MM = edge_op(_ATEN.mm.default)


@dataclass(frozen=True)
class ShareTransposed(BundlePass):
    """Makes all users of a constant matrix read the same layout.

    Before: the edge dialect, constants not yet propagated. The pass handles constants of more than
    `limit` bytes that have both kinds of use. After:

    - Tied weights: if embeddings read the matrix untransposed and a matrix multiplication reads it
        transposed, both read it transposed. A call of the embedding
        then selects only a few columns.
    - If a matrix multiplication reads it untransposed, multiplications by the transposed matrix move it
        to the left side: x · Wᵀ = (W · xᵀ)ᵀ.

    The users may be in different methods. A matrix that still has two layouts is reported.

    limit: size in bytes up to which constants can be stored twice.
    """

    limit: int = 4096
    name: ClassVar[str] = "share_transposed"

    def run(self, bundle: ProgramBundle) -> ProgramBundle:
        uses: dict[tuple[str, int], list[_SharedConstant]] = {}
        for program in bundle.programs.values():
            fake_mode = fake_mode_of(program.graph)
            constants = ConstantTable(program, fake_mode)
            for node in program.graph.find_nodes(op="placeholder"):
                tensor = constants.tensor(node)
                if tensor is not None and tensor.dim() == 2 and tensor.nbytes > self.limit:
                    key = constants.name(node), tensor.data_ptr()
                    uses.setdefault(key, []).append(_SharedConstant(node, fake_mode))
        for (name, _), sharings in uses.items():
            if not _unify_layout(sharings):
                bundle.context.diagnostics.note(
                    f"'{name}' is stored twice, as it is and transposed; use it in one layout to "
                    "reduce the size"
                )
        return bundle


def _unify_layout(sharings: "Sequence[_SharedConstant]") -> bool:
    """Make all users of a constant read one layout; return False if two remain."""
    transposed = [user for shared in sharings for user in shared.transposed]
    plain = [user for shared in sharings for user in shared.plain]
    if not transposed or not plain:
        return not (any(shared.linears for shared in sharings) and any(map(_multiplies_by_last, plain)))
    if all(map(_selects_columns, plain)):
        for shared in sharings:
            shared.take_transposed()
    elif all(_is_product(user, node) for node in transposed for user in node.users):
        for shared in sharings:
            shared.take_plain()
    else:
        return not any(_multiplies_by_last(user) or user.target is _EMBEDDING for user in plain)
    return True


class _SharedConstant:
    """A constant and its users."""

    def __init__(self, constant: Node, fake_mode: FakeTensorMode) -> None:
        self._constant = constant
        self._fake_mode = fake_mode
        self.transposed = [user for user in constant.users if is_transpose(user)]
        self.linears = [user for user in constant.users if user.target is _LINEAR]
        self.plain = [user for user in constant.users if user not in (*self.transposed, *self.linears)]

    def take_transposed(self) -> None:
        """Make embeddings select columns of the transposed matrix."""
        if self.plain:
            self._transpose_once()
        for embedding in self.plain:
            self._select_columns(embedding)

    def take_plain(self) -> None:
        """Rewrite multiplications by the transposed matrix to multiply from the left."""
        for node in self.transposed:
            self._multiply_from_the_left(node)

    def _transpose_once(self) -> None:
        """Insert one transpose before all users, which `PropagateConstants` folds."""
        first = next(node for node in self._constant.graph.nodes if node in self._constant.users)
        transposed = self._insert_call(first, _ATEN.permute_copy.default, self._constant, [1, 0])
        for node in self.transposed:
            replace_and_erase(node, transposed)
        self.transposed = [transposed]

    def _select_columns(self, embedding: Node) -> None:
        indices = embedding.args[1]
        assert isinstance(indices, Node)
        sizes = _static_sizes(indices)
        if len(sizes) != 1:
            indices = self._insert_call(embedding, _ATEN.view_copy.default, indices, [-1])
        columns = self._insert_call(
            embedding, _ATEN.index_select.default, self.transposed[0], 1, indices
        )
        rows = self._insert_call(embedding, _ATEN.permute_copy.default, columns, [1, 0])
        if len(sizes) != 1:
            width = int(embedding.meta["val"].shape[-1])
            rows = self._insert_call(embedding, _ATEN.view_copy.default, rows, [*sizes, width])
        replace_and_erase(embedding, rows)

    def _multiply_from_the_left(self, transposed: Node) -> None:
        for product in list(transposed.users):
            *added, left, _ = product.args
            turned = self._insert_call(product, _ATEN.permute_copy.default, left, [1, 0])
            columns = self._insert_call(product, _ATEN.mm.default, self._constant, turned)
            result = self._insert_call(product, _ATEN.permute_copy.default, columns, [1, 0])
            if added:
                result = self._insert_call(product, _ATEN.add.Tensor, result, *added)
            replace_and_erase(product, result)
        transposed.graph.erase_node(transposed)

    def _insert_call(self, before: Node, op: OpOverload, *args: Any) -> Node:
        return insert_before(before, op, args, {}, self._fake_mode)


def _selects_columns(node: Node) -> bool:
    """Return true if `node` is an embedding of indices with at most one dynamic dim."""
    return node.target is _EMBEDDING and _static_sizes(node.args[1]).count(-1) <= 1


def _multiplies_by_last(node: Node) -> bool:
    return node.target in (_MM, edge_op(_ATEN.addmm.default))


def _static_sizes(indices: Any) -> list[int]:
    """Return the sizes, with -1 for each dynamic size."""
    return [-1 if isinstance(size, SymInt) else size for size in indices.meta["val"].shape]


def _is_product(node: Node, right: Node) -> bool:
    """Return true if `node` computes x · `right`, optionally with a bias."""
    is_product = node.target in (_MM, edge_op(_ATEN.addmm.default)) and not node.kwargs
    return is_product and node.args[-1] is right and node.args.count(right) == 1
