"""Standard input as a mailbox of one letter."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime, timedelta

import pytest

from pbem.post.transport.base import Arrived, Gone
from pbem.post.transport.pipes import StdinSource

LETTER = b"From: ann@example.org\r\nSubject: orders\r\n\r\nHello\r\n\r\nBye\r\n"


def none_known(source: str, uid: str) -> bool:
    return False


def piped(monkeypatch: pytest.MonkeyPatch, content: bytes) -> StdinSource:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    return StdinSource()


def test_letter_on_standard_input_arrives_now(monkeypatch: pytest.MonkeyPatch) -> None:
    with piped(monkeypatch, LETTER) as source:
        (letter,) = source.new(none_known)
        assert (letter.source, letter.size) == ("stdin", len(LETTER))
        assert timedelta() <= datetime.now(UTC) - letter.at < timedelta(minutes=1)
        assert source.head(letter) == b"From: ann@example.org\r\nSubject: orders\r\n\r\n"
        assert source.fetch(letter) == LETTER
        source.done(letter)
        assert not source.wait(60)
        assert list(source.new(lambda where, uid: uid == letter.uid)) == []


def test_empty_input_is_no_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(piped(monkeypatch, b"").new(none_known)) == []


def test_another_letter_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    source = piped(monkeypatch, LETTER)
    with pytest.raises(Gone):
        source.fetch(Arrived("stdin", "0" * 64, 1, datetime.now(UTC)))
