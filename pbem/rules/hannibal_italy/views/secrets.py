"""Secrets: Rome sees Carthaginian leaders and where they are, not the units with them (7.5, 6.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.game import Table, plain
from pbem.protocol import Side
from pbem.rules.hannibal_italy.position.forces import added, outside, sp
from pbem.rules.hannibal_italy.position.state import CARTHAGE, UNSEEN, Battle, Game, Leader
from pbem.rules.hannibal_italy.siege.siege import needed


def view(game: Game, side: Side | None) -> Game:
    """Return the position as a side may know it: Carthage all of it, an observer no more than Rome (7.5)."""
    if side == CARTHAGE:
        return game
    seen = plain.twin(game)
    shown = game.battle.hex if game.battle is not None and game.battle.revealed else None
    veiled = [id for id in game.on_map(CARTHAGE) if game.leaders[id].at != shown]
    seen.leaders = {**game.leaders, **{id: _veiled(game.leaders[id]) for id in veiled}}
    seen.pools = {}
    seen.loose = {**game.loose, CARTHAGE: {hex: _hidden(game, hex, shown) for hex in game.loose[CARTHAGE]}}
    if game.battle is not None and not game.battle.revealed:
        seen.battle = _unforaged(game.battle)
    if game.dropped and game.mover == CARTHAGE:
        seen.dropped = {}
    return seen


def _unforaged(battle: Battle) -> Battle:
    """Return a battle that Rome has not seen yet, as at a siege, without what Carthage has sent foraging (9.4)."""
    seen = plain.twin(battle)
    party = plain.twin(battle.parties[CARTHAGE])
    party.foragers = {}
    seen.parties = {**battle.parties, CARTHAGE: party}
    return seen


def _veiled(leader: Leader) -> Leader:
    veiled = plain.twin(leader)
    veiled.units = {UNSEEN: 1}
    return veiled


def _hidden(game: Game, hex: str, shown: str | None) -> dict[str, int]:
    """Return what Rome sees of Carthaginian units without a leader: that they are there (7.5)."""
    if hex == shown or game.options["leaderless_seen"] == "all":
        return game.loose[CARTHAGE][hex]
    return {UNSEEN: 1}


def resample_hidden(game: Game, side: Side | None, table: Table) -> Game:
    """Return a position that a side could not tell from this one: what it cannot see is drawn again (7.5).

    Rome knows how many allies and Gauls were drawn, not which; what Carthage has in all, not which leader has it. Who
    besieges a city is known to have the strength for it: others had to go (9.7).
    """
    other = plain.twin(game)
    if side == CARTHAGE:
        return other
    other.leaders, other.pools = dict(game.leaders), dict(game.pools)
    other.loose = {**game.loose, CARTHAGE: dict(game.loose[CARTHAGE])}
    shown = game.battle.hex if game.battle is not None and game.battle.revealed else None
    hidden = [id for id in game.on_map(CARTHAGE) if game.leaders[id].at != shown]
    for id in hidden:
        other.leaders[id] = plain.twin(game.leaders[id])
    for pool in sorted(game.pools):
        _redraw(other, pool, hidden, table.shuffle(f"resample/{side}/{pool}", _lots(other, pool, hidden)))
    able = [id for id in hidden if not game.card(id).gaulish]
    pile = added(*(other.leaders[id].units for id in able))
    cup = table.shuffle(f"resample/{side}", [unit for unit in pile for _ in range(pile[unit])])
    cup, mine = list(cup), {id: list[str]() for id in able}
    for id in able:
        other.leaders[id].units = {}
    for city in (game.board.cities[city] for city, siege in game.sieges.items() if siege.side == CARTHAGE):
        camp = [id for id in able if game.leaders[id].at == city.hex and not game.leaders[id].inside]
        for id in camp[: len(cup)]:  # nobody besieges alone
            _take(other, id, mine[id], cup)
        strength = min(needed(game, city), sp(game.board, outside(game, CARTHAGE, city.hex)))
        while camp and cup and sp(game.board, outside(other, CARTHAGE, city.hex)) < strength:
            _take(other, camp[0], mine[camp[0]], cup)
    for id, units in zip(able, _shares(cup, len(able), table, f"resample/{side}/shares"), strict=True):
        other.leaders[id].units = added(*({unit: 1} for unit in [*mine[id], *units]))
    return other


def _take(game: Game, leader: str, mine: list[str], cup: list[str]) -> None:
    """Give a leader the next unit of a cup."""
    mine.append(cup.pop(0))
    game.leaders[leader].units = added(*({unit: 1} for unit in mine))


def _shares(cup: Sequence[str], number: int, table: Table, name: str) -> Iterator[Sequence[str]]:
    """Yield what each of several leaders draws from a cup: many units, few, or none (7.5)."""
    if number:
        cuts = sorted(table.shuffle(name, [*range(len(cup) + 1)] * number)[: number - 1])
        for start, end in zip([0, *cuts], [*cuts, len(cup)], strict=True):
            yield cup[start:end]


def _lots(game: Game, pool: str, hidden: Sequence[str]) -> list[str]:
    """Return the whole units of a pool, those that lie in it and those that hidden leaders have (6.3, 6.31)."""
    piles = [game.pools[pool], *(game.leaders[id].units for id in hidden)]
    return [unit for pile in piles for unit in sorted(pile) if _drawn(game, pool, unit) for _ in range(pile[unit])]


def _drawn(game: Game, pool: str, unit: str) -> bool:
    kind = game.board.units[unit]
    return kind.pool == pool and kind.whole == unit


def _redraw(game: Game, pool: str, hidden: Sequence[str], lots: list[str]) -> None:
    """Give each hidden leader as many units of a pool as he had, others perhaps; the rest lies in the pool."""
    for id in hidden:
        units = game.leaders[id].units
        count = sum(number for unit, number in units.items() if _drawn(game, pool, unit))
        kept = {unit: number for unit, number in units.items() if not _drawn(game, pool, unit)}
        mine, lots = lots[:count], lots[count:]
        game.leaders[id].units = added(kept, *({unit: 1} for unit in mine))
    game.pools[pool] = added(*({unit: 1} for unit in lots))
