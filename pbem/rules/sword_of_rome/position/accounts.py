"""The audit of a position: counts what is there and reports every broken invariant (2, 6, 7.3, 8, 13, 15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX, WALLED
from pbem.rules.sword_of_rome.position.state import Force, Game


def audit(game: Game) -> Iterator[str]:
    """Yield every broken invariant: cards, leaders, units, cities, alliances."""
    yield from _cards(game)
    yield from _leaders(game)
    yield from _units(game)
    yield from _overseas(game)
    yield from _cities(game)
    yield from _rest(game)


def _cards(game: Game) -> Iterator[str]:
    """Yield cards that are missing, there twice, or with another side (6.1, 6.3)."""
    count = Counter(game.removed)
    for side in game.board.sides:
        for card in (*game.hands[side], *game.decks[side], *game.discards[side]):
            count[card] += 1
            if game.board.cards[card].deck != side:
                yield f"card {card} is with {side}"
    if game.card is not None:
        count[game.card.card] += 1  # a Desperate Times is no card of a deck
    for card in game.board.cards:
        if count[card] != 1:
            yield f"card {card} is there {count[card]} times"
    for side, left in game.desperate_times.items():
        if left < 0:
            yield f"{side} has {left} Desperate Times"


def _forces(game: Game) -> Iterator[tuple[str, str, Force]]:
    for power, forces in game.forces.items():
        for space, force in forces.items():
            yield power, space, force
    for space, force in game.inside.items():
        yield game.control.get(space, ""), f"{space} (inside)", force
    if game.march is not None and not game.march.force.empty:
        yield game.march.power, "on the march", game.march.force


def _leaders(game: Game) -> Iterator[str]:
    """Yield leaders that are missing, there twice, or with another power (8)."""
    count = Counter([*game.displaced, *game.reserve, *game.cup, *game.gone])
    for power, space, force in _forces(game):
        for leader in force.leaders:
            count[leader] += 1
            if game.board.leaders[leader].power != power:
                yield f"{leader} is with {power} in {space}"
        named = [game.board.leaders[leader].named for leader in force.leaders]
        if any(named) and not named[0]:
            yield f"{force.leaders[0]} commands a named leader in {space}"
    for leader in game.board.leaders:
        if count[leader] != 1:
            yield f"{leader} is there {count[leader]} times"


def _units(game: Game) -> Iterator[str]:
    for power, space, force in _forces(game):
        if not 0 <= force.mercenaries <= force.cu:
            yield f"{power} has {force.cu} CU and {force.mercenaries} mercenaries in {space}"
        if force.mercenaries and power != CARTHAGE:
            yield f"mercenaries of {power} in {space}"
        if force.empty:
            yield f"an empty force of {power} in {space}"
        if space == GARRISON_BOX and power != CARTHAGE:
            yield f"{power} stands in the Garrison box"


def _overseas(game: Game) -> Iterator[str]:
    """Yield what has left the home overseas of a power without a player, and may not (17.1)."""
    for power in game.board.powers.values():
        if power.overseas is None:
            continue
        there = [force for space, force in game.everywhere(power.id) if space in power.overseas.spaces]
        if game.militia > sum(force.cu for force in there):
            yield f"the militia has {game.militia} CU, and {power.name} fewer overseas"
        for space, force in game.everywhere(power.id):
            if space in power.barred:
                yield f"{power.name} stands in {space}"
            away = [
                leader for leader in force.leaders if (stays := game.board.leaders[leader].stays) and space not in stays
            ]
            yield from (f"{leader} is in {space}" for leader in away)


def _cities(game: Game) -> Iterator[str]:
    """Yield cities without loyalty or with too much, and garrisons that are too large (7.3.1, 9.3.1, 13.5).

    A besieged city without loyalty has fallen, and waits for the side that may loot it (14.4).
    """
    walled = {space for space in game.board.spaces if game.kind(space) == WALLED}
    if walled != game.loyalty.keys():
        yield f"loyalty is told of other spaces than the walled cities: {sorted(walled ^ game.loyalty.keys())}"
    for space, loyalty in game.loyalty.items():
        holder = game.control.get(space)
        most = 1 if holder is None else game.board.powers[holder].city_loyalty
        least = 0 if space in game.sieges else 1
        if not least <= loyalty <= most:
            yield f"{space} has loyalty {loyalty}"
    for space, force in game.inside.items():
        if space not in walled or space not in game.control:
            yield f"units inside {space}, which nobody holds"
        if force.cu > game.board.tables["city"]["cu"]:
            yield f"{force.cu} CU inside {space}"
    for space, siege in game.sieges.items():
        if space not in walled and space not in game.tribes:
            yield f"a siege of {space}, which is neither a city nor a tribe"
        elif space in game.control and game.have_alliance(siege.by, game.control[space]):
            yield f"{siege.by} besieges {space}, which is a friend's"
        elif not game.outside(siege.by, space):
            yield f"{siege.by} besieges {space} without CU"


def _rest(game: Game) -> Iterator[str]:
    for side, vp in game.vp.items():
        if not 0 <= vp <= game.board.tables["vp"]["most"]:
            yield f"{side} has {vp} VP"
    if not 0 <= game.unrest <= game.board.tables["unrest"]["most"]:
        yield f"the unrest is {game.unrest}"
    if abs(game.plunder) >= game.board.tables["plunder"]["track"]:
        yield f"{game.plunder} markers on the plunder track, which is full"
    for pair in game.alliances:
        power, _, other = pair.partition("+")
        if pair != game.pair(power, other) or game.alliances.count(pair) > 1:
            yield f"the alliance {pair}"
        permanent = tuple(pair.split("+")) in game.board.permanent
        same = game.board.powers[power].side == game.board.powers[other].side
        if same and not permanent:
            yield f"the alliance {pair} of one player"
