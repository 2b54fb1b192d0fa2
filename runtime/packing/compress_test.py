"""Test that packed texts are smaller, and unpack to the same texts."""

import pytest

from runtime.packing.compress import pack

_TEXTS = [f"values[%u].{name}: there are %u {name}".encode() for name in ("items", "sizes", "inputs", "outputs")]


@pytest.mark.parametrize(
    "texts", [[], [b""], [b"a", b"", b"aaaaaaa"], [b"\xc3\xa9t\xc3\xa9"], _TEXTS, [bytes(range(1, 256))]]
)
def test_texts_are_read_back_in_their_order(texts: list[bytes]) -> None:
    assert pack(texts).texts() == texts


def test_what_is_repeated_takes_less() -> None:
    assert pack(_TEXTS).nbytes < sum(map(len, _TEXTS)) * 0.8


def test_symbols_are_bytes_and_pairs_are_of_earlier_ones() -> None:
    packed = pack([f"{left} {right}".encode() for left in range(20) for right in range(20)])
    first = len(packed.alphabet)
    assert first + len(packed.pairs) <= 256
    assert all(max(pair) < number for number, pair in enumerate(packed.pairs, first))


def test_a_nul_inside_is_refused() -> None:
    with pytest.raises(ValueError, match="a text has a NUL inside"):
        pack([b"a\0b"])
