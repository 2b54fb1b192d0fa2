"""Tests of partitioning by capability."""

import operator
import random

import pytest
import torch
from torch.fx import Graph, Node

from exir.backend.capability import propose_partitions
from exir.backend.order import units_in_order


class _CallGraphBuilder:
    """Builds graphs of supported ("s…") and unsupported ("o…") calls with one result."""

    def __init__(self) -> None:
        self.graph = Graph()

    def input(self, name: str) -> Node:
        return self.graph.placeholder(name)

    def call(self, name: str, *args: Node) -> Node:
        return self.graph.create_node("call_function", torch.sin, args, name=name)

    def names(self, **options: int) -> list[list[str]]:
        groups = propose_partitions(self.graph, lambda node: node.name.startswith("s"), **options)
        return [[node.name for node in group] for group in groups]


def test_a_chain_becomes_one_partition() -> None:
    build = _CallGraphBuilder()
    build.call("s2", build.call("s1", build.input("x")))
    assert build.names() == [["s1", "s2"]]


def test_an_unsupported_node_splits_a_chain() -> None:
    build = _CallGraphBuilder()
    build.call("s2", build.call("o1", build.call("s1", build.input("x"))))
    assert build.names() == [["s1"], ["s2"]]


def test_diamond_around_an_unsupported_node_has_no_cycle() -> None:
    build = _CallGraphBuilder()
    top = build.call("s1", build.input("x"))
    build.call("s2", top, build.call("o1", top))
    assert build.names() == [["s1"], ["s2"]]


def test_two_supported_producers_join_through_their_reader() -> None:
    build = _CallGraphBuilder()
    x = build.input("x")
    build.call("s3", build.call("s1", x), build.call("s2", x))
    assert build.names() == [["s1", "s2", "s3"]]


def test_unsupported_side_node_does_not_prevent_fusion() -> None:
    build = _CallGraphBuilder()
    x = build.input("x")
    build.call("s2", build.call("s1", x), build.call("o1", x))
    assert build.names() == [["s1", "s2"]]


def test_a_path_through_another_partition_counts_as_outside() -> None:
    # s1 → o1 → s2 and s1 → s3, s2 → s3: s3 can merge with s1 or s2, but not with both.
    build = _CallGraphBuilder()
    first = build.call("s1", build.input("x"))
    second = build.call("s2", build.call("o1", first))
    build.call("s3", first, second)
    assert build.names() == [["s1", "s3"], ["s2"]] or build.names() == [["s1"], ["s2", "s3"]]


def test_getitem_joins_the_node_it_unpacks() -> None:
    build = _CallGraphBuilder()
    pair = build.call("s1", build.input("x"))
    item = build.graph.create_node("call_function", operator.getitem, (pair, 0), name="item")
    build.call("o1", item)
    assert build.names() == [["s1", "item"]]


def test_max_nodes_bounds_each_partition() -> None:
    build = _CallGraphBuilder()
    node = build.input("x")
    for index in range(5):
        node = build.call(f"s{index}", node)
    assert [len(group) for group in build.names(max_nodes=2)] == [2, 2, 1]


@pytest.mark.parametrize("seed", range(40))
def test_replacing_all_partitions_leaves_no_cycle(seed: int) -> None:
    build = _CallGraphBuilder()
    chance = random.Random(seed)
    nodes = [build.input("x")]
    for index in range(60):
        kind = "s" if chance.random() < 0.6 else "o"
        sources = chance.sample(nodes, min(len(nodes), chance.randint(1, 3)))
        nodes.append(build.call(f"{kind}{index}", *sources))
    groups = propose_partitions(build.graph, lambda node: node.name.startswith("s"))
    members = {f"p{index}": group for index, group in enumerate(groups)}
    covered = [node.name for group in groups for node in group]
    assert sorted(covered) == sorted(node.name for node in nodes if node.name.startswith("s"))
    assert units_in_order(build.graph, members)
