"""Setting up a scenario (4)."""

from __future__ import annotations

from pbem.game import Table
from pbem.rules.rome_carthage.position.board import TRIBE, Board
from pbem.rules.rome_carthage.position.records import Scenario
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import CONSUL, SIDES, Game, Options


def set_up(board: Board, options: Options, scenario: Scenario, table: Table) -> Game:
    """Return the position at the start: armies, offices, markers as the map has them, a shuffled deck (4.1 to 4.4)."""
    game = Game(
        turn=scenario["first_turn"],
        last_turn=scenario["last_turn"],
        control={space.id: space.start_control for space in board.spaces.values() if space.start_control},
        tribes=[space.id for space in board.spaces.values() if space.kind == TRIBE],
        stacks={side: {} for side in SIDES},
        hands={side: [] for side in SIDES},
        offices=dict(scenario["offices"]),
        consuls=[general for general, office in scenario["offices"].items() if office == CONSUL],
        reserve=list(scenario["reserve"]),
        arrivals=dict(scenario["arrivals"]),
        board=board,
        options=options,
    )
    for army in scenario["armies"]:
        force = Stack(army["cu"], army.get("elephants", 0), list(army.get("generals", ())))
        game.put(army["side"], army["at"], force)
    game.deck = table.shuffle("deck", sorted(board.cards))
    return game


def settle(game: Game) -> Game:
    """Complete a changed position: cards found nowhere go into the deck, missing generals are out of the game.

    A card that was put into a hand is taken out of the deck, a general put into an army out of the reserve.
    """
    held = [*game.discards, *game.removed, *(card for hand in game.hands.values() for card in hand)]
    if game.card is not None:
        held.append(game.card.card)
    game.deck = [card for card in game.deck if card not in held]
    game.deck += [card for card in game.board.cards if card not in held and card not in game.deck]
    stacks = [*game.garrisons.values(), *(stack for side in SIDES for stack in game.stacks[side].values())]
    if game.march is not None:
        stacks.append(game.march.force)
    placed = {general for stack in stacks for general in stack.generals}
    game.reserve = [general for general in game.reserve if general not in placed]
    away = {*game.reserve, *(general for names in game.displaced.values() for general in names)}
    absent = [name for name, record in game.board.generals.items() if record.returns and name not in placed | away]
    game.arrivals = {name: turn for name, turn in game.arrivals.items() if name not in placed | set(game.out)}
    game.out = [*(general for general in game.out if general not in absent and general not in placed), *absent]
    return game
