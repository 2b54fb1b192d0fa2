"""Tests of language models from Python, with a small model with random weights."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from executorch_runtime import ExecutorchError
from executorch_runtime.llm import Generation, Llm
from llm.grammar.compile import compile_grammar, compile_schema

_LIBRARY = os.environ["LIBRARY"]
_SHORT = Generation(max_tokens=20)


@pytest.fixture
def llm() -> Iterator[Llm]:
    with Llm(_LIBRARY) as opened:
        yield opened


def test_turns_and_messages_give_equal_answers(llm: Llm) -> None:
    first = "".join(llm.chat("Hello!", _SHORT))
    tokens = llm.tokens()
    assert first
    assert len(tokens) == llm.stats().prompt_tokens + 20
    assert "".join(llm.generate([("user", "Hello!")], _SHORT)) == first
    assert llm.stats().reused_tokens == llm.stats().prompt_tokens - 1
    assert llm.stats().finish == "length"
    assert llm.tokens() == tokens


def test_rewound_conversation_repeats_its_answer(llm: Llm) -> None:
    options = Generation(temperature=1.0, top_p=0.9, seed=5, max_tokens=20)
    first = "".join(llm.chat("Hello!", options))
    llm.rewind(0)
    assert "".join(llm.chat("Hello!", options)) == first


def test_unknown_adapter_is_named_in_python(llm: Llm) -> None:
    assert llm.adapters == ()
    llm.set_adapter(None)
    with pytest.raises(ExecutorchError, match="unknown adapter 'legal'; the model has: none"):
        llm.set_adapter("legal")


def test_options_limit_the_answer(llm: Llm) -> None:
    whole = "".join(llm.chat("Hello!", Generation(max_tokens=60)))
    stop = whole[len(whole) // 2 :][:3]
    llm.rewind(0)
    assert "".join(llm.chat("Hello!", Generation(max_tokens=60, stops=[stop]))) == whole[: whole.index(stop)]
    assert llm.stats().finish == "stop_string"
    llm.rewind(0)
    assert "".join(llm.chat("Hello!", Generation(max_tokens=4, biases={65: 1e6}))) == "AAAA"


def test_grammar_constrains_the_answer(llm: Llm) -> None:
    schema = {"type": "array", "items": {"type": "string", "minLength": 60, "maxLength": 60}, "maxItems": 1}
    for seed in range(5):
        options = Generation(temperature=2.0, seed=seed, grammar=compile_schema(schema))
        answer = json.loads("".join(llm.generate([("user", "Hello!")], options)))
        assert [len(item) for item in answer] in ([], [60])
        assert llm.stats().finish == "grammar"
    yes = Generation(grammar=compile_grammar('root ::= "yes" | "no"'))
    assert "".join(llm.chat("Hello!", yes)) in ("yes", "no")


def test_answer_is_canceled_from_another_thread(llm: Llm) -> None:
    answer = llm.chat("Hello!", Generation(overflow="slide", biases={257: -1e9, 258: -1e9}))
    next(answer)
    thread = threading.Timer(0.05, llm.cancel)
    thread.start()
    for _ in answer:
        pass
    thread.join()
    assert llm.stats().finish == "canceled"


def test_invalid_prompts_raise(llm: Llm) -> None:
    assert llm.context == 256
    with pytest.raises(ExecutorchError, match="OUT_OF_RESOURCES: .* the context has 256 tokens"):
        list(llm.chat("o" * 300))
    with pytest.raises(ValueError, match="unknown role 'tool'; use one of: system, user, assistant"):
        list(llm.generate([("tool", "Hello!")]))
    with pytest.raises(ValueError, match="unknown overflow 'crop'"):
        list(llm.chat("Hello!", Generation(overflow="crop")))


def test_closed_model_is_refused() -> None:
    llm = Llm(_LIBRARY)
    llm.close()
    with pytest.raises(ValueError, match="the model is closed"):
        llm.tokens()


def test_other_libraries_are_refused() -> None:
    library = next(Path("bindings/python/executorch_runtime").glob("libexecutorch_runtime.so"))
    with pytest.raises(OSError, match="is not the library of a language model"):
        Llm(library)
