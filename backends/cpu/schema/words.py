"""Encoding of integers and floats as 32-bit words."""

import struct


def word_of_int(value: int) -> int:
    """Encode an int32 or uint32."""
    return value & 0xFFFFFFFF


def int_of_word(word: int) -> int:
    """Decode an int32."""
    return word - (1 << 32) if word >> 31 else word


def words_of_int64(value: int) -> tuple[int, int]:
    """Encode an int64 as two words, the lower one first."""
    return word_of_int(value), word_of_int(value >> 32)


def int64_of_words(low: int, high: int) -> int:
    """Decode an int64."""
    return int_of_word(high) << 32 | low


def word_of_float(value: float) -> int:
    """Encode `value` as float32. Values out of range become infinite."""
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return word_of_float(float("inf") if value > 0 else float("-inf"))


def float_of_word(word: int) -> float:
    """Decode a float32."""
    return float(struct.unpack("<f", word.to_bytes(4, "little"))[0])
