"""Read the tokens that a tokenizer.json adds before and after a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def read_post_processor(step: Mapping[str, Any] | None, count: int) -> tuple[list[int], list[int]]:
    """Return the tokens before and after a text.

    `count` is the number of tokens. Raises `ValueError` for an unsupported post-processor.
    """
    kind = step.get("type") if step is not None else None
    begin: list[int] = []
    end: list[int] = []
    if step is None or kind == "ByteLevel":
        pass
    elif kind == "TemplateProcessing":
        begin, end = _read_template(step)
    elif kind in ("BertProcessing", "RobertaProcessing"):
        begin, end = [step["cls"][1]], [step["sep"][1]]
    elif kind == "Sequence" and len(step["processors"]) < 10:
        parts = [read_post_processor(each, count) for each in step["processors"] if each["type"] != "Sequence"]
        begin = [token for part in reversed(parts) for token in part[0]]
        end = [token for part in parts for token in part[1]]
    else:
        raise ValueError(
            f"the post-processor {kind!r} is not supported; supported: BertProcessing, ByteLevel, RobertaProcessing,"
            " Sequence, TemplateProcessing"
        )
    for token in (*begin, *end):
        if type(token) is not int or not 0 <= token < count:
            raise ValueError(f"the post-processor adds {token!r}, which is not a token")
    return begin, end


def _read_template(step: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """Return the tokens of the template for one text."""
    before: list[int] = []
    after: list[int] = []
    found: Sequence[int] | None = None
    for part in step["single"]:
        if "Sequence" in part:
            if found is not None:
                raise ValueError("the post-processor's template contains the text more than once")
            found = before
        else:
            ids = step["special_tokens"][part["SpecialToken"]["id"]]["ids"]
            (before if found is None else after).extend(ids)
    if found is None:
        raise ValueError("the post-processor's template does not contain the text")
    return before, after
