"""Tests of answers, which must equal eager PyTorch's, and of errors."""

from __future__ import annotations

import os
import re
import signal
import subprocess

import pytest

from models.chat import eager

_TOKENS = 24


def _chat(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ["CHAT"], *arguments], input=text, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("prompt", "system"),
    [
        ("What is the capital of France?", None),
        ("Tell a story about the sea.", "You are a poet."),
    ],
)
def test_answers_match_eager(prompt: str, system: str | None) -> None:
    arguments = [] if system is None else ["--system", system]
    result = _chat("--max-tokens", str(_TOKENS), *arguments, prompt)
    assert result.returncode == 0
    assert result.stdout == f"{eager.answers([prompt], system or eager.SYSTEM, _TOKENS, result.stdout)[0]}\n"


def test_session_continues_from_its_history() -> None:
    prompts = ["Name a color.", "And another one?"]
    result = _chat("--max-tokens", str(_TOKENS), text="\n".join(prompts))
    assert result.returncode == 0
    expected = eager.answers(prompts, eager.SYSTEM, _TOKENS, result.stdout)
    assert result.stdout == "".join(f"{answer}\n" for answer in expected)


def test_expected_answer_does_not_depend_on_earlier_answers() -> None:
    prompt, system = "What is the capital of France?", eager.SYSTEM
    expected = eager.answers([prompt], system, 8)
    assert expected == eager.answers([prompt], system, 8, "The capital of Spain is Madrid.")
    assert expected == eager.answers([prompt], system, 8, f"{expected[0]} And of Spain?")


def test_equal_seeds_give_equal_answers() -> None:
    drawn = [_chat("--temperature", "1", "--seed", seed, "--max-tokens", "12", "Tell a joke.").stdout for seed in "112"]
    assert drawn[0] == drawn[1] != drawn[2]


def test_costs_begin_a_line_after_the_answer() -> None:
    command = [os.environ["CHAT"], "--max-tokens", "2", "Hello!"]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    assert "\nprompt: " in output


def test_zero_token_answer_is_refused() -> None:
    result = _chat("--max-tokens", "0", "Hello!")
    assert (result.returncode, result.stdout) == (0, "\n")
    assert "answer: 0 tokens" in result.stderr


def test_interrupt_ends_the_answer_only() -> None:
    with subprocess.Popen(
        [os.environ["CHAT"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin and program.stdout
        program.stdin.write("Count from one to one thousand.\n")
        program.stdin.flush()
        begun = program.stdout.read(1)
        program.send_signal(signal.SIGINT)
        rest, costs = program.communicate("Hello!\n")
    assert program.returncode == 0
    first, second, *_ = (begun + rest).splitlines()
    assert first and second
    (tokens,) = re.findall(r"answer: (\d+) tokens", costs)
    assert int(tokens) < 300


def test_truncated_answer_has_whole_characters() -> None:
    command = [os.environ["CHAT"], "--max-tokens", "9", "Repeat ten times: 🦜🦜🦜🦜🦜"]
    subprocess.run(command, capture_output=True, check=True).stdout.decode()


def test_full_context_is_reported() -> None:
    result = _chat("word " * 2000)
    assert result.returncode == 1
    assert "the context is full; start a new conversation" in result.stderr


def test_stop_string_ends_the_answer() -> None:
    result = _chat("--stop", " is Par", "What is the capital of France?")
    assert (result.returncode, result.stdout) == (0, "The capital of France\n")


def test_long_line_is_reported_and_the_session_continues() -> None:
    result = _chat("--max-tokens", "3", text="a" * 20000 + "\nHello!\n")
    assert result.returncode == 0
    assert "the line is longer than 16382 bytes; shorten it" in result.stderr
    assert len(result.stdout) > 1


def test_thread_count_does_not_change_answers() -> None:
    one, two = (_chat("--threads", threads, "--max-tokens", "12", "Hello!").stdout for threads in "12")
    assert one == two


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["word " * 2100], "the context has 2048 tokens"),
        (["--temperature", "hot", "Hello!"], "usage: "),
        (["--threads", "0", "Hello!"], "usage: "),
        (["--top-k", "1e30", "Hello!"], "usage: "),
    ],
)
def test_invalid_arguments_are_reported_by_chat(arguments: list[str], message: str) -> None:
    result = _chat(*arguments)
    assert result.returncode != 0
    assert message in result.stderr
