"""Tests that named data passes from `preprocess` to the program."""

import pytest
import torch
from torch import Tensor, nn
from torch.export import ExportedProgram, export

from exir import to_edge
from exir._serialize import NamedDataStore, deserialize_ptd, deserialize_pte_binary
from exir.backend.backend_api import to_backend
from exir.backend.backend_details import BackendDetails, PreprocessResult
from exir.backend.compile_spec_schema import CompileSpec
from exir.capture import ExecutorchBackendConfig
from exir.error import UserError
from exir.lowered_backend_module import LoweredBackendModule
from exir.program import ExecutorchProgramManager


class WeighedBackend(BackendDetails):
    """A backend that stores its compile specs, unique byte patterns, as named data."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        store = NamedDataStore()
        for spec in compile_specs:
            store.add_named_data(spec.key, spec.value + b"!", 64)
        return PreprocessResult(b"weighed", data_store_output=store.get_named_data_store_output())


class _LoweredChain(nn.Module):
    """Calls several lowered modules in turn."""

    def __init__(self, *lowered: LoweredBackendModule) -> None:
        super().__init__()
        self.lowered = nn.ModuleList(lowered)

    def forward(self, x: Tensor) -> Tensor:
        for module in self.lowered:
            x = module(x)
        return x


def _lowered_module_with(**data: bytes) -> LoweredBackendModule:
    edge = to_edge(export(nn.ReLU(), (torch.ones(2),), strict=False)).exported_program()
    specs = [CompileSpec(key, value) for key, value in data.items()]
    return to_backend("WeighedBackend", edge, specs)


def _emit_program(**methods: _LoweredChain) -> ExecutorchProgramManager:
    exported = {name: export(module, (torch.ones(2),), strict=False) for name, module in methods.items()}
    return to_edge(exported).to_executorch()


def test_lowered_module_keeps_its_named_data() -> None:
    output = _lowered_module_with(b=b"1", a=b"22").named_data_store_output
    assert output is not None
    assert list(output.pte_data) == ["b", "a"] and output.buffers == [b"1!", b"22!"]


def test_delegates_of_all_methods_share_one_sorted_list() -> None:
    one, two, three = (
        _lowered_module_with(b=b"weights", c=b"same"),
        _lowered_module_with(a=b"same"),
        _lowered_module_with(b=b"weights"),
    )
    data = _emit_program(first=_LoweredChain(one, two), second=_LoweredChain(three)).buffer
    blobs = deserialize_pte_binary(data).named_data
    assert [(blob.key, bytes(blob.data)) for blob in blobs] == [
        ("a", b"same!"),
        ("b", b"weights!"),
        ("c", b"same!"),
    ]
    assert data.count(b"weights!") == data.count(b"same!") == 1
    assert data.index(b"weights!") % 64 == data.index(b"same!") % 64 == 0


def test_equal_methods_with_named_data_give_equal_files() -> None:
    files = {
        _emit_program(
            forward=_LoweredChain(_lowered_module_with(b=b"1", a=b"22"), _lowered_module_with(c=b"3"))
        ).buffer
        for _ in range(2)
    }
    assert len(files) == 1


def test_named_data_is_external_on_request() -> None:
    exported = export(
        _LoweredChain(_lowered_module_with(b=b"1", a=b"22")), (torch.ones(2),), strict=False
    )
    manager = to_edge(exported).to_executorch(ExecutorchBackendConfig(external_named_data=True))
    (file,) = manager.external_data.values()
    entries = {entry.key: bytes(entry.data) for entry in deserialize_ptd(bytes(file))}
    assert entries == {"a": b"22!", "b": b"1!"}
    assert deserialize_pte_binary(manager.buffer).named_data == []


def test_conflicting_key_is_refused_with_both_delegates() -> None:
    calls = (
        _LoweredChain(_lowered_module_with(key=b"byte")),
        _LoweredChain(_lowered_module_with(), _lowered_module_with(key=b"one")),
    )
    with pytest.raises(UserError) as caught:
        _emit_program(first=calls[0], second=calls[1])
    assert str(caught.value).startswith(
        "named data 'key': WeighedBackend (method 'first', delegates[0]) stores 5 bytes, but"
        " WeighedBackend (method 'second', delegates[1]) stores 4 different bytes"
    )
