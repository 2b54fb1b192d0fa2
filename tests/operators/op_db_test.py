"""Tests that every operator in torch's database matches PyTorch or is rejected.

The test is slow. By default, it runs the first samples of float32 and int64. OP_DB_DTYPES=all adds
one sample of every other dtype. OP_DB_EVERY=10 selects every tenth operator.
"""

from __future__ import annotations

import os

import pytest
import torch

from tests.operators.op_db import Outcome, dtypes_of, operators, outcomes

_OPERATORS = operators()
_SAMPLES = {torch.float32: 3, torch.int64: 2}

# Operators whose samples are all rejected, by reason.
_REFUSED = {
    "a size or a choice is in the data": """
        allclose bincount combinations corrcoef cov equal linalg.lstsq linalg.lstsq.grad_oriented
        nn.functional.ctc_loss nn.functional.gaussian_nll_loss tensor_split
    """,
    "distributions without a kernel": """
        log_normal nn.functional.rrelu normal normal.number_mean
    """,
    "factors without a kernel": """
        linalg.eig linalg.eigvals linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve
    """,
    "complex half": "chalf",
    "functions of complex numbers": "nn.functional.silu.complex",
    "no kernel and no decomposition": """
        _batch_norm_with_update _native_batch_norm_legit as_strided_scatter hash_tensor
        nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d nn.functional.instance_norm
        resize_ resize_as_
    """,
    "sparse tensors": """
        sparse.mm.reduce sparse.sampled_addmm to_sparse
    """,
    "only for GPUs": """
        jiterator_2inputs_2outputs jiterator_4inputs_with_extra_args jiterator_binary jiterator_binary_return_by_ref
        jiterator_unary
    """,
}
# Any result is correct: random values, uninitialized elements, and indices among equal elements.
_FREE = frozenset(
    """
    argsort bernoulli cauchy empty empty_like empty_permuted empty_strided exponential geometric kthvalue mode multinomial new_empty new_empty_strided nn.functional.alpha_dropout
    nn.functional.dropout nn.functional.dropout2d nn.functional.dropout3d nn.functional.feature_alpha_dropout.with_train
    nn.functional.feature_alpha_dropout.without_train nn.functional.multi_head_attention_forward
    nn.functional.scaled_dot_product_attention normal.in_place rand_like randint randint_like randn randn_like sort topk uniform
    """.split()
)
_DIFFERS = "elements differ by more than the tolerance"


def _tried(name: str) -> list[Outcome]:
    """Return the outcomes of an operator's samples."""
    op = _OPERATORS[name]
    supported = dtypes_of(op)
    few = [dtype for dtype in _SAMPLES if dtype in supported] or supported[:1]
    dtypes = supported if os.environ.get("OP_DB_DTYPES") == "all" else few
    return [outcome for dtype in dtypes for outcome in outcomes(op, dtype, _SAMPLES.get(dtype, 1))]


@pytest.mark.parametrize("name", sorted(_OPERATORS)[:: int(os.environ.get("OP_DB_EVERY", "1"))])
def test_op_db_operator_matches_pytorch_or_is_refused(name: str) -> None:
    found = _tried(name)
    wrong = [outcome.reason for outcome in found if outcome.kind == "wrong"]
    assert [reason for reason in wrong if name not in _FREE or _DIFFERS not in reason] == []
    reasons = [reason for reason, names in _REFUSED.items() if name in names.split()]
    is_refused = bool(found) and all(outcome.kind == "refused" for outcome in found)
    assert is_refused == bool(reasons), [outcome.reason for outcome in found]


def test_refused_operators_are_in_op_db() -> None:
    names = [name for names in _REFUSED.values() for name in names.split()]
    assert sorted(set(names) - _OPERATORS.keys()) == [] and len(set(names)) == len(names)
