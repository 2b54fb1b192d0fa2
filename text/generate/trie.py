"""Tries of byte strings as arrays, and SentencePiece's double arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MOST_NODES = 1 << 20


def trie_arrays(values: Mapping[bytes, int]) -> dict[str, list[int]]:
    """Return the arrays of an `et_text_trie`: nodes in breadth-first order."""
    keys = sorted(values)
    first_children: list[int] = []
    labels, found = [0], [0]
    pending = [(0, len(keys), 0)]  # ranges of keys that share a prefix, and its size
    for start, end, size in pending:
        if start < end and len(keys[start]) == size:
            found[len(first_children)] = values[keys[start]] + 1
            start += 1
        first_children.append(len(labels))
        while start < end:
            label = keys[start][size]
            stop = _end_of_label(keys, start, end, size)
            pending.append((start, stop, size + 1))
            labels.append(label)
            found.append(0)
            start = stop
    return {"first_children": [*first_children, len(labels)], "labels": labels, "values": found}


def _end_of_label(keys: Sequence[bytes], start: int, end: int, size: int) -> int:
    """Return the end of the keys that have the same byte at `size` as keys[start]."""
    label = keys[start][size]
    low, high = start + 1, end
    while low < high:
        middle = (low + high) // 2
        if keys[middle][size] == label:
            low = middle + 1
        else:
            high = middle
    return low


def double_array_keys(units: Sequence[int]) -> dict[bytes, int]:
    """Return the keys and values of SentencePiece's double array (Aoe 1989).

    Keys with the same value can share the nodes of their last bytes. Raises `ValueError` for a damaged one.
    """
    children: dict[int, list[tuple[int, int]]] = {}
    for at, unit in enumerate(units):
        label = unit & 0x800000FF
        if 0 < label < 256:
            children.setdefault(at ^ label, []).append((label, at))
    found: dict[bytes, int] = {}
    pending = [(b"", _offset(units[0]))] if units else []
    visited = 0
    while pending:
        key, base = pending.pop()
        for label, at in children.get(base, ()):
            visited += 1
            if at == 0 or visited > _MOST_NODES:
                raise ValueError(f"its double array has a cycle, or more than {_MOST_NODES} nodes")
            unit, extended = units[at], key + bytes([label])
            following = at ^ _offset(unit)
            if unit >> 8 & 1:
                if following >= len(units):
                    raise ValueError("its double array has an index that is out of range")
                found[extended] = units[following] & 0x7FFFFFFF
            pending.append((extended, following))
    return found


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 0x200) >> 6)
