"""Compares the size and accuracy of low-bit networks with their float originals."""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import nn
from torch.export import export
from torch.nn.functional import cosine_similarity

from backends.cpu.compiler.partitioner import CpuPartitioner
from exir import to_edge_transform_and_lower
from exir.delegate import delegate_calls
from tests.feature_models.low_bit import Network, example, quantized_decoder, quantized_encoder


def _size(network: nn.Module, partitioner: Sequence[CpuPartitioner], delegates: int) -> int:
    manager = to_edge_transform_and_lower(export(network, (example(),)), partitioner=partitioner)
    assert len(delegate_calls(manager.exported_program().graph)) == delegates
    return len(manager.to_executorch().buffer)


@pytest.mark.parametrize(
    ("causal", "quantize", "most"), [(True, quantized_decoder, 0.2), (False, quantized_encoder, 0.3)]
)
def test_quantized_networks_are_small_and_close(
    causal: bool, quantize: Callable[[Network], Network], most: float
) -> None:
    torch.manual_seed(0)
    network = Network(causal).eval()
    sizes = [_size(network, [], 0), _size(network, [CpuPartitioner()], 1)]
    with torch.no_grad():
        floats = network(example())
        rounded = quantize(network)(example())
    assert float(cosine_similarity(floats.flatten(), rounded.flatten(), 0)) >= 0.99
    assert not torch.equal(floats, rounded)
    assert _size(network, [], 0) <= most * sizes[0]
    assert _size(network, [CpuPartitioner()], 1) <= most * sizes[1]
