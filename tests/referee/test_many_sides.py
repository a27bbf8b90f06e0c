"""More than two sides: sides that are out, consent of a quorum, a draw of several winners, a side that resigns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.explain.replay import replay
from pbem.audit.verify import verify
from pbem.game import yaml as yamlio
from pbem.game.boxes import shelf
from pbem.game.boxes.box import NotInTheBox
from pbem.mail.intake import take_in
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import side_report
from pbem.protocol import Result, Side
from pbem.referee.acts import consents, ending, rollback
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.game.home_check import check_at_home, take_home
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import check_sheet_of
from pbem.render.text.messages import sentences
from pbem.repo.files.layout import request_path
from pbem.repo.files.requests import DRAW, RESIGNATION, ROLLBACK
from tests.support.blank import blank_pictures
from tests.support.live import Folder, give, letter, order, sheet
from tests.support.read_letters import read
from tests.support.walks import FOLDERS, loaded

SIDES = ("oak", "elm", "ash", "fir", "yew")
YEW_IS_OUT = "late"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    return Folder(tmp_path)


def says(folder: Folder, side: Side, text: str, number: int = 1) -> Handled:
    raw = letter(side, text.encode(), number=number).replace(b"Re: punica", b"Re: gaul")
    return take_in(raw, folder.office)


def bid_all(game: Adjudicator) -> None:
    for side in [each.side for each in game.open_decisions]:
        give(game, side, order("bid", card="lowest"))


def request(game: Adjudicator, number: int = 1) -> Any:
    return yamlio.read(game.ledger.repo.read(request_path(number)) or b"", name="request").value


def verified(folder: Folder) -> list[str]:
    """Return what verify finds without a key and with the secrets, and what a replay finds."""
    with folder.open("gaul") as game:
        keys, found = game.ledger.keys, [str(each) for each in replay(game)]
    found += [str(each) for each in verify(folder.repo("gaul"), folders=FOLDERS).findings.sorted]
    return found + [
        str(each) for each in verify(folder.repo("gaul"), folders=FOLDERS, keys=lambda _: keys).findings.sorted
    ]


# ---- the result


@pytest.mark.parametrize(
    ("record", "winners"),
    [
        ({"winner": None, "reason": "draw"}, ()),
        ({"winner": "oak", "reason": "draw"}, ("oak",)),
        ({"winner": ["oak", "elm"], "reason": "draw"}, ("oak", "elm")),
        ({"winner": "oak", "reason": "draw", "side": "elm"}, ("oak",)),
    ],
)
def test_a_result_is_read_as_it_was_written(record: dict[str, Any], winners: tuple[Side, ...]) -> None:
    result = Result.read(record)
    assert (result.winners, result.reason) == (winners, "draw")
    assert result.record() == record


def test_a_result_of_one_winner_in_a_list_is_written_plainly() -> None:
    """So are those that had the winners beside the one winner."""
    assert Result.read({"winner": ["oak"], "reason": "peace"}).record() == {"winner": "oak", "reason": "peace"}
    earlier = {"winner": None, "winners": ["oak", "elm"], "reason": "peace"}
    assert Result.read(earlier).record() == {"winner": ["oak", "elm"], "reason": "peace"}


def test_sentences_name_all_winners() -> None:
    say = sentences(loaded("five").box)
    assert say.result(Result(("oak", "elm"), "conquest")) == "Oak and Elm win: conquest."
    assert say.result(Result(("oak",), "conquest")) == "Oak wins: conquest."
    assert say.result(Result((), "time_is_up")) == "No side wins: time is up."
    assert say.result(Result(("oak", "elm"), "most_valleys")) == "Oak and Elm hold the most valleys and win."


def test_a_draw_of_two_winners(folder: Folder) -> None:
    with folder.create("five", "gaul"):
        pass
    proposed = says(folder, "oak", "DRAW gaul Elm and ash")
    assert [out.to.partition("@")[0] for out in proposed.letters] == list(SIDES)
    assert "end gaul in a draw: Elm and Ash would win together." in " ".join(read(proposed.letters[1]).text.split())
    assert says(folder, "elm", "DRAW gaul").accepted
    assert says(folder, "ash", "DRAW gaul ash, elm").accepted
    for side in ("fir", "yew"):
        handled = says(folder, side, "CONSENT gaul 1")
    assert "It is a draw: Elm and Ash win together." in " ".join(read(handled.letters[0]).text.split())
    assert read(handled.letters[0]).subject == "gaul: the game is over"
    with folder.open("gaul") as game:
        assert game.result == Result(("elm", "ash"), "draw_agreed")
        assert game.ledger.public_turn(2)["result"] == {"winner": ["elm", "ash"], "reason": "draw_agreed"}
    assert verified(folder) == []


def test_a_draw_with_other_winners_is_another_proposal(folder: Folder) -> None:
    with folder.create("five", "gaul") as game:
        consents.propose(game, "oak", Proposal(DRAW, winners=["elm"]))
        with pytest.raises(CannotPlay, match="has no side rome"):
            consents.propose(game, "oak", Proposal(DRAW, winners=["rome"]))
    says(folder, "elm", "DRAW gaul fir yew")
    with folder.open("gaul") as game:
        assert request(game)["outcome"] == "void: request 2 took its place"
        assert (request(game, 2)["winners"], request(game, 2)["consents"]) == (["fir", "yew"], ["elm"])
    assert "there is no side rome" in " ".join(read(says(folder, "fir", "DRAW gaul rome", 2).letters[0]).text.split())


# ---- sides that are out


def test_a_side_that_is_out_is_not_asked_for_consent(folder: Folder) -> None:
    with folder.create("five", "gaul", scenario=YEW_IS_OUT) as game:
        assert (game.out, game.in_play) == (("yew",), ["oak", "elm", "ash", "fir"])
        bid_all(game)
        asked = consents.propose(game, None, Proposal(ROLLBACK, to=1), "a slip")
        assert asked.needed == ["oak", "elm", "ash", "fir"]
        with pytest.raises(CannotPlay, match="yew is out of the game; its consent is not asked"):
            consents.consent(game, "yew", 1)
        for side in asked.needed[:-1]:
            assert consents.consent(game, side, 1) is None
        back = consents.consent(game, "fir", 1)
        assert back == game.adjudication
        assert "Out of the game: Yew." in " ".join(read(says(folder, "oak", "STATUS").letters[0]).text.split())
    assert verified(folder) == []


def test_orders_of_a_side_that_is_out_are_a_fault(folder: Folder) -> None:
    with folder.create("five", "gaul", scenario=YEW_IS_OUT) as game:
        receipt = game.receive("yew", sheet(game, "yew", order("bid", card="lowest")))
        (wrong,) = receipt.complaints
        assert wrong.fault.reason == "this side, Yew, is out of the game; its orders do not count any more"
        assert (wrong.fault.path, wrong.fault.rule, wrong.mark.line) == (("side",), "9", 2)
        assert game.sheets("yew") == 0


def test_the_home_check_knows_that_a_side_is_out(folder: Folder, tmp_path: Path) -> None:
    with folder.create("five", "gaul", scenario=YEW_IS_OUT) as game:
        enclosed, text = tmp_path / "position.json", sheet(game, "yew", order("bid", card="lowest"))
        enclosed.write_text(json.dumps(take_home(game, "yew")))
        at_home = check_at_home(enclosed, text, "orders.yaml", FOLDERS)
        assert str(at_home) == str(check_sheet_of(game, "yew", text)[0])
        assert "out" not in take_home(game, "oak")


# ---- a quorum


def test_a_quorum_is_enough(folder: Folder) -> None:
    with folder.create("five", "gaul", quorum=3) as game:
        bid_all(game)
        assert consents.propose(game, None, Proposal(ROLLBACK, to=1), "a slip").quorum == 3
        consents.refuse_request(game, "oak", 1)
        assert consents.consent(game, "elm", 1) is None
        assert consents.consent(game, "ash", 1) is None
        assert consents.consent(game, "fir", 1) == game.adjudication
        said = game.ledger.public_turn(game.adjudication)["act"]
        assert (said["by"], said["consents"]) == ("the agreed number of sides", ["elm", "ash", "fir"])
        assert request(game)["refusals"] == ["oak"]
        assert "ROLLBACK by consent of the agreed number of sides" in side_report(game, "oak", 2).text
    assert verified(folder) == []


def test_refusals_end_a_request_once_no_quorum_is_left(folder: Folder) -> None:
    with folder.create("five", "gaul", quorum=3) as game:
        bid_all(game)
        consents.propose(game, "oak", Proposal(DRAW))
        for side in ("elm", "ash"):
            assert consents.refuse_request(game, side, 1).outcome == "open"
        assert consents.refuse_request(game, "fir", 1).outcome == "refused by fir"
        with pytest.raises(CannotPlay, match="not open any more"):
            consents.consent(game, "yew", 1)
    assert verified(folder) == []


def test_who_refused_may_still_consent(folder: Folder) -> None:
    with folder.create("five", "gaul", quorum=2) as game:
        consents.propose(game, "oak", Proposal(DRAW))
        consents.refuse_request(game, "elm", 1)
        assert consents.consent(game, "elm", 1) == game.adjudication
        assert game.result == Result((), "draw_agreed")
    assert verified(folder) == []


@pytest.mark.parametrize("quorum", [0, 6])
def test_a_quorum_of_more_sides_than_play_is_refused(folder: Folder, quorum: int) -> None:
    with pytest.raises(CannotPlay, match=f"a quorum of {quorum}: 5 sides play"):
        folder.create("five", "gaul", quorum=quorum)


# ---- a side resigns


@pytest.mark.slow
def test_the_others_play_on_without_a_side_that_resigns(folder: Folder) -> None:
    with folder.create("five", "gaul"):
        pass
    handled = says(folder, "yew", "RESIGN gaul")
    assert handled.accepted
    assert "Yew resigns. Oak, Elm, Ash and Fir play on." in " ".join(read(handled.letters[0]).text.split())
    with folder.open("gaul") as game:
        assert (game.result, game.out) == (None, ("yew",))
        assert {each.side for each in game.open_decisions} == {"oak", "elm", "ash", "fir"}
        assert game.asked("yew") == []
        bid_all(game)
        for _ in range(20):
            assert all(each.side != "yew" for each in game.open_decisions)
            side = game.open_decisions[0].side
            give(game, side, *[order(each.kind, **(each.default or {})) for each in game.asked(side)])
        answers = [each for n in range(2, game.adjudication + 1) for each in game.ledger.adjudication(n).answers]
        assert {each.by for each in answers if each.side == "yew"} <= {"default", "only", "bot"}
        assert sum(each.side == "yew" for each in answers) > 3
        assert consents.propose(game, "oak", Proposal(DRAW)).needed == ["oak", "elm", "ash", "fir"]
    assert "FORM: you have nothing to decide now" in read(says(folder, "yew", "FORM", 2).letters[0]).text
    assert verified(folder) == []


def test_a_side_stays_resigned_after_a_rollback(folder: Folder) -> None:
    with folder.create("five", "gaul") as game:
        ending.end_by_game_master(game, "resignation", "yew", "gone to sea")
        game.adjudicate()
        rollback.roll_back(game, 1, "a slip")
        assert game.out == ("yew",)
        with pytest.raises(CannotPlay, match="yew is out of the game already"):
            consents.propose(game, "yew", Proposal(RESIGNATION, resigns="yew"))
    assert verified(folder) == []


def test_the_last_side_left_wins(folder: Folder) -> None:
    with folder.create("five", "gaul"):
        pass
    for number, side in enumerate(("yew", "fir", "ash", "elm"), 1):
        assert says(folder, side, "RESIGN gaul", number).accepted
    with folder.open("gaul") as game:
        assert game.result == Result(("oak",), "resigned", {"side": "elm"})
    assert verified(folder) == []


# ---- sides by edition


def test_an_edition_says_which_sides_play(folder: Folder) -> None:
    with folder.create("five", "gaul", edition="three") as game:
        assert game.charter.scenario == "three"
        assert list(game.rules.sides) == ["oak", "elm", "ash"] == game.by_mail
        assert {each.side for each in game.open_decisions} == {"oak", "elm", "ash"}
    with pytest.raises(CannotPlay, match="has no side yew; its sides are oak, elm, ash"):
        folder.create("five", "other", edition="three", players={"yew": "Ann"})
    assert verified(folder) == []


def test_a_scenario_is_refused_under_other_options(folder: Folder) -> None:
    with pytest.raises(NotInTheBox, match="scenario three needs players: 3; edition three has that"):
        folder.create("five", "gaul", scenario="three")
    assert shelf.load("five", folders=FOLDERS).scenarios == ("standard", "late")
    assert shelf.load("five", options={"players": 3}, folders=FOLDERS).scenarios == ("three",)


def test_standing_orders_end_when_a_side_resigns(folder: Folder) -> None:
    with folder.create("five", "gaul") as game:
        text = sheet(game, "yew").replace(b"orders:\n", b"standing:\n- march: {hold: true}\n")
        assert game.receive("yew", text).number == 1
        assert len(game.standing("yew")) == 1
        consents.carry_out_request(game, consents.propose(game, "yew", Proposal(RESIGNATION, resigns="yew")))
        assert game.standing("yew") == []
        bid_all(game)
        assert game.out == ("yew",)
    with folder.open("gaul") as again:
        assert again.standing("yew") == []
        again.adjudicate(late=SIDES)
        ending.end_by_game_master(again, "draw", None, "enough", ["oak", "elm"])
    assert verified(folder) == []
