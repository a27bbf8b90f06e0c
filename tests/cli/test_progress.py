"""The progress line of a long command."""

from __future__ import annotations

from io import StringIO

import pytest

from pbem.cli.sceptics import proof
from pbem.cli.sceptics.proof import ProgressLine
from tests.cli.test_verbs import said
from tests.support.live import Folder


class Terminal(StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time, in a list of one, and let nothing else move it."""
    now = [100.0]
    monkeypatch.setattr(proof, "monotonic", lambda: now[0])
    return now


def test_it_comes_after_a_second_and_is_erased(clock: list[float]) -> None:
    shown = Terminal()
    with ProgressLine("commits", shown) as line:
        for done in range(1, 1201):
            line(done, 1200)
            clock[0] += 1 / 128
    written = shown.getvalue()
    assert written.startswith("\rcommits: 129 of 1,200\rcommits: 142 of 1,200")
    assert written.endswith(f"\rcommits: 1,195 of 1,200\r{' ' * 23}\r")
    assert written.count("of 1,200") == 83
    assert "\n" not in written


def test_a_short_command_and_a_file_have_none(clock: list[float]) -> None:
    short, file = Terminal(), StringIO()
    for stream, seconds in ((short, 0.9), (file, 90)):
        with ProgressLine("commits", stream) as line:
            clock[0] += seconds
            line(1, 2)
        assert stream.getvalue() == ""


def test_it_is_erased_before_an_error_is_told(clock: list[float]) -> None:
    shown = Terminal()
    line = ProgressLine("commits", shown)
    clock[0] += 2
    line(1, 2)
    with pytest.raises(OSError, match="full"), line:
        raise OSError("full")
    assert shown.getvalue().endswith(f"{' ' * 15}\r")


@pytest.mark.usefixtures("in_the_folder")
def test_verify_shows_it(punica: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr(ProgressLine, "__call__", lambda self, *numbers: shown.append(numbers))
    assert "No faults were found." in said(0, "verify", "punica", "--with-key")
    assert shown == [(2, 2)]
