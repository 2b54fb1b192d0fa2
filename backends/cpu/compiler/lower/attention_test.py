"""Tests that attention lowers to one op without transposes."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.export import Dim

from backends.cpu.compiler.compile import op_graph
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.testing.compare import assert_computes, lowered, ops, specs
from backends.cpu.schema.attention import SdpaF32
from backends.cpu.schema.gemm import GemmF32
from backends.cpu.schema.normalization import Norm
from exir.delegate import delegate_calls, lowered_module_of
from exir.error import PassError

_attend = F.scaled_dot_product_attention


class _Layer(nn.Module):
    """A BERT-style encoder layer."""

    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(size, size) for _ in range(4))
        self.wide, self.narrow = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (self.split(each(x)) for each in (self.query, self.key, self.value))
        attended = _attend(q, k, v, mask).transpose(1, 2).flatten(2)
        x = self.first(x + self.out(attended))
        return self.second(x + self.narrow(F.gelu(self.wide(x))))


def _qkv(heads: int = 4, groups: int = 4, queries: int = 5, keys: int = 7) -> list[Tensor]:
    return [torch.randn(2, heads, queries, 8), torch.randn(2, groups, keys, 8), torch.randn(2, groups, keys, 6)]


@pytest.mark.parametrize("mask", [(5, 7), (1, 7), (1, 5, 7), (4, 5, 7), (2, 1, 1, 7), (2, 4, 5, 7)])
def test_attention_with_masks(mask: tuple[int, ...]) -> None:
    assert_computes(lambda q, k, v, mask: _attend(q, k, v, mask), *_qkv(), torch.randn(mask))


def test_causal_scaled_and_grouped_query_attention() -> None:
    assert_computes(lambda q, k, v: _attend(q, k, v, is_causal=True), *_qkv())
    assert_computes(lambda q, k, v: _attend(q, k, v, scale=0.3), *_qkv())
    assert_computes(lambda q, k, v: _attend(q, k, v, enable_gqa=True), *_qkv(groups=2))


@pytest.mark.parametrize(("groups", "keys"), [(4, 7), (2, 7), (2, 5), (1, 3)])
def test_causal_attention_is_a_flag_of_sdpa(groups: int, keys: int) -> None:
    function = lambda q, k, v: _attend(q, k, v, is_causal=True, enable_gqa=True)
    q, k, v = _qkv(groups=groups, keys=keys)
    found = [(each.spec, each.inputs) for each in ops(function, q, k, v).ops]
    ((spec, inputs),) = [each for each in found if isinstance(each[0], SdpaF32)]
    assert isinstance(spec, SdpaF32) and spec.causal and spec.groups == groups
    assert len(inputs) == 3
    assert_computes(function, q, k, v)


def test_causal_attention_of_any_length() -> None:
    function = lambda q, k, v: _attend(q, k, v, is_causal=True, enable_gqa=True)
    length = Dim("length", min=2, max=40)
    draw = lambda size: (torch.randn(1, 4, size, 8), torch.randn(1, 2, size, 8), torch.randn(1, 2, size, 6))
    shapes = ({2: length},) * 3
    assert_computes(function, *draw(9), dynamic_shapes=shapes, others=[draw(2), draw(40)])


def test_unsupported_attention_is_decomposed() -> None:
    q, k, v = _qkv()
    for inputs in ([q[0], k[0], v[0]], [q, k[:1], v[:1]]):
        assert SdpaF32 not in {type(each) for each in specs(_attend, *inputs)}
        assert_computes(_attend, *inputs)


def test_an_encoder_layer_has_one_gemm_for_queries_keys_and_values() -> None:
    x = torch.randn(2, 9, 32)
    made = specs(_Layer(32, 4), x)
    assert [type(each) for each in made] == [GemmF32, SdpaF32, GemmF32, Norm, GemmF32, GemmF32, Norm]
    assert_computes(_Layer(32, 4), x)
    assert_computes(_Layer(32, 4), x, torch.randn(2, 1, 1, 9))


def test_an_encoder_layer_accepts_sequences_of_any_length() -> None:
    length = Dim("length", min=2, max=30)
    others = [(torch.randn(1, size, 32),) for size in (2, 30)]
    assert_computes(_Layer(32, 4), torch.randn(1, 9, 32), dynamic_shapes=({1: length},), others=others)


def test_queries_with_other_readers_stay_a_separate_gemm() -> None:
    class Shared(_Layer):
        def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
            rows = self.query(x)
            k, v = self.split(self.key(x)), self.split(self.value(x))
            return _attend(self.split(rows), k, v).transpose(1, 2).flatten(2) * torch.exp(rows)

    made = [type(op.spec) for op in ops(Shared(32, 4), torch.randn(2, 9, 32)).ops]
    assert made.count(GemmF32) == 3
    assert_computes(Shared(32, 4), torch.randn(2, 9, 32))


def test_keys_and_values_per_head_are_read_in_place() -> None:
    q, k, v = _qkv(groups=2)
    made = specs(lambda q, k, v: _attend(q, k, v, enable_gqa=True), q, k, v)
    assert [type(each) for each in made].count(SdpaF32) == 1 and len(made) == 3
    one = [torch.randn(2, 4, 1, 8), k, v]
    assert_computes(lambda q, k, v: _attend(q, k, v, enable_gqa=True), *one)


def test_boolean_masks() -> None:
    seen = torch.rand(2, 1, 5, 7) > 0.4
    seen[1, 0, 2] = False
    assert_computes(lambda q, k, v, mask: _attend(q, k, v, mask), *_qkv(), seen)


def test_layers_share_a_converted_mask() -> None:
    def twice(q: Tensor, k: Tensor, v: Tensor, seen: Tensor) -> Tensor:
        return _attend(_attend(q, k, v[..., :6], seen), k[..., :6], v, seen)

    q, k, v = _qkv(queries=7)
    made = [type(each).__name__ for each in specs(twice, q, k, v, torch.rand(7, 7) > 0.1)]
    assert made.count("ElementwiseF32") == 1 and made.count("SdpaF32") == 2


@pytest.mark.parametrize("dynamic", ["k,v", "q,k,v"])
@pytest.mark.parametrize("has_mask", [False, True])
def test_attention_with_independent_lengths_is_not_delegated(dynamic: str, has_mask: bool) -> None:
    inputs = [torch.randn(2, 4, rows, 8) for rows in (5, 7, 7)]
    dims = [{2: Dim(name, min=1, max=16)} if name in dynamic.split(",") else None for name in "qkv"]
    if has_mask:
        inputs.append(torch.randn(5, 7))
        dims.append({index: given[2] for index, given in enumerate(dims[:2]) if given is not None} or None)
    program = lowered(lambda *tensors: _attend(*tensors), inputs, tuple(dims))
    specs_of_delegates = [
        type(op.spec)
        for call in delegate_calls(program.graph)
        for op in op_graph(lowered_module_of(call).original_module, Options()).ops
    ]
    assert SdpaF32 not in specs_of_delegates


@pytest.mark.parametrize("dynamic", [1, 2])
def test_attention_with_a_single_dynamic_length_is_rejected(dynamic: int) -> None:
    inputs = [torch.randn(2, 4, rows, 8) for rows in (5, 7, 7)]
    dims = [{2: Dim("n", min=1, max=16)} if index == dynamic else None for index in range(3)]
    with pytest.raises(PassError, match="specializes the dynamic size"):
        lowered(lambda *tensors: _attend(*tensors), inputs, tuple(dims))
