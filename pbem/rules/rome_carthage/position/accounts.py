"""The audit of a position: counts what is on the board and reports every broken invariant (2, 8.2, 13.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pbem.rules.rome_carthage.position.board import WALLED_CITY
from pbem.rules.rome_carthage.position.generals import rank
from pbem.rules.rome_carthage.position.state import CARTHAGE, CONSUL, ENEMY, PROCONSUL, ROME, SIDES, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.siege import kept_up
from pbem.rules.rome_carthage.turn.consuls import CONSULS


def audit(game: Game) -> Iterator[str]:
    """Yield every broken invariant: cards, generals, units, cities (2, 8, 13, 16)."""
    yield from _cards(game)
    yield from _campaign(game)
    yield from _generals(game)
    yield from _units(game)
    yield from _cities(game)


def _cards(game: Game) -> Iterator[str]:
    held = [card for hand in game.hands.values() for card in hand]
    on_table = [game.card.card] if game.card is not None else []
    count = Counter(held + game.deck + game.discards + game.removed + on_table)
    for card in game.board.cards:
        if count[card] != 1:
            yield f"strategy card {card} is there {count[card]} times"
    if game.battle is not None:
        dealt = Counter(card for hand in game.battle.hands.values() for card in hand)
        for kind, number in (dealt - Counter(game.board.battle_deck)).items():
            yield f"{number} battle cards {kind} too many"
        for side, shown in game.battle.shown.items():
            for kind in Counter(shown) - Counter(game.battle.hands[side]):
                yield f"a battle card {kind} of {side} lies open that is not there"


def _campaign(game: Game) -> Iterator[str]:
    """Yield what is wrong with the units that a campaign card has moved (8.4.1)."""
    card = game.card
    if card is None or game.march is not None:
        return
    for space, legs in card.walked.items():
        there = game.stack(card.side, space).cu + game.garrison(card.side, space).cu
        if not 0 < len(legs) <= there:
            yield f"{len(legs)} CU have walked to {space}, where there are {there}"
        if min(legs, default=0) < 0 or max(legs, default=0) > game.board.movement.points:
            yield f"CU in {space} have {legs} points left"


def _stacks(game: Game) -> Iterator[tuple[str, str, Stack]]:
    for side in SIDES:
        for space, stack in game.stacks[side].items():
            yield side, space, stack
    for space, stack in game.garrisons.items():
        yield game.control.get(space, ""), f"{space} (inside)", stack
    if game.march is not None:
        yield game.march.side, "on the march", game.march.force


def _generals(game: Game) -> Iterator[str]:
    on_board = [(side, general) for side, _, stack in _stacks(game) for general in stack.generals]
    off_board = [*game.reserve, *game.out, *(general for names in game.displaced.values() for general in names)]
    count = Counter([general for _, general in on_board] + off_board)
    for general, record in game.board.generals.items():
        if count[general] > 1:
            yield f"{general} is there {count[general]} times"
        if not count[general] and record.returns:
            yield f"{general} is lost"
    offices = Counter(game.offices.values())
    if offices[CONSUL] > CONSULS:
        yield f"{offices[CONSUL]} consuls"
    if sum(game.board.generals[general].token for general, office in game.offices.items() if office == PROCONSUL) > 1:
        yield "two proconsuls besides Scipio Africanus"
    for general in game.arrivals:
        if count[general]:
            yield f"{general} is there and still to arrive"
    for side, general in on_board:
        if game.board.generals[general].side != side:
            yield f"{general} stands with the enemy"
    for side, space, stack in _stacks(game):
        if stack.generals and any(rank(game, other) > rank(game, stack.generals[0]) for other in stack.generals):
            yield f"{stack.generals[0]} commands a higher general of {side} in {space}"


def _units(game: Game) -> Iterator[str]:
    for side, space, stack in _stacks(game):
        if not 0 <= stack.elephants <= stack.cu:
            yield f"{side} has {stack.cu} CU and {stack.elephants} elephants in {space}"
        if stack.elephants and side != CARTHAGE:
            yield f"elephants of {side} in {space}"
        if stack.empty and space != "on the march":
            yield f"an empty stack of {side} in {space}"
    trains = [(side, space) for side, space, stack in _stacks(game) if stack.train]
    if len(trains) > 1 or any(side != CARTHAGE for side, _ in trains):
        yield f"siege trains: {trains}"
    if sum(stack.elephants for _, _, stack in _stacks(game)) > game.board.elephants.most:
        yield "more elephants than there are"
    if game.battle is None and game.march is None and game.retreat is None and game.result is None:
        for space in sorted(game.stacks[ROME].keys() & game.stacks[CARTHAGE].keys()):
            units = [bool(game.stacks[side][space].cu) for side in SIDES]
            if all(units):
                yield f"both sides stand in {space}"
            elif any(units):
                yield f"generals without units stand among the enemy in {space}"


def _cities(game: Game) -> Iterator[str]:
    for space, record in game.board.spaces.items():
        holder = game.control.get(space)
        if record.kind == WALLED_CITY and holder not in ENEMY:
            yield f"nobody holds the city of {space}"
        inside = game.garrisons.get(space)
        if inside is not None and inside.cu > record.capacity:
            yield f"{inside.cu} CU inside {space}"
    for space, points in game.siege_points.items():
        falling = game.march is not None and game.card is not None and space in game.card.rolled_at
        if not 0 < points < game.board.siege.points and not (falling and points > 0):
            yield f"{points} siege points in {space}"
        if game.battle is None and game.march is None and not kept_up(game, space):
            yield f"{points} siege points in {space} and nobody at it"
