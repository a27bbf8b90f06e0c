"""The forecast: plays an order on a table without dice, to list the decisions and the rolls that it may lead to.

It starts from the side's view, so nothing hidden is in it. Nothing is rolled and nothing is kept. Each roll counts as
if it fell best for the order, and the other side as if it answered by default. Beside each decision and each roll the
other possible results are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeVar

from pbem.crypto.dice import SeededDice
from pbem.engine.matching import is_for
from pbem.game.forecast import Asked, Chance, Happens, Prospect
from pbem.game.plain import Record
from pbem.game.table import Table
from pbem.protocol import Checkpoint, Decision, Order, Roll, Rules, Side

S = TypeVar("S")
T = TypeVar("T")

SUCCESS: Final = "success"
MOST_DECISIONS: Final = 200


class Thought(Table):
    """A table that records everything and rolls nothing."""

    __slots__ = ("_rules", "prospects")

    def __init__(self, rules: Rules[Any]) -> None:
        super().__init__(SeededDice("forecast"))
        self._rules = rules
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
        **facts: Any,
    ) -> Roll:
        """Record the possible results of a roll and their probabilities; return the best result for the order."""
        kept = {reason: value for reason, value in (modifiers or {}).items() if value}
        more = sum(kept.values())
        every = [
            Roll(name, list(faces), kept, sum(faces) + more, None, True, rule, sides)
            for faces in product(range(1, sides + 1), repeat=count)
        ]
        need = f"<= {at_most}" if at_most is not None else f">= {at_least}" if at_least is not None else None
        ranked: list[tuple[int, str, Roll]] = []
        for roll in every:
            if need is not None:
                roll.need = need
                roll.success = roll.total <= at_most if at_most is not None else roll.total >= (at_least or 0)
                ranked.append((not roll.success, SUCCESS if roll.success else "", roll))
            else:
                ranked.append((*self._outcome(roll, facts), roll))
        ranked.sort(key=lambda each: each[0])
        words = [word for _, word, _ in ranked]
        chances = {word: round(100 * words.count(word) / len(words)) for word in dict.fromkeys(words) if word}
        self.prospects.append(Chance(Roll(name, [], kept, 0, need, True, rule, sides), facts, chances))
        return ranked[0][2]

    def shuffle(self, name: str, items: Sequence[T]) -> list[T]:
        """Return the items as they are: their true order is hidden."""
        return list(items)

    def tell(self, kind: str, *, rule: str | None = None, to: Sequence[Side] | None = None, **facts: Any) -> None:
        """Record what would happen."""
        super().tell(kind, rule=rule, to=to, **facts)
        self.prospects.append(Happens(self.events[-1]))

    def _outcome(self, roll: Roll, facts: Record) -> tuple[int, str]:
        return self._rules.outcome(self.position, roll, facts)


def forecast(rules: Rules[S], view: S, decision: Decision, order: Order, later: Sequence[Order] = ()) -> list[Prospect]:
    """Return what a legal answer to a decision may lead to, up to the next checkpoint; empty if the game cannot say.

    `view` is the view of the side, `later` are further orders of its sheet.
    """
    table = Thought(rules)
    flow = rules.foresee(view, table, decision, order)
    left, sent = list(later), None
    for _ in range(MOST_DECISIONS if flow is not None else 0):
        assert flow is not None
        try:
            question = flow.send(sent)
        except StopIteration:
            break
        if isinstance(question, Checkpoint):
            break
        asked = (question,) if isinstance(question, Decision) else question
        answers = [_answer(rules, table, each, decision.side, left) for each in asked]
        table.prospects += _asked(rules, table, asked, answers)
        found = [answer for answer in answers if answer is not None]
        if len(found) < len(asked):
            break
        sent = found[0] if isinstance(question, Decision) else tuple(found)
    return table.prospects


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


def _asked(
    rules: Rules[S], table: Thought, asked: Sequence[Decision], answers: Sequence[Order | None]
) -> Iterator[Prospect]:
    """Yield decisions that are open at the same time, each with the pieces that it concerns."""
    for decision, answer in zip(asked, answers, strict=True):
        yield Asked(decision, None if answer is None else answer.body)
        yield from (Happens(event) for event in rules.prospects(table.position, decision))


def _answer(rules: Rules[S], table: Thought, decision: Decision, side: Side, left: list[Order]) -> Order | None:
    """Return the answer that the forecast uses: a further order of the sheet, else the default of the decision."""
    if decision.side == side:
        view = rules.view(table.position, side)
        for order in left:
            if order.kind == decision.kind and not any(True for _ in rules.check(view, decision, order)):
                left.remove(order)
                return order
    return None if decision.default is None else Order(decision.kind, decision.default)
