"""The vocabulary of a position: the words that a test case may write in it, by class and field."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pbem.rules.sword_of_rome.position.board import APPIAN, CLEAR, DESPERATE_TIMES, ROUGH, SEA, STRAIT, TRIBE, Board
from pbem.rules.sword_of_rome.position.state import FOR_GOOD, ROUND, TURN, UNSEEN
from pbem.rules.sword_of_rome.turn.action import USES
from pbem.rules.sword_of_rome.turn.sequence import PHASES, SILENT

Words = Collection[str | int]
USES_OF_CARDS: Words = (*USES, "extra")
"""What a card is played for (7.1)."""


def vocabulary(board: Board, reasons: Words, moments: Words) -> Mapping[str, Words]:
    """Return the words of every field that holds any: reasons for which a game ends, moments of responses."""
    cards: Words = (UNSEEN, *board.cards)
    by_side = ("vp", "hands", "decks", "discards", "desperate_times")
    pairs = [f"{a}+{b}" for i, a in enumerate(board.powers) for b in list(board.powers)[i + 1 :]]
    return {
        "Result.winners": board.sides,
        "Result.reason": reasons,
        "Force.leaders": board.leaders,
        "Siege.by": board.powers,
        "Siege.rolled": (),
        "Mark.name": sorted(
            {effect["marker"]["name"] for card in board.cards.values() for effect in card.effects if "marker" in effect}
            | {"insurrection"}
        ),
        "Mark.side": board.sides,
        "Mark.until": (ROUND, TURN, FOR_GOOD),
        "Mark.on": board.powers,
        "Activation.side": board.sides,
        "Activation.proposed": [f"{a}+{b}" for a in board.powers for b in board.powers if a != b],
        "CardPlay.side": board.sides,
        "CardPlay.card": (*cards, DESPERATE_TIMES),
        "CardPlay.use": USES_OF_CARDS,
        "CardPlay.power": ("", *board.powers),
        "CardPlay.moved": board.leaders,
        "CardPlay.rolled_at": board.spaces,
        "CardPlay.legs": board.spaces,
        "CardPlay.riders": board.leaders,
        "CardPlay.closed": board.spaces,
        **_under_way(board, moments),
        "Game.phase": (*PHASES, *SILENT),
        **{
            f"Game.{name}": board.sides
            for name in ("first", "reader", "to_act", "out", "reshuffle", "last_chances", *by_side)
        },
        **{f"Game.{name}.*": cards for name in ("hands", "decks", "discards")},
        "Game.removed": cards,
        "Game.control": board.spaces,
        "Game.control.*": board.powers,
        **{f"Game.{name}": board.spaces for name in ("loyalty", "colonies", "sieges", "inside")},
        "Game.tribes": [id for id, space in board.spaces.items() if space.kind == TRIBE],
        "Game.forces": board.powers,
        "Game.forces.*": board.spaces,
        **{f"Game.{name}": board.leaders for name in ("displaced", "reserve", "cup", "gone")},
        "Game.fallen": board.powers,
        "Game.alliances": pairs,
        "Game.activated": board.powers,
    }


def _under_way(board: Board, moments: Words) -> Mapping[str, Words]:
    ways: Words = (CLEAR, ROUGH, STRAIT, APPIAN, SEA)
    return {
        **{f"Moment.{name}": ("", *board.powers) for name in ("power", "other")},
        "Moment.name": moments,
        "Moment.space": ("", *board.spaces),
        "March.side": board.sides,
        "March.power": board.powers,
        "March.leader": board.leaders,
        **{f"March.{name}": board.spaces for name in ("origin", "at", "came_from")},
        "March.came_by": ways,
        **{f"March.{name}": board.spaces for name in ("trail", "bribed", "flanking")},
        "March.caught_by": board.powers,
        "March.path": ("to", "by", "drop", "take", "raid"),
        "March.then": ("", "stop", "ask", "attack_unrest"),
        "March.failed_interceptors": board.leaders,
        **{f"Battle.{name}": board.spaces for name in ("space", "came_from", "flank_at")},
        "Battle.came_by": ways,
        **{f"Battle.{name}": board.powers for name in ("attacker", "flank", "modifiers", "dice", "near", "lost")},
        "Battle.defender": ("", *board.powers),
        "Battle.sallied_leaders": board.leaders,
        "Battle.near.*": board.spaces,
    }
