"""The bot's answers to all decisions except marches (5, 6, 9, 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.policy.worth import Forces, battle, before_walls, lasting, taken_for, worth_of_city
from pbem.rules.hannibal_italy.position.forces import loose_inside, sp, walled
from pbem.rules.hannibal_italy.position.leadership import limit
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, Game
from pbem.rules.hannibal_italy.turn.recruiting import to_raise_now

HOME_FIRST: Final = 30
"""What is added for Rome, where leaders may always be put, when it is decided where legions are raised."""
ROOM: Final = 3
"""Leaders who may stand together (7.8)."""
ARMY_LEFT: Final = 13
"""SP that an old magistrate has left somewhere for which a new one takes over there."""


def rating(game: Game, side: Side, hex: str) -> int:
    """Return what a side's best commander in a hex adds to the die (10.3)."""
    return max((game.card(leader).combat for leader in game.leaders_at(side, hex)), default=0)


def edge(game: Game, side: Side, hex: str) -> int:
    """Return what the commanders in a hex change the die by, seen from a side (10.3)."""
    return rating(game, side, hex) - rating(game, ENEMY[side], hex)


def proconsul(view: Game, decision: Decision) -> Iterator[Order]:
    """Keep the consul with the best army and skill; take off only proconsuls who have no army left (5.3)."""
    facts, board = decision.facts, view.board

    def merit(leader: str) -> int:
        return 20 * view.card(leader).combat + sp(board, view.leaders[leader].units)

    held = [leader for leader in facts["proconsuls"] if sp(board, view.leaders[leader].units) >= ARMY_LEFT]
    dismissed = [leader for leader in facts["proconsuls"] if leader not in held]
    able = [leader for leader in facts["consuls"] if sp(board, view.leaders[leader].units) >= ARMY_LEFT]
    if able and len(held) < int(board.tables["elections"]["proconsuls"]["most"]):
        yield Order("proconsul", {"keep": max(able, key=merit), "dismiss": dismissed})
    if dismissed:
        yield Order("proconsul", {"keep": "none", "dismiss": dismissed})


def tie(view: Game, decision: Decision) -> Iterator[Order]:
    """Put the best in battle first (5.22)."""
    yield Order("tie", {"leaders": sorted(decision.facts["leaders"], key=lambda each: -view.card(each).combat)})


def raising(view: Game, decision: Decision) -> Iterator[Order]:
    """Raise all there are, where leaders or units wait for more, and give leaders the largest armies (6.2, 5.23)."""
    board, facts = view.board, decision.facts
    a_legion = sum(board.units[unit].sp for unit in board.legion)
    waiting = {
        city: sp(board, view.loose[ROME].get(board.cities[city].hex, {}))
        + (HOME_FIRST if board.cities[city].hex == view.board.home else 0)
        + sum(a_legion for _ in view.leaders_at(ROME, board.cities[city].hex))
        for cities in facts["cities"].values()
        for city in cities
    }
    left, legions = to_raise_now(view), dict[str, int]()
    best = {
        province: max(cities, key=lambda city: (waiting[city], city))
        for province, cities in facts["cities"].items()
        if cities
    }
    for province in sorted(best, key=lambda province: (-waiting[best[province]], province)):
        count = min(left, facts["legions"][province])
        left -= count
        if count:
            legions[best[province]] = count
    there = {board.cities[city].hex: count * a_legion for city, count in legions.items()}
    new = {view.board.home: 0, **dict.fromkeys(view.vacant, 0), **there}
    body: dict[str, object] = {"legions": legions, "leaders": _led(view, facts["leaders"], new)}
    if facts["slaves"]:
        for leader in view.on_map(ROME):
            yield Order("raise", {**body, "slaves": leader})
    yield Order("raise", body)


