"""The sequence of a game: the set-up (3), then in each turn its phases, and what ends with the turn (5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pbem.game import Table
from pbem.protocol import Checkpoint, Flow, Record, Side
from pbem.rules.sword_of_rome.events.alliances import renew_alliances
from pbem.rules.sword_of_rome.position.board import CONSUL, DICTATOR, TRIBE, WALLED, Board, Options
from pbem.rules.sword_of_rome.position.state import FOR_GOOD, Activation, Force, Game
from pbem.rules.sword_of_rome.position.unpack import in_game
from pbem.rules.sword_of_rome.siege.siege import take_fallen
from pbem.rules.sword_of_rome.turn.action import act_on
from pbem.rules.sword_of_rome.turn.attrition import attrition, remove_isolated, surrender
from pbem.rules.sword_of_rome.turn.draw import check_mines, draw_cards, hand_limit
from pbem.rules.sword_of_rome.turn.order_of_play import choose_first_player
from pbem.rules.sword_of_rome.turn.reinforcements import reinforce
from pbem.rules.sword_of_rome.turn.scoring import score

PHASES: Final[Mapping[str, Callable[[Game, Table], Flow[None]]]] = {
    "draw": draw_cards,
    "first_player": choose_first_player,
    "action": act_on,
    "attrition": attrition,
    "surrender": surrender,
    "alliances": renew_alliances,
    "reinforcement": reinforce,
}

# ---- the set-up (3, S set-up)


def set_up(board: Board, options: Options, scenario: Record, table: Table) -> Game:
    """Return the position at the start: control as the map says, armies, shuffled decks, full hands (S set-up).

    The consuls of the first turn are those of the set-up; the cup holds the others.
    """
    game = Game(
        turn=scenario["first_turn"],
        last_turn=scenario["last_turn"],
        vp=dict.fromkeys(board.sides, int(scenario["vp"])),
        hands={side: [] for side in board.sides},
        decks={side: [] for side in board.sides},
        discards={side: [] for side in board.sides},
        desperate_times=dict.fromkeys(board.sides, int(scenario["desperate_times"])),
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


# ---- the turn (5)


def play(game: Game, table: Table) -> Flow[None]:
    """Play the phases, with a checkpoint after each and after every action, until somebody has won (5)."""
    while game.result is None:
        acting = game.activation
        if game.phase in SILENT:
            SILENT[game.phase](game, table)
        else:
            yield from PHASES[game.phase](game, table)
        yield from take_fallen(game, table)
        yield Checkpoint(keep_queue=_waiting(game, acting))


def _waiting(game: Game, acting: Activation | None) -> frozenset[Side]:
    """Return the sides whose orders ahead still wait: until their own activation is over, or the turn (5.4, 7.4.1).

    What is ordered for the window before the next activation must outlast the one that is under way.
    """
    if game.phase == "mines":
        return frozenset()
    done = [] if acting is None or game.activation is acting else [acting.side]
    return frozenset(game.board.sides).difference(done)


def begin_turn(game: Game, table: Table) -> None:
    """Begin a turn: the mines are looked after (5.1)."""
    table.tell("turn_begins", turn=game.turn, years=game.board.years[game.turn], rule="5")
    check_mines(game, table)


def end_turn(game: Game, table: Table) -> None:
    """End the turn, and with it the events and the Dictator that last as long, wherever he is (5.11, 8.2.2)."""
    table.tell("turn_ends", turn=game.turn, rule="5.11")
    game.marks = [mark for mark in game.marks if mark.until == FOR_GOOD]
    for forces in (*game.forces.values(), game.inside):
        for space, force in list(forces.items()):
            force.leaders = _without_dictator(game, force.leaders)
            if force.empty:
                del forces[space]
    game.displaced = _without_dictator(game, game.displaced)
    game.turn += 1
    game.phase = "mines"


def _without_dictator(game: Game, leaders: list[str]) -> list[str]:
    """Return some leaders without the Dictator, who is set aside until his event brings him again."""
    leaving = [leader for leader in leaders if game.board.leaders[leader].role == DICTATOR]
    game.reserve += leaving
    return [leader for leader in leaders if leader not in leaving]


SILENT: Final[Mapping[str, Callable[[Game, Table], None]]] = {
    "mines": begin_turn,
    "isolation": remove_isolated,
    "scoring": score,
    "turn_end": end_turn,
}
"""The phases without decisions."""
