"""Tests that float16 and bfloat16 caches are updated and read in place."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from backends.cpu.compiler.compile import compile_partition
from backends.cpu.compiler.graph import Op
from backends.cpu.compiler.ops.quantization import FLOAT16_DTYPES
from backends.cpu.compiler.options import Options
from backends.cpu.compiler.testing.compare import delegated, ops
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
