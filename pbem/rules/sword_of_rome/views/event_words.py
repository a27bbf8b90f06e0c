"""What an event does, in plain words for hands and forms, such as `+2 to your battle roll` (7.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pbem.game import counted, listing
from pbem.protocol import Record
from pbem.rules.sword_of_rome.events.conditions import ALLY, OTHER, OWN
from pbem.rules.sword_of_rome.position.board import CARTHAGE, Board, Card
from pbem.rules.sword_of_rome.position.naming import named

Words = Callable[[Board, Any], str]
WHO: Final = {OWN: "you", ALLY: "an ally", OTHER: "another power"}
LASTS: Final = {"round": "for this round", "turn": "for this turn", "game": "for the rest of the game"}
CANCELLED: Final = {
    "activation": "the activation comes to nothing",
    "event": "the event comes to nothing",
    "interception": "the interception comes to nothing",
    "avoidance": "the battle is not avoided",
    "gallic_event": "the Gallic event comes to nothing",
}
MOMENTS_IN_WORDS: Final = {
    "activation": "when a leader is activated",
    "army_enters": "when an army has entered a space",
    "into_city": "when units go inside a city",
    "voyage_wanted": "when an army wants to sail",
    "voyage": "when an army sails",
    "interception": "before the roll of an interception",
    "avoidance": "before the roll for avoiding a battle",
    "battle_begins": "when a battle begins",
    "battle_roll": "before the rolls of a battle",
    "battle_won": "after a battle",
    "battle_lost": "after the rolls of a battle, before the retreat",
    "siege_roll": "before a siege roll",
    "raid": "before the roll of a raid",
    "event": "when a card is played for its event (no Campaign, no power without a player)",
    "attrition": "before a roll for attrition",
    "gallic_event": "when a Gallic event is about to take place",
}
"""Moment of a response -> when that is."""


def event_in_words(board: Board, card: Card) -> str:
    """Return what an event does: `3 CU`, or `if you attack: +2 to your battle roll`."""
    wanted = [CONDITIONS_IN_WORDS[word](board, told) for each in card.conditions for word, told in each.items()]
    does = "; ".join(EFFECTS_IN_WORDS[word](board, told) for each in card.effects for word, told in each.items())
    return f"if {listing(wanted)}: {does}" if wanted else does


def who(board: Board, whom: str) -> str:
    """Return a power as a sentence names it: `you`, `another power`, `the Romans`, `Carthage`."""
    if whom in WHO:
        return WHO[whom]
    name = board.powers[whom].name if whom in board.powers else _named(whom)
    return named(whom, name)


def _does(singular: str, plural: str) -> Words:
    """Return the words of a condition on what a power does."""

    def words(board: Board, told: str | Mapping[str, str]) -> str:
        whom = told if isinstance(told, str) else told["power"]
        return f"{who(board, whom)} {singular if whom in (ALLY, OTHER, CARTHAGE) else plural}"

    return words


def _of(board: Board, whom: str, what: str) -> str:
    return f"your {what}" if whom == OWN else f"the {what} of {who(board, whom)}"


def _named(mark: str) -> str:
    return mark.replace("_", " ").title()


def _space(board: Board, space: str) -> str:
    return board.spaces[space].name if space in board.spaces else _named(space)


CONDITIONS_IN_WORDS: Final[Mapping[str, Words]] = {
    "active": _does("is active", "are active"),
    "army_of": _does("takes part", "take part"),
    "attacker": _does("attacks", "attack"),
    "besieger": _does("besieges", "besiege"),
    "mover": _does("acts", "act"),
    "near": lambda board, whom: f"an army of {who(board, whom)} is there or next to it".replace("of you ", "of yours "),
    "winner": _does("wins", "win"),
    "region": lambda board, told: f"it is in {listing(map(_named, told), 'or')}",
    "control": lambda board, told: f"{_does('holds', 'hold')(board, told['by'])} {_space(board, told['space'])}",
    "marker": lambda board, told: f"{_named(told)} is in effect",
    "players": lambda board, told: f"{listing(map(str, told), 'or')} play",
    "phase": lambda board, told: f"it is the phase {told}",
}
"""Word of `if` -> what it wants, after `if`."""


def _leader(board: Board, told: Record) -> str:
    names = listing(
        (board.leaders[each].name if each in board.leaders else _named(each) for each in told["one_of"]), "or"
    )
    units = f" with {told['cu']} CU" if "cu" in told else ""
    return f"{names} comes{units}{' for this turn' if 'until' in told else ''}"


def _marker(board: Board, told: Mapping[str, str]) -> str:
    name = told["name"]
    on = " on the beaten power" if "on" in told else ""
    means = f" ({MARKS[name](board)})" if name in MARKS else ""
    return f"{_named(name)}{on} {LASTS[told['until']]}{means}"


def _sails(board: Board, mark: str) -> str:
    found = next((voyage for voyage in board.voyages if voyage.marker == mark), None)
    return f"{found.cu} CU sail by a card of value {found.value}" if found is not None else "it lets nobody sail"


MARKS: Final[Mapping[str, Callable[[Board], str]]] = {
    "appian_way": lambda board: "any stretch of the road takes 1 movement point",
    "duoviri_navales": lambda board: _sails(board, "duoviri_navales"),
    "wild_beasts": lambda board: f"{board.tables['battle']['wild_beasts']:+d} to its battle rolls against Gauls",
    "elephants": lambda board: f"{board.tables['battle']['elephants']:+d} to the battle rolls of Greek armies",
    "punic_envoys": lambda board: "Carthage can sign a treaty",
}
"""Event in effect -> what it does."""


def _plunder(board: Board, told: Record) -> str:
    words = [
        f"{counted(told[word], 'plunder marker')} of {who(board, told['by'])} {what}"
        for word, what in (("gain", "more"), ("lose", "fewer"))
        if word in told
    ]
    return listing(words)


EFFECTS_IN_WORDS: Final[Mapping[str, Words]] = {
    "levy": lambda board, told: f"{told} new CU",
    "mercenaries": lambda board, told: f"{told} new mercenary CU",
    "colony": lambda board, told: "a Roman colony where 3 CU stand",
    "support": lambda board, told: f"{counted(told, 'point')} of own support",
    "revolt": lambda board, told: f"{counted(told['points'], 'point')} off {_of(board, told['of'], 'support')}",
    "roll": lambda board, told: f"{told['by']:+d} to {_of(board, told['of'], 'battle roll')}",
    "dice": lambda board, told: f"you roll {told} dice",
    "no_losses": lambda board, told: "the dice cost no CU",
    "battle_again": lambda board, told: "the battle is fought again",
    "flight": lambda board, told: "the enemy retreats without a battle",
    "no_city": lambda board, told: "nobody goes inside",
    "ambush": lambda board, told: f"an army of {who(board, told['power'])} comes upon it",
    "cancel": lambda board, told: CANCELLED[told],
    "storm": lambda board, told: "the voyage does not take place",
    "sail": lambda board, told: f"leave to sail with {told['cu']} CU",
    "siege": lambda board, told: "a siege roll",
    "siege_points": lambda board, told: f"{counted(told, 'siege point')} more",
    "siege_modifier": lambda board, told: f"{told:+d} to the roll",
    "leader": _leader,
    "marker": _marker,
    "campaign": lambda board, told: "two commanders are activated",
    "nonplayer": lambda board, told: f"{listing((who(board, each) for each in told), 'or')} can be activated",
    "march": lambda board, told: f"{counted(told, 'movement point')} more",
    "intercept": lambda board, told: f"{told:+d} to the roll, which is to be low",
    "avoid": lambda board, told: "the battle is avoided without a roll",
    "attrition": lambda board, told: f"an army of {who(board, told['of'])} rolls for attrition",
    "draw": lambda board, told: f"{counted(told, 'card')} drawn",
    "discard": lambda board, told: f"{who(board, told['of'])} lose {counted(told['cards'], 'card')} by lot",
    "plunder": _plunder,
    "unrest": lambda board, told: f"the unrest {'rises' if told > 0 else 'falls'} by {abs(told)}",
    "vp": lambda board, told: f"{told} VP",
    "insurrection": lambda board, told: f"mercenaries of Carthage rise with {told} CU",
    "treaty": lambda board, told: f"{who(board, told)} is bound by a treaty",
    "land": lambda board, told: f"up to {told} CU land in Africa out of a port",
}
"""Word of `do` -> what it does."""
