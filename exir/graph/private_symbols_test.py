"""Tests of copies of programs with private symbolic sizes."""

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import Dim, ExportedProgram, export
from torch.fx import Node

from exir.graph.private_symbols import shape_env_of, with_private_symbols
from exir.testing import models, sized_cases
from exir.testing.program_state import state_of


class _LayoutModule(nn.Module):
    def forward(self, x: Tensor) -> list[Tensor]:
        channels_last = x.contiguous(memory_format=torch.channels_last)
        complex_rows = torch.view_as_complex(x[..., :2].contiguous())
        return [channels_last, x.mT, x[:, 1:], complex_rows.conj(), torch.zeros(()), *x.split(2, dim=3)]


def _export_program() -> ExportedProgram:
    n, h = Dim("n", min=2, max=8), Dim("h", min=4, max=16)
    return export(_LayoutModule(), (torch.randn(3, 4, 5, 6),), dynamic_shapes=({0: n, 2: h},))


def _tensors_of(node: Node) -> list[Tensor]:
    value = node.meta.get("val")
    return [
        item
        for item in (value if isinstance(value, (list, tuple)) else [value])
        if isinstance(item, Tensor)
    ]


def _layout_of(tensor: Tensor) -> tuple[object, ...]:
    sizes = (str(tensor.shape), str(tensor.stride()), str(tensor.storage_offset()))
    return (*sizes, tensor.dtype, tensor.device, tensor.is_conj(), tensor.is_neg(), tensor.requires_grad)


def test_copied_values_keep_layouts_in_another_shape_env() -> None:
    program = _export_program()
    copied = with_private_symbols(program)
    theirs, ours = shape_env_of(program), shape_env_of(copied)
    assert theirs is not ours
    for old, new in zip(program.graph.nodes, copied.graph.nodes, strict=True):
        assert list(map(_layout_of, _tensors_of(old))) == list(map(_layout_of, _tensors_of(new)))
        for tensor in _tensors_of(new):
            assert isinstance(tensor, FakeTensor) and tensor.fake_mode.shape_env is ours
            assert all(isinstance(size, int) or size.node.shape_env is ours for size in tensor.shape)


def test_copied_shape_env_has_the_same_symbols() -> None:
    program = sized_cases.CASES["two_masks_zeros"]().export()
    assert state_of(with_private_symbols(program))["symbols"] == state_of(program)["symbols"]


def test_constraints_on_the_copy_do_not_affect_the_original() -> None:
    program = _export_program()
    before = state_of(program)
    (x,) = with_private_symbols(program).graph.find_nodes(op="placeholder")
    assert int(x.meta["val"].shape[0]) == 3
    assert state_of(program) == before


def test_shared_values_stay_shared_in_the_copy() -> None:
    program = _export_program()
    (x,) = program.graph.find_nodes(op="placeholder")
    first = next(iter(x.users))
    first.meta["val"] = [x.meta["val"], x.meta["val"]]
    copied = with_private_symbols(program)
    (x,) = copied.graph.find_nodes(op="placeholder")
    assert all(size is x.meta["val"] for size in next(iter(x.users)).meta["val"])


class _Branches(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (x,))


def test_graphs_of_control_flow_are_copied() -> None:
    program = export(_Branches(), (torch.randn(8),), dynamic_shapes=({0: Dim.DYNAMIC},))
    before = state_of(program)
    copied = with_private_symbols(program)
    for graph_module in copied.graph_module.children():
        for node in graph_module.graph.nodes:
            node.meta["val"] = None
    assert state_of(program) == before


def test_program_without_symbols_is_returned_unchanged() -> None:
    program = models.mlp().export()
    assert with_private_symbols(program) is program


class _EmptyRows(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x.select(-1, n % x.shape[-1])[:, :0]


def test_empty_tensors_at_symbolic_offsets_are_copied() -> None:
    program = export(_EmptyRows(), (torch.randn(1, 8, 12, 13), 2), dynamic_shapes=(None, Dim.DYNAMIC))
    copied = with_private_symbols(program)
    old, new = (exported.graph.output_node().args[0][0] for exported in (program, copied))
    assert _layout_of(old.meta["val"]) == _layout_of(new.meta["val"])
