"""The forecast: plays an order on a table without dice, to list the decisions and the rolls that it may lead to.

It starts from the side's view, so nothing hidden is in it. Nothing is rolled and nothing is kept. Each roll counts as
if it fell best for the order, and the other sides as if they answered by default. Beside each decision and each roll
the other possible results are listed. Where it stops before the play is over, it says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Any, Final, TypeVar

from pbem.crypto.dice import SeededDice
from pbem.engine.faults import is_for
from pbem.game.contract import Rules
from pbem.game.prospects import EQUAL, SUCCESS, Asked, Chance, Happens, Prospect, Stops, Unfit, Unforeseen
from pbem.game.table import Contest, Table, Throw, contest
from pbem.protocol import Checkpoint, Decision, Order, Roll, Side

S = TypeVar("S")
T = TypeVar("T")

FEW_WAYS: Final = 1_296
"""So many ways in which dice can fall are looked at one by one."""
MOST_DECISIONS: Final = 200


class Thought(Table):
    """A table that records everything and rolls nothing."""

    __slots__ = ("_rules", "_side", "prospects")

    def __init__(self, rules: Rules[Any], side: Side) -> None:
        super().__init__(SeededDice("forecast"))
        self._rules = rules
        self._side = side
        self.prospects: list[Prospect] = []

    def roll(
        self,
        name: str,
        count: int = 1,
        *,
        rule: str,
        sides: int = 6,
        modifiers: Mapping[str, int] | None = None,
        at_most: int | None = None,
        at_least: int | None = None,
        **facts: object,
    ) -> Roll:
        """Record the possible results of a roll and their probabilities; return the best result for the order."""
        kept = {reason: value for reason, value in (modifiers or {}).items() if value}
        need = f"<= {at_most}" if at_most is not None else f">= {at_least}" if at_least is not None else None
        ranked: list[tuple[int, str, Roll, int]] = []
        for faces, ways in _falls(count, sides, by_total=need is not None):
            roll = Roll(name, faces, kept, sum(faces) + sum(kept.values()), need, True, rule, sides)
            if need is not None:
                roll.success = roll.total <= at_most if at_most is not None else roll.total >= (at_least or 0)
                ranked.append((not roll.success, SUCCESS if roll.success else "", roll, ways))
            else:
                ranked.append((*self._rules.outcome(self.position, roll, facts), roll, ways))
        ranked.sort(key=lambda each: each[0])
        counted: dict[str, int] = {}
        for _, word, _, ways in ranked:
            counted[word] = counted.get(word, 0) + ways
        chances = {word: _percent(ways, sides**count) for word, ways in counted.items() if word}
        self.prospects.append(Chance(Roll(name, [], kept, 0, need, True, rule, sides), facts, chances))
        return ranked[0][2]

    def opposed(self, own: Throw, other: Throw, *, rule: str, sides: int = 6, ties: bool = False) -> Contest:
        """Record the chance that one throw beats the other; return the best result for the side that forecasts.

        That is that its throw wins, or the first one if neither is its own.
        """
        ours, theirs = (other, own) if other.side == self._side else (own, other)
        ties = ties if ours is own else not ties
        more = [sum(each.modifiers.values()) for each in (ours, theirs)]
        wins = equal = 0
        for total, ways in _totals(ours.count, sides).items():
            for against, ways_against in _totals(theirs.count, sides).items():
                difference = total + more[0] - against - more[1]
                wins += ways * ways_against * (difference > 0)
                equal += ways * ways_against * (difference == 0)
        every = sides ** (ours.count + theirs.count)
        chances = {SUCCESS: _percent(wins + equal * ties, every), **({EQUAL: _percent(equal, every)} if equal else {})}
        kept = [{why: value for why, value in each.modifiers.items() if value} for each in (ours, theirs)]
        names = (ours.name, theirs.name)
        rolls = [Roll(name, [], why, 0, None, True, rule, sides) for name, why in zip(names, kept, strict=True)]
        self.prospects.append(Chance(rolls[0], ours.told, chances, rolls[1], theirs.told))
        for roll, throw, face in ((rolls[0], ours, sides), (rolls[1], theirs, 1)):
            roll.faces = [face] * throw.count
            roll.total = sum(roll.faces) + sum(throw.modifiers.values())
        return contest(*(rolls if ours is own else rolls[::-1]), ties=ties if ours is own else not ties)

    def shuffle(self, name: str, items: Sequence[T]) -> list[T]:
        """Return the items as they are: their true order is hidden."""
        return list(items)

    def tell(self, kind: str, *, rule: str | None = None, to: Sequence[Side] | None = None, **facts: object) -> None:
        """Record what would happen."""
        super().tell(kind, rule=rule, to=to, **facts)
        self.prospects.append(Happens(self.events[-1]))


def _falls(count: int, sides: int, *, by_total: bool) -> Iterator[tuple[list[int], int]]:
    """Yield faces of some dice, and in how many ways they can fall so.

    Of few dice it is each way on its own; of many, those that differ, or with `by_total` one for each total.
    """
    if sides**count <= FEW_WAYS:
        yield from ((list(faces), 1) for faces in product(range(1, sides + 1), repeat=count))
    elif by_total:
        for total, ways in _totals(count, sides).items():
            high, rest = divmod(total - count, sides - 1)
            yield ([sides] * high + [1 + rest] + [1] * count)[:count], ways
    else:
        for faces in combinations_with_replacement(range(1, sides + 1), count):
            yield list(faces), factorial(count) // prod(map(factorial, Counter(faces).values()))


def _totals(count: int, sides: int) -> dict[int, int]:
    """Return the totals of some dice, each with in how many ways it comes about.

    >>> _totals(2, 3)
    {2: 1, 3: 2, 4: 3, 5: 2, 6: 1}
    """
    totals = {0: 1}
    for _ in range(count):
        then: dict[int, int] = {}
        for total, ways in totals.items():
            for face in range(1, sides + 1):
                then[total + face] = then.get(total + face, 0) + ways
        totals = then
    return totals


def _percent(ways: int, every: int) -> int:
    return round(100 * ways / every)


def forecast(rules: Rules[S], view: S, decision: Decision, order: Order, later: Sequence[Order] = ()) -> list[Prospect]:
    """Return what a legal answer to a decision may lead to, up to the next checkpoint, or that the game cannot tell.

    `view` is the view of the side, `later` are further orders of its sheet.
    """
    table = Thought(rules, decision.side)
    flow = rules.foresee(view, table, decision, order)
    if flow is None:
        return [Unforeseen(order.kind)]
    left, sent = list(later), None
    for _ in range(MOST_DECISIONS):
        try:
            question = flow.send(sent)
        except StopIteration:
            return table.prospects
        if isinstance(question, Checkpoint):
            return table.prospects
        asked = (question,) if isinstance(question, Decision) else question
        given = [_given(rules, table, each, decision.side, left) for each in asked]
        answers = [
            order if order is not None or each.default is None else Order(each.kind, each.default)
            for each, order in zip(asked, given, strict=True)
        ]
        table.prospects += _each_decision(rules, table, asked, answers, given)
        found = [answer for answer in answers if answer is not None]
        if len(found) < len(asked):
            return [*table.prospects, Stops(asked[answers.index(None)])]
        sent = found[0] if isinstance(question, Decision) else tuple(found)
    return [*table.prospects, Stops(None)]


def of_sheet(rules: Rules[S], view: S, asked: Sequence[Decision], orders: Sequence[Order]) -> list[Prospect]:
    """Return what the answers of a checked sheet to the open decisions may lead to."""
    found: list[Prospect] = []

    def is_legal(decision: Decision, order: Order) -> bool:
        return not any(True for _ in rules.check(view, decision, order))

    for decision in asked:
        at = next((at for at, order in enumerate(orders) if is_for(order, decision, asked, is_legal)), None)
        if at is not None:
            found += forecast(rules, view, decision, orders[at], orders[at + 1 :])
    return found


def _each_decision(
    rules: Rules[S],
    table: Thought,
    asked: Sequence[Decision],
    answers: Sequence[Order | None],
    given: Sequence[Order | None],
) -> Iterator[Prospect]:
    """Yield decisions that are open at the same time, each with the pieces that it concerns."""
    for decision, answer, order in zip(asked, answers, given, strict=True):
        yield Asked(decision, None if answer is None else answer.body, given=order is not None)
        yield from (Happens(event) for event in rules.prospects(table.position, decision))


def _given(rules: Rules[S], table: Thought, decision: Decision, side: Side, left: list[Order]) -> Order | None:
    """Return the further order of the sheet that answers a decision; what is for it and cannot is a prospect."""
    if decision.side != side:
        return None
    view = rules.view(table.position, side)
    unfit: list[Prospect] = []
    for order in left:
        if order.kind == decision.kind and order.about in ("", decision.about):
            faults = list(rules.check(view, decision, order))
            if not faults:
                left.remove(order)
                return order
            if not rules.is_for_later(view, decision, order):
                unfit.append(Unfit(order, faults))
    table.prospects += unfit[:1]
    return None
