"""Tests that unusual variants of operators match PyTorch or are rejected.

The CPU backend supports every call that the kernels support, or leaves it to them. OP_DB_EVERY=40
selects every fortieth operator. OP_DB_DTYPES=all adds the samples in every dtype.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch

from tests.operators.op_db import operators
from tests.operators.variants import Result, Variant, casts, results, variants

_OPERATORS = operators()
# Operators whose results are arbitrary, or depend on elements that are invalid for another size.
_FREE_VALUES = frozenset(
    """
    argsort bernoulli cauchy empty empty_like empty_permuted empty_strided exponential geometric kthvalue mode multinomial
    new_empty new_empty_strided nn.functional.alpha_dropout nn.functional.dropout nn.functional.dropout2d nn.functional.dropout3d
    nn.functional.embedding_bag nn.functional.feature_alpha_dropout.with_train nn.functional.feature_alpha_dropout.without_train
    nn.functional.multi_head_attention_forward nn.functional.scaled_dot_product_attention normal.in_place rand_like randint
    normal.number_mean pca_lowrank randint_like randn randn_like sort svd_lowrank topk uniform
    """.split()
)
# PyTorch itself terminates the process for a variant.
_LEFT_OUT = frozenset("_chunk_cat _segment_reduce.lengths _segment_reduce.offsets".split())


def _variants(name: str) -> Iterator[Variant]:
    op = _OPERATORS[name]
    for dtype in (torch.float32, torch.int64):
        if dtype in op.supported_dtypes("cpu"):
            yield from variants(op, dtype, 1)
    if os.environ.get("OP_DB_DTYPES") == "all":
        yield from casts(op, 1)


def _problems(name: str, found: dict[str, Result]) -> Iterator[str]:
    for backend, result in found.items():
        is_free = result.reason.startswith("values") and name in _FREE_VALUES
        if result.kind == "wrong" and not is_free:
            yield f"{backend}: {result.reason}"
    kinds = {result.kind for result in found.values()}
    if "refused" in kinds and "passed" in kinds:
        yield f"only one backend rejects it: {found}"


@pytest.mark.parametrize("name", sorted(_OPERATORS.keys() - _LEFT_OUT)[:: int(os.environ.get("OP_DB_EVERY", "1"))])
def test_unusual_variants_run_on_both_backends_or_are_refused(name: str) -> None:
    found = {variant.name: list(_problems(name, results(variant))) for variant in _variants(name)}
    assert {variant: problems for variant, problems in found.items() if problems} == {}
