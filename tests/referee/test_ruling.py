"""The game master rules: each ruling is a turn of its own, checked, told to all, and no leak."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from pbem.audit.explain.replay import NOT_OF_THE_RULES, replay
from pbem.crypto.dice import canonical, inputs_digest
from pbem.mail.write.outgoing import side_report
from pbem.protocol import Result
from pbem.referee import EVENTS
from pbem.referee.acts import rollback, ruling
from pbem.referee.acts.ruling import BadPatch, whole_patch
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.messages import EVERY_GAME
from pbem.repo.files.layout import turn_path
from tests.support.live import Folder, files, give, order, play, readable, sheet

REASON = "the player has been away"


def hand(game: Adjudicator, side: str) -> list[int]:
    cards: list[int] = game.view(side).hands[side]
    return cards


def buried(game: Adjudicator) -> None:
    """Let both bury their lowest card."""
    for side in ("red", "blue"):
        give(game, side, order("bury", card=hand(game, side)[0]))


def true(game: Adjudicator) -> Any:
    """Return the position as it is."""
    return game.rules.encode(game.session.position)


def act_of(game: Adjudicator, n: int) -> dict[str, Any]:
    act = game.ledger.public_turn(n)["act"]
    canonical(act)
    assert act["kind"] == "ruling"
    return dict(act)


def sound(game: Adjudicator) -> None:
    """Check that a game replays, that its turn files say what turned the dice, and that its acts are sealed right."""
    assert list(replay(game)) == []
    before = sha256(files(game.ledger.repo)["game.yaml"]).hexdigest()
    for n in range(1, game.adjudication + 1):
        public, turn = game.ledger.public_turn(n), game.ledger.adjudication(n)
        assert inputs_digest(before, public) == public["inputs"]
        before = public["inputs"]
        act = public.get("act", {})
        digests = {word: act[word] for word in ("sealed", "hidden") if word in act}
        if turn.whole is not None:
            word = "hidden" if act["what"] == "patch" else "sealed"
            assert digests == {word: game.ledger.whole_digest(n, turn.whole)}
        else:
            assert digests == {}


def heard(game: Adjudicator, side: str | None, since: int) -> str:
    return " ".join(side_report(game, side, since).text.split())


def test_all_that_is_told_of_the_game_master_has_words() -> None:
    assert set(EVENTS) <= set(EVERY_GAME["events"])
    assert set(EVENTS) <= set(NOT_OF_THE_RULES)


# ---- answers


def test_it_answers_for_a_side(folder: Folder, toy: Adjudicator) -> None:
    buried(toy)
    give(toy, "blue", order("bid", card="lowest"))
    before, card = toy.adjudication, hand(toy, "red")[1]
    receipt, n = ruling.answer_for_side(toy, "red", sheet(toy, "red", order("bid", card=card)), REASON)
    assert receipt.number is None
    assert not receipt.complaints
    assert n == before + 1
    assert toy.adjudicate() == [n + 1]
    (answer, _) = toy.ledger.adjudication(n + 1).answers
    assert (answer.side, answer.order, answer.by) == ("red", {"card": card}, "the game master")
    act = act_of(toy, n)
    assert {key: act[key] for key in ("what", "side", "asked", "reason")} == {
        "what": "answer",
        "side": "red",
        "asked": ["bid"],
        "reason": REASON,
    }
    assert toy.ledger.adjudication(n).whole == {"side": "red", "orders": [{"kind": "bid", "order": {"card": card}}]}
    assert toy.sheets("red") == 1
    for side in ("red", "blue", None):
        assert f"RULING: the game master answers for Red (bid). Reason: {REASON}" in heard(toy, side, before)
    assert f"Your answer is: bid {{card: {card}}}" in heard(toy, "red", before)
    assert "Your answer is" not in heard(toy, "blue", before)
    sound(toy)
    with folder.open() as again:
        assert true(again) == true(toy)


def test_answer_by_ruling_waits_and_takes_the_place_of_a_sheet(toy: Adjudicator) -> None:
    """An answer by ruling waits for the other side and takes the place of a sheet."""
    low, high = hand(toy, "red")[0], hand(toy, "red")[-1]
    assert toy.receive("red", sheet(toy, "red", order("bury", card=low))).number
    _, n = ruling.answer_for_side(toy, "red", sheet(toy, "red", order("bury", card=high)), REASON)
    assert n is not None
    assert toy.adjudicate() == []
    assert [(each.side, each.kind) for each in toy.open_decisions] == [("blue", "bury")]
    assert "Your order bury (sheet 1) was not needed and has expired." in heard(toy, "red", n - 1)
    public = b"".join(readable(toy.ledger.repo).values())
    assert f"card: {high}".encode() not in public
    give(toy, "blue", order("bury", card=hand(toy, "blue")[0]))
    assert true(toy)["buried"]["red"] == high
    sound(toy)


def test_a_sheet_of_the_game_master_is_checked_like_any_other(toy: Adjudicator) -> None:
    before = toy.adjudication
    for text, reason in (
        (sheet(toy, "red", order("bury", card=hand(toy, "blue")[0])), "is not in your hand"),
        (sheet(toy, "red", order("bid", card="lowest")), "the game does not ask you for bid now"),
        (sheet(toy, "red", order("bury", card=1), adjudication=9), "adjudication"),
        (b"game: punica\nside: red\nadjudication: 1\norders:\n- bury {", ""),
        (
            sheet(toy, "red", order("bury", card=hand(toy, "red")[0])) + b"standing:\n- bid: default\n",
            "a ruling sets none",
        ),
        (
            sheet(toy, "red", order("bury", card=hand(toy, "red")[0])) + b"link: %s\n" % (b"0" * 64),
            "no chain of your own",
        ),
    ):
        for rule in (ruling.answer_for_side, ruling.set_default):
            receipt, n = rule(toy, "red", text, REASON)
            assert n is None
            assert reason in str(receipt)
            assert receipt.complaints
    good = sheet(toy, "red", order("bury", card=hand(toy, "red")[0]))
    with pytest.raises(CannotPlay, match="give a reason"):
        ruling.answer_for_side(toy, "red", good, "")
    give(toy, "red", order("bury", card=hand(toy, "red")[0]))
    give(toy, "blue", order("bury", card=hand(toy, "blue")[0]))
    give(toy, "red", order("bid", card="lowest"))
    give(toy, "blue", order("bid", card="lowest"))
    other = "red" if toy.open_decisions[0].side == "blue" else "blue"
    with pytest.raises(CannotPlay, match=f"asks nothing of {other}"):
        ruling.answer_for_side(toy, other, good, REASON)
    assert toy.adjudication == before + 3 - 1


# ---- defaults


def test_a_default_counts_once_the_deadline_has_passed(folder: Folder, toy: Adjudicator) -> None:
    low, high = hand(toy, "red")[0], hand(toy, "red")[-1]
    assert low != high
    give(toy, "blue", order("bury", card=hand(toy, "blue")[0]))
    receipt, n = ruling.set_default(toy, "red", sheet(toy, "red", order("bury", card=high)), REASON)
    assert not receipt.complaints
    assert n == toy.adjudication
    assert toy.adjudicate() == [], "the deadline has not passed"
    for since in (n - 1, n):
        assert (
            f"RULING in force: if the deadline of Red passes, the game master's answer counts: bury {{card: {high}}}"
            in (heard(toy, "red", since))
        )
        assert "RULING in force: if the deadline of Red passes, the game master's answer counts (bury)." in (
            heard(toy, "blue", since)
        )
        assert f"card: {high}" not in heard(toy, "blue", since)
        assert "Without an answer in time, the answer that the game master has set counts." in heard(toy, "red", since)
    assert "order" in act_of(toy, n)
    assert str(high) not in str(act_of(toy, n)["order"])
    with folder.open() as again:
        assert again.adjudicate(late=["red"]) == [n + 1]
        assert true(again)["buried"]["red"] == high
        (answer,) = [each for each in again.ledger.adjudication(n + 1).answers if each.side == "red"]
        assert answer.by == "the game master"
        assert "RULING in force" not in heard(again, "red", n)
        sound(again)


def test_a_default_gives_way_to_the_player(toy: Adjudicator) -> None:
    low, high = hand(toy, "red")[0], hand(toy, "red")[-1]
    ruling.set_default(toy, "red", sheet(toy, "red", order("bury", card=high)), REASON)
    give(toy, "blue", order("bury", card=hand(toy, "blue")[0]))
    give(toy, "red", order("bury", card=low))
    assert true(toy)["buried"]["red"] == low
    state = toy.ledger.state()
    assert state is not None
    assert state.defaults == {}


def test_a_default_is_one_order(toy: Adjudicator) -> None:
    one, two = hand(toy, "red")[:2]
    receipt, n = ruling.set_default(
        toy, "red", sheet(toy, "red", order("bury", card=one), order("bid", card=two)), REASON
    )
    assert n is None
    assert "a default is one order" in str(receipt)


# ---- patches


def test_it_changes_what_everybody_sees(folder: Folder, toy: Adjudicator) -> None:
    buried(toy)
    before = toy.adjudication
    hill = next(iter(true(toy)["guards"]))
    was = true(toy)["guards"][hill]
    n = ruling.change_position(toy, {f"guards.{hill}": was + 2}, "a guard was forgotten")
    assert true(toy)["guards"][hill] == was + 2
    act = act_of(toy, n)
    assert act["patch"] == {f"guards.{hill}": str(was + 2)}
    assert (act["undone"], act["to"]) == ([], before)
    assert toy.ledger.adjudication(n).whole is None
    words = hill.replace("_", " ")
    for side in ("red", "blue", None):
        assert f"guards.{words}: {was + 2} instead of {was}" in heard(toy, side, n - 1)
    sound(toy)
    with folder.open() as again:
        assert true(again) == true(toy)
        list(play(again, 3, 4))
        sound(again)


def test_change_of_position_undoes_turns_since_the_checkpoint(toy: Adjudicator) -> None:
    """On a change of the position, answers since the checkpoint expire and their turns are undone."""
    buried(toy)
    rest = toy.adjudication
    give(toy, "red", order("bid", card="lowest"))
    give(toy, "blue", order("bid", card="lowest"))
    list(play(toy, 1, 1))
    state = toy.ledger.state()
    assert state is not None
    since = len(state.steps) - 1
    hill = next(iter(true(toy)["guards"]))
    last, stands = toy.adjudication, list(range(1, toy.adjudication + 1))
    n = ruling.change_position(toy, {f"guards.{hill}": 5}, "a slip")
    act = act_of(toy, n)
    assert act["undone"] == (stands[-since:] if since else [])
    assert act["to"] == last - since
    assert rest <= act["to"]
    assert {each.adjudication for each in toy.told(None, 0)}.isdisjoint(act["undone"])
    sound(toy)


def test_a_patch_in_the_middle_of_a_span_after_a_rollback(folder: Folder) -> None:
    """The adjudications since the resting point are not those just before: some between them are undone."""
    with folder.create("rome_carthage") as game:
        list(play(game, 5, 24))
        spans = [n for n in range(2, game.adjudication) if len(_state(game, n).steps) > 1]
        to = spans[-1]
        steps = len(_state(game, to).steps)
        first = rollback.roll_back(game, to, "a slip")
        n = ruling.change_position(game, {"turn": true(game).get("turn", 1) + 1}, "a turn was forgotten")
        act = act_of(game, n)
        assert act["undone"][-1] == first
        assert act["undone"][:-1] == list(range(to - steps + 2, to + 1))
        assert act["to"] == to - steps + 1
        sound(game)


def _state(game: Adjudicator, n: int) -> Any:
    return game.ledger.state(game.ledger.commits()[n])


def test_standing_orders_answer_what_is_asked_after_a_patch(toy: Adjudicator) -> None:
    """The question may be the same in words, but it is asked in another position: it is a new one."""
    buried(toy)
    text = b"game: punica\nside: red\nadjudication: %d\nstanding:\n- bid: default\n" % toy.adjudication
    assert toy.receive("red", text).number
    assert [each.side for each in toy.open_decisions] == ["red", "blue"]
    ruling.change_position(toy, {"round": 2}, "a round was forgotten")
    assert [(each.side, each.kind) for each in toy.open_decisions] == [("blue", "bid")]


def test_what_is_hidden_stays_sealed(toy: Adjudicator) -> None:
    buried(toy)
    position = true(toy)
    mine, deck = position["hands"]["red"], position["deck"]
    swapped = sorted([deck[0], *mine[1:]])
    hill = next(iter(position["guards"]))
    patch = {"hands.red": swapped, "deck": [mine[0], *deck[1:]], f"guards.{hill}": 4}
    as_it_is = {"hands.blue": position["hands"]["blue"], "buried.blue": position["buried"]["blue"]}
    n = ruling.change_position(toy, {**patch, **as_it_is}, "a card was misdealt")
    assert true(toy)["hands"]["red"] == swapped
    act = act_of(toy, n)
    assert list(act["patch"]) == [f"guards.{hill}"]
    assert (len(act["hidden"]), "sealed" in act) == (64, False)
    made = toy.ledger.adjudication(n)
    assert whole_patch(made.act or {}, made.whole) == patch
    said = f"hands.red: [{', '.join(map(str, swapped))}]"
    assert said in heard(toy, "red", n - 1)
    for side in ("blue", None):
        assert said not in heard(toy, side, n - 1)
        assert "hidden parts too" in heard(toy, side, n - 1)
    assert "deck: [" not in heard(toy, "red", n - 1)
    public = files(toy.ledger.repo)[turn_path(n)]
    assert str(swapped).encode() not in public
    sound(toy)


def test_a_bad_patch_is_refused_with_every_complaint(toy: Adjudicator) -> None:
    buried(toy)
    position = true(toy)
    before = toy.adjudication
    for patch, reasons in (
        ({}, ["the patch is empty"]),
        ({"hands.red": [1, 1, 1], "guards": {"nowhere": 1}}, ["a card is lost or there twice", "a hill has no guards"]),
        ({"nothing.at.all": 3, "hands.red.99": 3}, ["there is nothing called 99 in hands.red.99"]),
        ({"guards": "many"}, [""]),
        ({"such_a_field": 3}, ["such_a_field"]),
        ({"lead": "red"}, ["it would change nothing"]),
        ({"round": "two"}, ["round: int must stand there, not 'two'"]),
        ({"hands.red": {"one": 1}}, ["hands.red.0: int must stand there"]),
        ({"phase": "dance"}, ["the game cannot go on from there"]),
    ):
        with pytest.raises(BadPatch) as bad:
            ruling.change_position(toy, patch, "why not")
        for reason in reasons:
            assert any(reason in each for each in bad.value.complaints), (patch, bad.value.complaints)
    assert toy.adjudication == before
    assert true(toy) == position


def test_the_dice_after_a_patch_are_new(toy: Adjudicator) -> None:
    """A patch opens a link of its own; what it says freely, its reason and its content, turns no dice."""
    buried(toy)
    n = ruling.change_position(toy, {"round": true(toy).get("round", 1) + 1}, "one")
    before, public = toy.ledger.public_turn(n - 1), toy.ledger.public_turn(n)
    assert public["link"] != before["link"]
    assert inputs_digest(before["inputs"], {word: public[word] for word in public if word != "act"}) != public["inputs"]
    for free in ({"reason": "two"}, {"patch": {"round": "7"}}, {"hidden": "0" * 64}, {"undone": [n - 1]}):
        assert inputs_digest(before["inputs"], {**public, "act": {**public["act"], **free}}) == public["inputs"]


def test_the_orders_of_a_ruling_turn_dice_its_reason_does_not(toy: Adjudicator) -> None:
    _, n = ruling.answer_for_side(toy, "red", sheet(toy, "red", order("bury", card=hand(toy, "red")[0])), REASON)
    assert n is not None
    before, public = toy.ledger.public_turn(n - 1)["inputs"], toy.ledger.public_turn(n)
    assert inputs_digest(before, {**public, "act": {**public["act"], "reason": "two"}}) == public["inputs"]
    for turns in ({"sealed": "0" * 64}, {"side": "blue"}):
        assert inputs_digest(before, {**public, "act": {**public["act"], **turns}}) != public["inputs"]


# ---- breaking off


def test_a_game_is_broken_off(folder: Folder, toy: Adjudicator) -> None:
    buried(toy)
    n = ruling.break_off(toy, "Ann has moved away")
    assert toy.result == Result((), "broken_off")
    assert toy.ledger.repo.read("revealed.yaml") is not None
    assert toy.ledger.public_turn(n)["open_decisions"] == []
    with folder.open() as again:
        assert again.result == toy.result
        assert again.open_decisions == ()
        assert again.asked("red") == []
        assert again.adjudicate() == []
        for side in ("red", None):
            assert "The game is over. The game master ended it; no side wins." in heard(again, side, n - 1)
            assert "Reason: Ann has moved away" in heard(again, side, n - 1)
        for rule in (
            lambda: ruling.break_off(again, "once more"),
            lambda: ruling.change_position(again, {"round": 4}, "once more"),
            lambda: ruling.answer_for_side(again, "red", b"", "once more"),
        ):
            with pytest.raises(CannotPlay, match="is over"):
                rule()
        sound(again)


def test_two_rulings_and_a_rollback_past_them(toy: Adjudicator) -> None:
    buried(toy)
    to, stood = toy.adjudication, true(toy)
    ruling.change_position(toy, {"round": 7}, "one")
    ruling.change_position(toy, {"round": 8}, "two")
    ruling.set_default(toy, "red", sheet(toy, "red", order("bid", card="lowest")), REASON)
    rollback.roll_back(toy, to, "neither was right")
    assert true(toy) == stood
    state = toy.ledger.state()
    assert state is not None
    assert state.defaults == {}
    assert state.undone == [to + 1, to + 2, to + 3]
    sound(toy)
