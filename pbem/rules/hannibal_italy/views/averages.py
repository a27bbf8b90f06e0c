"""Average results of a round of battle and of an assault, for forms and for odds (9.2, 9.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pbem.game import plain
from pbem.protocol import Side
from pbem.rules.hannibal_italy.battle.battle import column_of, round_modifiers
from pbem.rules.hannibal_italy.battle.odds import NO_CASE
from pbem.rules.hannibal_italy.battle.parties import in_line
from pbem.rules.hannibal_italy.position.board import Board, City
from pbem.rules.hannibal_italy.position.state import SIDES, UNSEEN, Game
from pbem.rules.hannibal_italy.siege.siege import assault_modifiers
from pbem.rules.hannibal_italy.siege.siege import column_of as column_of_assault

DIE: Final = range(1, 7)
WORDS: Final[Mapping[str, str]] = {"S": "stormed", "DE": "defenders eliminated", "R": "beaten back"}


@dataclass(frozen=True, slots=True)
class Prospect:
    """A column, what changes the die, the steps that both lose on average, and the chances of words on the chart."""

    column: str
    modifiers: Mapping[str, int]
    attacker: float
    defender: float
    exact: Mapping[str, float] = field(default_factory=dict)


def seen_by_both(view: Game) -> bool:
    """Tell whether the viewer knows all that stands against each other in the battle (7.5)."""
    return not any(UNSEEN in in_line(view, side) for side in SIDES)


def as_attacked_by(view: Game, attacker: Side) -> Game:
    """Return the position as it would be if a side attacked in the battle under way; nothing is changed."""
    seen = plain.twin(view)
    seen.battle = plain.twin(view.the_battle)
    seen.battle.attacker = attacker
    return seen


def round_of_battle(view: Game, attacker: Side) -> Prospect | None:
    """Return the average result of a round if a side attacks; None if it may not, or nobody can tell (9.2)."""
    if not seen_by_both(view):
        return None
    seen = as_attacked_by(view, attacker)
    column = column_of(seen)
    if column == NO_CASE:
        return None
    chart, modifiers = view.board.field, round_modifiers(seen)
    results = [chart.read(column, die + sum(modifiers.values())) for die in DIE]
    lost = {
        who: sum(int(result[1:]) for result in results if result[0] in (who, "E")) / len(results) for who in ("A", "D")
    }
    return Prospect(chart.columns[column], modifiers, lost["A"], lost["D"])


def assault(view: Game, side: Side, city: City, against: int) -> Prospect | None:
    """Return the average result of an assault on a city, against so many SP; None if it is not allowed (9.8)."""
    column = column_of_assault(view, side, city, against)
    return None if column == NO_CASE else read_assaults(view.board, column, assault_modifiers(view, side, city))


def read_assaults(board: Board, column: int, modifiers: Mapping[str, int]) -> Prospect:
    """Return the average result of a column of the siege chart with some modifiers of the die (9.8)."""
    chart = board.assault
    results = [chart.read(column, die + sum(modifiers.values())).split(" ") for die in DIE]
    lost = sum(int(words[0][1:]) for words in results if words[0].startswith("A")) / len(results)
    ends = Counter(words[-1] for words in results)
    exact = {words: ends[end] / len(results) for end, words in WORDS.items() if ends[end]}
    return Prospect(chart.columns[column], modifiers, lost, 0.0, exact)
