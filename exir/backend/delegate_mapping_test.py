"""Tests of `DelegateMappingBuilder`."""

import pytest
from torch.fx import Graph

from exir.backend.utils import DelegateMappingBuilder
from exir.error import UserError


def test_generated_identifiers_count_from_zero() -> None:
    builder = DelegateMappingBuilder(generated_identifiers=True)
    assert builder.insert_delegate_mapping_entry(handles=[7, 3, 7]) == 0
    assert builder.insert_delegate_mapping_entry(handles=5) == 1
    assert builder.get_delegate_mapping() == {0: (3, 7), 1: (5,)}


def test_nodes_map_to_their_debug_handles() -> None:
    graph = Graph()
    first, second = graph.placeholder("a"), graph.placeholder("b")
    first.meta["debug_handle"] = 4
    builder = DelegateMappingBuilder()
    builder.insert_delegate_mapping_entry(nodes=[first, second], identifier="fused")
    assert builder.get_delegate_mapping() == {"fused": (4,)}


@pytest.mark.parametrize(
    "entry, message",
    [
        ({"handles": 1}, "'identifier' is None; omit it if"),
        ({"identifier": "a"}, "'nodes' and 'handles' are mutually exclusive"),
        ({"handles": 1, "identifier": "taken"}, "'taken' is already in use"),
        ({"handles": 1, "identifier": 3}, "identifiers 'taken' and 3 have different types"),
    ],
)
def test_invalid_mapping_entry_is_refused(entry: dict, message: str) -> None:
    builder = DelegateMappingBuilder()
    builder.insert_delegate_mapping_entry(handles=1, identifier="taken")
    with pytest.raises(UserError, match=message):
        builder.insert_delegate_mapping_entry(**entry)
