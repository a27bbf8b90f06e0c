"""The vocabulary of a position: the words that a test case may write in it, by class and field."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pbem.rules.rome_carthage.position.board import ALPS_PASS, LAND, PASS, SEA, STRAIT, TRIBE, WALLED_CITY, Board
from pbem.rules.rome_carthage.position.state import FACE_DOWN, MAHARBAL, SIDES, UNSEEN
from pbem.rules.rome_carthage.turn.sequence import PHASES, SILENT

Words = Collection[str | int]
_HAND: Words = (
    *("general", "cu", "interception", "failed_avoidance", "allies"),
    *("desertion", "militia", "tribe", "limit", "charge"),
)
"""The reasons for battle cards (11.1)."""


def vocabulary(board: Board, reasons: Words) -> Mapping[str, Words]:
    """Return the words of every field that holds any; `reasons` are those for which a game ends."""
    cities = [id for id, space in board.spaces.items() if space.kind == WALLED_CITY]
    tribes = [id for id, space in board.spaces.items() if space.kind == TRIBE]
    battle_cards = (*board.battle_cards, MAHARBAL, FACE_DOWN)
    cards: Words = (UNSEEN, *board.cards)
    return {
        "Result.winner": SIDES,
        "Result.reason": reasons,
        "Stack.generals": board.generals,
        **_game(board, cards, cities, tribes),
        **_card_and_march(board, cards, cities, tribes),
        **_battle(board, battle_cards),
    }


def _game(board: Board, cards: Words, cities: Words, tribes: Words) -> Mapping[str, Words]:
    return {
        "Game.phase": (*PHASES, *SILENT),
        "Game.to_play": SIDES,
        **{f"Game.{field}": cards for field in ("must_play", "play_next", "deck", "discards", "removed")},
        "Game.hands": SIDES,
        "Game.hands.*": cards,
        "Game.control": board.spaces,
        "Game.control.*": SIDES,
        "Game.counsels": SIDES,
        "Game.counsels_ending": SIDES,
        "Game.event_uses": [str(card) for card in board.cards],
        "Game.arrivals": board.generals,
        "Game.tribes": tribes,
        "Game.stacks": SIDES,
        "Game.stacks.*": board.spaces,
        "Game.garrisons": cities,
        "Game.siege_points": (*cities, *tribes),
        "Game.offices": board.generals,
        "Game.offices.*": board.offices,
        **{f"Game.{field}": board.generals for field in ("consuls", "reserve", "out")},
        "Game.displaced": SIDES,
        "Game.displaced.*": board.generals,
        "Game.owed_markers": SIDES,
    }


def _card_and_march(board: Board, cards: Words, cities: Words, tribes: Words) -> Mapping[str, Words]:
    return {
        "CardPlay.side": SIDES,
        "CardPlay.card": cards,
        "CardPlay.use": ("operations", "event", "discard"),
        "CardPlay.moved": board.generals,
        "CardPlay.walked": board.spaces,
        "CardPlay.ridden": board.generals,
        "CardPlay.rolled_at": (*cities, *tribes),
        "CardPlay.intercepted_from": board.spaces,
        "March.side": SIDES,
        "March.general": board.generals,
        **{f"March.{field}": board.spaces for field in ("origin", "at", "came_from", "charm", "stood", "entered")},
        "March.came_by": (LAND, PASS, ALPS_PASS, STRAIT, SEA),
        "March.path": ("to", "by", "drop", "take"),
        "March.then": ("stop", "ask", "siege", "inside"),
        "March.if_intercepted": ("fight", "back_up"),
        "March.if_avoided": ("pursue", "stop", "siege"),
        "March.brought": board.generals,
        "March.riders": board.generals,
        "March.failed_interceptors": board.generals,
        "March.failed_cu": board.spaces,
        "March.passes_due": ("name", "kind"),
        "March.passes_due.*": (),
        "Reaction.side": SIDES,
        "Reaction.command": board.generals,
        **{f"Reaction.{field}": board.spaces for field in ("space", "origins", "refuges", "arrived")},
        "Reaction.interceptions": ("general", "cu", "elephants", "with"),
        "Reaction.avoidance": ("to", "general", "cu", "elephants", "with"),
        "Retreat.side": SIDES,
        **{f"Retreat.{field}": board.spaces for field in ("space", "first_steps", "barred")},
    }


def _battle(board: Board, cards: Words) -> Mapping[str, Words]:
    sides = ("attacker", "initiative", "spy", "withdrawer", "loser", "strength", "lost", "charge_cost", "cards")
    return {
        "Played.side": SIDES,
        "Played.card": cards,
        "Played.used_as": cards,
        **{f"Battle.{field}": board.spaces for field in ("space", "attacker_from", "defender_from")},
        **{f"Battle.{field}": SIDES for field in (*sides, "commanders", "hands", "shown", "deserted")},
        "Battle.commanders.*": board.generals,
        "Battle.cards.*": _HAND,
        "Battle.hands.*": cards,
        "Battle.shown.*": cards,
        "Battle.deserted.*": board.provinces,
        "Battle.led": cards,
        "Battle.won_by": cards,
    }
