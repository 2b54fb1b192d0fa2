"""Tests of loading weights files."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from exir.cli.loading.weights import load_weights, read_weights
from exir.error import ModelError, WeightsError
from exir.weights.weights_file import BlockWeight


def _load_weights(module: nn.Module, path: Path) -> None:
    load_weights(module, read_weights(path).tensors, path)


def _two_layer_net() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))


class _TiedLayers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(4, 3)
        self.head = nn.Linear(3, 4, bias=False)
        self.head.weight = self.embedding.weight


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt"])
def test_every_tensor_of_the_weights_file_is_loaded(tmp_path: Path, name: str) -> None:
    source, target = _two_layer_net(), _two_layer_net()
    (save_file if name.endswith("tensors") else torch.save)(source.state_dict(), tmp_path / name)
    _load_weights(target, tmp_path / name)
    for key, tensor in source.state_dict().items():
        assert torch.equal(target.state_dict()[key], tensor)


def test_numpy_arrays_are_loaded(tmp_path: Path) -> None:
    source, target = _two_layer_net(), _two_layer_net()
    numpy.savez(
        tmp_path / "w.npz", **{key: tensor.numpy() for key, tensor in source.state_dict().items()}
    )
    _load_weights(target, tmp_path / "w.npz")
    for key, tensor in source.state_dict().items():
        assert torch.equal(target.state_dict()[key], tensor)


class _CreatesFolder:
    """Creates a folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self._folder),)


@pytest.mark.parametrize("name", ["w.npz", "w.pt"])
def test_objects_are_refused_and_run_no_code(tmp_path: Path, name: str) -> None:
    value = _CreatesFolder(tmp_path / "created")
    if name.endswith("npz"):
        numpy.savez(tmp_path / name, x=numpy.array([value], dtype=object))
    else:
        torch.save({"x": value}, tmp_path / name)
    with pytest.raises(WeightsError, match=f"{name}: cannot be read as weights"):
        read_weights(tmp_path / name)
    assert not (tmp_path / "created").exists()


def _write_shards(folder: Path, state: dict[str, torch.Tensor]) -> Path:
    """Write each tensor to a file of its own. Return the path of their index."""
    names = {name: f"model-{i}.safetensors" for i, name in enumerate(state)}
    for name, file in names.items():
        save_file({name: state[name]}, folder / file)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": names}))
    return index


def test_index_loads_the_tensors_of_all_files(tmp_path: Path) -> None:
    source, target = nn.Linear(3, 2), nn.Linear(3, 2)
    _load_weights(target, _write_shards(tmp_path, source.state_dict()))
    assert torch.equal(target.weight, source.weight)
    assert torch.equal(target.bias, source.bias)


def test_missing_file_of_an_index_is_named(tmp_path: Path) -> None:
    index = _write_shards(tmp_path, nn.Linear(3, 2).state_dict())
    (tmp_path / "model-1.safetensors").unlink()
    with pytest.raises(
        WeightsError, match="the file 'model-1.safetensors' is missing; add it to 'data'"
    ):
        read_weights(index)


def test_tensor_that_no_file_of_an_index_has_is_named(tmp_path: Path) -> None:
    index = _write_shards(tmp_path, {"weight": torch.zeros(2)})
    index.write_text('{"weight_map": {"weight": "model-0.safetensors", "bias": "model-0.safetensors"}}')
    with pytest.raises(WeightsError, match=r"missing \(1\): bias"):
        read_weights(index)


@pytest.mark.parametrize("content", ["{}", '{"weight_map": 3}', '{"weight_map": {"weight": 3}}'])
def test_damaged_index_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(content)
    with pytest.raises(WeightsError, match="has no 'weight_map' from tensors to files"):
        read_weights(path)


def test_metadata_file_is_added_to_the_metadata(tmp_path: Path) -> None:
    save_file({"x": torch.zeros(2)}, tmp_path / "w.safetensors", {"format": "pt"})
    (tmp_path / "config.json").write_text('{"model_type": "llama", "head_dim": 8}')
    file = read_weights(tmp_path / "w.safetensors", tmp_path / "config.json")
    assert file.metadata == {"format": "pt", "model_type": "llama", "head_dim": 8}


