"""Robots: two of them set on each other fall silent, also those that do not say what they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.mail.inbox import open_letter
from pbem.mail.notes.outboxes import MaildirOutbox, ToKeep
from pbem.mail.write.outgoing import Outgoing
from pbem.mail.write.report_letters import first_letters
from pbem.post.service.reception import MOST_IN_VAIN, Muted, falls_silent, received
from pbem.post.service.triage import Look, Ours, has_sheet, judge_letter
from pbem.post.settings import WhoConfig
from tests.support.blank import blank_pictures
from tests.support.live import Folder
from tests.support.posted import bury, players, report_id, sheets, shown, take, text_of, written
from tests.support.soak import quick_first


def posted(folder: Folder, raw: bytes, sent: list[str], who: WhoConfig) -> list[Outgoing]:
    """Take in a letter as the service does, and return the answers."""
    known = players(folder)
    found = judge_letter(raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n", len(raw), known)
    if isinstance(found, Look):
        found = has_sheet(raw, open_letter(raw), known)
    return received(raw, who, folder.office, found.by, lambda _: sent).letters if isinstance(found, Ours) else []


def rounds(folder: Folder, robot: Callable[[Outgoing], bytes], who: WhoConfig, most: int = 200) -> int:
    """Return after how many letters a robot that answers every letter of ours gets no more."""
    with folder.open() as game:
        out = next(each for each in first_letters(game, folder.office) if each.to == "red@example.org")
    sent = [out.name]
    queue = [out]
    for count in range(most):
        if not queue:
            return count
        answers = posted(folder, robot(queue.pop(0)), sent, who)
        sent += [each.name for each in answers if each.to == "red@example.org"]
        queue += [each for each in answers if each.to == "red@example.org"]
    return most


_COUNT = iter(range(10_000))


def answering(words: str, *, mark: str = "", quote: str = "> ", reply: bool = True) -> Callable[[Outgoing], bytes]:
    """Return a robot that writes some words above our letter."""

    def robot(out: Outgoing) -> bytes:
        message = shown(out)
        below = "".join(f"{quote}{line}\n" for line in text_of(out).splitlines())
        thread = f"In-Reply-To: {message['Message-ID']}\nReferences: {message['Message-ID']}\n" if reply else ""
        text = (
            f"From: red@example.org\nTo: pbem@example.org\nSubject: Re: {message['Subject']}\n"
            f"Message-ID: <robot{next(_COUNT)}@mail.example.com>\n{thread}{mark}\n{words}\n\n{below}"
        )
        return text.replace("\n", "\r\n").encode()

    return robot


@pytest.fixture
def game(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    monkeypatch.setattr("pbem.post.service.reception.MOST_IN_VAIN", FEW)
    folder.create().close()
    return folder


FEW = 4
"""So many answers are enough to see that they end."""
POLICIES = [WhoConfig(), WhoConfig(proofs=("address",))]


@pytest.mark.parametrize("who", POLICIES, ids=["token", "address"])
@pytest.mark.parametrize(
    "mark", quick_first(["Auto-Submitted: auto-replied\n", "Precedence: auto_reply\n", "X-Autoreply: yes\n"])
)
def test_robot_that_says_so_gets_no_answer(game: Folder, who: WhoConfig, mark: str) -> None:
    assert rounds(game, answering("I am away.", mark=mark), who) == 1


@pytest.mark.parametrize(
    "words",
    quick_first(
        [
            "I am away.",
            "",
            "STATUS",
            "HELP",
            "FORM",
            "REPORT",
            "AGREED",
            "RESIGN",
            "RENEW",
            "Yes",
            "game: punica\nside: red",
        ],
        3,
    ),
)
def test_robot_that_does_not_say_so_falls_silent(game: Folder, words: str) -> None:
    ways = [(POLICIES[0], "> ", True), (POLICIES[1], "", True), (POLICIES[1], "> ", False)]
    for who, quote, reply in ways if words in ("I am away.", "STATUS") else ways[:1]:
        robot = answering(words, quote=quote, reply=reply)
        assert rounds(game, robot, who) <= FEW + 3, (words, quote, reply)


def test_two_referees_set_on_each_other_fall_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each believes that the other is a player: the first letter of one is not answered by the other."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    one, other = Folder(tmp_path / "one"), Folder(tmp_path / "other")
    for folder in (one, other):
        folder.create(addresses={"red": "pbem@example.org", "blue": "blue@example.org"}).close()
    with one.open() as game:
        letters = list(first_letters(game, one.office))
    assert [posted(other, out.content, [], WhoConfig(proofs=("address",))) for out in letters] == [[], []]


def test_orders_count_also_of_who_gets_no_more_answers(game: Folder) -> None:
    sent = ["refusal.ab.0"] * FEW
    assert take(game, written("STATUS", answers=report_id(game, "red")), sent=sent).letters == []
    assert take(game, written("nothing", answers=report_id(game, "red")), sent=sent).letters == []
    handled = take(game, written(bury(game), answers=report_id(game, "red")), sent=sent)
    assert [out.to for out in handled.letters] == ["red@example.org"]
    assert sheets(game) == 1


def test_muted_outbox_keeps_what_matters(tmp_path: Path) -> None:
    muted = Muted(MaildirOutbox(tmp_path / "out"), "red@example.org")
    wanted = (
        ("refusal.ab.0", "Red@example.org"),
        ("refusal.ab.0", "blue@example.org"),
        ("punica.red.2", "red@example.org"),
    )
    lie = muted.put([ToKeep(name, to, b"x") for name, to in wanted])
    assert [bool(each) for each in lie] == [False, True, True]
    assert len(list((tmp_path / "out" / "new").iterdir())) == 2


def test_player_who_errs_now_and_then_is_answered() -> None:
    names = ["punica.red.1", "faults.punica.red.1.ab", "refusal.ab.0"] * 6
    assert not falls_silent(names)
    assert falls_silent(["refusal.ab.0"] * MOST_IN_VAIN)
    assert not falls_silent(["punica.red.1"] * 400)
