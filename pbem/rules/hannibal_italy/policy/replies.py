"""What the stand-in answers to all questions but where to march (5, 6, 9, 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pbem.advice import Reply
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.board import HOME
from pbem.rules.hannibal_italy.forces import sp
from pbem.rules.hannibal_italy.policy.worth import HANNIBAL_SP, UNSEEN_SP, battle
from pbem.rules.hannibal_italy.state import CARTHAGE, ENEMY, ROME, Game

GOOD_DIE: Final = 1
"""The modifier from which on an assault is better than a siege."""


def rating(game: Game, side: Side, hex: str) -> int:
    """Return what the best commander whom a side has in a hex adds to the die (10.3)."""
    return max((game.card(leader).combat for leader in game.leaders_at(side, hex)), default=0)


def edge(game: Game, side: Side, hex: str) -> int:
    """Return what the commanders in a hex change the die by, seen from a side (10.3)."""
    return rating(game, side, hex) - rating(game, ENEMY[side], hex)


def _proconsul(known: Game, decision: Decision) -> Iterator[Order]:
    """Keep the consul whose army or whose skill is the greatest; take off who is worst if there are two (5.3)."""
    facts = decision.facts

    def merit(leader: str) -> int:
        return 20 * known.card(leader).combat + sp(known.board, known.leaders[leader].units)

    most = int(known.board.tables["elections"]["proconsuls"]["most"])
    if not facts["consuls"]:
        return
    best, held = max(facts["consuls"], key=merit), sorted(facts["proconsuls"], key=merit)
    if merit(best) == 0:
        return
    if len(held) < most:
        yield Order("proconsul", {"keep": best})
    elif merit(held[0]) < merit(best):
        yield Order("proconsul", {"keep": best, "dismiss": [held[0]]})


def _tie(known: Game, decision: Decision) -> Iterator[Order]:
    yield Order("tie", {"leaders": sorted(decision.facts["leaders"], key=lambda each: -known.card(each).combat)})


def _raise(known: Game, decision: Decision) -> Iterator[Order]:
    """Raise all there are, and give each elected leader a city with legions (6.2, 5.23)."""
    legions: dict[str, int] = dict((decision.default or {}).get("legions", {}))
    there = {
        city: sp(known.board, known.loose[ROME].get(known.board.cities[city].hex, {}))
        + count * sum(known.board.units[unit].sp for unit in known.board.legion)
        for city, count in legions.items()
    }
    cities = sorted(there, key=lambda city: (-there[city], city))
    leaders = dict(zip(decision.facts["leaders"], cities, strict=False))
    body: dict[str, Any] = {**(decision.default or {}), "leaders": leaders}
    if decision.facts["slaves"]:
        for leader in known.on_map(ROME):
            yield Order("raise", {**body, "slaves": leader})
    yield Order("raise", body)


def _fight(known: Game, decision: Decision) -> Iterator[Order]:
    """Want battle where more is to be won than lost (9.1)."""
    side, facts = decision.side, decision.facts
    hidden = (
        HANNIBAL_SP if any(known.card(each).supreme for each in known.leaders_at(CARTHAGE, facts["hex"])) else UNSEEN_SP
    )
    own, enemy = int(facts["own_sp"]), int(facts.get("enemy_sp", hidden))
    yield Order("fight", {"fight": battle(known, side, own, enemy, edge(known, side, facts["hex"])) > 0})


def _command(known: Game, decision: Decision) -> Iterator[Order]:
    """Name the best of one's own, the worst of the enemy's (10.31)."""
    facts = decision.facts
    own = facts["army"] == decision.side

    def merit(leader: str) -> int:
        return known.card(leader).combat if own else -known.card(leader).combat

    yield Order("command", {"leader": max(facts["leaders"], key=merit)})


def _withdraw(known: Game, decision: Decision) -> Iterator[Order]:
    """Get away from an enemy who is the stronger (10.4)."""
    side, hex = decision.side, decision.facts["hex"]
    party, other = known.the_battle.parties[side], known.the_battle.parties[ENEMY[side]]
    own = sum(sp(known.board, known.leaders[each].units) for each in party.leaders)
    enemy = sum(sp(known.board, known.leaders[each].units) for each in other.leaders)
    yield Order("withdraw", {"withdraw": battle(known, ENEMY[side], enemy, own, -edge(known, side, hex)) > 0})


def _go_on(known: Game, decision: Decision) -> Iterator[Order]:
    """Fight on while it pays, else break off, or stop (9.2)."""
    side, facts = decision.side, decision.facts
    die = edge(known, side, facts["hex"])
    if facts["attacking"]:
        pays = battle(known, side, facts["own_sp"], facts["enemy_sp"], die) > 0
    else:
        pays = battle(known, ENEMY[side], facts["enemy_sp"], facts["own_sp"], -die) < 0
    yield Order("go_on", {"do": "fight" if pays else "withdraw" if facts["way_out"] else "stop"})
    yield Order("go_on", {"do": "stop"})


def _besiege(known: Game, decision: Decision) -> Iterator[Order]:
    """Storm with four to one or more, else besiege (9.7, 9.8)."""
    facts = decision.facts
    able = facts["can_assault"] and facts["own_sp"] >= (4 if decision.side == ROME else 6) * facts["needed"]
    yield Order("besiege", {"do": "assault" if able else "siege"})


def _works(known: Game, decision: Decision) -> Iterator[Order]:
    yield Order("works", {"build": True})


def _place(known: Game, decision: Decision) -> Iterator[Order]:
    """Let the highest in office take over the largest armies (5.23)."""
    hexes = sorted(decision.facts["hexes"], key=lambda hex: (-sp(known.board, known.loose[ROME].get(hex, {})), hex))
    able = [hex for hex in hexes if hex == HOME or known.loose[ROME].get(hex)]
    yield Order("place", {"leaders": dict(zip(decision.facts["leaders"], able, strict=False))})


REPLIES: Final[Mapping[str, Reply]] = {
    "proconsul": _proconsul,
    "tie": _tie,
    "raise": _raise,
    "place": _place,
    "fight": _fight,
    "command": _command,
    "withdraw": _withdraw,
    "go_on": _go_on,
    "besiege": _besiege,
    "works": _works,
}
