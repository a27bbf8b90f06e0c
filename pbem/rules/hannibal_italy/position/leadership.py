"""Leadership: who may command and lead how much, stacking, survival and refuge of leaders (7.8, 10.2 to 10.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.game import Refusal, Table, distance
from pbem.protocol import Roll, Side
from pbem.rules.hannibal_italy.position.board import CAPUA
from pbem.rules.hannibal_italy.position.forces import SLAVES, hexes_of, shut_up, sp
from pbem.rules.hannibal_italy.position.state import (
    AWAY,
    CARTHAGE,
    CONSUL,
    DEAD,
    DICTATOR,
    ENEMY,
    GONE,
    MASTER_OF_HORSE,
    RANKS,
    ROME,
    Game,
)

HIGHEST = (CONSUL, DICTATOR, MASTER_OF_HORSE)


# ---- command: how much each office may lead, rolls to withdraw and to survive (7.8, 10.2 to 10.5)


def candidates(game: Game, side: Side, leaders: Sequence[str]) -> list[str]:
    """Return the leaders, of some, who may command: one, or several of whom a side chooses (10.31, 10.6)."""
    if side == ROME:
        ranked = [office for office in RANKS if any(game.leaders[each].office == office for each in leaders)]
        return [each for each in leaders if game.leaders[each].office == ranked[0]] if ranked else list(leaders)
    supreme = [each for each in leaders if game.card(each).supreme]
    others = [each for each in leaders if not game.card(each).gaulish]
    return supreme or others or list(leaders)


def chooser(game: Game, side: Side, among: Sequence[str]) -> Side:
    """Return the side that chooses between leaders who may both command (10.31)."""
    if side != ROME or any(game.leaders[each].office in HIGHEST for each in among):
        return "carthage"
    return str(game.options["equal_commanders"])


def hard_to_save(game: Game, leader: str) -> int:
    """Return the number that a leader needs to withdraw; 0: he always succeeds (10.4)."""
    return game.card(leader).withdraws_on or 0


def limit(game: Game, leader: str) -> int | None:
    """Return the SP that a leader may have with him; None: as many as there are (7.8)."""
    office = game.leaders[leader].office
    if game.card(leader).side != ROME:
        return None
    stacking = game.board.tables["stacking"]
    if office in (DICTATOR, MASTER_OF_HORSE) and game.options["dictator_as_consul"] == "combat":
        return None
    legions: int = stacking["legions"].get(office, 0)
    return legions * int(stacking["legion_sp"])


def has_legion(game: Game, leader: str, units: Mapping[str, int]) -> bool:
    """Tell whether a leader could move with some units; one who lost his army and is in Rome needs none (10.2)."""
    if game.board.leaders[leader].side != ROME or (game.leaders[leader].escaped and not units):
        return True
    return sp(game.board, units) >= int(game.options["legion_to_move"])


def try_to_withdraw(game: Game, table: Table, leader: str, name: str, *, rule: str = "10.4") -> bool:
    """Roll for a withdrawal and tell whether it succeeds; a leader without a number always succeeds (10.4)."""
    number = game.card(leader).withdraws_on
    if number is None:
        return True
    roll: Roll = table.roll(
        name, at_least=number, rule=rule, side=game.card(leader).side, leader=leader, hex=game.leaders[leader].at
    )
    return roll.success


def dies(game: Game, table: Table, leader: str, at_most: int, name: str) -> bool:
    """Roll whether a leader is killed, take him off the map if so, and tell (10.5)."""
    roll = table.roll(name, at_most=at_most, rule="10.5", side=game.card(leader).side, leader=leader)
    if roll.success:
        kill(game, table, leader)
    return roll.success


def kill(game: Game, table: Table, leader: str) -> None:
    """Take a killed leader out of the game; the Gaulish leader comes back (10.5, 10.6)."""
    record = game.leaders[leader]
    if record.office in HIGHEST:
        game.consuls_killed += 1
        game.fallen.append(record.at)
    table.tell("leader_killed", leader=leader, hex=record.at, rule="10.5")
    disband_slaves(game, table, leader)
    game.put(leader, AWAY if game.card(leader).gaulish else DEAD)
    record.office, record.inside, record.came_from, record.escaped = "", False, "", False


def disband_slaves(game: Game, table: Table, leader: str) -> None:
    """Take the slave legion out of the game for good: its leader is killed or loses his command (6.22)."""
    units = game.leaders[leader].units
    if units.pop(SLAVES, 0) + units.pop(f"{SLAVES}_reduced", 0):
        game.slaves = GONE
        table.tell("slaves_disbanded", leader=leader, rule="6.22")


# ---- stacking: how many leaders may stand together, and which hexes are closed to them (7.8, 10.6, 12.21)


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


# ---- refuge: a leader who has lost his army and lives goes to Rome, or to his nearest friends (10.2, 10.5)


def find_refuge(game: Game, table: Table, leader: str, *, rule: str = "10.5") -> None:
    """Send a leader without units away from where he was: out of a lost city (10.5), or a lost battle (10.2)."""
    side, record = game.card(leader).side, game.leaders[leader]
    if side != ROME and rule == "10.2" and game.options["army_lost"] == "stays":
        return
    record.inside, record.came_from = False, ""
    lost = side != ROME and rule == "10.5" and game.options["carthaginian_survivors"] == "eliminated"
    falls = rule == "10.5" and record.at == game.board.home  # Rome itself is lost, although it is not the enemy's yet
    home = side == ROME and game.friendly_city(ROME, game.board.home) and not falls
    goal = None if lost else game.board.home if home else _nearest(game, leader)
    if goal is None:
        kill(game, table, leader)
        return
    game.put(leader, goal)
    record.escaped = home
    record.inside = shut_up(game, side, goal)
    table.tell("leader_escapes", leader=leader, hex=goal, rule=rule)


def _nearest(game: Game, leader: str) -> str | None:
    """Return the nearest hex with friends or a city of a leader's side; None: he is lost (10.2, 10.5)."""
    side, here = game.card(leader).side, game.board.hexes[game.leaders[leader].at].at
    others = {hex for hex in hexes_of(game, side) if hex != game.leaders[leader].at}
    others |= {game.board.cities[city].hex for city, owner in game.cities.items() if owner == side}
    enemies = hexes_of(game, ENEMY[side])
    open_to_him = [
        hex
        for hex in others
        if why_not_enter(game, side, [leader], hex) is None
        and hex not in enemies
        and not crowded(game, side, hex, [leader])
    ]
    return min(open_to_him, key=lambda hex: (distance(here, game.board.hexes[hex].at), hex), default=None)
