"""Layers that keep state between calls; the modules are those of tests/state."""

from __future__ import annotations

import random

from tests.random_networks.network import Family, Shape, Step, layer


def _views(rng: random.Random, shape: Shape) -> Step | None:
    """Draw reads and writes of buffers through chains of views."""
    return layer(f"RandomState({rng.randrange(1_000_000)})")


def _of_rows(rng: random.Random, shape: Shape) -> Step | None:
    """Draw state for rows of features: cells, averages, caches."""
    if len(shape) < 2 or shape[-1] == 0:
        return None
    width = shape[-1]
    kind, view = rng.choice(["GRUCell", "LSTMCell", "RNNCell"]), rng.choice(["row", "flat", "column"])
    write = rng.choice(["index_put", "scatter", "index_copy", "narrow"])
    layers = [
        f"state.Cell(nn.{kind}, {width}, {rng.choice([3, 5, 8, width])}, '{view}')",
        f"state.Average({width}, {rng.random() < 0.5})",
        f"state.Cache({width}, {rng.choice([3, 4])}, '{write}')",
        f"state.Toggle({width})",
        f"state.EmptyState({width})",
        f"state.Branch({width})",
    ]
    return Step("{m}({0}.flatten(0, -2))", rng.choice(layers + layers[:1] * 3))


def _of_sequences(rng: random.Random, shape: Shape) -> Step | None:
    """Draw state across windows of a sequence of static length."""
    if len(shape) != 3 or 0 in shape:
        return None
    width, batch = shape[-1], shape[0]
    kind = rng.choice(["GRU", "LSTM", "RNN"])
    flags = f"{rng.randint(1, 2)}, {rng.random() < 0.5}, {batch == 1 and rng.random() < 0.5}"
    layers = [
        f"state.Recurrent(nn.{kind}, {flags}, {width}, {rng.choice([3, 5, 8])}, {batch})",
        f"state.Delay({width}, {rng.randint(1, 3)}, {batch})",
    ]
    return layer(rng.choice(layers))


def _written_at(rng: random.Random, shape: Shape) -> Step | None:
    """Draw a cache that is written at the position `n` and read up to it."""
    if len(shape) < 2 or shape[-1] == 0:
        return None
    write = rng.choice(["narrow", "select", "slice", "index_copy", "index_put", "scatter"])
    read = rng.choice(["all", "upto", "one"])
    return Step("{m}({0}.flatten(0, -2), n)", f"state.WrittenAt({shape[-1]}, '{write}', '{read}')")


FAMILY: Family = [(0.5, _views), (0.5, _of_rows)]

# For networks with static sizes.
FIXED: Family = [(0.7, _of_sequences)]

# For networks that have the input `n`.
NUMBER: Family = [(0.7, _written_at)]
