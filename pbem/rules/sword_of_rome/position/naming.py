"""Faults: sentences about names that the game does not have, and what may be meant; ready-made checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pbem.game import Check, ChoicesOf, Refusal, did_you_mean, each_of, listing
from pbem.protocol import ILLEGAL, Decision, Fault, Order, Path, Side
from pbem.rules.sword_of_rome.position.board import CARTHAGE
from pbem.rules.sword_of_rome.position.state import Game


def no_such_space(game: Game, word: str) -> Refusal | None:
    """Say that there is no such space; None: there is (2.2)."""
    if word in game.board.spaces:
        return None
    return Refusal(f"no space is called {word}{did_you_mean(word, game.board.spaces)}", "2.2")


def no_such_leader(game: Game, word: str) -> Refusal | None:
    """Say that there is no such leader; None: there is (8)."""
    if word in game.board.leaders:
        return None
    return Refusal(f"no leader is called {word}{did_you_mean(word, game.board.leaders)}", "8.1")


def named(power: str, name: str) -> str:
    """Return the name of a power or a side with its article: `the Romans`, `Carthage`."""
    return name if power == CARTHAGE else f"the {name}"


def power_named(game: Game, power: str) -> str:
    """Return a power of the game as a sentence names it."""
    return named(power, game.board.powers[power].name)


def space_named(game: Game, space: str) -> str:
    """Return the name of a space."""
    record = game.board.spaces.get(space)
    return space if record is None else record.name


def event_named(game: Game, mark: str) -> str:
    """Return the name of an event in effect: that of its card, marked if the card is not as printed."""
    for card in game.board.cards.values():
        if any(effect.get("marker", {}).get("name") == mark for effect in card.effects):
            return card.name
    return mark.replace("_", " ")


def other_seat(game: Game, side: Side, owner: Side | None) -> str:
    """Return where an order belongs that names what another side of the same person has; nothing if there is none."""
    if owner is None or owner == side or owner not in game.board.seats_of(side):
        return ""
    names = " and ".join(game.board.powers[power].name for power in game.board.powers_of[owner])
    return f", but of your other seat, {names}: write it on the sheet of {owner}"


def not_in_hand(game: Game, side: Side, card: str) -> str:
    """Say that a side does not hold a card, and with whose cards it belongs if the person has two seats (6.1)."""
    record = game.board.cards.get(card)
    where = other_seat(game, side, record.deck) if record is not None else did_you_mean(card, game.hands[side])
    return f"{card} is not in your hand{where}"


# ---- faults


def refused(path: Path, refusal: Refusal | None) -> Iterator[Fault]:
    """Yield the fault of an order that is refused, with where it stands in its body; nothing if it is not."""
    if refusal is not None:
        yield Fault(ILLEGAL, path, refusal.reason, refusal.rule)


def one_of_the_facts(
    word: str, fact: str, sentence: str, name: Callable[[Game, str], str] = lambda view, answer: answer
) -> tuple[ChoicesOf[Game], Check[Game]]:
    """Return choices and check of a decision that is answered by `{word: answer}`, one of those in a fact.

    `sentence` says which there are.
    """

    def check(view: Game, decision: Decision, order: Order) -> Iterable[Fault]:
        if order[word] not in decision.facts[fact]:
            there = listing([name(view, answer) for answer in decision.facts[fact]], "or")
            yield order.fault((word,), f"{sentence.format(there)}, not {order[word]}", rule=decision.rule)

    return each_of(word, fact), check
