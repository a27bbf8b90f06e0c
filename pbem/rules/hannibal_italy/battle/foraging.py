"""Foraging: a side that does not control the province sends out a quarter of its army before it fights (9.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pbem.game import UNTOLD, Kind, OneOf, Part, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy.battle.parties import came_out, set_aside
from pbem.rules.hannibal_italy.position.board import ELEPHANTS, Board
from pbem.rules.hannibal_italy.position.forces import added, covers, sp, veiled, without_elephants
from pbem.rules.hannibal_italy.position.naming import name_meant, unit_named, units_named
from pbem.rules.hannibal_italy.position.state import ROME, Game

LEAST: Final = "least"
"""The word for the fewest foragers that are enough."""
NONE: Final = "none"


@dataclass(frozen=True, slots=True)
class SetAsideOrder:
    """The units that a side sets aside to forage, or for an ambush: named, or as few as will do, or none."""

    named: Mapping[str, int] | None
    fewest: bool = False
    """Where no units are named: whether as few go as will do; else nobody goes."""

    @classmethod
    def read(cls, order: Order) -> SetAsideOrder:
        """Read an order to forage or to lay an ambush."""
        units = order["units"]
        return cls(None, units == LEAST) if isinstance(units, str) else cls(units)

    @property
    def nobody(self) -> bool:
        """Whether nobody is set aside."""
        return self.named is None and not self.fewest

    def units(self, board: Board, able: Mapping[str, int], due: int) -> Mapping[str, int]:
        """Return the units to set aside of those that are able to go."""
        if self.named is not None:
            return self.named
        return least(board, able, due) if self.fewest else {}


def send_foragers(game: Game, table: Table, side: Side, *, excused: bool = False) -> Flow[None]:
    """Set a quarter of a side's SP aside, of its own choice, where it does not control the province (9.4, 11.3).

    Only what is with leaders forages, and nothing leaves a besieged city to do so (9.71). Nothing is due from a side
    that is `excused`. Where Rome does not see what Carthage has, the question comes even if nothing is due (7.5); as
    it mostly has one answer there, nobody waits for it: who wants others than the fewest to go orders it in advance.
    """
    battle, board = game.the_battle, game.board
    if game.provinces.get(board.hexes[battle.hex].province) == side:
        return
    party = battle.parties[side]
    leaders = [leader for leader in party.leaders if leader not in came_out(game, party)]
    units = added(*(game.leaders[leader].units for leader in leaders))
    able = without_elephants(board, units)
    single = sum(units.values()) < 2  # a single unit need not forage
    due = 0 if single or excused else min(quarter(game, units), sp(board, able))
    hidden = side != ROME and not battle.revealed
    if not leaders or (due == 0 and not hidden):
        return
    answer = yield from table.ask(
        side,
        "forage",
        rule="9.4",
        default={"units": LEAST},
        secret=side != ROME,
        waits=not hidden,
        hex=battle.hex,
        due=due,
        units=able,
    )
    chosen = added(SetAsideOrder.read(answer).units(board, able, due)) if due else {}
    party.foragers = set_aside(game, side, chosen, leaders)
    if chosen:
        table.tell("forages", side=side, sp=sp(board, chosen), hex=battle.hex, rule="9.4", to=_seers(game, side))


def quarter(game: Game, units: Mapping[str, int]) -> int:
    """Return the SP of which at least so many forage (9.4)."""
    total, part = sp(game.board, units), int(game.board.tables["forage"])
    return -(-total // part) if game.options["forage_due"] == "up" else total // part


def _seers(game: Game, side: Side) -> list[Side] | None:
    """Return the sides that see how many forage: both in a battle, Carthage alone where it is hidden (7.5)."""
    return None if side == ROME or game.the_battle.revealed else [side]


def least(board: Board, units: Mapping[str, int], due: int) -> dict[str, int]:
    """Return units of at least so many SP with the least excess; of equal ones those of fewer units (9.4)."""
    best: dict[int, dict[str, int]] = {0: {}}
    for unit in sorted(units):
        for total, chosen in sorted(best.items(), reverse=True):
            for count in range(1, units[unit] + 1):
                more = total + count * board.units[unit].sp
                other = {**chosen, unit: count}
                if more not in best or sum(other.values()) < sum(best[more].values()):
                    best[more] = other
                if more >= due:
                    break
    enough = [total for total in best if total >= due]
    return best[min(enough)] if enough else dict(units)


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with foragers: units that are not there, too few, or more than must go (9.4, 11.3)."""
    able, due = decision.facts["units"], decision.facts["due"]
    chosen = SetAsideOrder.read(order).named
    if chosen is None:
        if due and SetAsideOrder.read(order).nobody:
            yield order.fault(("units",), f"{due} SP must forage: a quarter of the army; you send nobody", rule="9.4")
        return
    absent = [unit for unit, count in chosen.items() if not covers(able, {unit: count})]
    for unit in absent:
        yield order.fault(("units", unit), _why_no_forager(view, able, unit), rule="9.4")
    if absent:
        return
    sum_ = sp(view.board, chosen)
    if sum_ < due:
        yield order.fault(("units",), f"{sum_} SP are too few; {due} SP must forage", rule="9.4")
        return
    if view.options["forage_quarter"] == "least" and sum_ > (fewest := sp(view.board, least(view.board, able, due))):
        yield order.fault(
            ("units",), f"{due} SP must forage, and units of {fewest} SP can do it; these have {sum_}", rule="9.4"
        )
        return
    for unit in chosen:
        if sum_ - view.board.units[unit].sp >= due:
            yield order.fault(
                ("units", unit),
                f"{due} SP must forage; that is enough without {unit_named(view.board, unit)}",
                rule="9.4",
            )
            return


