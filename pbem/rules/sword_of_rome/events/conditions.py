"""Conditions of events: the words under `if` of a card, all of which must hold (7.1; `schemas/cards.yaml`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from pbem.game import Refusal, listing
from pbem.protocol import Side
from pbem.rules.sword_of_rome.position.naming import space_named
from pbem.rules.sword_of_rome.position.state import Game

OWN: Final = "own"
ALLY: Final = "ally"
OTHER: Final = "other"
WHOM: Final = (OWN, ALLY, OTHER)
"""The words that name a power by who plays the card."""
OF_BATTLES: Final = ("battle_begins", "battle_roll", "battle_won", "battle_lost")
"""The moments of a battle."""
Condition: TypeAlias = Callable[[Game, Side, Any], "str | None"]
"""Says what a condition requires; None: it holds."""


def is_meant(game: Game, side: Side, whom: str, power: str) -> bool:
    """Tell whether a power is the one that a card means: by its id, or by who plays the card."""
    own = game.board.powers_of[side]
    if whom == OWN:
        return power in own
    if whom == OTHER:
        return power not in own
    if whom == ALLY:
        return power not in own and any(game.allied(each, power) for each in own)
    return power == whom


def meant(game: Game, side: Side, whom: str) -> list[str]:
    """Return the powers that a card means, in the order of the board."""
    return [power for power in game.board.powers if is_meant(game, side, whom, power)]


def in_words(game: Game, whom: str) -> str:
    """Return whom a card means, for a sentence."""
    words = {OWN: "your power", ALLY: "an ally", OTHER: "another power"}
    record = game.board.powers.get(whom)
    return words.get(whom) or (whom.replace("_", " ").title() if record is None else record.name)


def taking_part(game: Game) -> Iterator[str]:
    """Yield the powers whose armies take part in what is responded to: those of the moment, and of its battle.

    A battle that is held for a flank has no part in what the flank does meanwhile (9.5.6).
    """
    moment, battle = game.moment, game.battle
    if battle is not None and (moment is None or moment.name in OF_BATTLES):
        yield from (battle.attacker, battle.defender)
        if battle.flank is not None:
            yield battle.flank
    if moment is not None:
        yield from (moment.power, moment.other)


def hold(game: Game, side: Side, card: str) -> Refusal | None:
    """Say which condition of a card does not hold for a side that plays it now; None: all do (7.1).

    All of them are public.
    """
    record = game.board.cards[card]
    for condition in record.conditions:
        ((word, told),) = condition.items()
        wanted = CONDITIONS[word](game, side, told)
        if wanted is not None:
            return Refusal(f"{record.name} ({card}) can be played only {wanted}", "7.1")
    return None


def _on_power(holds: Callable[[Game, Side, str], bool], sentence: str) -> Condition:
    """Return a condition on a power that a card means; the sentence says what it requires of it."""

    def condition(game: Game, side: Side, told: str | Mapping[str, str]) -> str | None:
        whom = told if isinstance(told, str) else told["power"]
        return None if holds(game, side, whom) else sentence.format(in_words(game, whom))

    return condition


def is_active(game: Game, side: Side, whom: str) -> bool:
    """Tell whether the side of a power is active."""
    powers = game.board.powers_of[game.activation.side] if game.activation is not None else ()
    return any(is_meant(game, side, whom, power) for power in powers)


def takes_part(game: Game, side: Side, whom: str) -> bool:
    """Tell whether an army of a power takes part."""
    return any(power and is_meant(game, side, whom, power) for power in taking_part(game))


def acts(game: Game, side: Side, whom: str) -> bool:
    """Tell whether a power acts at the moment: it besieges, moves or sails."""
    return is_meant(game, side, whom, _acting(game))


def attacks(game: Game, side: Side, whom: str) -> bool:
    """Tell whether a power is the attacker."""
    battle, moment = game.battle, game.moment
    held = battle is not None and moment is not None and moment.name not in OF_BATTLES
    return is_meant(game, side, whom, battle.attacker if battle is not None and not held else _acting(game))


def is_near(game: Game, side: Side, whom: str) -> bool:
    """Tell whether an army of a power is in the space of the moment, or next to it."""
    space = game.moment.space if game.moment is not None else ""
    near = (space, *game.board.neighbours[space]) if space else ()
    return any(game.force(power, at).army for power in meant(game, side, whom) for at in near)


def wins(game: Game, side: Side, whom: str) -> bool:
    """Tell whether a power has won the battle."""
    moment = game.moment
    won = "" if moment is None else moment.other if moment.name == "battle_lost" else moment.power
    return bool(won) and is_meant(game, side, whom, won)


def region(game: Game, side: Side, regions: list[str]) -> str | None:
    """Require the space of the moment to lie in one of some regions."""
    space = game.board.spaces.get(game.moment.space) if game.moment is not None else None
    holds = space is not None and space.region in regions
    return None if holds else f"in {listing((each.replace('_', ' ').title() for each in regions), 'or')}"


def control(game: Game, side: Side, told: Mapping[str, str]) -> str | None:
    """Require a power to control a space."""
    holder = game.control.get(told["space"])
    holds = holder is not None and is_meant(game, side, told["by"], holder)
    return None if holds else f"if {in_words(game, told['by'])} controls {space_named(game, told['space'])}"


def marker(game: Game, side: Side, name: str) -> str | None:
    """Require an event to be in effect."""
    return None if game.mark(name) is not None else f"while {name.replace('_', ' ')} is in effect"


def players(game: Game, side: Side, numbers: list[int]) -> str | None:
    """Require the game to have one of some numbers of players."""
    holds = game.board.seats.players in numbers
    return None if holds else f"in games of {listing(map(str, numbers), 'or')}"


def phase(game: Game, side: Side, name: str) -> str | None:
    """Require a phase to be on."""
    return None if game.phase == name else f"in the phase {name}"


def _acting(game: Game) -> str:
    return game.moment.power if game.moment is not None else ""


CONDITIONS: Final[Mapping[str, Condition]] = {
    "active": _on_power(is_active, "while {} is active"),
    "army_of": _on_power(takes_part, "where an army of {} takes part"),
    "attacker": _on_power(attacks, "where {} attacks"),
    "besieger": _on_power(acts, "where {} besieges"),
    "mover": _on_power(acts, "where {} moves or sails"),
    "near": _on_power(is_near, "with an army of {} there or next to it"),
    "winner": _on_power(wins, "where {} wins"),
    "region": region,
    "control": control,
    "marker": marker,
    "players": players,
    "phase": phase,
}
"""Word of `if` -> what tells whether it holds."""
