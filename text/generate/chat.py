"""Write chat templates as C tables."""

from __future__ import annotations

import multiprocessing
import re
import resource
from collections.abc import Mapping
from typing import Any

from text.generate.arrays import literal
from text.generate.template_parts import FORMATS, Format, TemplateParts, Trim, split_template
from text.generate.template_renderer import renderer, token_id

# Limits of rendering a template.
_SECONDS = 20.0
_MEMORY = 4 << 30

# Tokens that end a document, and so an answer, in addition to those of the file and the template.
_DOCUMENT_ENDS = ("<|endoftext|>", "<|end_of_text|>")

_MACROS = """\
extern const et_chat_template {name};

#define TEXT(literal) {{literal, sizeof literal - 1, -1}}
#define TOKEN(number) {{"", 0, number}}
#define PARTS(array) {{array, sizeof array / sizeof *array}}

"""
_TRIMS = {Trim.NONE: "ET_CHAT_KEEP", Trim.NEWLINES: "ET_CHAT_TRIM_NEWLINES", Trim.SPACES: "ET_CHAT_TRIM_SPACES"}
# The system format of a template that does not support system messages.
_NO_FORMAT = Format("", "")


def split_template_within_limits(
    metadata: Mapping[str, Any], seconds: float = _SECONDS, memory: int = _MEMORY
) -> TemplateParts:
    """Split the file's template in a child process.

    A template is code that may loop forever or allocate without limit. `seconds` limits wall time,
    `memory` the bytes of address space. Raises `ValueError`, also if a limit is exceeded.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_split_in_child, args=(metadata, memory, sender))
    child.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise ValueError(f"the chat template runs for more than {seconds:g} s; simplify it")
        result = receiver.recv()
    except EOFError:
        raise ValueError("the chat template ends the process that renders it; simplify it") from None
    finally:
        child.kill()
        child.join()
    if isinstance(result, str):
        raise ValueError(result)
    return result


def _split_in_child(metadata: Mapping[str, Any], memory: int, sender: Any) -> None:
    """Send the parts, or an error message."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    result: TemplateParts | str
    try:
        result = split_template(renderer(metadata), _angled(metadata["tokenizer.ggml.tokens"]))
    except ValueError as error:
        result = str(error)
    except MemoryError:
        result = f"the chat template allocates more than {memory >> 20} MiB; simplify it"
    except Exception as error:  # a template can raise anything
        result = _rendering_error(error)
    sender.send(result)


def _angled(tokens: list[str]) -> list[str]:
    """Return the tokens with names like those of control tokens: <|end|>, [INST]."""
    return [token for token in tokens if len(token) > 2 and token[0] + token[-1] in ("<>", "[]")]


def _rendering_error(error: Exception) -> str:
    if "'strftime_now' is undefined" in str(error):
        return (
            "the chat template needs the date of today ('strftime_now'), which a build does not have; set"
            " 'chat_template' to a copy that has a fixed date, or none"
        )
    return f"the chat template cannot be rendered: {type(error).__name__}: {error}"


def source(
    metadata: Mapping[str, Any], controls: Mapping[str, int], name: str, added: Mapping[str, int] | None = None
) -> str:
    """Return C code that defines the `et_chat_template` `name`.

    `controls` and `added` are the control tokens and the user-defined tokens.
    """
    parts = split_template_within_limits(metadata)
    formats = {key: parts.formats.get(key, _NO_FORMAT) for key in FORMATS}
    fields = {
        **{f"before_{key}": each.before for key, each in formats.items()},
        **{f"after_{key}": each.after for key, each in formats.items()},
        "opening": parts.opening,
        "answer": parts.answer,
    }
    arrays = "".join(_part_array(key, text, controls) for key, text in fields.items() if text)
    references = {key: f"PARTS({key})" if text else "{NULL, 0}" for key, text in fields.items()}
    stops = sorted(_stops(parts, metadata, controls, {**controls, **(added or {})}))
    if not stops:
        raise ValueError("no token ends an answer: 'tokenizer.ggml.eos_token_id' is missing")
    rows = "".join(
        f"        {{{references[f'before_{key}']}, {references[f'after_{key}']}, {_TRIMS[each.start]},"
        f" {_TRIMS[each.end]}, {_bool(each.needs_text)}}},\n"
        for key, each in formats.items()
    )
    return (
        f"{_MACROS.format(name=name)}{arrays}static const int64_t stops[] = {{{', '.join(map(str, stops))}}};\n\n"
        f"const et_chat_template {name} = {{\n"
        f"    .formats = {{\n{rows}    }},\n"
        f"    .opening = {references['opening']},\n"
        f"    .answer = {references['answer']},\n"
        f"    .stops = stops,\n    .stop_count = {len(stops)},\n"
        f"    .has_system = {_bool('system' in parts.formats)},\n"
        f"    .alternates = {_bool(parts.alternates)},\n"
        f"    .ends_with_user = {_bool(parts.ends_with_user)},\n"
        f"    .drops_thoughts = {_bool(parts.drops_thoughts)},\n"
        f"    .thought = {_TRIMS[parts.thought]},\n}};"
    )


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _stops(
    parts: TemplateParts, metadata: Mapping[str, Any], controls: Mapping[str, int], special: Mapping[str, int]
) -> set[int]:
    """Return the tokens that end an answer.

    They are the end tokens of the file, and the token that the template writes after an answer.
    """
    stops = {controls[end] for end in _DOCUMENT_ENDS if end in controls}
    stops |= {token for role in ("eos", "eot") if (token := token_id(metadata, role)) is not None}
    after = parts.formats["assistant"].after.lstrip()
    ends = [name for name in special if name and after.startswith(name)]
    return stops | ({special[max(ends, key=len)]} if ends else set())


def _part_array(name: str, text: str, controls: Mapping[str, int]) -> str:
    pattern = "|".join(re.escape(control) for control in sorted(controls, key=len, reverse=True) if control)
    pieces = [piece for piece in re.split(f"({pattern})", text) if piece] if pattern else [text]
    items = [f"TOKEN({controls[piece]})" if piece in controls else f"TEXT({literal(piece)})" for piece in pieces]
    return f"static const et_chat_part {name}[] = {{{', '.join(items)}}};\n\n"
