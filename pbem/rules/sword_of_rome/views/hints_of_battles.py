"""Hints on battles and sieges: ways of a retreat and their cost, what points buy, what looting brings (12 to 14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import counted, listing
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.battle.losses import loss_orders
from pbem.rules.sword_of_rome.battle.retreat import cost, retreat_orders
from pbem.rules.sword_of_rome.battle.spoils import (
    ADD,
    FOR_ALLY,
    REMOVE,
    ally,
    check_spoils,
    losers,
    most_unrest,
    taker,
    why_not_add,
    why_not_take_away,
)
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GAULS
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game
from pbem.rules.sword_of_rome.siege.relief import joining
from pbem.rules.sword_of_rome.views.hinting import Hint, HintsOf, first_of


def _losses(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the force has (12.3)."""
    facts = decision.facts
    force = view.force(facts["power"], facts["space"])
    yield f"The force has {force.cu} CU, {force.mercenaries} of them mercenaries. Half of those leave each turn."
    yield from first_of(loss_orders(view, decision))


def _retreat(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each way costs, and how many get inside or on board (12.4)."""
    facts = decision.facts
    for way in facts["ways"]:
        yield f"  {', '.join(way)}: costs {_cu(cost(view, facts['power'], way))}"
    if facts["room"]:
        inside = min(facts["room"], facts["cu"])
        yield f"{inside} CU can go inside the city: inside: true. Write a path as well for the others."
    if facts["free"] is not None:
        yield f"The fleet in which it came takes all of it back to {facts['free']}."
    if facts["ports"]:
        yield f"By a card it can sail to {listing(facts['ports'], 'or')}; who finds no room is lost."
    if not (facts["ways"] or facts["room"] or facts["free"]):
        yield "No way by land is open: without a voyage the army is lost."
    if UNSEEN not in view.hands[decision.side]:
        yield from first_of(retreat_orders(view, decision))


def _cu(number: int) -> str:
    return f"{number} CU" if number else "nothing"


def _spoils(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the points can buy, each a point (12.5)."""
    facts = decision.facts
    winner, loser, points = facts["power"], facts["loser"], facts["points"]
    yield f"Each entry of a list costs a point; you have {counted(points, 'point')}. A city can stand there twice."
    takes = [space for space in view.board.spaces if why_not_take_away(view, losers(view, loser), space) is None]
    won = [space for space in takes if taker(view, winner, space) == winner and _goes_at_once(view, space)]
    for words, spaces in (("becomes yours", won), ("loses support", [space for space in takes if space not in won])):
        if spaces:
            yield f"  {REMOVE}, {words}: {listing(spaces, 'and')}"
    friend = ally(view, winner)
    for word, power in ((ADD, winner), (FOR_ALLY, friend)):
        gains = [space for space in view.board.spaces if power is not None and why_not_add(view, power, space) is None]
        if gains:
            yield f"  {word}: {listing(gains, 'and')}"
    if view.board.powers[winner].raids:
        yield f"  plunder: up to {points}; the track stands at {view.plunder}"
    unrest = most_unrest(view, winner, loser)
    if unrest:
        yield f"  unrest: it can {'fall' if winner == CARTHAGE else 'rise'} by {unrest}"
    removed = [*won, *(space for space in takes if space not in won)][:points]
    added = [space for space in view.board.spaces if why_not_add(view, winner, space) is None][: points - len(removed)]
    many = Order("spoils", {word: spaces for word, spaces in ((REMOVE, removed), (ADD, added)) if spaces})
    if len(removed) + len(added) > 1 and not any(True for _ in check_spoils(view, decision, many)):
        yield many
    for space in (won or takes)[:points]:
        yield Order("spoils", {REMOVE: [space]})
    if view.board.powers[winner].raids:
        yield Order("spoils", {"plunder": points})
    if unrest:
        yield Order("spoils", {"unrest": min(points, unrest)})


def _goes_at_once(view: Game, space: str) -> bool:
    """Tell whether one point takes all support in a space that is not besieged."""
    return view.loyalty.get(space, 1) == 1 and space not in view.sieges


def _sack(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what looting brings, and what keeping (13.5, 14.4)."""
    table = view.board.tables["plunder"]
    sign = 1 if decision.facts["power"] == GAULS else -1
    after = view.plunder + sign * table["city"]
    full = ": it is full, and scores" if abs(after) >= table["track"] else ""
    yield f"Looting makes the city independent, and brings {table['city']} markers to a track at {view.plunder}{full}."
    yield f"Kept, the city is yours with loyalty {view.board.tables['city']['converted']}."
    yield Order("sack", {"loot": True})
    yield Order("sack", {"loot": False})


def _joins(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who is inside (13.4.2)."""
    yield "If the battle is lost they go back inside; the army that came retreats."
    yield from first_of(joining(view, decision))


HINTS: Final[Mapping[str, HintsOf]] = {
    "losses": _losses,
    "retreat": _retreat,
    "spoils": _spoils,
    "sack": _sack,
    "sortie_joins": _joins,
}
