"""Tests that layers keep low-bit weights and compute the same results."""

from collections.abc import Callable

import pytest
import torch
import torch.ao.quantization.fx._decomposed
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram, export
from torchao.core.config import AOBaseConfig
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8DynamicActivationIntxWeightConfig,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    quantize_,
)
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.quantization.qat import QATConfig

from exir.capture import EdgeCompileConfig
from exir.graph.constants import ConstantTable
from exir.graph.fake_mode import fake_mode_of
from exir.program import EdgeProgramManager, to_edge
from exir.testing import quantized
from exir.testing.graphs import operator_names

_OPS = torch.ops.quantized_decomposed
# Torch has these dtypes, but no tensors of them and no type hints.
INT2, INT4 = (getattr(torch, name) for name in ("int2", "int4"))
TOKENS = torch.tensor([[3, 1, 49], [0, 2, 2]])
LINEAR, DYNAMIC = "quantized_weight::linear", "quantized_weight::dynamic_linear"
EMBEDDING = "quantized_decomposed::embedding_4bit"


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.words = nn.Embedding(50, 64)
        self.wide = nn.Linear(64, 96)
        self.head = nn.Linear(96, 48, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(torch.relu(self.wide(self.words(tokens))))


def _weight_only(dtype: torch.dtype, granularity: PerGroup | PerAxis) -> Callable[[nn.Module], None]:
    config = IntxWeightOnlyConfig(weight_dtype=dtype, granularity=granularity)
    return lambda network: quantize_(network, config)


def _dynamic_config(dtype: torch.dtype, granularity: PerGroup | PerAxis) -> Callable[[nn.Module], None]:
    config = Int8DynamicActivationIntxWeightConfig(weight_dtype=dtype, weight_granularity=granularity)
    return lambda network: quantize_(network, config)


def _quantize_embedding(network: nn.Module) -> None:
    config = IntxWeightOnlyConfig(weight_dtype=INT4, granularity=PerGroup(32))
    quantize_(network, config, lambda module, _: isinstance(module, nn.Embedding))


@pytest.mark.parametrize(
    ("quantize", "calls", "bytes_of_wide"),
    [
        (_weight_only(INT4, PerGroup(32)), [LINEAR] * 2, 96 * 32),
        (_weight_only(INT4, PerAxis(0)), [LINEAR] * 2, 96 * 32),
        (_weight_only(INT2, PerGroup(32)), [LINEAR] * 2, 96 * 16),
        (_weight_only(torch.int8, PerAxis(0)), [LINEAR] * 2, 96 * 64),
        (_dynamic_config(INT4, PerGroup(32)), [DYNAMIC] * 2, 96 * 32),
        (_dynamic_config(torch.int8, PerAxis(0)), [DYNAMIC] * 2, 96 * 64),
        (_quantize_embedding, [EMBEDDING], 96 * 64 * 4),
    ],
)
@pytest.mark.parametrize("is_dynamic", [False, True])
def test_torchao_networks_keep_low_bit_weights(
    quantize: Callable[[nn.Module], None], calls: list[str], bytes_of_wide: int, is_dynamic: bool
) -> None:
    network = Network().eval()
    quantize(network)
    shapes = ({1: Dim("words", min=2, max=9)},) if is_dynamic else None
    manager = to_edge(export(network, (TOKENS,), dynamic_shapes=shapes))
    program = manager.exported_program()
    found = [name for name in operator_names(program) if "quantized" in name]
    assert found == calls
    assert bytes_of_wide in _constant_sizes(program)
    with torch.no_grad():
        torch.testing.assert_close(program.module()(TOKENS), network(TOKENS), rtol=1e-4, atol=1e-4)
    assert all(name.endswith(".out") for name in _run_program(manager) if "quantized" in name)


@pytest.mark.parametrize(
    ("quantize", "kind"),
    [
        (_weight_only(INT4, PerGroup(32)), "dequantize_per_channel_group"),
        (_dynamic_config(INT4, PerGroup(32)), "dequantize_per_channel_group"),
        (_dynamic_config(torch.int8, PerAxis(0)), "dequantize_per_token"),
    ],
)
def test_unfused_low_bit_layers_keep_packed_weights(
    quantize: Callable[[nn.Module], None], kind: str
) -> None:
    network = Network().eval()
    quantize(network)
    config = EdgeCompileConfig(fuse_low_bit_linear=False)
    manager = to_edge(export(network, (TOKENS,)), compile_config=config)
    names = operator_names(manager.exported_program())
    assert f"quantized_decomposed::{kind}" in names
    assert not any(name.startswith("quantized_weight::") for name in names)
    program = manager.to_executorch().exported_program()
    assert not any("group" in name for name in operator_names(program))
    assert (96 * 32 if "group" in kind else 96 * 64) in _constant_sizes(program)
    with torch.no_grad():
        torch.testing.assert_close(program.module()(TOKENS), network(TOKENS), rtol=1e-4, atol=1e-4)


def _constant_sizes(program: ExportedProgram) -> list[int]:
    constants = ConstantTable(program, fake_mode_of(program.graph))
    found = (constants.tensor(node) for node in program.graph.find_nodes(op="placeholder"))
    return [tensor.nbytes for tensor in found if tensor is not None]


def _run_program(manager: EdgeProgramManager) -> list[str]:
    return operator_names(manager.to_executorch().exported_program())


class OfGroups(nn.Module):
    """An embedding and two linear layers that share a groupwise quantized matrix.

    The zero points are not zero.
    """

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        low = 0 if dtype == torch.uint8 else -8
        generator = torch.Generator().manual_seed(1)
        codes = torch.randint(low, low + 16, (10, 64), generator=generator)
        self.register_buffer("codes", codes.to(dtype))
        self.register_buffer("scales", torch.rand(10, 2, generator=generator) + 0.1)
        points = torch.randint(low, low + 16, (10, 2), generator=generator)
        self.register_buffer("points", points)

    def forward(self, tokens: Tensor) -> Tensor:
        limits = (0, 15) if self.codes.dtype == torch.uint8 else (-8, 7)
        weight = _OPS.dequantize_per_channel_group(
            self.codes, self.scales, self.points, *limits, self.codes.dtype, 32, torch.float32
        )
        return F.linear(F.embedding(tokens, weight), weight)


def test_preserved_linear_layer_keeps_its_bias() -> None:
    network = Network().eval()
    _weight_only(INT4, PerGroup(32))(network)
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.linear.default])
    program = to_edge(export(network, (TOKENS,)), compile_config=config).exported_program()
    assert [name for name in operator_names(program) if "quantized" in name] == [LINEAR] * 2
    with torch.no_grad():
        torch.testing.assert_close(program.module()(TOKENS), network(TOKENS), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_shared_low_bit_weight_is_stored_once(dtype: torch.dtype) -> None:
    network, tokens = OfGroups(dtype), torch.tensor([[1, 9, 4]])
    program = to_edge(export(network, (tokens,))).exported_program()
    names = [name for name in operator_names(program) if "quantized" in name]
    assert names == [EMBEDDING, LINEAR]
    assert sorted(_constant_sizes(program)) == [80, 80, 320]
    torch.testing.assert_close(program.module()(tokens), network(tokens), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dims", [(-1, -2), (-1, 0), (1, -2)])
def test_weight_may_be_transposed_by_negative_dimensions(dims: tuple[int, int]) -> None:
    class Transposed(OfGroups):
        def forward(self, x: Tensor) -> Tensor:
            weight = _OPS.dequantize_per_channel_group(
                self.codes, self.scales, self.points, -8, 7, torch.int8, 32, torch.float32
            )
            return x @ weight.permute(dims)

    network, x = Transposed(torch.int8), torch.randn(3, 64)
    program = to_edge(export(network, (x,))).exported_program()
    assert operator_names(program) == [LINEAR]
    torch.testing.assert_close(program.module()(x), network(x), rtol=1e-4, atol=1e-4)


def test_embedding_has_the_range_of_its_quantized_values() -> None:
    network, tokens = OfGroups(torch.int8), torch.tensor([[1, 9, 4]])
    program = to_edge(export(network, (tokens,))).exported_program()
    (lookup,) = (node for node in program.graph.nodes if "embedding" in str(node.target))
    assert lookup.args[3:5] == (-8, 7)


def test_quantized_activations_are_left_to_backends() -> None:
    network, x = quantized.mlp()
    network = quantized.quantized(network, x)
    names = operator_names(to_edge(export(network, (x,))).exported_program())
    assert not [name for name in names if "quantized_weight" in name]


@pytest.mark.parametrize("config", [Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig])
def test_torchao_int8_linear_layers_keep_int8_weights(config: type) -> None:
    network, x = nn.Sequential(nn.Linear(256, 64)).eval(), torch.randn(3, 256)
    quantize_(network, config())
    manager = to_edge(export(network, (x,)))
    program = manager.exported_program()
    assert max(_constant_sizes(program)) == 64 * 256
    with torch.no_grad():
        torch.testing.assert_close(program.module()(x), network(x), rtol=1e-5, atol=1e-5)
    assert len(manager.to_executorch().buffer) < 64 * 256 * 2


@pytest.mark.parametrize(
    ("config", "call"),
    [
        (
            Int8DynamicActivationIntxWeightConfig(weight_dtype=INT4, weight_granularity=PerGroup(32)),
            DYNAMIC,
        ),
        (IntxWeightOnlyConfig(weight_dtype=INT4, granularity=PerGroup(32)), LINEAR),
    ],
)
def test_quantization_aware_trained_layers_keep_low_bit_weights(config: AOBaseConfig, call: str) -> None:
    network, x = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 48)), torch.randn(3, 64)
    quantize_(network, QATConfig(config, step="prepare"))
    network(x).sum().backward()
    quantize_(network, QATConfig(config, step="convert"))
    program = to_edge(export(network.eval(), (x,))).exported_program()
    assert [name for name in operator_names(program) if "quantized" in name] == [call] * 2
    with torch.no_grad():
        torch.testing.assert_close(program.module()(x), network(x), rtol=1e-4, atol=1e-4)