def _led(view: Game, leaders: Sequence[str], new: Mapping[str, int]) -> dict[str, str]:
    """Return which leader takes over in which hex, the highest in office first: where most SP have no leader (5.23).

    Who finds none goes where another one's army is large enough for two.
    """
    free = {
        hex: count + sp(view.board, view.loose[ROME].get(hex, {}))
        for hex, count in sorted(new.items())
        if not view.leaders_at(CARTHAGE, hex)  # he could hardly leave
    }
    shared = {hex: here(view, hex) for hex in free}
    room = {hex: ROOM - len(view.leaders_at(ROME, hex)) for hex in free}
    found: dict[str, str] = {}
    for leader in leaders:
        able = [hex for hex in free if room[hex] > 0]
        if not able:
            break
        most = limit(view, leader) or free[able[0]]
        best = max(able, key=lambda hex: (min(most, free[hex]), shared[hex], hex == view.board.home, hex))
        found[leader] = best
        shared[best] += min(most, free[best]) // 2
        free[best] -= min(most, free[best])
        room[best] -= 1
    return found


def here(view: Game, hex: str) -> int:
    """Return half the SP of the leaders in a hex: as many as another leader could get (7.2)."""
    return sum(sp(view.board, view.leaders[leader].units) for leader in view.leaders_at(ROME, hex)) // 2


def fight(view: Game, decision: Decision) -> Iterator[Order]:
    """Want battle where more is to be won than lost (9.1)."""
    side, facts = decision.side, decision.facts
    hidden = sum(taken_for(view, each) for each in view.leaders_at(CARTHAGE, facts["hex"]))
    own, enemy = int(facts["own_sp"]), int(facts.get("enemy_sp", hidden))
    yield Order("fight", {"fight": battle(view, side, own, enemy, edge(view, side, facts["hex"])) > 0})


def command(view: Game, decision: Decision) -> Iterator[Order]:
    """Name the best of one's own, the worst of the enemy's (10.31)."""
    facts = decision.facts
    own = facts["army"] == decision.side

    def merit(leader: str) -> int:
        return view.card(leader).combat if own else -view.card(leader).combat

    yield Order("command", {"leader": max(facts["leaders"], key=merit)})


def withdraw(view: Game, decision: Decision) -> Iterator[Order]:
    """Get away from an enemy who is the stronger (10.4)."""
    side, hex = decision.side, decision.facts["hex"]
    party, other = view.the_battle.parties[side], view.the_battle.parties[ENEMY[side]]
    own = sum(sp(view.board, view.leaders[each].units) for each in party.leaders)
    enemy = sum(sp(view.board, view.leaders[each].units) for each in other.leaders)
    yield Order("withdraw", {"withdraw": battle(view, ENEMY[side], enemy, own, -edge(view, side, hex)) > 0})


def go_on(view: Game, decision: Decision) -> Iterator[Order]:
    """Fight on while it pays, else break off, or stop (9.2)."""
    side, facts = decision.side, decision.facts
    die = edge(view, side, facts["hex"])
    if facts["attacking"]:
        pays = battle(view, side, facts["own_sp"], facts["enemy_sp"], die) > 0
    else:
        pays = battle(view, ENEMY[side], facts["enemy_sp"], facts["own_sp"], -die) < 0
    yield Order("go_on", {"do": "fight" if pays else "withdraw" if facts["way_out"] else "stop"})
    yield Order("go_on", {"do": "stop"})


def besiege(view: Game, decision: Decision) -> Iterator[Order]:
    """Storm where that is better than to wait, else besiege (9.7, 9.8)."""
    side, facts = decision.side, decision.facts
    city = view.board.cities[facts["city"]]
    prize = worth_of_city(view, city.id, lasting(view))
    forces = Forces(int(facts["own_sp"]), int(facts["needed"]) - city.intrinsic, edge(view, side, city.hex))
    do, _ = before_walls(view, side, city, forces, prize)
    yield Order("besiege", {"do": do})
    yield Order("besiege", {"do": "siege"})


def works(view: Game, decision: Decision) -> Iterator[Order]:
    """Build siege works wherever they may be built (9.91)."""
    yield Order("works", {"build": True})


def placing(view: Game, decision: Decision) -> Iterator[Order]:
    """Let the elected take over at once only what stands in the open: within walls it is safer without a leader (7.6).

    There they take over when legions are raised, after the enemy has marched (5.23).
    """
    there = {hex: sp(view.board, view.loose[ROME].get(hex, {})) for hex in decision.facts["hexes"]}
    armies = {
        hex: 0
        for hex, own in there.items()
        if own >= ARMY_LEFT and not (walled(view, hex) and loose_inside(view, ROME, hex))
    }
    yield Order("place", {"leaders": _led(view, decision.facts["leaders"][: len(armies)], armies)})
