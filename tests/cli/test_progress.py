"""The bar of a long command: on a terminal only, as the terminal understands it, and gone at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

import pytest

from pbem.cli import sceptics
from pbem.cli.escaped import escaped_output
from pbem.cli.runtime import DONE, progress
from tests.support.command_line import said
from tests.support.live import Folder

ERASED = "\x1b[2K"


class Terminal(StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal_for(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Let the program complain on a terminal; no fixture, after which pytest puts its own stream back."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    return shown


def test_bar_of_a_terminal_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    """What verbs print is escaped, but not the bar, which consists of escapes."""
    terminal = terminal_for(monkeypatch)
    with escaped_output(), progress("commits") as far:
        far(600, 1200)
    assert "commits" in terminal.getvalue()
    assert "50%" in terminal.getvalue()
    assert terminal.getvalue().endswith(ERASED)
    assert "\\x1b" not in terminal.getvalue()


def test_bar_is_erased_before_an_error_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_for(monkeypatch)

    def verify() -> None:
        with progress("commits") as far:
            far(1, 2)
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        verify()
    assert terminal.getvalue().endswith(ERASED)


def test_file_and_a_single_game_have_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_for(monkeypatch)
    with progress("remind", shown=False) as far:
        far(0, 1)
    monkeypatch.setattr(sys, "stderr", file := StringIO())
    with progress("commits") as far:
        far(1, 2)
    assert terminal.getvalue() + file.getvalue() == ""


@pytest.mark.usefixtures("in_the_folder")
def test_verify_shows_it(punica: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = list[tuple[int, int]]()

    @contextmanager
    def count(what: str) -> Iterator[Callable[[int, int], None]]:
        yield lambda done, total: counted.append((done, total))

    monkeypatch.setattr(sceptics, "progress", count)
    assert "punica: proven, " in said(DONE, "verify", "punica", "--with-key")
    assert counted == [(2, 2)]
