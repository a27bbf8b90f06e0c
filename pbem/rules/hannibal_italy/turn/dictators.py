"""The dictator and his master of horse, after a disaster (5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.game import Kind, LegalOrders, Table, concat, of, once, product
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.hannibal_italy.position.naming import leader_named, leaders_named, why_not_at_hand
from pbem.rules.hannibal_italy.position.state import CONSUL, DICTATOR, MASTER_OF_HORSE, ROME, SENATE, UNPLACED, Game
from pbem.rules.hannibal_italy.turn.elections import eligible, leave_office, take_over
from pbem.rules.hannibal_italy.turn.placing import leave_for_rome

NONE: Final = "none"
BOTH: Final = 2


@dataclass(frozen=True, slots=True)
class DictatorOrder:
    """The leaders whom Rome names dictator and master of horse."""

    dictator: str
    master: str
    """Empty: the order names none."""

    @classmethod
    def read(cls, order: Order) -> DictatorOrder | None:
        """Read an order about a dictator; return None if there is to be none."""
        return None if order["dictator"] == NONE else cls(order["dictator"], order.get("master", ""))


def appoint(game: Game, table: Table) -> Flow[bool]:
    """Ask Rome for a dictator at the end of a summer in which four legions or both consuls were lost (5.4)."""
    if not disaster(game) or len(able := eligible(game)) < BOTH:
        return True
    answer = yield from table.ask(ROME, "dictator", rule="5.4", default={"dictator": NONE}, leaders=able)
    order = DictatorOrder.read(answer)
    if order is None:
        return True
    game.vacant = [*_dismiss_consuls(game, table), *game.fallen]
    game.left_by_consuls = list(game.vacant)
    chosen = ((order.dictator, DICTATOR), (order.master, MASTER_OF_HORSE))
    game.dictators.append(order.dictator)
    for leader, office in chosen:
        game.put(leader, UNPLACED)
        game.leaders[leader].office = office
        table.tell("appointed", leader=leader, office=office, rule="5.4")
        if game.options["dictator_as_consul"] == "everything":
            game.last_consuls.append(leader)
            if leader not in game.served:
                game.served.append(leader)
    yield from take_over(game, table)
    leave_for_rome(game, table)
    return True


def disaster(game: Game) -> bool:
    """Tell whether Rome may name a dictator: four legions lost, or both consuls (5.4)."""
    lost = game.lost_this_segment if game.options["dictator_losses"] == "segment" else game.lost_this_year
    board = game.board
    needed = int(board.tables["dictator_after"]) * int(board.tables["stacking"]["legion_sp"])
    return lost >= needed or game.consuls_killed >= BOTH


def _dismiss_consuls(game: Game, table: Table) -> list[str]:
    """Take the consuls out of play and return where they stood (5.4)."""
    consuls = [leader for leader in game.on_map(ROME) if game.leaders[leader].office == CONSUL]
    hexes = [game.leaders[leader].at for leader in consuls]
    for leader in consuls:
        leave_office(game, table, leader, SENATE)
    return hexes


def senior(game: Game, one: str, other: str) -> bool:
    """Tell whether a leader is at least as senior as another: he has been consul, or neither has (5.4, 5.22)."""
    return one in game.served or other not in game.served


def legal_orders(view: Game, decision: Decision) -> LegalOrders:
    """Return no dictator, and every pair of which the senior is dictator, who has not been before (5.4)."""
    able = decision.facts["leaders"]
    pairs = [
        (one, other)
        for one in able
        for other in able
        if one != other and one not in view.dictators and senior(view, one, other)
    ]
    return concat(
        of([Order("dictator", {"dictator": NONE})]),
        product(lambda pair: Order("dictator", {"dictator": pair[0], "master": pair[1]}), pairs),
    )


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a dictator: not eligible, not the senior, or dictator before (5.4)."""
    able, ordered = decision.facts["leaders"], DictatorOrder.read(order)
    if ordered is None:
        return
    dictator, master = ordered.dictator, ordered.master
    strangers = [(key, each) for key, each in (("dictator", dictator), ("master", master)) if each not in able]
    for key, leader in strangers:
        yield order.fault((key,), _why_not_eligible(view, able, leader), rule="5.4")
    if strangers:
        return
    if dictator == master:
        yield order.fault(("master",), "the dictator and his master of horse are two leaders; name another", rule="5.4")
    elif dictator in view.dictators:
        reason = f"{leader_named(view.board, dictator)} has been dictator before, and nobody is twice"
        yield order.fault(("dictator",), reason, rule="5.4")
    elif not senior(view, dictator, master):
        reason = f"{leader_named(view.board, master)} is the senior of the two, having been consul, and so dictator"
        yield order.fault(("dictator",), reason, rule="5.4")


def _why_not_eligible(view: Game, able: Sequence[str], leader: str) -> str:
    """Say why somebody cannot be dictator or master of horse: they come from the Senate, and are old enough (5.4)."""
    who = f"eligible are {leaders_named(view.board, able)}"
    if not leader:
        return f"name a master of horse, too; {who}"
    if leader in view.board.roster[ROME] and view.leaders[leader].at == SENATE:
        year = view.board.leaders[leader].first_year
        return f"{leader_named(view.board, leader)} is eligible from {year} on only; {who}"
    return f"{why_not_at_hand(view, ROME, leader)}, and does not sit in the Senate; {who}"


DICTATOR_KINDS: Final = (Kind("dictator", legal_orders, check, hints="views.hints:dictator", is_last=once),)
