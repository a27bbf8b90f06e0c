"""A slip of the form costs no turn: what a player gets who takes one `#` off, none, or two.

Every question of every game is looked at: in random games, and in the test cases, whose positions ask what random play
seldom comes to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.cases import Case, run_case
from pbem.engine.faults import faults_in_sequence, second_answers
from pbem.engine.session import Session
from pbem.game.boxes.box import Box
from pbem.game.contract import Rules
from pbem.orders.check import OpenDecisions, Receipt, check_sheet
from pbem.orders.sheet import Sheet
from pbem.protocol import Decision, Order, Side
from pbem.render.text.form import SheetHead, choices, form, order_lines
from tests.support.chance import seed_of
from tests.support.rulings import cases_in
from tests.support.walks import FOLDERS, GAMES, loaded, plain, start, walk

SEEDS = range(2)
MOST = 20
QUESTIONS = 100
"""So many games are played at most until each kind was asked, and so many questions of each."""
ENOUGH = 2
"""So many forms are tried for each kind of question: a game asks some a hundred times as often as others."""
FEW = 30
"""So many questions of each edition are looked at by `make test`, and then the cases of kinds that these lack."""
each_game = pytest.mark.parametrize("game", GAMES)
each_size = pytest.mark.parametrize(
    "whole", [pytest.param(False, id="quick"), pytest.param(True, id="whole", marks=pytest.mark.slow)]
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A side that is asked something, with the position as it knows it, and its decisions."""

    rules: Rules[Any]
    box: Box
    view: Any
    side: Side
    decisions: Sequence[Decision]

    def form(self) -> str:
        head = SheetHead("punica", self.side, 7)
        asked = [choices(self.rules, self.box, self.view, each) for each in self.decisions]
        return form(asked, head, ["Turn 1"])

    def check(self, *lines: str) -> tuple[Receipt, Sheet | None]:
        """Check a sheet as a player does at home."""
        at = OpenDecisions(
            box=self.box,
            game="punica",
            sides=self.rules.sides,
            side=self.side,
            adjudication=7,
            decisions=self.decisions,
            faults=partial(self.rules.check, self.view),
            further=partial(faults_in_sequence, self.rules, self.view),
            second=partial(second_answers, self.rules, self.view),
        )
        return check_sheet(at, "\n".join(lines).encode())

    def check_orders(self, orders: Iterable[str]) -> tuple[Receipt, Sheet | None]:
        """Check a sheet with some orders, each on a line of its own from the fifth on."""
        return self.check(*SheetHead("punica", self.side, 7).lines(), "orders:", *orders)


def asked_in(session: Session[Any], box: Box) -> Iterator[Asked]:
    """Yield each side that is asked something."""
    rules = session.rules
    for side in rules.sides:
        if own := [decision for decision in session.open_decisions if decision.side == side]:
            view = rules.decode(plain(rules.encode(rules.view(session.position, side))))
            yield Asked(rules, box, view, side, own)


def questions(game: str, whole: bool) -> Sequence[Asked]:
    """Return some questions of each kind: from random games of each edition, and from the test cases."""
    return seen(game, whole)[0]


@cache
def seen(game: str, whole: bool) -> tuple[Sequence[Asked], Spans]:
    """Play random games of each edition and the test cases once; return some questions, and what was answered.

    If not the whole, games are short, and of the cases those are played that name a kind of which there are too few.
    """
    found: list[Asked] = []
    count: Counter[str] = Counter()
    spans = Spans()

    def look(session: Session[Any]) -> None:
        if any(count[decision.kind] < ENOUGH for decision in session.open_decisions):
            for asked in asked_in(session, loaded(game).box):
                count.update(decision.kind for decision in asked.decisions)
                found.append(asked)

    def wanted(case: Case) -> bool:
        told = str(case.told)
        return whole or any(count[kind] < ENOUGH and kind in told for kind in loaded(game).box.forms)

    def lacking() -> bool:
        return not loaded(game).box.forms.keys() <= count.keys()

    go = Session._go

    def watched(session: Session[Any], sent: Any) -> None:
        if sent is not None:
            spans.note(session, sent if isinstance(sent, tuple) else (sent,))
        go(session, sent)
        if (checkpoint := session.checkpoint) is not None:
            spans.over = {key: order for key, order in spans.over.items() if checkpoint.keeps(key[0])}
        look(session)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "_go", watched)
        for _ in everything(game, whole, wanted, lacking):
            spans.over.clear()
    return found, spans


