"""Observers: who is told what everybody may see, how late, and that nothing later shows in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from random import Random

import pytest

from pbem.mail.due import go_on
from pbem.mail.intake import take_in
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.notes.watching import Observer, leave, observers, watch
from pbem.mail.write.observers import next_news, write_to_observers
from pbem.mail.write.outgoing import MailSettings
from pbem.referee.acts.rollback import roll_back
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.blank import spelled_pictures
from tests.support.live import NOON, OTHERS, Folder, letter, pick, sheet
from tests.support.twins import resampled

DORA = "dora@example.net"
BASE = NOON + timedelta(days=3650)
"""Later than the day on which the test runs, and on which its game is made."""


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", spelled_pictures)


def settings(folder: Folder, **later: float) -> MailSettings:
    return replace(folder.office, now=BASE + timedelta(**later), outbox=MaildirOutbox(folder.path / "outbox"))


def watched(game: Adjudicator, *given: Observer) -> None:
    with game.lock():
        for each in given:
            watch(game, each)


def play(folder: Folder, random: Random, **later: float) -> None:
    """Let each side that is asked write a letter."""
    with folder.open() as game:
        side = game.open_decisions[0].side
        text = sheet(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])
    take_in(letter(side, text, number=random.randrange(10**6)), settings(folder, **later))


def to_dora(folder: Folder, address: str = DORA) -> list[str]:
    """Return the texts of the letters to an observer, the oldest first."""
    paths = sorted((folder.path / "outbox" / "new").glob("observer.*"), key=lambda path: path.stat().st_mtime_ns)
    found = []
    for path in paths:
        message = message_from_bytes(path.read_bytes(), policy=policy.default)
        assert isinstance(message, EmailMessage)
        body = message.get_body(("plain",))
        if message["To"] == address and body is not None:
            found.append(" ".join(body.get_content().split()))
    return found


def told(folder: Folder) -> dict[str, int]:
    return {each.address: each.told for each in observers(folder.repo("punica"))}


def test_observer_without_delay_is_told_with_the_players(folder: Folder) -> None:
    folder.create().close()
    with folder.open() as game:
        watched(game, Observer(DORA))
    random = Random(1)
    for _ in range(4):
        play(folder, random)
    with folder.open() as game:
        assert told(folder) == {DORA: game.adjudication}
        last = game.adjudication
    letters = to_dora(folder)
    assert len(letters) == last
    assert "You watch punica" in letters[0]
    assert not any("You watch punica" in each or "BEGIN ORDERS" in each for each in letters[1:])
    assert not any("key:" in each for each in letters)


def test_observer_is_days_behind(folder: Folder) -> None:
    """Two whole days must have passed; what is due is told by itself, all in one letter."""
    folder.create().close()
    with folder.open() as game:
        watched(game, Observer(DORA, days=2))
    random = Random(2)
    play(folder, random)
    play(folder, random)
    for day in (1, 1):
        play(folder, random, days=day)
    assert told(folder) == {DORA: 1}
    with folder.open() as game:
        when = next_news(game)
        first = max(
            n for n in range(1, game.adjudication + 1) if game.ledger.public_turn(n)["day"] == f"{BASE:%Y-%m-%d}"
        )
    assert when == BASE.replace(hour=0) + timedelta(days=3)
    go_on("punica", when - timedelta(seconds=1), settings(folder, days=2, hours=11))
    assert told(folder) == {DORA: 1}
    gone = go_on("punica", when, settings(folder, days=2, hours=12))
    assert gone.log[0].startswith("punica: the news for observers")
    assert told(folder) == {DORA: first}
    assert gone.due.when == when + timedelta(days=1)
    assert len(to_dora(folder)) == 2


def test_observer_is_turns_behind_and_a_rollback_is_later(folder: Folder) -> None:
    """What they are told stands as it stood then: what was rolled back later is told, and the rollback is not yet."""
    folder.create("rome_carthage", addresses={"rome": "ann@example.org"}, players={}).close()
    with folder.open() as game:
        with game.lock(), pytest.raises(CannotPlay, match="the most"):
            watch(game, Observer(DORA, turns=5000))
        watched(game, Observer(DORA, turns=1), Observer("eve@example.net"))
        turn, random = str(game.periods["turn"]), Random(3)
        while str(game.periods["turn"]) == turn:
            for side in {each.side for each in game.open_decisions}:
                own = [pick(game, each, random) for each in game.open_decisions if each.side == side]
                game.receive(side, sheet(game, side, *own))
            last = game.adjudication
            game.adjudicate()
        office = settings(folder)
        assert office.outbox is not None
        with game.lock():
            write_to_observers(game, office, office.outbox, office.now)
        assert told(folder) == {DORA: last, "eve@example.net": game.adjudication}
        roll_back(game, last - 1, "a sheet was lost")
        with game.lock():
            write_to_observers(game, office, office.outbox, office.now)
        assert told(folder) == {DORA: last, "eve@example.net": game.adjudication}
        assert "sheet was lost" not in "".join(to_dora(folder))
        assert "sheet was lost" in "".join(to_dora(folder, "eve@example.net"))


def test_who_leaves_is_told_no_more(folder: Folder) -> None:
    with folder.create() as game, game.lock():
        watch(game, Observer(DORA))
        leave(game, DORA.upper())
        assert observers(game.path) == ()
        with pytest.raises(CannotPlay, match="does not watch"):
            leave(game, DORA)


@pytest.mark.parametrize("rules", ["toy", "rome_carthage"])
def test_letters_to_observers_show_nothing_hidden(
    folder: Folder, tmp_path: Path, rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another world that an observer cannot tell from this one, they get the same letters byte by byte."""
    folder.create(rules, secrets=OTHERS).close()
    seen = []
    for world in range(3):
        with folder.open() as game:
            position = game.session.position
            if world:
                position = resampled(game.rules, position, None, world, near=False)
            monkeypatch.setattr("pbem.mail.write.observers.position_at", lambda *_, position=position: position)
            (game.path / "pbem.observers").unlink(missing_ok=True)
            watched(game, Observer(DORA))
            with game.lock():
                (out,) = write_to_observers(game, settings(folder), MaildirOutbox(tmp_path / f"{world}"), BASE)
            seen.append(out.content)
    assert len(set(seen)) == 1
