"""Setting up a scenario (3, S set-up)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.game import Table
from pbem.protocol import Side
from pbem.rules.sword_of_rome.position.board import CONSUL, TRIBE, WALLED, Board, Options
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.position.unpack import in_game
from pbem.rules.sword_of_rome.turn.draw import hand_limit


def set_up(board: Board, options: Options, scenario: Mapping[str, Any], table: Table) -> Game:
    """Return the position at the start: control as the map says, armies, shuffled decks, full hands (S set-up).

    The consuls of the first turn are those of the set-up; the cup holds the others.
    """
    game = Game(
        turn=scenario["first_turn"],
        last_turn=scenario["last_turn"],
        vp=dict.fromkeys(board.sides, scenario["vp"]),
        hands={side: [] for side in board.sides},
        decks={side: [] for side in board.sides},
        discards={side: [] for side in board.sides},
        desperate_times=dict.fromkeys(board.sides, scenario["desperate_times"]),
        control={space.id: space.home for space in board.spaces.values() if space.home},
        loyalty={space.id: space.loyalty for space in board.spaces.values() if space.kind == WALLED},
        tribes=[space.id for space in board.spaces.values() if space.kind == TRIBE],
        forces={power: {} for power in board.powers},
        alliances=[f"{a}+{b}" for a, b in board.permanent],
        board=board,
        options=options,
    )
    armies = [army for army in in_game(scenario["forces"], board.seats.players) if army["power"] in board.powers]
    for army in armies:
        game.put(army["power"], army["at"], Force(army["cu"], army.get("mercenaries", 0), list(army["leaders"])))
        game.militia += army.get("militia", 0)
    placed = {leader for army in armies for leader in army["leaders"]}
    absent = [leader for leader in board.leaders.values() if leader.id not in placed]
    game.cup = table.shuffle("cup/start", [leader.id for leader in absent if leader.role == CONSUL])
    game.reserve = [leader.id for leader in absent if leader.role != CONSUL]
    for side in board.sides:
        deal(game, side, table)
    return game


def deal(game: Game, side: Side, table: Table) -> None:
    """Shuffle the deck of a side and deal its first hand (S set-up)."""
    deck = table.shuffle(f"deck/{side}/start", game.board.decks[side])
    cards = hand_limit(game, side)
    game.hands[side], game.decks[side] = sorted(deck[:cards]), deck[cards:]
    table.tell("dealt", to=[side], rule="S set-up", side=side, hand=list(game.hands[side]))


def settle(game: Game) -> Game:
    """Complete a changed position: cards and leaders found nowhere go back to the deck, the cup and the reserve.

    What was put somewhere is taken out of them. Sides and powers that are left out have no cards and no forces.
    """
    board = game.board
    for power in board.powers:
        game.forces.setdefault(power, {})
    for side in board.sides:
        game.hands.setdefault(side, [])
        game.desperate_times.setdefault(side, 0)
        on_table = [game.card.card] if game.card is not None else []
        held = [*game.hands[side], *game.discards[side], *game.removed, *on_table]
        deck = [card for card in game.decks[side] if card not in held]
        game.decks[side] = deck + [card for card in board.decks[side] if card not in held and card not in deck]
    placed = {leader for power in board.powers for _, force in game.everywhere(power) for leader in force.leaders}
    placed |= {*game.displaced, *game.gone}
    game.cup = [leader for leader in game.cup if leader not in placed]
    game.reserve = [leader for leader in game.reserve if leader not in placed]
    for leader in board.leaders.values():
        if leader.id not in placed | {*game.cup, *game.reserve}:
            (game.cup if leader.role == CONSUL else game.reserve).append(leader.id)
    return game
