"""Stacking: how many leaders may stand together, and which hexes are closed to them (7.8, 10.6, 12.21)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.game import Refusal
from pbem.protocol import Side
from pbem.rules.hannibal_italy.position.board import CAPUA
from pbem.rules.hannibal_italy.position.forces import sp
from pbem.rules.hannibal_italy.position.leadership import limit
from pbem.rules.hannibal_italy.position.state import CARTHAGE, Game


def why_not_enter(game: Game, side: Side, leaders: Sequence[str], hex: str) -> Refusal | None:
    """Say why leaders may not enter a hex (10.6, 12.21)."""
    if game.board.hexes[hex].city == CAPUA and capua_shut(game, side):
        word = "Carthage never enters Capua" if side == CARTHAGE else "nobody enters Capua before it joins Carthage"
        return Refusal(word, "12.21")
    if any(game.card(leader).gaulish for leader in leaders):
        province = game.board.provinces[game.board.hexes[hex].province]
        if province.recruits != "gaul":
            return Refusal(f"the Gaulish leader does not go to {province.name}", "10.6")
    return None


def forbidden(game: Game, side: Side, leaders: Sequence[str]) -> frozenset[str]:
    """Return the hexes that leaders may not enter (10.6, 12.21)."""
    cards = game.board.leaders
    closed = game.board.beyond_gaul if any(cards[leader].gaulish for leader in leaders) else frozenset[str]()
    return closed.union((game.board.cities[CAPUA].hex,)) if capua_shut(game, side) else closed


def capua_shut(game: Game, side: Side) -> bool:
    """Tell whether a side may not enter Capua: Carthage never, Rome not before it has joined Carthage (12.21)."""
    return side == CARTHAGE or not (game.capua_revolted or game.cities[CAPUA] == CARTHAGE)


def crowded(game: Game, side: Side, hex: str, more: Sequence[str]) -> bool:
    """Tell whether leaders who come would make too many in a hex (7.8).

    The Gaulish leader does not count: he stands with three of Carthage at the start (12.31).
    """
    everybody, cards = {*game.leaders_at(side, hex), *more}, game.board.leaders
    most = int(game.board.tables["stacking"]["leaders"])
    if len(everybody) <= most:
        return False
    return sum(leader not in cards or not cards[leader].gaulish for leader in everybody) > most


def full(game: Game, side: Side, leaders: Sequence[str]) -> set[str]:
    """Return the hexes in which leaders who come would be too many; the Gaulish leader does not count (7.8)."""
    cards = game.board.leaders
    others = [game.leaders[each].at for each in game.on_map(side) if each not in leaders and not cards[each].gaulish]
    room = int(game.board.tables["stacking"]["leaders"]) - sum(not cards[leader].gaulish for leader in leaders)
    return {hex for hex in others if others.count(hex) > room} if len(others) > room else set()


def too_many(game: Game, leader: str, units: Mapping[str, int]) -> int | None:
    """Return how many SP a leader may have, if units would be more (7.8)."""
    most = limit(game, leader)
    return most if most is not None and sp(game.board, units) > most else None


def may_lead(game: Game, leader: str, unit: str) -> bool:
    """Tell whether a leader may have a unit with him: Gauls go with the Gaulish leader alone, slaves with theirs."""
    kind = game.board.units[unit]
    if kind.pool == "gaul":
        return game.card(leader).gaulish
    if kind.whole == "slaves":
        return game.slaves == leader
    return not game.card(leader).gaulish or kind.side != game.card(leader).side
