"""Counter events of Hannibal: Rome vs. Carthage: what others can learn of a hand from them, which is nothing."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.advance import Outcome, advance
from pbem.engine.answers import Sources
from pbem.engine.session import Answer, Queued, Session
from pbem.game.plain import copy
from pbem.game.table import Table
from pbem.mail.intake import take_in
from pbem.mail.write.outgoing import side_report
from pbem.protocol import Event, Order, Side
from pbem.repo.ledger import Ledger
from pbem.rules.rome_carthage.position.state import SIDES, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from tests.support.blank import spelled_pictures
from tests.support.live import ADDRESSES, Folder, letter, readable, sheet
from tests.support.soak import quick_first
from tests.support.standing import Standing
from tests.support.walks import loaded

INTO_GAUL = {"card": 34, "as": "operations", "general": "nero", "cu": 3, "path": ["rhone"]}
COMMIT = re.compile(rb"(?m)(?<=^commit: )[0-9a-f]{40}|=_[0-9a-f]{40}")
"""The id of a commit, which depends on what is sealed in it, and the marks in a letter that are made from it."""
ANY = Queued(Order("hostile_tribes", {"card": "any"}), "standing 1")


def massilia(hand: list[int]) -> Game:
    """Return a position in which Nero is about to march into the country of the hostile tribes."""
    position: Game = copy(loaded("rome_carthage").rules.setup("standard", Table(SeededDice(0))))
    position.phase, position.to_play = "strategy", "rome"
    position.hands = {"rome": [33, 34], "carthage": sorted(hand)}
    position.deck = [card for card in position.board.cards if card not in (33, 34, *hand)]
    position.stacks = {"carthage": {}, "rome": {"massilia": Stack(3, 0, ["nero"])}}
    return position


def play(hand: list[int], standing: Queued | None, windows: str = "advance") -> Outcome[Game]:
    """March into Gaul against a hand, with or without a standing order, and return what came of it."""
    rules = loaded("rome_carthage").rules
    position = massilia(hand)
    position.options = {**position.options, "windows": windows}
    dice = SeededDice("gaul")

    ordered = Standing(lambda asked, _: standing if asked.kind == "hostile_tribes" else None)
    sources = Sources({"rome": [Queued(Order("play", INTO_GAUL), "sheet")]}, ordered)
    return advance(Session(rules, position, dice), b"gaul", dice, sources)


def public(outcome: Outcome[Game]) -> tuple[list[Answer], list[Event], list[Any]]:
    """Return what everybody reads of an adjudication."""
    return (
        [one for one in outcome.answers if not one.secret],
        [event for event in outcome.events if event.to is None],
        [(one.side, one.kind) for one in outcome.session.open_decisions],
    )


def test_an_order_in_advance_that_finds_no_card_leaves_no_trace() -> None:
    assert public(play([9, 10], ANY)) == public(play([9, 10], None)) == public(play([7, 9], None))


def test_an_order_in_advance_plays_the_card() -> None:
    kinds = [event.kind for event in play([7, 9], ANY).events]
    assert "counter_played" in kinds


@pytest.mark.parametrize("hand", [[7, 9], [9, 10]])
def test_a_pause_betrays_no_hand(hand: list[int]) -> None:
    (asked,) = play(hand, None, windows="ask").session.open_decisions
    assert (asked.side, asked.kind, dict(asked.facts)) == (
        "carthage",
        "hostile_tribes",
        {"mover": "nero", "at": "rhone", "enemy_cu": 3},
    )
    assert asked.secret


def test_observers_cannot_list_the_answers() -> None:
    session = play([7, 9], None, windows="ask").session
    rules, (asked,) = session.rules, session.open_decisions
    assert not rules.legal_orders(rules.view(session.position, None), asked).certain
    assert not rules.legal_orders(rules.view(session.position, "rome"), asked).certain
    assert [dict(order.body) for order in rules.legal_orders(rules.view(session.position, "carthage"), asked)] == [
        {"card": "none"},
        {"card": 7},
    ]


# ---- the claim to the first play (5.3)

CLAIM = Queued(Order("claim_first", {"card": "any"}), "standing 1")


def deal(hand: list[int], standing: Queued | None, turn: int = 2, windows: str = "advance") -> Outcome[Game]:
    """Let Rome claim the first play with a hand, or not, and Carthage name itself; return what came of it."""
    rules = loaded("rome_carthage").rules
    position: Game = copy(rules.setup("standard", Table(SeededDice(0))))
    position.turn, position.phase = turn, "first_play"
    position.options = {**position.options, "windows": windows}
    position.hands = {"rome": sorted(hand), "carthage": [1, 2]}
    position.deck = [card for card in position.board.cards if card not in (1, 2, *hand)]
    dice = SeededDice("claim")
    names = {"carthage": [Queued(Order("first_player", {"side": "carthage"}), "sheet")]}
    sources = Sources(names, Standing(lambda asked, _: standing if asked.kind == "claim_first" else None))
    return advance(Session(rules, position, dice), b"claim", dice, sources)


def test_a_claim_in_advance_counts_from_the_second_turn_on() -> None:
    (event,) = [event for event in deal([9, 37, 40], CLAIM).events if event.kind == "first_claimed"]
    assert event.facts["card"] == 37
    assert [(one.side, one.kind) for one in deal([9, 37], None).session.open_decisions] == [("carthage", "play")]


def test_a_claim_in_advance_without_its_card_leaves_no_trace() -> None:
    assert public(deal([9, 10], CLAIM)) == public(deal([9, 10], None)) == public(deal([9, 37], None))


@pytest.mark.parametrize(("turn", "windows"), [(1, "advance"), (1, "ask"), (2, "ask")])
def test_rome_is_waited_for_in_the_first_turn_or_by_agreement(turn: int, windows: str) -> None:
    """Before the first deal nobody could order anything in advance. What Rome holds makes no difference."""
    for hand in ([9, 10], [9, 37]):
        (asked,) = deal(hand, None, turn, windows).session.open_decisions
        assert (asked.side, asked.kind, asked.waits, asked.secret) == ("rome", "claim_first", True, True)


# ---- by letter


def by_letter(path: Path, hand: list[int], windows: str, patch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """March into Gaul by letter against a hand that plays nothing; return all that Rome and observers can read.

    That is also who is written to after each letter, and what Rome reads then.
    """
    rules: Any = type(loaded("rome_carthage").rules)
    position = massilia(hand)
    patch.setattr(rules, "setup", lambda self, scenario, table: with_orders(self, position))
    patch.setattr("pbem.mail.write.enclosures.pictures", spelled_pictures)
    patch.setattr(
        Ledger, "salted", lambda self, path, content: sha256(path.encode()).hexdigest()
    )  # nobody has the salt
    folder = Folder(path)
    written: list[list[tuple[str, str, bytes]]] = []

    def write(side: Side, text: bytes) -> None:
        handled = take_in(letter(side, text, number=len(written)), folder.office)
        assert handled.accepted
        seen = [(out, COMMIT.sub(b"", out.content)) for out in handled.letters]
        written.append([(out.to, out.name, content * (out.to == ADDRESSES["rome"])) for out, content in seen])

    with folder.create("rome_carthage", options={"windows": windows}) as game:
        write("carthage", sheet(game, "carthage").replace(b"orders:\n", b"standing:\n- bad_weather: {card: any}\n"))
        write("rome", sheet(game, "rome", Order("play", INTO_GAUL)))
    with folder.open() as game:
        stops = [(one.side, one.kind) for one in game.open_decisions]
    while stops[-1][1] == "hostile_tribes":
        with folder.open() as game:
            write("carthage", sheet(game, "carthage", Order("hostile_tribes", {"card": "none"})))
        with folder.open() as game:
            stops += [(one.side, one.kind) for one in game.open_decisions]
    with folder.open() as game:
        messages = [commit.message for commit in game.ledger.repo.history()]
        reports = [side_report(game, side, 0).text for side in ("rome", None)]
        files = readable(game.ledger.repo)
    patch.undo()
    return stops, messages, reports, files, written


def with_orders(rules: Any, position: Game) -> Game:
    position.options = rules.edition
    return position


@pytest.mark.parametrize("windows", quick_first(["advance", "ask"]))
def test_nothing_others_can_read_tells_which_cards_a_side_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, windows: str
) -> None:
    """Nothing that others can read tells which cards a side kept.

    The same letters against three hands: two with Hostile Tribes, one without.
    """
    first, *others = [
        by_letter(tmp_path / str(number), hand, windows, monkeypatch)
        for number, hand in enumerate([[9, 10], [7, 9], [7, 8]])
    ]
    assert (("carthage", "hostile_tribes") in first[0]) == (windows == "ask")
    assert [[to for to, _, _ in answers] for answers in first[-1]][1] == sorted(ADDRESSES[side] for side in SIDES)
    for other in others:
        assert other == first