def everything(game: str, whole: bool, wanted: Callable[[Case], bool], lacking: Callable[[], bool]) -> Iterator[None]:
    """Play random games of each edition, and the test cases that are wanted; stop before each of them.

    Where a kind is still lacking, games are played until it comes.
    """
    for edition in loaded(game).box.editions:
        for seed in SEEDS if whole else SEEDS[:1]:
            rules, scenarios = loaded(game, edition).rules, loaded(game, edition).scenarios
            yield
            for _ in walk(rules, scenarios[seed % len(scenarios)], seed_of(seed), QUESTIONS if whole else FEW):
                pass
    for path in loaded(game).box.cases():
        for case in filter(wanted, cases_in(path)):
            yield
            run_case(case, game, FOLDERS)
    for seed in range(SEEDS.stop, MOST):
        if lacking():
            yield
            for _ in walk(loaded(game).rules, loaded(game).scenarios[0], seed_of(seed), QUESTIONS):
                pass


# ---- one `#`


def with_the_others(lines: list[str], chosen: str) -> list[str]:
    """Return a form with an order chosen for each other question of the same kind: each wants an answer."""
    kind = re.compile(re.escape(chosen.split("{")[0]) + r"\{for: (\w+)")
    if (own := kind.match(chosen)) is None:
        return lines
    done, found = {own[1]}, list(lines)
    for at, line in enumerate(lines):
        if (other := kind.match(line)) is not None and other[1] not in done:
            done.add(other[1])
            found[at] = line[2:]
    return found


@each_size
@each_game
def test_form_filled_in_the_lazy_way_is_accepted(game: str, whole: bool) -> None:
    """Take one `#` off, change nothing else: whichever it is, the sheet is accepted. Every kind of order is tried.

    Of the whole each line of a form is taken, else one of each kind.
    """
    tried: set[str] = set()
    for asked in questions(game, whole):
        lines = asked.form().splitlines()
        for at, line in enumerate(lines):
            if not whole and line[4:].partition(":")[0] in tried:
                continue
            for less in (1, 2) if line.startswith("# - ") else ():
                chosen = with_the_others([*lines[:at], line[less:], *lines[at + 1 :]], line)
                receipt, sheet = asked.check(*chosen)
                assert sheet is not None, "\n".join([str(receipt), *chosen])
                assert len(sheet.orders) == len({each.about for each in sheet.orders})
                tried.add(sheet.orders[0].kind)
    assert tried == loaded(game).box.forms.keys()


# ---- none


@each_size
@each_game
def test_form_as_it_stands_chooses_nothing(game: str, whole: bool) -> None:
    """It is sent back, and names in words what AGREED would take: nothing but what the decisions say."""
    for asked in questions(game, whole):
        receipt, sheet = asked.check(*asked.form().splitlines())
        assert sheet is None
        (placed,) = receipt.complaints
        reason = placed.fault.reason
        assert reason.startswith("nothing is chosen")
        assert ("AGREED takes what counts without an answer: " in reason) == all(
            each.default is not None and not asked.box.forms[each.kind].proposal for each in asked.decisions
        )
        for each in asked.decisions:
            if each.default is not None:
                words = asked.box.forms[each.kind].in_words(each.default, asked.box.names)
                assert "AGREED" not in reason or words in reason
                assert not words.startswith(f"{each.kind}:"), "the box has no words for this default"


@each_size
@each_game
def test_sheet_of_the_defaults_is_accepted(game: str, whole: bool) -> None:
    """What AGREED hands in has no faults, wherever every decision of a side has a default."""
    for asked in questions(game, whole):
        if all(each.default is not None for each in asked.decisions):
            agreed = [Order(each.kind, each.default or {}, each.about) for each in asked.decisions]
            lines = [line for each in agreed for line in order_lines(each.kind, each.written)]
            receipt, sheet = asked.check_orders(lines)
            assert sheet is not None, "\n".join([str(receipt), *lines])


# ---- two


