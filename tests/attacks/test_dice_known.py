"""Attacks by those who know the dice: the referee, a friend, the last to write; what a chain or a beacon stops."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE
from pbem.crypto.dice import missing_link
from pbem.engine.forecast import of_sheet
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.state import read_state
from tests.attacks.base import CHAIN, STANDING, Dishonest, answers, begun, dice, found, go_on, written
from tests.support.beacon_rounds import PUBLISHED
from tests.support.live import Folder, order

FIRST, SECOND, *_ = PUBLISHED


def foreseen(game: Dishonest, sheets: dict[str, bytes], links: dict[str, str] | None = None) -> str:
    """Return what would turn the dice of the next adjudication if some more sheets came, as far as it is known."""
    state = game.ledger.state()
    assert state is not None
    after = read_state(state.record())
    for side, raw in sheets.items():
        game.ledger.sheet_files(after, side, raw)
    after.new_links |= links or {}
    return game.ledger.seed(after.adjudication + 1, after).inputs


def inputs(game: Adjudicator, n: int) -> str:
    return str(game.ledger.public_turn(n)["inputs"])


def hand_in(game: Dishonest, side: str, raw: bytes) -> None:
    receipt = game.receive(side, raw)
    assert receipt.number is not None, str(receipt)


def buried(game: Dishonest, side: str, card: int | None = None) -> bytes:
    return written(game, side, *(answers(game, side, Random(2)) if card is None else [order("bury", card=card)]))


# ---- what needs no protection


def test_the_same_inputs_roll_the_same_dice(tmp_path: Path) -> None:
    """Whoever rolls again rolls the same: there is one link, one digest of the inputs, one face for each name."""
    games = [begun(Folder(tmp_path / name), Dishonest) for name in ("one", "other")]
    for game in games:
        go_on(game, 16, seed=5)
    one, other = games
    with one, other:
        assert dice(one) == dice(other)
        assert any(rolls for _, rolls in dice(one))


def test_a_phrase_changes_all_dice_under_the_same_tip(tmp_path: Path) -> None:
    """The tip was promised before the phrase came, so who chose the secrets did not choose the dice."""
    games = []
    for phrase in ("under the red moon", "under the blue moon"):
        folder = Folder(tmp_path / phrase)
        folder.create(begin=False).close()
        game = folder.open()
        game.join_side("red", phrase=phrase)
        game.adjudicate()
        games.append(game)
    one, other = games
    with one, other:
        assert one.charter.dice == other.charter.dice
        assert one.view("red").hands != other.view("red").hands
        assert inputs(one, 1) != inputs(other, 1)


def test_a_player_who_tries_orders_rolls_other_dice(folder: Folder) -> None:
    """The forecast knows what may come of a sheet, and nothing of the link."""
    with begun(folder, Dishonest) as game:
        go_on(game, 4)
        side = game.open_decisions[0].side
        orders = answers(game, side, Random(1))
        found_here = of_sheet(game.rules, game.view(side), game.asked(side), orders)
        game.ledger.chain = None  # type: ignore[assignment]
        assert of_sheet(game.rules, game.view(side), game.asked(side), orders) == found_here


# ---- open, but for the two protections


def test_whoever_has_the_keys_knows_the_next_dice(folder: Folder) -> None:
    """A friend can be told what a sheet would roll before it is sent, and the record is right."""
    with begun(folder, Dishonest) as game:
        hand_in(game, "red", buried(game, "red"))
        raw = buried(game, "blue")
        known = foreseen(game, {"blue": raw})
        hand_in(game, "blue", raw)
        game.adjudicate()
        assert inputs(game, 2) == known
        go_on(game, 4)
        assert found(game, with_key=True) == []


def test_the_last_to_write_may_choose_among_sheets(folder: Folder) -> None:
    """Other orders make other dice: who knows them sends the sheet that suits, and the record is right."""
    with begun(folder, Dishonest) as game:
        hand_in(game, "red", buried(game, "red"))
        hand = game.view("blue").hands["blue"]
        choice = {foreseen(game, {"blue": each}): each for each in (buried(game, "blue", card) for card in hand)}
        assert len(choice) == len(hand) > 3
        best = min(choice)
        hand_in(game, "blue", choice[best])
        game.adjudicate()
        assert inputs(game, 2) == best
        assert found(game, with_key=True) == []


def test_a_chain_keeps_the_dice_unknown_until_its_sheet_comes(folder: Folder) -> None:
    with begun(folder, Dishonest, chain=True) as game:
        hand_in(game, "blue", buried(game, "blue"))
        raw = buried(game, "red")
        without = [foreseen(game, {"red": raw}, links) for links in ({}, {"red": missing_link(CHAIN.tip, 2)})]
        hand_in(game, "red", raw)
        game.adjudicate()
        assert inputs(game, 2) not in without
        assert game.ledger.public_turn(2)["player_chains"] == {"red": {"link": CHAIN.link(1)}}


def test_a_sheet_held_back_lets_a_friend_write_last(folder: Folder) -> None:
    """The referee reads the sheet of red with its link, and files it after one of blue that was chosen to suit."""
    with begun(folder, Dishonest, chain=True) as game:
        held, hand = buried(game, "red"), game.view("blue").hands["blue"]
        link = {"red": CHAIN.link(1)}
        choice = {
            foreseen(game, {"blue": each, "red": held}, link): each
            for each in (buried(game, "blue", card) for card in hand[:2])
        }
        assert len(choice) == 2
        best = min(choice)
        hand_in(game, "blue", choice[best])
        hand_in(game, "red", held)
        game.adjudicate()
        assert inputs(game, 2) == best
        go_on(game, 4)
        assert found(game, with_key=True) == []


def test_a_beacon_keeps_the_dice_unknown_until_sheets_are_closed(folder: Folder) -> None:
    with begun(folder, Dishonest, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        game.moment = time_of(SECOND) - PATIENCE
        hand_in(game, "red", buried(game, "red"))
        raw = buried(game, "blue")
        known = foreseen(game, {"blue": raw})
        hand_in(game, "blue", raw)
        game.adjudicate()
        refused = game.receive("blue", raw + b"# another\n")
        assert refused.number is None
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        assert inputs(game, 2) != known


@pytest.mark.slow
def test_whoever_knows_a_round_before_knows_the_dice(folder: Folder) -> None:
    """So the beacon is as good as drand: the signature is all that was missing."""
    with begun(folder, Dishonest, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        game.moment = time_of(SECOND) - PATIENCE
        for side in ("red", "blue"):
            hand_in(game, side, buried(game, side))
        game.adjudicate()
        closing, state = game.closed, game.ledger.state()
        assert closing is not None
        known = game.ledger.seed(2, state, beacon=closing.with_signature(SECOND, PUBLISHED[SECOND])).inputs
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        assert inputs(game, 2) == known
        assert found(game, with_key=True) == []


def test_sheets_closed_when_the_round_is_out_look_like_others(folder: Folder) -> None:
    """The record has no clock. The letter with the closing comes later than the round, and that is the proof."""
    with begun(folder, Dishonest, beacon=True) as game:
        game.put_in_round(FIRST, PUBLISHED[FIRST])
        for side in ("red", "blue"):
            hand_in(game, side, buried(game, side))
        assert game.charter.dice.beacon == "drand"
        game.moment = time_of(SECOND) - PATIENCE  # what the clock of the referee is made to say, years later
        game.adjudicate()
        game.put_in_round(SECOND, PUBLISHED[SECOND])
        assert found(game, with_key=True) == []


# ---- open, with or without them


def test_whoever_has_the_keys_sees_the_hands(folder: Folder) -> None:
    with begun(folder, Dishonest) as game:
        state = game.ledger.state()
        assert state is not None
        assert state.checkpoint["hands"]["red"] == game.view("red").hands["red"]
        assert set(game.view(None).hands["red"]) == {0}


def test_a_lost_letter_leaves_the_record_right(folder: Folder) -> None:
    """Its writer has no receipt. The sheet that comes in its place counts, or the deadline."""
    with begun(folder, Dishonest) as game:
        lost = buried(game, "red")
        hand_in(game, "red", lost + b"# once more\n")
        hand_in(game, "blue", buried(game, "blue"))
        game.adjudicate()
        assert game.ledger.sheet("red", 1) != lost
        assert game.sheets("red") == 1
        assert found(game, with_key=True) == []


def test_a_deadline_called_too_early_is_on_record(folder: Folder) -> None:
    """The side reads in its report that it was late, and by which day."""
    with begun(folder, Dishonest) as game:
        go_on(game, 2, more=STANDING)
        hand_in(game, "red", written(game, "red", *answers(game, "red", Random(1))))
        game.adjudicate(late=["blue"])
        turn = game.ledger.public_turn(3)
        assert turn["late"] == ["blue"]
        assert {"side": "blue", "kind": "bid", "order": {"card": "lowest"}, "by": "default"} in turn["answers"]
        assert found(game, with_key=True) == []


def test_a_link_held_back_is_replaced_by_a_stated_digest(folder: Folder) -> None:
    """Without the next link a sheet is sent back; without a sheet anybody knows what stands for the link."""
    with begun(folder, Dishonest, chain=True) as game:
        go_on(game, 2)
        sheet = written(game, "red", order("bid", card="lowest"))
        without = b"".join(line for line in sheet.splitlines(keepends=True) if not line.startswith(b"link: "))
        assert game.receive("red", without).number is None
        hand_in(game, "blue", written(game, "blue", order("bid", card="lowest")))
        game.adjudicate(late=["red"])
        given = game.ledger.public_turn(3)["player_chains"]["red"]
        assert given == {"missing": missing_link(CHAIN.link(1), 3)}
        assert found(game, with_key=True) == []