@pytest.mark.parametrize(
    ("content", "message"), [("[1]", "not a JSON object"), ("{", "cannot be read as JSON")]
)
def test_metadata_that_is_not_an_object_is_refused(tmp_path: Path, content: str, message: str) -> None:
    save_file({"x": torch.zeros(2)}, tmp_path / "w.safetensors")
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(WeightsError, match=message):
        read_weights(tmp_path / "w.safetensors", tmp_path / "config.json")


def test_mismatched_names_and_shapes_are_listed(tmp_path: Path) -> None:
    state = _two_layer_net().state_dict()
    state["0.weights"] = state.pop("0.weight")
    state["0.bias"] = torch.zeros(5)
    state["1.weight"] = torch.zeros(2, dtype=torch.int64)
    save_file(state, tmp_path / "w.safetensors")
    with pytest.raises(WeightsError) as caught:
        _load_weights(_two_layer_net(), tmp_path / "w.safetensors")
    message = str(caught.value)
    assert "w.safetensors does not match Sequential:" in message
    assert "missing (1): 0.weight\n" in message
    assert "unexpected (1): 0.weights\n" in message
    assert "0.bias (model float32[2], file float32[5])" in message
    assert "1.weight (model float32[2], file int64[2])" in message


@pytest.mark.parametrize(("count", "end"), [(5, "$"), (6, ", and 1 more$"), (9, ", and 4 more$")])
def test_long_lists_of_names_are_truncated(tmp_path: Path, count: int, end: str) -> None:
    save_file({f"extra{index}": torch.zeros(1) for index in range(count)}, tmp_path / "w.safetensors")
    with pytest.raises(WeightsError, match=rf"unexpected \({count}\): extra0, .*extra4{end}"):
        _load_weights(nn.ReLU(), tmp_path / "w.safetensors")


def test_floats_of_other_precisions_are_converted(tmp_path: Path) -> None:
    save_file({"weight": torch.ones(2, 3, dtype=torch.float16)}, tmp_path / "w.safetensors")
    linear = nn.Linear(3, 2, bias=False)
    _load_weights(linear, tmp_path / "w.safetensors")
    assert linear.weight.dtype == torch.float32 and bool((linear.weight == 1).all())


def test_tied_tensor_is_required_once(tmp_path: Path) -> None:
    save_file({"embedding.weight": torch.ones(4, 3)}, tmp_path / "w.safetensors")
    module = _TiedLayers()
    _load_weights(module, tmp_path / "w.safetensors")
    assert bool((module.head.weight == 1).all())


def test_meta_model_takes_the_files_tensors(tmp_path: Path) -> None:
    with torch.device("meta"):
        linear = nn.Linear(3, 2, bias=False)
    save_file({"weight": torch.ones(2, 3)}, tmp_path / "w.safetensors")
    _load_weights(linear, tmp_path / "w.safetensors")
    assert bool((linear.weight == 1).all())


def test_meta_model_keeps_dtypes_and_tied_weights(tmp_path: Path) -> None:
    with torch.device("meta"):
        module = nn.Sequential(_TiedLayers(), nn.BatchNorm1d(3))
    state = {f"1.{name}": torch.ones(3) for name in ("weight", "bias", "running_mean", "running_var")}
    save_file(
        {"0.embedding.weight": torch.ones(4, 3, dtype=torch.bfloat16), **state},
        tmp_path / "w.safetensors",
    )
    _load_weights(module, tmp_path / "w.safetensors")
    tied = module[0]
    assert isinstance(tied, _TiedLayers) and tied.head.weight is tied.embedding.weight
    assert tied.head.weight.dtype == torch.float32 and bool((tied.head.weight == 1).all())
    assert module.state_dict()["1.num_batches_tracked"].device.type == "cpu"
    assert {name for name, _ in module[1].named_parameters()} == {"weight", "bias"}