class Spans:
    """The answers since the queue was last dropped: after the last order of a kind nothing more may be asked."""

    def __init__(self) -> None:
        self.over: dict[tuple[Side, str], Order] = {}
        self.answered: set[str] = set()
        self.last: set[str] = set()
        self.again: list[str] = []

    def note(self, session: Session[Any], orders: Sequence[Order]) -> None:
        """Note the answers to the open decisions."""
        found: dict[tuple[Side, str], Order] = {}
        for decision, order in zip(session.open_decisions, orders, strict=True):
            key = (decision.side, decision.kind)
            if key in self.over:
                self.again.append(f"{key} is asked again after {self.over[key]}")
            self.answered.add(decision.kind)
            view = session.rules.view(session.position, decision.side)
            if session.rules.is_last(view, decision, order):
                found[key] = order
                self.last.add(decision.kind)
        self.over |= found


@each_size
@each_game
def test_nothing_is_asked_again_after_the_last_order(game: str, whole: bool) -> None:
    """Where `is_last` says so, no second question of the kind comes before the queue is dropped.

    It says so of some order of each kind, but for those that rules ask again and again.
    """
    _, spans = seen(game, whole)
    assert spans.again == []
    if whole:
        assert spans.answered - spans.last == ASKED_AGAIN[game]


ASKED_AGAIN = {
    "toy": set[str](),
    "five": {"intercept", "aid"},
    "sword_of_rome": {
        # for each tie, power or alliance (4.4, 5.6, 5.9, 5.10)
        "tie_order",
        "tie_choice",
        "surrender",
        "renew",
        "reinforce",
        "halve",
        # in each activation, battle or voyage (7.1.1, 7.4, 8.2.1, 15.1)
        "desperate_times",
        "respond",
        "alliance",
        "command",
        # on each space of a march, in each Campaign (7.2.2, 9 to 11)
        "march",
        "next_commander",
        "join_campaign",
        "flank",
        "city",
        "intercept",
        "avoid",
        "let_go",
        "refuse",
        "pursue",
        "bribe",
        "lend_fleet",
        "contest_voyage",
        # in each battle, for each city that falls (12 to 14)
        "losses",
        "retreat",
        "spoils",
        "sack",
        "sortie_joins",
        # for each force that goes home out of Africa (17.2.2)
        "go_home",
        # for each side or power at the end of a turn (8.2 to 8.4)
        "consuls",
        "return_leaders",
        "keep_leaders",
        "minor_leaders",
    },
    "rome_carthage": {
        # on each space of a march
        "man_city",
        "intercept",
        "avoid_battle",
        "intercepted",
        "hostile_tribes",
        "bad_weather",
        "storms_at_sea",
        # in each round of a battle
        "round_events",
        "give_back",
        "maharbal",
        "battle_card",
        "match",
        "counterattack",
        "take_initiative",
        "cancel_withdrawal",
        "losses",
        "remove_markers",
        "elephant_fright",
    },
    "hannibal_italy": {
        # for each leader, army or province
        "tie",
        "arrive",
        "receive",
        "winter_losses",
        # in each battle, round or siege of a phase
        "next_battle",
        "sally",
        "fight",
        "command",
        "withdraw",
        "forage",
        "ambush",
        "losses",
        "go_on",
        "besiege",
        "retreat",
        "works",
    },
}
"""The kinds that rules may ask again in one span, so that a second order of them waits."""


def begun(game: str) -> Session[Any]:
    """Return a game at a question: the first bid of the toy, a movement of Carthage, a card play of Carthage."""
    rules = loaded(game).rules
    position = start(rules, loaded(game).box.scenarios[0], 0)
    if game == "hannibal_italy":
        position.phase = "first_move"
    if game == "rome_carthage":
        position.phase, position.to_play = "strategy", "carthage"
        position.hands = {"carthage": [17, 33, 37], "rome": [9]}
        position = rules.settle(position)
    session = Session(rules, position, SeededDice(1))
    while session.at_checkpoint:
        session.go_on()
    return session


