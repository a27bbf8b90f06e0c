"""NEWS: who is told what, and when; nobody is told twice, or not at all. And the thread that the letters make."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.game.plain import copy
from pbem.game.table import Table
from pbem.mail.intake import take_in
from pbem.mail.notes.correspondence import (
    CORRESPONDENCES,
    Correspondence,
    NewsWish,
    choose_news,
    note_reported,
    set_back,
)
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import MailSettings
from pbem.mail.write.report_letters import reports
from pbem.mail.write.welcome import welcome_letters
from pbem.protocol import Order
from pbem.referee.acts.ruling import set_default
from tests.support.blank import spelled_pictures
from tests.support.live import ADDRESSES, Folder, later, letter, pick, sheet
from tests.support.soak import quick_and_whole
from tests.support.walks import loaded

SIDES = ("red", "blue")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", spelled_pictures)


@pytest.fixture
def office(folder: Folder) -> MailSettings:
    """Return settings by which answers are put into an outbox."""
    with folder.create() as game:
        note_reported(game.path, game.adjudication)
    return replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox"))


def says(office: MailSettings, side: str, *bodies: str, number: int = 0) -> Handled:
    return take_in(letter(side, *(body.encode() for body in bodies), number=number), office)


def play(folder: Folder, office: MailSettings, number: int) -> tuple[str, Handled] | None:
    """Answer the first open question by a letter with the default or first legal answer; None: nothing is asked."""
    with folder.open() as game:
        if not game.open_decisions:
            return None
        side = game.open_decisions[0].side
        asked = [each for each in game.open_decisions if each.side == side]
        orders = [game.rules.legal_orders(game.view(side), each)[0] for each in asked]
        raw = letter(side, sheet(game, side, *orders), number=number)
    handled = take_in(raw, office)
    assert handled.accepted, handled.complaints or handled.notes
    return side, handled


def asked_and_over(folder: Folder) -> tuple[set[str], bool]:
    """Return the sides that are asked, and whether the game is over."""
    with folder.open() as game:
        return {each.side for each in game.open_decisions}, game.result is not None


def parsed(handled: Handled) -> dict[str, EmailMessage]:
    """Return the letters of an answer by side."""
    by_address = {address: side for side, address in ADDRESSES.items()}
    found: dict[str, EmailMessage] = {}
    for out in handled.letters:
        message = message_from_bytes(out.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        found[by_address[out.to]] = message
    return found


def told(message: EmailMessage) -> range:
    """Return the adjudications that a letter tells of, by its receipt."""
    found = re.search(rb"(?m)^told: (\d+)-(\d+)\r?$", message.as_bytes())
    return range(int(found[1]), int(found[2]) + 1) if found else range(0)


def names(message: EmailMessage) -> list[str]:
    return [name for part in message.walk() if (name := part.get_filename())]


def text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


@pytest.mark.parametrize("letters", quick_and_whole(12, 200))
def test_each_adjudication_is_told_to_each_side_once(folder: Folder, office: MailSettings, letters: int) -> None:
    """Whatever news a side wants: what its letters tell follows without a gap and without anything twice."""
    assert says(office, "red", "NEWS asked").accepted
    assert says(office, "blue", "NEWS round").accepted
    seen: dict[str, list[int]] = {side: [] for side in SIDES}
    asked_only: list[bool] = []
    for number in range(1, letters):
        played = play(folder, office, number)
        if played is None:
            break
        sender, handled = played
        waits, over = asked_and_over(folder)
        for side, message in parsed(handled).items():
            seen[side] += told(message)
            if side == "red" and not over:
                asked_only.append(side in waits or (side == sender and not told(message)))
    with folder.open() as game:
        whole = list(range(2, game.adjudication + 1))
        if letters == 200:
            assert game.result is not None
            assert seen == dict.fromkeys(SIDES, whole)
        assert all(numbers == whole[: len(numbers)] for numbers in seen.values())
    assert all(asked_only)
    assert len(asked_only) > 5


@pytest.mark.slow
def test_a_round_of_five_is_one_letter_for_who_is_not_asked(folder: Folder) -> None:
    """Of five sides two want their news when a round is over: they get one letter then, or when they are asked."""
    office, random = replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox")), Random(5)
    with folder.create("five", scenario="late") as game:
        note_reported(game.path, game.adjudication)
        sides, round_then = game.rules.sides, game.periods["round"]
    for side, word in (("oak", "asked"), ("fir", "round"), ("yew", "round")):
        assert says(office, side, f"NEWS {word}").accepted
    seen: dict[str, list[int]] = {side: [] for side in sides}
    told_in = dict.fromkeys(sides, round_then)
    for number in range(1, 400):
        with folder.open() as game:
            if game.result is not None:
                break
            side = game.open_decisions[0].side
            orders = [pick(game, each, random) for each in game.open_decisions if each.side == side]
            raw = letter(side, sheet(game, side, *orders), number=number)
        got = parsed(take_in(raw, office))
        waits, over = asked_and_over(folder)
        with folder.open() as game:
            round_now = game.periods["round"]
        for of, message in got.items():
            seen[of] += told(message)
            if told(message):
                assert text(message).startswith("Five Valleys") == (told_in[of] != round_now)
                told_in[of] = round_now
            if told(message) and of not in waits and not over:
                assert of != "oak"
                assert of not in ("fir", "yew") or round_now != round_then
        assert {"fir", "yew"} <= got.keys() or round_now == round_then
        round_then = round_now
    assert game.result is not None
    assert seen == {side: list(range(2, game.adjudication + 1)) for side in sides}


def test_who_is_not_asked_gets_a_short_receipt_without_a_map(folder: Folder, office: MailSettings) -> None:
    for side in SIDES:
        says(office, side, "NEWS asked")
    receipts = []
    for number in range(1, 16):
        played = play(folder, office, number)
        if played is None:
            break
        sender, handled = played
        waits, over = asked_and_over(folder)
        got = parsed(handled)
        assert got.keys() <= waits | {sender} or over
        assert sender in got
        if sender in waits or over:
            assert "map.png" not in names(got[sender]) or over
            continue
        receipts.append(got[sender])
    assert receipts
    for message in receipts:
        assert set(names(message)) == {"your-sheet.yaml", "receipt.txt"}
        assert len(text(message).splitlines()) <= 12
        assert "WHAT HAPPENED" not in text(message)
        assert re.search(r"sheet: \d+ sheets/", message.as_string())


def test_the_usual_news_go_to_all(folder: Folder, office: MailSettings) -> None:
    play(folder, office, 1)
    played = play(folder, office, 2)
    assert played is not None
    assert parsed(played[1]).keys() == set(SIDES)


@pytest.mark.parametrize("word", ["NEWS", "NEWS never", "NEWS asked please", "NEWS gallia asked"])
def test_other_words_are_refused(office: MailSettings, word: str, folder: Folder) -> None:
    handled = says(office, "red", word)
    assert not handled.accepted
    assert "write one of these words after it: every, round, daily or asked" in " ".join(
        text(parsed(handled)["red"]).split()
    )
    assert CORRESPONDENCES.read(folder.repo("punica"), "red").news == NewsWish.EVERY


def test_a_letter_with_news_counts_once(folder: Folder, office: MailSettings) -> None:
    """A letter that is taken in again does not undo one that came after it."""
    first = letter("red", b"NEWS asked", number=1)
    take_in(first, office)
    take_in(letter("red", b"NEWS every", number=2), office)
    take_in(first, office)
    assert CORRESPONDENCES.read(folder.repo("punica"), "red").news == NewsWish.EVERY


@pytest.mark.slow
def test_the_end_is_always_told(folder: Folder, office: MailSettings) -> None:
    for side in SIDES:
        says(office, side, "NEWS asked")
    last: Handled | None = None
    for number in range(1, 200):
        played = play(folder, office, number)
        if played is None:
            break
        last = played[1]
    assert last is not None
    assert parsed(last).keys() == set(SIDES)
    assert all("The game is over." in text(message) for message in parsed(last).values())


def test_an_act_of_the_game_master_is_always_told(folder: Folder, office: MailSettings) -> None:
    for side in SIDES:
        says(office, side, "NEWS asked")
    play(folder, office, 1)
    with folder.open() as game:
        before, (asked,) = game.adjudication, game.open_decisions
        text = sheet(game, asked.side, game.rules.legal_orders(game.view(asked.side), asked)[0])
        set_default(game, asked.side, text, "a long journey")
        assert game.adjudication == before + 1
        found = [out.to for out in reports(game, before, office)]
    assert found == [ADDRESSES[side] for side in SIDES]


def test_a_report_written_again_is_the_same_letter(folder: Folder, office: MailSettings) -> None:
    """The command ends after a letter lies in the outbox and before that is noted: no second letter comes of it."""
    assert isinstance(office.outbox, MaildirOutbox)
    play(folder, office, 1)
    repo, before = folder.repo("punica"), CORRESPONDENCES.read(folder.repo("punica"), "red")
    played = play(folder, office, 2)
    assert played is not None
    assert parsed(played[1]).keys() == set(SIDES)
    assert played[0] == "blue"
    lying = sorted(path.name for path in (office.outbox.folder / "new").iterdir())
    note = {"news": "every", "told": 1, "picture": "", "first": before.first, "last": before.last, "letters": []}
    (repo / CORRESPONDENCES.file("red")).write_text(json.dumps(note))
    (repo / "pbem.told").write_text("1\n")
    with folder.open() as game:
        again = list(reports(game, 1, later(office, 1)))
        assert [out.to for out in again] == [ADDRESSES["red"]]
        for out in again:
            out.put_into(office.outbox)
    assert sorted(path.name for path in (office.outbox.folder / "new").iterdir()) == lying


def test_a_damaged_note_tells_all_from_the_beginning(folder: Folder, office: MailSettings) -> None:
    says(office, "red", "NEWS asked")
    play(folder, office, 1)
    repo = folder.repo("punica")
    (repo / CORRESPONDENCES.file("red")).write_text("{")
    assert CORRESPONDENCES.read(repo, "red") == Correspondence(told=0)
    played = play(folder, office, 2)
    assert played is not None
    message = parsed(played[1])["red"]
    assert told(message)[0] == 1


def test_notes_ahead_of_a_restored_game_are_set_back(folder: Folder, office: MailSettings) -> None:
    for number in range(1, 5):
        play(folder, office, number)
    repo = folder.repo("punica")
    assert (CORRESPONDENCES.read(repo, "red").told or 0) > 1
    assert set_back(repo, 1) is not None
    assert {CORRESPONDENCES.read(repo, side).told for side in SIDES} == {1}


def test_the_first_choice_keeps_what_is_owed(folder: Folder, office: MailSettings) -> None:
    repo = folder.repo("punica")
    assert choose_news(repo, "red", NewsWish.ASKED, 7, "digest") == NewsWish.ASKED
    assert CORRESPONDENCES.read(repo, "red").told == 7
    assert choose_news(repo, "red", NewsWish.ROUND, 9, "another") == NewsWish.ROUND
    assert CORRESPONDENCES.read(repo, "red").told == 7
    assert json.loads((repo / CORRESPONDENCES.file("red")).read_text())["news"] == "round"


def test_every_game_with_a_bot_says_what_a_round_is() -> None:
    for game in ("rome_carthage", "hannibal_italy"):
        found = loaded(game)
        position = next(iter(_starts(found)))
        assert found.rules.round in found.rules.periods(position)


def _starts(found: Any) -> Iterator[Any]:
    from tests.support.walks import start

    yield start(found.rules, found.box.scenarios[0], 1)


# ---- threads


def test_the_letters_of_a_side_are_one_thread(folder: Folder, office: MailSettings) -> None:
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    for number in range(1, 12):
        played = play(folder, office, number)
        if played is None:
            break
        sender, handled = played
        for side, message in parsed(handled).items():
            references = (message["References"] or "").split()
            if side in last:
                assert references[0] == first[side]
                assert last[side] in references
                answers = f"<{number}.{side}@example.org>"
                assert message["In-Reply-To"] == (answers if side == sender else last[side])
            assert message["Auto-Submitted"] == ("auto-replied" if side == sender else "auto-generated")
            assert message["List-Id"] == f"punica <punica.{side}.example.org>"
            first.setdefault(side, message["Message-ID"])
            last[side] = message["Message-ID"]
    assert set(last) == set(SIDES)


def test_each_welcome_has_an_id_of_its_own(folder: Folder) -> None:
    outbox = MaildirOutbox(folder.path / "outbox")
    with folder.create(begin=False) as game:
        sent = [
            out
            for hours in (0, 1)
            for out in welcome_letters(game, later(folder.office, hours))
            if out.to.startswith("red")
        ]
        ids = [message_from_bytes(out.content)["Message-ID"] for out in sent]
        assert len(set(ids)) == 2
        assert all(each.startswith("<welcome.punica.red.") for each in ids)
        assert len({out.put_into(outbox) for out in sent}) == 1


@pytest.mark.parametrize("letters", quick_and_whole(16, 40))
def test_a_map_comes_only_with_something_new(folder: Folder, office: MailSettings, letters: int) -> None:
    """The receipt of a sheet that waits has none; nor has a report after which nothing lies elsewhere."""
    with folder.open() as game:
        asked = [each.side for each in game.open_decisions]
    assert asked == ["red", "blue"]
    played = play(folder, office, 1)
    assert played is not None
    (waits,) = parsed(played[1]).values()
    assert "map.png" not in names(waits)
    assert "position.txt" not in names(waits)
    shown: dict[str, list[bytes]] = {side: [] for side in SIDES}
    reports_without = 0
    for number in range(2, letters):
        played = play(folder, office, number)
        if played is None:
            break
        for side, message in parsed(played[1]).items():
            maps = [part.get_content() for part in message.walk() if part.get_filename() == "map.png"]
            reports_without += bool(told(message)) and not maps
            shown[side] += maps
    assert reports_without
    assert all(shown.values())


def test_who_has_nothing_to_read_gets_no_letter(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The offer to renew an alliance is for the ally alone (5.9)."""
    rules: Any = loaded("sword_of_rome").rules
    position = copy(rules.setup("short", Table(SeededDice(0))))
    position.phase, position.alliances = "alliances", [*position.alliances, "greeks+romans"]
    monkeypatch.setattr(type(rules), "setup", lambda self, scenario, table: position)
    with folder.create("sword_of_rome") as game:
        note_reported(game.path, game.adjudication)
        (asked,) = game.open_decisions
        raw = letter(asked.side, sheet(game, asked.side, Order("renew", {"renew": True})))
    handled = take_in(raw, folder.office)
    assert [out.to for out in handled.letters] == [ADDRESSES["greeks"], ADDRESSES["romans"]]
