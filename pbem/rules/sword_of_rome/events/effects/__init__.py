"""The effects of events: how a card's are played, checked and carried out, for actions and responses alike (7.1).

Each module of this folder has a table of effects, by their words under `do` of a card; `EFFECTS` has them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.game import NONE, NOTHING, AllOf, Nested, OneOf, Part, Refusal, Table, Value, listed
from pbem.protocol import Fault, Flow, Order, Path, Record, Side
from pbem.rules.sword_of_rome.position.naming import may_be_left_out
from pbem.rules.sword_of_rome.position.state import Battle, Game, Moment

EFFECT: Final = "effect"
SPACE: Final = "space"
Told: TypeAlias = Record
"""What the effects of a card are told in an order, by the word of the effect."""
Wrong: TypeAlias = "tuple[Path, Refusal]"
"""What is wrong with a body, and where in it."""


# ---- one effect


class Played(NamedTuple):
    """An effect as it is played: by whom, by which card, and what the card says of it."""

    side: Side
    card: str
    told: Any
    """The number or the words behind the effect in `cards.yaml`."""


class Effect(NamedTuple):
    """One effect of the vocabulary."""

    choices: Callable[[Game, Played], Part]
    """Every way to play it: what it can be told; none if it cannot take place."""
    check: Callable[[Game, Played, Told], Iterable[Wrong]]
    carry_out: Callable[[Game, Table, Played, Told], Flow[None]]


NOT_ITS_MOMENT: Final = Refusal("this has its effect only at its moment", "7.1.1")
EFFECTS: Final[dict[str, Effect]] = {}
"""Word of `do` -> the effect. `events.events` fills it when the game is put together: an effect may fight a battle,
whose rules open windows for responses, which play effects."""


def none_told(
    do: Callable[[Game, Table, Played], None],
    why_not: Callable[[Game, Played], Refusal | None] = lambda view, played: None,
    at: Sequence[str] = (),
) -> Effect:
    """Return an effect that needs to be told nothing, and asks nothing; some have it only at moments of some names."""

    def wrong(view: Game, played: Played) -> Refusal | None:
        if at and (view.moment is None or view.moment.name not in at):
            return NOT_ITS_MOMENT
        return why_not(view, played)

    def choices(view: Game, played: Played) -> Part:
        return NOTHING if wrong(view, played) is None else NONE

    def check(view: Game, played: Played, body: Told) -> Iterator[Wrong]:
        refusal = wrong(view, played)
        if refusal is not None:
            yield (), refusal

    def carry_out(game: Game, table: Table, played: Played, body: Told) -> Flow[None]:
        do(game, table, played)
        yield from ()

    return Effect(choices, check, carry_out)


def one_told(
    word: str,
    able: Callable[[Game, Played], Sequence[Any]],
    why_none: Callable[[Game, Played], Refusal],
    carry_out: Callable[[Game, Table, Played, Any], Flow[None]],
    usual: Callable[[Game, Sequence[Any]], Any] = lambda view, able: None,
) -> Effect:
    """Return an effect that is told one thing under a word: one of those that are `able`.

    If it is not told, the only choice is taken, or the `usual` one of several, if there is any.
    """

    def untold(view: Game, there: Sequence[Any]) -> Any:
        return there[0] if len(there) == 1 else usual(view, there) if there else None

    def choices(view: Game, played: Played) -> Part:
        there = able(view, played)
        if there and isinstance(there[0], Mapping):
            part: Part = Nested(word, listed(there, {"name": "leader", "leader": "leader", "at": SPACE, "from": SPACE}))
        else:
            of = "power" if there and there[0] in view.board.powers else SPACE
            part = OneOf(word, [Value(each, at=each if of == SPACE else "") for each in there], of=of, inferred=True)
        return part if untold(view, there) is None else may_be_left_out(part)

    def check(view: Game, played: Played, body: Told) -> Iterator[Wrong]:
        there = able(view, played)
        if not there:
            yield (), why_none(view, played)
        elif word not in body and untold(view, there) is not None:
            return
        elif word not in body:
            yield (word,), Refusal(f"say under effect what it is about, such as {word}: {_shown(there[0])}", "7.1")
        elif body[word] not in there:
            shown = _shown(body[word])
            yield (
                (word,),
                Refusal(f"{shown} cannot be chosen; possible is {_shown(there[0])}", why_none(view, played).rule),
            )

    def carry(game: Game, table: Table, played: Played, body: Told) -> Flow[None]:
        there = [] if word in body else able(game, played)
        if word in body or there:  # what others have responded may have left no choice
            yield from carry_out(game, table, played, body[word] if word in body else untold(game, there) or there[0])

    return Effect(choices, check, carry)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_shown(each)}" for key, each in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def the_moment(game: Game) -> Moment:
    """Return the moment that a response responds to."""
    assert game.moment is not None
    return game.moment


def parties(battle: Battle) -> list[str]:
    """Return the powers that fight."""
    return [battle.attacker, battle.defender, *([battle.flank] if battle.flank is not None else [])]


# ---- the effects of a card


def effects_of(game: Game, side: Side, card: str) -> list[tuple[Effect, Played]]:
    """Return the effects of a card that a side plays, in the order of the card."""
    words = [next(iter(effect.items())) for effect in game.board.cards[card].effects]
    return [(EFFECTS[word], Played(side, card, told)) for word, told in words]


def why_not(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why the effects of a card cannot take place; None: they can (7.1)."""
    for effect, played in effects_of(view, side, card):
        if not len(effect.choices(view, played)):
            return next(iter(effect.check(view, played, {})))[1]
    return None


def choices(view: Game, side: Side, card: str) -> Part:
    """Return every way to play the effects of a card: what an order tells them (7.1)."""
    parts = [effect.choices(view, played) for effect, played in effects_of(view, side, card)]
    return Nested(EFFECT, AllOf(*parts))


def faults(view: Game, side: Side, card: str, order: Order) -> Iterator[Fault]:
    """Yield why the effects of a card cannot take place, or what is wrong with what an order tells them (7.1)."""
    wrong = list(_wrong(view, side, card, order))
    if wrong and (refusal := why_not(view, side, card)) is not None:
        wrong = [order.fault(("card",), refusal.reason, rule=refusal.rule)]
    yield from wrong


def _wrong(view: Game, side: Side, card: str, order: Order) -> Iterator[Fault]:
    body: Told = order.get(EFFECT, {})
    for effect, played in effects_of(view, side, card):
        for path, refusal in effect.check(view, played, body):
            where = _as_far_as_there(order.body, (EFFECT, *path)) if path else ("card",)
            yield order.fault(where, refusal.reason, rule=refusal.rule)
    words = {word for each in view.board.cards[card].effects for word in each} | {"power"}
    for word in body:
        if word not in words:
            yield order.fault((EFFECT, word), f"the event of {card} has no {word}", rule="7.1")


def _as_far_as_there(body: Any, path: Path) -> Path:
    """Return a path up to the first key that a body does not have."""
    for at, step in enumerate(path):
        if isinstance(body, Mapping) and step not in body:
            return path[: at + 1]
        body = body[step]
    return path


def play_effects(game: Game, table: Table, side: Side, card: str, body: Told) -> Flow[None]:
    """Carry out the effects of a card (7.1)."""
    for effect, played in effects_of(game, side, card):
        yield from effect.carry_out(game, table, played, body)