@pytest.mark.parametrize(
    ("game", "orders", "refused"),
    [
        ("toy", ["bury: {card: 0}", "bury: {card: 1}"], [2]),
        ("toy", ["bury: {card: 0}", "bury: {card: 0}"], [2]),
        ("toy", ["bury: {card: 0}", "bid: {card: 1}", "bid: {card: 1}"], []),
        ("hannibal_italy", ["move: {leader: hannibal, path: [taurasia]}", "move: {end: true}"], []),
        ("hannibal_italy", ["move: {end: true}", "move: {leader: hannibal, path: [taurasia]}"], [2]),
        (
            "hannibal_italy",
            [
                "move: {leader: hannibal, path: [taurasia]}",
                'move: {leader: gaulish_leader, path: ["0326"]}',
                "move: {end: true}",
                "move: {end: true}",
            ],
            [4],
        ),
        ("rome_carthage", ["play: {card: 17, as: discard}", "play: {card: 37, as: discard}"], [2]),
        ("rome_carthage", ["play: {card: 17, as: discard}", "march: {stop: true}", "march: {stop: true}"], []),
        (
            "rome_carthage",
            [
                "play: {card: 37, as: event, general: hanno, path: [utica]}",
                "campaign: {general: hannibal, path: [dertosa], then: stop}",
                "campaign: {general: mago, path: [dertosa], then: stop}",
            ],
            [],
        ),
        ("hannibal_italy", ["move: {end: true}", "fight: {fight: true}", "fight: {fight: true}"], []),
    ],
)
def test_second_answer_to_one_question_is_sent_back(game: str, orders: list[str], refused: list[int]) -> None:
    """Marches of two leaders and orders for questions not yet asked stay legal; two equal lines are two answers."""
    session = begun(game)
    asked = next(asked_in(session, loaded(game).box))
    hand = session.position.hands[asked.side] if game == "toy" else [0, 1]
    cards = {f"card: {at}": f"card: {card}" for at, card in enumerate(hand[:2])}
    receipt, sheet = asked.check_orders(
        re.sub(r"card: [01]\b", lambda found: cards[found[0]], f"- {each}") for each in orders
    )
    assert (sheet is None) == bool(refused), str(receipt)
    assert [placed.mark.line - 4 for placed in receipt.complaints] == refused
    for placed in receipt.complaints:
        assert placed.fault.reason.startswith("which of the two? Line ")


@pytest.mark.parametrize(
    ("orders", "refused"),
    [
        (["{general: hannibal, path: [dertosa]}", "{general: mago, path: [dertosa]}"], ([], [2])),
        (["{general: hannibal, path: [dertosa]}", "{stop: true}"], ([], [])),
        (["{general: hannibal, path: [dertosa]}", "{stop: true}", "{stop: true}"], ([3], [3])),
        (["{stop: true}", "{general: hannibal, path: [dertosa]}"], ([2], [2])),
    ],
)
def test_campaign_asks_once_for_each_of_its_generals(orders: list[str], refused: tuple[list[int], list[int]]) -> None:
    """With one general left the first march is the last; to stop behind it does no harm."""
    session = begun("rome_carthage")
    session.answer([Order("play", {"card": 33, "as": "event", "general": "hanno", "path": ["utica"], "then": "stop"})])
    for wrong in refused:
        while session.at_checkpoint or session.open_decisions[0].kind != "campaign":
            if session.at_checkpoint:
                session.go_on()
            else:
                session.answer([Order(each.kind, each.default or {}) for each in session.open_decisions])
        (asked,) = asked_in(session, loaded("rome_carthage").box)
        receipt, _ = asked.check_orders(f"- campaign: {each}" for each in orders)
        assert [placed.mark.line - 4 for placed in receipt.complaints] == wrong
        session.answer([Order("campaign", {"general": "mago", "path": ["dertosa"], "then": "stop"})])


@pytest.mark.parametrize(
    ("orders", "refused"),
    [
        (["{leader: longus, path: [dertona]}", "{end: true}"], []),
        (["{leader: longus, path: [dertona]}"] * 2, [2]),
        (["{leader: longus, path: [dertona]}", "{end: true}", "{leader: longus, path: [dertona]}"], [3]),
    ],
)
def test_march_of_the_only_leader_is_the_last(orders: list[str], refused: list[int]) -> None:
    """The end behind it does no harm, though nothing is left to be ended."""
    rules = loaded("hannibal_italy").rules
    position = start(rules, loaded("hannibal_italy").box.scenarios[0], 0)
    position.phase = "second_move"
    (asked,) = asked_in(Session(rules, position, SeededDice(1)), loaded("hannibal_italy").box)
    assert asked.decisions[0].facts["leaders"] == ["longus"]
    receipt, _ = asked.check_orders(f"- move: {each}" for each in orders)
    assert [placed.mark.line - 4 for placed in receipt.complaints] == refused
