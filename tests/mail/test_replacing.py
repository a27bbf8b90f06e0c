"""Another player by vote of the other sides: who may propose it, who votes, what goes on meanwhile."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

import pytest

from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.mail.intake import take_in
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import MailSettings
from tests.support.blank import blank_pictures
from tests.support.live import Folder, files, give, letter, pick, sheet, subjects
from tests.support.posted import text_of
from tests.support.walks import FOLDERS

CARL = "carl@example.net"
WORDS = "REPLACE punica yew Carl <carl@example.net>"


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


@pytest.fixture
def office(folder: Folder) -> MailSettings:
    """Return the settings of a game of five sides in which three must consent."""
    folder.create("five", quorum=3).close()
    return replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox"))


def says(office: MailSettings, side: str, text: str) -> Handled:
    return take_in(letter(side, text.encode(), number=sum(map(ord, side + text))), office)


def told(handled: Handled) -> dict[str, str]:
    return {out.to.partition("@")[0]: " ".join(text_of(out).split()) for out in handled.letters}


@pytest.mark.slow
def test_three_sides_replace_a_fourth(folder: Folder, office: MailSettings) -> None:
    """The name is told to those who vote and sealed on record; the game may go on meanwhile."""
    first = told(says(office, "oak", WORDS))
    assert first.keys() == {"oak", "elm", "ash", "fir", "yew"}
    said = (
        "Oak proposes another player for Yew in punica. Carl would take it over from yew@example.org. 3 of the 4 sides"
    )
    assert said in first["elm"]
    assert "You have no vote in that" in first["yew"]
    assert "Carl" not in first["yew"]
    assert "about your own side" in told(says(office, "yew", "CONSENT punica 1"))["yew"]
    with folder.open() as game:
        for side in game.rules.sides:
            own = [each for each in game.open_decisions if each.side == side]
            if own:
                give(game, side, *[pick(game, each, Random(1)) for each in own])
        assert game.adjudication > 1
        request = game.request(1)
        assert request is not None
        assert request.outcome == "open"
    says(office, "elm", "CONSENT punica 1")
    assert folder_player(folder) == "yew@example.org"
    last = told(says(office, "ash", "CONSENT punica 1"))
    assert "you take over Yew in punica" in last["carl"]
    assert folder_player(folder) == "Carl"
    with folder.open() as game:
        assert subjects(game)[-1] == "punica: yew has another player"
        assert game.ledger.addresses["yew"] == CARL
        for commit in game.ledger.repo.history():
            assert not any(CARL.encode() in content for content in files(game.ledger.repo, commit.sha).values())
    verdict = verify(folder.repo("punica"), keys=partial(Keys.load, folder.keys), folders=FOLDERS)
    assert verdict.findings.sorted == []


@pytest.mark.parametrize("name", ["orders: punica elm 1 pass {}", "x" * 61])
def test_name_that_could_be_read_as_an_order_is_refused(office: MailSettings, name: str) -> None:
    """It would stand in the letters to the others, at the start of a line perhaps, and they quote these."""
    asked = told(says(office, "oak", f'REPLACE punica yew "{name}" <carl@example.net>'))
    assert asked.keys() == {"oak"}
    assert "who takes it over" in asked["oak"]
    assert "was not carried out: write who" in told(says(office, "oak", f'DEPUTY "{name}" <{CARL}> until 1 Dec'))["oak"]


def folder_player(folder: Folder) -> str:
    with folder.open() as game:
        return game.player("yew")


def test_a_vote_that_cannot_be_won_is_over(folder: Folder, office: MailSettings) -> None:
    says(office, "oak", WORDS)
    says(office, "elm", "REFUSE punica 1")
    last = told(says(office, "ash", "REFUSE punica 1"))
    assert "for another player for Yew. The game goes on as before" in last["oak"]
    assert "is not open any more" in told(says(office, "fir", "CONSENT punica 1"))["fir"]
    assert folder_player(folder) == "yew@example.org"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("REPLACE punica oak Carl <carl@example.net>", "cannot vote about your own side"),
        ("REPLACE punica birch Carl <carl@example.net>", "there is no side birch"),
        ("REPLACE punica yew Carl", "write the game, the side and who takes it over"),
        ("REPLACE yew Carl <carl@example.net>", "write the game, the side and who takes it over"),
    ],
)
def test_what_cannot_be_voted_about(office: MailSettings, words: str, reason: str) -> None:
    assert reason in told(says(office, "oak", words))["oak"]


def test_two_sides_do_not_replace_each_other(folder: Folder) -> None:
    folder.create().close()
    said = told(says(folder.office, "red", "REPLACE punica blue Carl <carl@example.net>"))["red"]
    assert "nobody in punica who could be asked" in said
    with folder.open() as game:
        assert sheet(game, "red")
        assert game.requests == {}
