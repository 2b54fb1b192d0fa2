"""Tests of `NamedDataStore`."""

import pytest

from exir._serialize._flat_tensor import TensorLayout
from exir._serialize._named_data_store import DataEntry, NamedDataStore
from exir.error import UserError
from exir.schema import ScalarType


def test_equal_named_data_is_stored_once_under_each_key() -> None:
    store = NamedDataStore()
    store.add_named_data("b", b"same", 64)
    store.add_named_data("a", b"same")
    store.add_named_data("c", b"other", alignment=None)
    output = store.get_named_data_store_output()
    assert output.buffers == [b"same", b"other"]
    assert output.pte_data == {"b": DataEntry(0, 64), "a": DataEntry(0, 1), "c": DataEntry(1, 1)}
    assert output.external_data == {}


def test_repeated_key_takes_the_larger_alignment() -> None:
    store = NamedDataStore()
    store.add_named_data("key", b"bytes", 6)
    store.add_named_data("key", b"bytes", 4)
    assert store.get_named_data_store_output().pte_data == {"key": DataEntry(0, 12)}


def test_key_with_different_content_is_refused() -> None:
    store = NamedDataStore()
    store.add_named_data("key", b"bytes")
    with pytest.raises(UserError, match="'key': 4 bytes differ from the 5 bytes already stored"):
        store.add_named_data("key", b"more")
    assert store.get_named_data_store_output().buffers == [b"bytes"]


def test_named_data_stores_are_merged() -> None:
    one, other = NamedDataStore(), NamedDataStore()
    one.add_named_data("key", b"bytes", 4)
    other.add_named_data("none", b"")
    other.add_named_data("key", b"bytes", 8)
    one.merge_named_data_store(other.get_named_data_store_output())
    output = one.get_named_data_store_output()
    assert output.pte_data == {"key": DataEntry(0, 8), "none": DataEntry(1, 1)}


def test_tensor_layouts_are_stored_and_merged() -> None:
    layout = TensorLayout(ScalarType.FLOAT, [1, 2], [0, 1])
    one, other = NamedDataStore(), NamedDataStore()
    other.add_named_data("weight", b"12345678", 4, "weights", layout)
    one.merge_named_data_store(other.get_named_data_store_output())
    assert one.get_named_data_store_output().external_data == {
        "weights": {"weight": DataEntry(0, 4, layout)}
    }


def test_an_alignment_below_one_is_refused() -> None:
    with pytest.raises(UserError, match="'key': the alignment must be at least 1, got 0"):
        NamedDataStore().add_named_data("key", b"", 0)


def test_external_data_keeps_its_file() -> None:
    one, other = NamedDataStore(), NamedDataStore()
    one.add_named_data("key", b"bytes", 4, "weights")
    other.merge_named_data_store(one.get_named_data_store_output())
    output = other.get_named_data_store_output()
    assert output.pte_data == {} and output.external_data == {"weights": {"key": DataEntry(0, 4)}}


def test_key_cannot_be_both_internal_and_external() -> None:
    store = NamedDataStore()
    store.add_named_data("key", b"bytes", 1, "weights")
    with pytest.raises(
        UserError, match="'key': cannot be in the program, because it is already in file 'weights'"
    ):
        store.add_named_data("key", b"bytes")
