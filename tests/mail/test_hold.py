"""Holds by letter: a sheet waits for a while, and its player can take it back or replace it until then."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from pbem.mail.due import carry_out_due
from pbem.mail.intake import take_in
from pbem.mail.last_reported import note_reported
from pbem.mail.outboxes import MaildirOutbox
from pbem.mail.tasks import Handled
from tests.support.live import ADDRESSES, NOON, Folder, letter, sheet

MINUTE = timedelta(minutes=1)
CLOCK = {"hold": "20m", "pace": {"bank": "2h", "bonus": "1h", "most": "9h"}, "late": "wait"}


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.maps.render", lambda scene, **_: repr(scene.counters).encode())


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path)
    with folder.create(clock=CLOCK, begin=False) as game:
        game.carry_out_letter_of(NOON, NOON)
        game.adjudicate()
        note_reported(game.path, game.adjudication)
    return folder


def sends(folder: Folder, side: str, body: bytes, minutes: float, looked: float | None = None) -> Handled:
    """Take in a letter that came so many minutes after noon."""
    office = replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox"), now=NOON + minutes * MINUTE)
    if looked is not None:
        office = replace(office, came=office.now, now=NOON + looked * MINUTE, looked=NOON + looked * MINUTE)
    return take_in(letter(side, body, number=round(minutes * 60) + 1), office)


def answer(folder: Folder, side: str, at: int = 0) -> bytes:
    """Return a sheet of a side with a legal answer to what it is asked."""
    with folder.open() as game:
        asked = [each for each in game.session.open_decisions if each.side == side]
        return sheet(game, side, *[list(game.rules.legal_orders(game.view(side), each))[at] for each in asked])


def later(folder: Folder, minutes: float) -> list[str]:
    """Carry out what has fallen due by so many minutes after noon; return what the log says."""
    now = NOON + minutes * MINUTE
    with folder.open() as game, game.lock():
        return carry_out_due(game, now, replace(folder.office, now=now)).log


def standing(folder: Folder) -> tuple[int, datetime | None]:
    """Return the last adjudication, and until when the game is on hold."""
    with folder.open() as game:
        return game.adjudication, game.clock.held()


def text(handled: Handled, side: str) -> str:
    for out in handled.letters:
        if out.to == ADDRESSES[side]:
            body = message_from_bytes(out.content, policy=policy.default).get_body()
            assert body is not None
            return str(body.get_content())
    raise AssertionError(handled.notes)


def test_a_sheet_by_which_the_game_goes_on_is_held(folder: Folder) -> None:
    """The first sheet waits for the other side anyway. The second is on hold, and is then carried out."""
    sends(folder, "red", answer(folder, "red"), 1)
    assert standing(folder) == (1, None)
    sends(folder, "blue", answer(folder, "blue"), 10)
    assert standing(folder) == (1, NOON + 30 * MINUTE)
    assert later(folder, 30) == []
    assert len(later(folder, 31)) == 1
    assert standing(folder)[0] > 1