def _why_no_forager(view: Game, able: Mapping[str, int], unit: str) -> str:
    """Say why units cannot forage: there are not so many, they are elephants, or there are none (9.4, 11.3)."""
    there, name = units_named(view.board, able), unit_named(view.board, unit)
    if unit in able:
        return f"only {able[unit]} {name} can forage here; there are {there}"
    if unit in view.board.units and view.board.units[unit].kind == ELEPHANTS:
        return f"elephants never forage; there are {there}"
    near = name_meant(unit, {each: unit_named(view.board, each) for each in able})
    return f"there are no {name} here to forage{near}; there are {there}".replace("?;", "?")


def choices(view: Game, decision: Decision) -> Part:
    """Return the least that will do, and for each kind of unit what is enough with most of it, if it differs (9.4)."""
    able, due = decision.facts["units"], decision.facts["due"]
    if veiled(view, decision.side, decision.facts["hex"]):
        return UNTOLD
    if not due:
        return OneOf("units", [Value(NONE, says=(NONE,))])
    known = [least(view.board, able, due)]
    values = [Value(LEAST, says=(LEAST,))]
    for unit in able:
        for units in _most_of(view.board, able, due, unit):
            if not any(check(view, decision, Order("forage", {"units": units}))):
                if units not in known:
                    known.append(units)
                    values.append(Value(units, label=units_named(view.board, units)))
                break
    return OneOf("units", values)


def _most_of(board: Board, able: Mapping[str, int], due: int, unit: str) -> Iterator[dict[str, int]]:
    """Yield units that may be enough, with as many of one kind as are needed, then with one less of it, and so on."""
    others = {other: count for other, count in able.items() if other != unit}
    for count in range(min(able[unit], -(-due // board.units[unit].sp)), 0, -1):
        rest = due - count * board.units[unit].sp
        yield added({unit: count}, least(board, others, rest) if rest > 0 else {})


FORAGING_KINDS: Final = (Kind("forage", choices, check, hints="views.hints:forage"),)