def test_values_are_copied_into_the_tensors_of_a_model_on_the_cpu(tmp_path: Path) -> None:
    linear = nn.Linear(3, 2, bias=False)
    rows = linear.weight.detach()[0]
    save_file({"weight": torch.ones(2, 3)}, tmp_path / "w.safetensors")
    _load_weights(linear, tmp_path / "w.safetensors")
    assert rows.tolist() == [1, 1, 1]


@pytest.mark.parametrize("attribute", ["buffer", "tensor"])
def test_tensors_left_on_the_meta_device_are_named(tmp_path: Path, attribute: str) -> None:
    linear = nn.Linear(3, 2, bias=False, device="meta")
    steps = torch.arange(3, device="meta")
    if attribute == "buffer":
        linear.register_buffer("steps", steps, persistent=False)
    else:
        linear.steps = steps
    save_file({"weight": torch.ones(2, 3)}, tmp_path / "w.safetensors")
    with pytest.raises(
        ModelError,
        match=r"on the meta device, without values:\n.*\(1\): steps\n +create them on the CPU",
    ):
        _load_weights(nn.Sequential(linear)[0], tmp_path / "w.safetensors")


def test_num_batches_tracked_may_be_missing(tmp_path: Path) -> None:
    state = _two_layer_net().state_dict()
    del state["1.num_batches_tracked"]
    save_file(state, tmp_path / "w.safetensors")
    _load_weights(_two_layer_net(), tmp_path / "w.safetensors")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("w.safetensors", "Error while deserializing header"),
        ("w.pt", "Weights only load failed"),
        ("missing.pt", ".*No such file or directory"),
    ],
)
def test_damaged_weights_file_is_named(tmp_path: Path, name: str, reason: str) -> None:
    for present in ("w.safetensors", "w.pt"):
        (tmp_path / present).write_bytes(b"no weights")
    with pytest.raises(WeightsError, match=f"{name}: cannot be read as weights: {reason}"):
        _load_weights(_two_layer_net(), tmp_path / name)


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt", "w.gguf"])
def test_git_lfs_pointer_is_not_a_damaged_weights_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(WeightsError, match=f"{name} is a Git LFS pointer instead of the file; fetch it"):
        _load_weights(_two_layer_net(), tmp_path / name)


@pytest.mark.parametrize(
    "saved, message",
    [
        ([1], "has a list, not a state dict"),
        (
            {"epoch": 3},
            "not a state dict: 'epoch' is of type int, not a tensor; save model.state_dict",
        ),
        ({0: torch.ones(1)}, "not a state dict: key 0 is of type int, not str"),
        (
            {"0.bias": torch.eye(2).to_sparse()},
            r"'0.bias' has the layout torch.sparse_coo; save tensor.to_dense\(\)",
        ),
        ({"0.bias": torch.ones(2, device="meta")}, "'0.bias' is on the meta device, without values"),
        (
            {"0.bias": torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.qint8)},
            r"'0.bias' has the quantized dtype torch.qint8; save tensor.dequantize\(\)",
        ),
    ],
)
def test_file_without_dense_tensors_is_refused(tmp_path: Path, saved: object, message: str) -> None:
    torch.save(saved, tmp_path / "w.pt")
    with pytest.raises(WeightsError, match=message):
        _load_weights(_two_layer_net(), tmp_path / "w.pt")


def test_block_weight_replaces_its_parameter_everywhere() -> None:
    module = _TiedLayers()
    weight = BlockWeight(torch.ones(4, 3, dtype=torch.int8), torch.full((4, 1), 2.0), None, 8)
    load_weights(module, {"embedding.weight": weight}, Path("w.gguf"))
    assert isinstance(module.head.weight, BlockWeight) and module.head.weight is module.embedding.weight
    assert torch.equal(module.head(torch.ones(1, 3)), torch.full((1, 4), 6.0))
