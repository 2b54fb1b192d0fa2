"""Tests of passing inputs to LiteRT."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.latency.sides.litert import declared_inputs

_IDS = {"name": "ids", "index": 7, "dtype": np.int32}


def test_token_ids_have_the_dtype_that_the_converter_chose():
    [(place, array)] = declared_inputs([_IDS], [np.array([[1, 30_521]], dtype=np.int64)])
    assert (place, array.dtype, array.tolist()) == (7, np.int32, [[1, 30_521]])


def test_values_of_the_declared_dtype_are_not_copied():
    picture = np.zeros((1, 3, 2, 2), dtype=np.float32)
    [(_, array)] = declared_inputs([{"name": "picture", "index": 0, "dtype": np.float32}], [picture])
    assert array is picture


def test_value_outside_the_declared_dtype_is_an_error():
    with pytest.raises(OverflowError, match="LiteRT wants input ids in int32"):
        declared_inputs([_IDS], [np.array([2**31], dtype=np.int64)])
