"""A game ends by agreement: a draw that all sides want, or a side that resigns; by letter, or by the game master."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pbem import verify_one
from pbem.audit.verify import verify
from pbem.game import yaml as yamlio
from pbem.mail.intake import take_in
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import side_report
from pbem.protocol import Side
from pbem.referee.acts import consents, ending
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.game.open_game import CannotPlay
from pbem.repo.files.layout import REVEALED, request_path
from pbem.repo.files.requests import DRAW, RESIGNATION, ROLLBACK
from tests.support.blank import blank_pictures
from tests.support.live import Folder, git, give, later, letter, order
from tests.support.read_letters import read
from tests.support.walks import FOLDERS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with a game of red and blue in which both have buried a card."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder = Folder(tmp_path)
    with folder.create() as game:
        for side in ("red", "blue"):
            give(game, side, order("bury", card=game.view(side).hands[side][0]))
    return folder


def says(folder: Folder, side: Side, text: str, number: int = 1) -> Handled:
    return take_in(letter(side, text.encode(), number=number), folder.office)


def flat(handled: Handled) -> str:
    return " ".join(" ".join(read(out).text for out in handled.letters).split())


def result(folder: Folder) -> Mapping[str, Any] | None:
    with folder.open() as game:
        return None if game.result is None else game.result.record()


def record(folder: Folder, number: int = 1) -> Any:
    with folder.open() as game:
        return yamlio.read(game.ledger.repo.read(request_path(number)) or b"", name="request").value


def last_act(folder: Folder) -> Any:
    with folder.open() as game:
        return game.ledger.public_turn(game.adjudication)["act"]


def verified(folder: Folder) -> list[str]:
    """Return what verify finds without a key, with the secrets, and what the small verifier says."""
    path = folder.repo("punica")
    found = [str(each) for each in verify(path, folders=FOLDERS).findings.sorted]
    with folder.open() as game:
        keys = game.ledger.keys
        found += [str(each) for each in verify(path, folders=FOLDERS, keys=lambda _: keys).findings.sorted]
    away = folder.path / "clone"
    git(path, "clone", "-q", str(path), str(away))
    verify_one.main(str(away))
    return found


# ---- a draw


def test_a_draw_is_proposed_and_agreed(folder: Folder) -> None:
    proposed = says(folder, "red", "DRAW punica")
    assert proposed.accepted
    assert [out.to for out in proposed.letters] == ["red@example.org", "blue@example.org"]
    own, other = (read(out) for out in proposed.letters)
    assert "Request 1, to end the game in a draw, waits for Blue." in " ".join(own.text.split())
    assert other.subject == "punica: end the game in a draw?"
    assert "Red proposes to end punica in a draw. All sides must agree." in " ".join(other.text.split())
    assert "  CONSENT punica 1\n  REFUSE punica 1\n" in other.text
    assert record(folder) == {
        "request": 1,
        "kind": "draw",
        "side": "red",
        "at": 2,
        "reason": "red proposes it",
        "needed": ["red", "blue"],
        "consents": ["red"],
    }
    assert result(folder) is None
    agreed = says(folder, "blue", "CONSENT punica 1")
    assert agreed.accepted
    assert [out.to for out in agreed.letters] == ["red@example.org", "blue@example.org"]
    for out in agreed.letters:
        text = " ".join(read(out).text.split())
        assert "The game is over. It is a draw." in text
        assert "All sides agree to a draw." in text
    assert result(folder) == {"winner": None, "reason": "draw_agreed"}
    assert last_act(folder) == {
        "kind": "draw",
        "reason": "red proposes it",
        "by": "all sides",
        "request": 1,
        "consents": ["red", "blue"],
    }
    assert verified(folder) == []
    with folder.open() as game:
        assert game.ledger.repo.read(REVEALED) is not None
        assert not game.open_decisions
    assert "The game is over. It is a draw." in flat(says(folder, "blue", "STATUS", number=2))


def test_two_proposals_of_a_draw_are_an_agreement(folder: Folder) -> None:
    says(folder, "red", "DRAW punica")
    assert says(folder, "blue", "DRAW punica").accepted
    assert result(folder) == {"winner": None, "reason": "draw_agreed"}
    assert verified(folder) == []


def test_a_draw_is_refused_and_the_proposer_told(folder: Folder) -> None:
    says(folder, "red", "DRAW punica")
    handled = says(folder, "blue", "REFUSE punica 1")
    assert "Blue has refused request 1: punica does not end in a draw." in flat(handled)
    assert (result(folder), record(folder)["outcome"]) == (None, "refused by blue")
    assert verified(folder) == []


def test_a_proposal_is_void_when_the_game_goes_on(folder: Folder) -> None:
    says(folder, "red", "DRAW punica")
    with folder.open() as game:
        game.adjudicate(late=["red", "blue"]) or game.adjudicate(absent=["red", "blue"])
        assert game.adjudication > 2
    handled = says(folder, "blue", "CONSENT punica 1")
    assert not handled.accepted
    assert result(folder) is None
    assert record(folder)["outcome"] == "void: the game went on"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DRAW", "DRAW was not carried out: write DRAW punica, with the name of the game"),
        ("DRAW two cards", "write DRAW punica, with the name of the game"),
        ("RESIGN", "RESIGN was not carried out: write RESIGN punica, with the name of the game: it ends the game"),
        ("RESIGN yourself to your fate", "write RESIGN punica"),
    ],
)
def test_a_bare_word_never_ends_a_game(folder: Folder, text: str, reason: str) -> None:
    before = git(folder.repo("punica"), "rev-parse", "main")
    handled = says(folder, "red", text)
    assert not handled.accepted
    assert reason in flat(handled)
    assert git(folder.repo("punica"), "rev-parse", "main") == before


def test_proposing_twice_changes_nothing(folder: Folder) -> None:
    first = says(folder, "red", "DRAW punica")
    again = take_in(letter("red", b"DRAW punica", number=1), later(folder.office, 1))
    assert [out.name for out in again.letters] == [out.name for out in first.letters]
    more = says(folder, "red", "DRAW punica", number=2)
    assert "you have proposed it or agreed already" in flat(more)
    assert record(folder)["consents"] == ["red"]


def test_a_draw_needs_an_address_of_every_side(tmp_path: Path) -> None:
    """Else a side that is asked by no letter would lose its say."""
    folder = Folder(tmp_path)
    with folder.create(addresses={"red": "red@example.org"}) as game:
        with pytest.raises(CannotPlay, match="needs the consent of blue, who has no address here"):
            consents.propose(game, "red", Proposal(DRAW))
        consents.propose(game, None, Proposal(DRAW))
        assert consents.consent(game, "red", 1) == 2


# ---- a side resigns


def test_who_resigns_loses_to_the_other(folder: Folder) -> None:
    handled = says(folder, "blue", "RESIGN punica")
    assert handled.accepted
    assert [out.to for out in handled.letters] == ["red@example.org", "blue@example.org"]
    assert "The game is over. Blue has resigned; Red wins." in " ".join(read(handled.letters[0]).text.split())
    assert result(folder) == {"winner": "red", "reason": "resigned", "side": "blue"}
    assert last_act(folder) == {
        "kind": "resignation",
        "reason": "blue resigns",
        "side": "blue",
        "by": "blue",
        "request": 1,
        "consents": ["blue"],
    }
    assert verified(folder) == []
    again = take_in(letter("blue", b"RESIGN punica", number=1), later(folder.office, 1))
    assert again.accepted
    assert not says(folder, "red", "RESIGN punica", number=3).accepted


# ---- the game master


def test_the_game_master_ends_it_with_a_reason(folder: Folder) -> None:
    with folder.open() as game:
        with pytest.raises(CannotPlay, match="give a reason"):
            ending.end_by_game_master(game, "resignation", "red", "")
        ending.end_by_game_master(game, "resignation", "red", "Ann telephoned")
        told = " ".join(side_report(game, "blue", 2).text.split())
    assert "RULING: the game master records that Red resigns. Reason: Ann telephoned" in told
    assert "Red has resigned; Blue wins." in told
    assert result(folder) == {"winner": "blue", "reason": "resigned", "side": "red"}
    assert verified(folder) == []


def test_the_game_master_asks_a_side_whether_it_resigns(folder: Folder) -> None:
    with folder.open() as game:
        request = consents.propose(game, None, Proposal(RESIGNATION, resigns="red"), "she said so")
        assert (request.needed, request.consents) == (["red"], [])
        with pytest.raises(CannotPlay, match="waits for red"):
            ending.end_by_request(game, request)
    assert says(folder, "red", "CONSENT punica 1").accepted
    assert result(folder) == {"winner": "blue", "reason": "resigned", "side": "red"}
    assert verified(folder) == []


def test_a_draw_takes_the_place_of_an_open_rollback(folder: Folder) -> None:
    with folder.open() as game:
        consents.propose(game, None, Proposal(ROLLBACK, to=1), "a slip")
    says(folder, "red", "DRAW punica")
    assert record(folder)["outcome"] == "void: request 2 took its place"
    assert says(folder, "blue", "CONSENT punica 2").accepted
    assert verified(folder) == []
