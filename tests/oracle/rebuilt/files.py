"""Programs that differ only in file layout: external data, segments, alignments."""

from __future__ import annotations

import torch

from exir import ExecutorchBackendConfig
from tests.oracle.rebuilt.networks import mlp
from tests.oracle.rebuilt.rebuilt import Make, Rebuilt, rebuild


def _filed(config: ExecutorchBackendConfig) -> Rebuilt:
    return rebuild(mlp(16, 32, 4), (torch.randn(2, 16),), config=config)


def _outside(name: str) -> Rebuilt:
    return _filed(ExecutorchBackendConfig(external_constants=lambda node: name))


PROGRAMS: dict[str, Make] = {
    "ptd_mlp": lambda: _outside("mlp_weights"),
    "ptd_mlp_xnn": lambda: _outside("xnn_weights"),
    "mlp_xnn_seg_default": lambda: _filed(ExecutorchBackendConfig()),
    "mlp_xnn_seg_inline_delegate": lambda: _filed(ExecutorchBackendConfig(extract_delegate_segments=False)),
    "mlp_xnn_seg_align4096": lambda: _filed(ExecutorchBackendConfig(segment_alignment=4096)),
    "mlp_xnn_delegate_align128": lambda: _filed(
        ExecutorchBackendConfig(delegate_alignment=128, extract_delegate_segments=False)
    ),
}
