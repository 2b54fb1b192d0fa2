"""Tests the sizes and manifests of quantized programs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

# Relative to the size of the float program.
_LARGEST_SHARE = {
    "efficientnet_int8": 0.3,
    "efficientnet_int8_cpu": 0.3,
    "encoder_int4_dynamic": 0.2,
    "encoder_int4_weight_only": 0.18,
    "encoder_int8_dynamic": 0.3,
    "encoder_int8_weight_only": 0.3,
    "mobilenet_int8": 0.3,
    "mobilenet_int8_cpu": 0.3,
}


def _manifest(name: str) -> dict:
    return json.loads(Path(os.environ[name.upper()]).read_text(encoding="utf-8"))


def _bytes(name: str) -> int:
    return _manifest(name)["program"]["bytes"]


@pytest.mark.parametrize("name", _LARGEST_SHARE)
def test_quantized_program_is_a_fraction_of_the_float_size(name: str) -> None:
    share = _bytes(name) / _bytes(name.split("_", maxsplit=1)[0])
    print(f"{name}: {share:.3f} of the float program")
    assert share <= _LARGEST_SHARE[name]


@pytest.mark.parametrize("name", ["efficientnet", "mobilenet"])
def test_quantized_cpu_network_is_one_delegate(name: str) -> None:
    manifest = _manifest(f"{name}_int8_cpu")
    (quantized,) = manifest["quantization"]["methods"]
    assert quantized["float"] == []
    assert len(quantized["quantized"]) > 90
    (method,) = manifest["methods"]
    assert len(method["delegates"]) == 1 and method["not_delegated"] == []


@pytest.mark.parametrize("name", ["efficientnet", "mobilenet"])
def test_portable_kernels_compute_the_network_in_int8(name: str) -> None:
    (method,) = _manifest(f"{name}_int8")["methods"]
    assert method["int8"]["float"] == [] and method["int8"]["fused"] >= 60
    names = {operator["name"] for operator in method["operators"]}
    assert not {"aten::convolution.out", "aten::add.out", "aten::hardtanh.out"} & names


def test_encoder_linear_layers_and_embeddings_are_quantized() -> None:
    (method,) = _manifest("encoder_int8_dynamic")["quantization"]["methods"]
    assert len(method["quantized"]) == 2 + 3 * 6
    assert {operator["operator"] for operator in method["quantized"]} == {"aten::embedding", "aten::linear"}
    (reason,) = {operator["reason"] for operator in method["float"]}
    assert reason == "recipe 'int8_dynamic' does not support this operator"
