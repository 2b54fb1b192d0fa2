"""Tests that float16 and bfloat16 caches are updated and read in place."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.graph import Op
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.testing.compare import Whole, delegated, lowered, ops
from backends.cpu.compiler.testing.interpreter import run_payload
from backends.cpu.schema.attention import KvUpdate, SdpaF32
from backends.cpu.schema.quantization import Cast

_CACHE = 24


class Cached(nn.Module):
    """Attention of one token over a cache.

    If `shows` is set, the result depends on the cached values.
    """

    keys: Tensor
    values: Tensor

    def __init__(self, dtype: torch.dtype, computes: torch.dtype, shows: bool = False) -> None:
        super().__init__()
        self.key, self.value = (nn.Linear(32, 16, bias=False, dtype=computes) for _ in range(2))
        self.register_buffer("keys", torch.zeros(1, 2, _CACHE, 8, dtype=dtype))
        self.register_buffer("values", torch.zeros(1, 2, _CACHE, 8, dtype=dtype))
        self.shows = shows

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        k, v = (each(x).unflatten(-1, (2, 8)).transpose(1, 2) for each in (self.key, self.value))
        self.keys.index_copy_(2, positions, k.to(self.keys.dtype))
        self.values.index_copy_(2, positions, v.to(self.keys.dtype))
        q = x.unflatten(-1, (4, 8)).transpose(1, 2)
        seen = torch.arange(_CACHE) <= positions[:, None]
        y = F.scaled_dot_product_attention(q, self.keys.to(x.dtype), self.values.to(x.dtype), seen, enable_gqa=True)
        return self.values.to(x.dtype) * 2 if self.shows else y


def example(computes: torch.dtype, place: int = 0) -> tuple[Tensor, Tensor]:
    return torch.randn(1, 1, 32).to(computes), torch.tensor([place])


def ops_of(module: nn.Module, computes: torch.dtype) -> list[Op]:
    return ops(module, *example(computes)).ops


@pytest.mark.parametrize("dtype", FLOAT16_DTYPES)
@pytest.mark.parametrize("halves", [True, False], ids=["16-bit module", "float32 module"])
def test_only_new_cache_rows_are_cast_and_attention_reads_float16(dtype: torch.dtype, halves: bool) -> None:
    computes = dtype if halves else torch.float32
    found = ops_of(Cached(dtype, computes), computes)
    whole = 2 * _CACHE * 8
    assert [op.inputs[0].dtype for op in found if isinstance(op.spec, KvUpdate)] == [dtype] * 2
    (attention,) = (op for op in found if isinstance(op.spec, SdpaF32))
    assert [each.dtype for each in attention.inputs[1:3]] == [dtype] * 2
    converted = [op.output.dims for op in found if isinstance(op.spec, Cast)]
    assert all(torch.Size(dims).numel() < whole for dims in converted)


@pytest.mark.parametrize("dtype", FLOAT16_DTYPES)
@pytest.mark.parametrize("shows", [False, True])
def test_consecutive_calls_update_the_cache_as_in_eager_pytorch(dtype: torch.dtype, shows: bool) -> None:
    module = Cached(dtype, torch.float32, shows)
    payload = compile_partition(delegated(module, example(torch.float32)), Options())
    keys, values = module.keys.clone(), module.values.clone()
    for place in (0, 1, 5):
        inputs = example(torch.float32, place)
        (found,) = run_payload(payload.data, payload.named, (*inputs, keys, values))
        with torch.no_grad():
            expected = module(*inputs)
        op = torch.finfo(dtype).eps
        torch.testing.assert_close(found, expected, rtol=op, atol=op)
        torch.testing.assert_close(keys, module.keys, rtol=op, atol=1e-6)


class State(nn.Module):
    """Base of modules with two float16 states, `keys` and `values`, both [1, 2, 8, 8]."""

    keys: Tensor
    values: Tensor

    def __init__(self) -> None:
        super().__init__()
        for name in ("keys", "values"):
            self.register_buffer(name, torch.randn(1, 2, 8, 8).half())

    def result(self) -> Tensor:
        return self.keys.float() + self.values.float()


class Scaled(State):
    def forward(self, rows: Tensor, positions: Tensor) -> Tensor:
        self.keys.copy_((self.keys.float() * 2).half())
        self.values.copy_((self.values.float() * 2).index_copy(2, positions, rows).half())
        return self.result()


class Replaced(State):
    def forward(self, rows: Tensor, positions: Tensor) -> Tensor:
        self.keys.copy_(rows.expand(1, 2, 8, 8).half())
        self.values.copy_(torch.zeros(1, 2, 8, 8).index_copy(2, positions, rows).half())
        return self.result()


class Exchanged(State):
    def forward(self, rows: Tensor, positions: Tensor) -> Tensor:
        keys = self.keys.float().index_copy(2, positions, rows)
        values = self.values.float().index_copy(2, positions, -rows)
        self.keys.copy_(values.half())
        self.values.copy_(keys.half())
        return self.result()


class AttendsToOldCache(State):
    def forward(self, rows: Tensor, positions: Tensor) -> Tensor:
        keys, values = self.keys.float(), self.values.float()
        self.keys.copy_(keys.index_copy(2, positions, rows).half())
        self.values.copy_(values.index_copy(2, positions, rows).half())
        return F.scaled_dot_product_attention(rows, keys, values)


class AttendsToOldValues(State):
    def forward(self, rows: Tensor, positions: Tensor) -> Tensor:
        values = self.values.float()
        self.keys.copy_(self.keys.float().index_copy(2, positions, rows).half())
        self.values.copy_(values.index_copy(2, positions, rows).half())
        return F.scaled_dot_product_attention(rows, self.keys.float(), values)


@pytest.mark.parametrize("kind", State.__subclasses__())
def test_states_that_are_not_updated_in_place_agree_with_eager(kind: type[nn.Module]) -> None:
    torch.manual_seed(0)
    module = kind().eval()
    inputs = torch.randn(1, 2, 1, 8), torch.tensor([3])
    whole = Whole(lowered(module, inputs))
    payload = compile_partition(whole.partition, Options())
    states = {name: buffer.clone() for name, buffer in module.named_buffers()}
    (found,) = whole.run(payload, inputs, states)
    torch.testing.assert_close(found, module(*inputs), rtol=2e-3, atol=2e-3)
    for name, buffer in module.named_buffers():
        torch.testing.assert_close(states[name], buffer, rtol=0, atol=0)
