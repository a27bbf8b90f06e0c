"""Plays an order on in thought, to list what the other side could be asked on the way and what would be rolled.

It starts from the position as the side knows it: nothing hidden is in it. Nothing is rolled and nothing is kept: each
roll counts as if it fell best for the order, the other side as if it answered nothing. What could come of it otherwise
is told beside each question and each roll.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from pbem.crypto.dice import SeededDice
from pbem.game.forecast import Asked, Chance, Happens, Prospect
from pbem.game.table import Table
from pbem.protocol import Checkpoint, Decision, Order, Roll, Rules, Side

SUCCESS: Final = "success"
MOST_QUESTIONS: Final = 200


class Thought(Table):
    """A table at which everything is noted and nothing rolled."""

    __slots__ = ("_rules", "prospects")

    def __init__(self, rules: Rules[Any]) -> None:
        super().__init__(SeededDice("forecast"))
        self._rules = rules
        self.prospects: list[Prospect] = []

    def roll(
        self, name: str, count: int = 1, *, rule: str, sides: int = 6, modifiers: Mapping[str, int] | None = None,
        at_most: int | None = None, at_least: int | None = None, **facts: Any,
    ) -> Roll:  # fmt: skip
        """Note what a roll can come to and how likely that is; return the best of it for the order."""
        kept = {reason: value for reason, value in (modifiers or {}).items() if value}
        every = [Roll(name, list(faces), kept, sum(faces) + sum(kept.values()), None, True, rule, sides)
                 for faces in product(range(1, sides + 1), repeat=count)]  # fmt: skip
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

    def shuffle(self, name: str, items: Sequence[Any]) -> list[Any]:
        """Return the items as they are: nobody knows another order."""
        return list(items)

    def tell(self, kind: str, *, rule: str | None = None, to: Sequence[Side] | None = None, **facts: Any) -> None:
        """Note what would happen."""
        super().tell(kind, rule=rule, to=to, **facts)
        self.prospects.append(Happens(self.events[-1]))

    def _outcome(self, roll: Roll, facts: Mapping[str, Any]) -> tuple[int, str]:
        return self._rules.outcome(self.position, roll, facts)


def forecast(
    rules: Rules[Any], view: Any, decision: Decision, order: Order, later: Sequence[Order] = ()
) -> list[Prospect]:
    """Return what a legal answer to a question may lead to, up to the next rest; empty where the game cannot say.

    `view` is the position as the side knows it, `later` are further orders of its sheet.
    """
    table = Thought(rules)
    flow = rules.foresee(view, table, decision, order)
    left, sent = list(later), None
    for _ in range(MOST_QUESTIONS if flow is not None else 0):
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


def of_sheet(rules: Rules[Any], view: Any, asked: Sequence[Decision], orders: Sequence[Order]) -> list[Prospect]:
    """Return what the orders of a sheet, which has been checked, may lead to: its answer to each open question."""
    found: list[Prospect] = []
    for decision in asked:
        at = next((at for at, order in enumerate(orders) if order.kind == decision.kind), None)
        if at is not None:
            found += forecast(rules, view, decision, orders[at], orders[at + 1 :])
    return found


def _asked(
    rules: Rules[Any], table: Thought, asked: Sequence[Decision], answers: Sequence[Order | None]
) -> Iterator[Prospect]:
    """Yield questions asked at once, each with who can do what it asks."""
    for decision, answer in zip(asked, answers, strict=True):
        yield Asked(decision, None if answer is None else answer.body)
        yield from (Happens(event) for event in rules.prospects(table.position, decision))


def _answer(rules: Rules[Any], table: Thought, decision: Decision, side: Side, left: list[Order]) -> Order | None:
    """Return what the forecast goes on with: the sheet's own further order, else the default of the question."""
    if decision.side == side:
        view = rules.view(table.position, side)
        for order in left:
            if order.kind == decision.kind and not any(True for _ in rules.check(view, decision, order)):
                left.remove(order)
                return order
    return None if decision.default is None else Order(decision.kind, decision.default)
