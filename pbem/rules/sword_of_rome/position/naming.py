"""Names: faults about those that the game does not have, checks, and the parts of choices that name things."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pbem.game import (
    NONE,
    NOTHING,
    AllOf,
    Check,
    ChoicesOf,
    OneOf,
    Part,
    Plain,
    Refusal,
    Share,
    Some,
    Value,
    did_you_mean,
    each_of,
    listing,
)
from pbem.protocol import ILLEGAL, Decision, Fault, Order, Path, Side
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DESPERATE_TIMES
from pbem.rules.sword_of_rome.position.state import Force, Game


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


# ---- choices: cards, spaces, points, CU, those who go along


NOBODY: Sequence[str] = ("none", "no", "nobody", "nothing", "pass")
"""How it is said that nothing is done."""


def cards(
    view: Game,
    some: Iterable[str],
    then: Callable[[str], Part],
    why_not: Callable[[str], Refusal | None] = lambda card: None,
) -> Part:
    """Return the choice of a card, each with what follows from it; those that are refused are shut."""
    values = []
    for card in some:
        refusal = why_not(card)
        value = card_value(view, card, then(card) if refusal is None else NOTHING)
        values.append(value if refusal is None else replace(value, why=refusal.reason))
    return OneOf("card", values, of="card")


def card_value(view: Game, card: str, then: Part = NOTHING) -> Value:
    """Return a card as a value: with its name, and what may be said of it besides (`3 ops`)."""
    if card == DESPERATE_TIMES:
        return Value(card, then, label="Desperate Times")
    record = view.board.cards[card]
    return Value(card, then, label=record.name, claims=(f"{record.value} ops", f"ops {record.value}"))


def spaces(some: Iterable[str]) -> list[Value]:
    """Return spaces as values."""
    return [Value(space, at=space) for space in some]


def one_space(key: str, some: Iterable[str]) -> Part:
    """Return the choice of a space."""
    return OneOf(key, spaces(some), of="space")


def points(key: str, room: Mapping[str, int], least: int, most: int) -> Part:
    """Return the ways to name a space for each of some points, no space more often than it has room."""
    most = min(most, sum(room.values()))
    return Some(key, spaces(room), least, most, of="space", room=room) if least <= most else NONE


def handful(key: str, some: Sequence[str], cu: int) -> Part:
    """Return the ways to put so many CU into some spaces, as `space: CU`."""
    room = dict.fromkeys(some, cu)
    return Some(key, spaces(some), cu, cu, of="space", room=room, counts=True) if some else NONE


def units(stack: Force, allowed: Sequence[int], most: int | None = None) -> Part:
    """Return how many CU of a stack may go, and how many of them are mercenaries.

    `most` is how many go if the order does not say it; None: it must.
    """
    usual = most if most in allowed else None
    return Share(("cu", "mercenaries" if stack.mercenaries else None), stack.cu, stack.mercenaries, allowed, usual)


def with_others(values: Sequence[tuple[Sequence[str], Part]]) -> Part:
    """Return whom a leader takes along, each company with what follows; the first, nobody, need not be written."""
    companies = [Value(list(others), then) for others, then in values]
    return OneOf("with", companies, of="leader", default=0) if companies else NONE


def may_be_left_out(part: Part) -> Part:
    """Return a part of which the game itself knows what is meant if an order leaves it out."""
    return OneOf(None, [Value("", part, weight=3), Value("", unlisted=True)], inferred=True)


def fixed_or_not(key: str, word: Plain, *, at: str = "", of: str = "") -> Part:
    """Return a key that can have one word only, and may be left out."""
    return may_be_left_out(OneOf(key, [Value(word, at=at)], of=of, inferred=True))


def own(powers: Sequence[str], then: Callable[[str], Part]) -> Part:
    """Return the choice of an own power, each with what follows; who leads one alone need not name it."""
    values = [Value(power, then(power)) for power in powers]
    if len(values) == 1:
        return AllOf(fixed_or_not("power", powers[0], of="power"), values[0].then)
    return OneOf("power", values, of="power")
