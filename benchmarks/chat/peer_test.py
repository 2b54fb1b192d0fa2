"""Tests that a side that fails or crashes is reported, and that others continue."""

from __future__ import annotations

import os
import signal

import pytest

from benchmarks.chat.peer import Peer, PeerError


class _Side:
    def double(self, value: int) -> int:
        return 2 * value

    def crash(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def fail(self) -> None:
        raise ValueError("bad input")


def test_crashed_peer_is_reported_by_its_signal_and_others_continue() -> None:
    first, second = Peer("first", _Side), Peer("second", _Side)
    first.start()
    second.start()
    with pytest.raises(PeerError, match="^crashed with SIGKILL$"):
        first.call("crash")
    with pytest.raises(PeerError, match="^crashed with SIGKILL$"):
        first.call("double", 2)
    with pytest.raises(PeerError, match="^ValueError: bad input$"):
        second.call("fail")
    assert second.call("double", 2) == 4
    first.stop()
    second.stop()


def test_peer_that_cannot_be_created_is_reported() -> None:
    def make() -> None:
        raise ImportError("no such library")

    with pytest.raises(PeerError, match="^ImportError: no such library$"):
        Peer("missing", make).start()
