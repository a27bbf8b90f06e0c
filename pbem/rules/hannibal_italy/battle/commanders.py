"""Commanders in a battle or an assault: the highest office, Hannibal, or a leader whom a side chooses (10.31)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from pbem.game import Kind, LegalOrders, Table, of
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy.position.leadership import candidates, chooser, hard_to_save
from pbem.rules.hannibal_italy.position.naming import leader_named, leaders_named, place_named, why_not_at_hand
from pbem.rules.hannibal_italy.position.state import Game


def commander_of(game: Game, table: Table, side: Side, leaders: Sequence[str], hex: str) -> Flow[str]:
    """Return the leader who commands a side; where several may, the side that has the choice is asked (10.31).

    The text is empty if there are none. A side that is silent gets the best of its own leaders, or the enemy's worst.
    """
    able = candidates(game, side, leaders)
    if len(able) < 2:
        return able[0] if able else ""
    who = chooser(game, side, able)
    silent = (max if who == side else min)(able, key=partial(worth, game))
    order = yield from table.ask(
        who, "command", rule="10.31", default={"leader": silent}, hex=hex, leaders=able, army=side
    )
    leader: str = order["leader"]
    return leader


def worth(game: Game, leader: str) -> tuple[int, int]:
    """Return how good a commander is: what he does to the die, then how easily he gets away (10.3, 10.4)."""
    return game.card(leader).combat, -hard_to_save(game, leader)


def _orders(view: Game, decision: Decision) -> LegalOrders:
    return of([Order("command", {"leader": leader}) for leader in decision.facts["leaders"]])


def _check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the choice of a commander (10.31)."""
    able = decision.facts["leaders"]
    if order["leader"] not in able:
        reason = f"{_why_not_in_command(view, decision, order['leader'])}; {leaders_named(view.board, able, 'or')} can"
        yield order.fault(("leader",), reason, rule="10.31")


def _why_not_in_command(view: Game, decision: Decision, leader: str) -> str:
    """Say why somebody cannot command an army: not of its side, not in the hex, or of lower rank (10.31)."""
    army, name = decision.facts["army"], leader_named(view.board, leader)
    if leader not in view.on_map(army):
        return why_not_at_hand(view, army, leader).replace("your leader", "a leader of this army")
    hex = decision.facts["hex"]
    if view.leaders[leader].at != hex:
        return f"{name} is not at {place_named(view.board, hex)}"
    return f"{name} cannot command there: the highest office goes first, and Hannibal before all"


COMMAND_KINDS: Final = (Kind("command", _orders, _check, hints="views.hints:command", bot="policy.replies:command"),)
