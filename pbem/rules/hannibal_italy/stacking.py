"""How many may stand together, and where nobody may go (7.8, 10.6, 12.21)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pbem.protocol import Side
from pbem.rules.hannibal_italy.board import CAPUA
from pbem.rules.hannibal_italy.forces import sp
from pbem.rules.hannibal_italy.leadership import limit
from pbem.rules.hannibal_italy.state import CARTHAGE, Game


def why_not_enter(game: Game, side: Side, leaders: Sequence[str], hex: str) -> tuple[str, str] | None:
    """Say why leaders may not enter a hex, and by which rule; None: they may (10.6, 12.21)."""
    if game.board.hexes[hex].city == CAPUA and capua_shut(game, side):
        word = "Carthage never enters Capua" if side == CARTHAGE else "nobody enters Capua before it joins Carthage"
        return word, "12.21"
    if any(game.card(leader).gaulish for leader in leaders):
        province = game.board.provinces[game.board.hexes[hex].province]
        if province.recruits != "gaul":
            return f"the Gaulish leader does not go to {province.name}", "10.6"
    return None


def forbidden(game: Game, side: Side, leaders: Sequence[str]) -> frozenset[str]:
    """Return the hexes that leaders may not enter (10.6, 12.21)."""
    gaulish = any(game.card(leader).gaulish for leader in leaders)
    shut = game.board.beyond_gaul if gaulish else frozenset[str]()
    return shut | {game.board.cities[CAPUA].hex} if capua_shut(game, side) else shut


def capua_shut(game: Game, side: Side) -> bool:
    """Tell whether a side may not enter Capua: Carthage never, Rome not before it has joined Carthage (12.21)."""
    return side == CARTHAGE or not (game.capua_revolted or game.cities[CAPUA] == CARTHAGE)


def crowded(game: Game, side: Side, hex: str, more: Sequence[str]) -> bool:
    """Tell whether leaders who come would make too many in a hex (7.8).

    The Gaulish leader does not count: he stands with three of Carthage at the start (12.31).
    """
    everybody = [leader for leader in game.leaders_at(side, hex) if leader not in more] + list(more)
    counted = [leader for leader in everybody if leader not in game.board.leaders or not game.card(leader).gaulish]
    return len(counted) > int(game.board.tables["stacking"]["leaders"])


def full(game: Game, side: Side, leaders: Sequence[str]) -> set[str]:
    """Return the hexes in which leaders who come would be too many; the Gaulish leader does not count (7.8)."""
    cards, there = game.board.leaders, Counter[str]()
    for leader in game.on_map(side):
        if leader not in leaders and not cards[leader].gaulish:
            there[game.leaders[leader].at] += 1
    room = int(game.board.tables["stacking"]["leaders"]) - sum(not cards[leader].gaulish for leader in leaders)
    return {hex for hex, count in there.items() if count > room}


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
