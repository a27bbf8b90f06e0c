"""Effects on battles: modifiers, dice, losses, a second battle, a flight without one (12, 21.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Refusal, Table
from pbem.rules.sword_of_rome.events.conditions import in_words, is_meant
from pbem.rules.sword_of_rome.events.effects import Effect, Played, none_told, parties, the_moment, why_not_at
from pbem.rules.sword_of_rome.position.state import Game

ROLL: Final = "battle_roll"
BEGINS: Final = "battle_begins"
LOST: Final = "battle_lost"
WON: Final = "battle_won"


def fighters(game: Game, played: Played, whom: str) -> list[str]:
    """Return the powers in the battle that a card means; the unrest of Carthage is none (S 20.3)."""
    if game.battle is None:
        return []
    return [power for power in parties(game.battle) if power and is_meant(game, played.side, whom, power)]


def why_no_roll(view: Game, played: Played) -> Refusal | None:
    """Say why nothing is added to a battle roll; None: it is (12.2.3)."""
    refusal = why_not_at(view, ROLL, BEGINS)
    if refusal is None and not fighters(view, played, played.told["of"]):
        return Refusal(f"no army of {in_words(view, played.told['of'])} fights here", "12.2.3")
    return refusal


def add_to_roll(game: Game, table: Table, played: Played) -> None:
    """Add to the battle roll of a power (12.2.3)."""
    power = fighters(game, played, played.told["of"])[0]
    modifiers = game.the_battle.modifiers
    modifiers[power] = modifiers.get(power, 0) + played.told["by"]
    table.tell("roll_changed", power=power, by=played.told["by"], rule="12.2.3")


def why_no_dice(view: Game, played: Played) -> Refusal | None:
    """Say why the own army does not roll another number of dice; None: it does (12.2.3)."""
    refusal = why_not_at(view, ROLL, BEGINS)
    if refusal is None and not fighters(view, played, "own"):
        return Refusal("no army of yours fights here", "12.2.3")
    return refusal


def set_dice(game: Game, table: Table, played: Played) -> None:
    """Let the own army roll another number of dice in this battle (S 20.3)."""
    power = fighters(game, played, "own")[0]
    game.the_battle.dice[power] = played.told
    table.tell("dice_changed", power=power, dice=played.told, rule="12.2.3")


def why_losses(view: Game, played: Played) -> Refusal | None:
    """Say why the dice of a battle cost CU all the same; None: they do not (21.3)."""
    if view.battle is not None and view.battle.no_losses:
        return Refusal("the dice of this battle cost no CU already", "21.3")
    return why_not_at(view, ROLL, BEGINS)


def spare(game: Game, table: Table, played: Played) -> None:
    """Let the dice of this battle cost no CU (21.3)."""
    game.the_battle.no_losses = True
    table.tell("no_losses", rule="21.3")


def why_not_again(view: Game, played: Played) -> Refusal | None:
    """Say why a battle is not fought again; None: it can be (21.3)."""
    refusal = why_not_at(view, LOST, WON)
    if refusal is None and the_moment(view).power not in view.board.powers_of[played.side]:
        return Refusal("the battle was not yours", "21.3")
    return refusal


def fight_again(game: Game, table: Table, played: Played) -> None:
    """Have the battle fought a second time at once; events of the first count no longer (21.3)."""
    the_moment(game).again = True
    table.tell("battle_again", side=played.side, rule="21.3")


def why_no_flight(view: Game, played: Played) -> Refusal | None:
    """Say why the enemy does not flee before the battle; None: it does (21.3)."""
    refusal = why_not_at(view, BEGINS)
    if refusal is None and not fighters(view, played, "own"):
        return Refusal("no army of yours fights here", "21.3")
    return refusal


def flee(game: Game, table: Table, played: Played) -> None:
    """Let the enemy retreat without a battle and without support for anybody; the own army goes on (21.3)."""
    the_moment(game).flight = True
    table.tell("flight", side=played.side, rule="21.3")


EFFECTS_ON_BATTLES: Final[Mapping[str, Effect]] = {
    "roll": none_told(why_no_roll, add_to_roll),
    "dice": none_told(why_no_dice, set_dice),
    "no_losses": none_told(why_losses, spare),
    "battle_again": none_told(why_not_again, fight_again),
    "flight": none_told(why_no_flight, flee),
}
