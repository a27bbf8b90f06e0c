"""The effect of an event as the rules see it: how it can be played, what is wrong with it, what it does (7.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.game import LegalOrders, Refusal, Table, of
from pbem.protocol import Flow, Order, Path, Side
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.position.under_way import Battle, Moment

EFFECT: Final = "effect"
Body: TypeAlias = Mapping[str, Any]
"""What the effects of a card are told in an order, by the word of the effect."""
Wrong: TypeAlias = "tuple[Path, Refusal]"
"""What is wrong with a body, and where in it."""


class Played(NamedTuple):
    """An effect as it is played: by whom, by which card, and what the card says of it."""

    side: Side
    card: str
    told: Any
    """The number or the words behind the effect in `cards.yaml`."""


class Effect(NamedTuple):
    """One effect of the vocabulary."""

    options: Callable[[Game, Played], LegalOrders]
    """Every way to play it, as orders whose bodies hold only what it is told; none if it cannot take place."""
    check: Callable[[Game, Played, Body], Iterable[Wrong]]
    carry_out: Callable[[Game, Table, Played, Body], Flow[None]]


EFFECTS: Final[dict[str, Effect]] = {}
"""Word of `do` -> the effect. `table` fills it when the game is put together: an effect may fight a battle, whose rules
open windows for responses, which play effects."""


def way(body: Body) -> Order:
    """Return one way to play an effect."""
    return Order(EFFECT, body)


def none_told(why_not: Callable[[Game, Played], Refusal | None], do: Callable[[Game, Table, Played], None]) -> Effect:
    """Return an effect that needs to be told nothing, and asks nothing."""

    def options(view: Game, played: Played) -> LegalOrders:
        return of([way({})] if why_not(view, played) is None else [])

    def check(view: Game, played: Played, body: Body) -> Iterator[Wrong]:
        refusal = why_not(view, played)
        if refusal is not None:
            yield (), refusal

    def carry_out(game: Game, table: Table, played: Played, body: Body) -> Flow[None]:
        do(game, table, played)
        return
        yield

    return Effect(options, check, carry_out)


def one_told(
    word: str,
    choices: Callable[[Game, Played], Sequence[Any]],
    why_none: Callable[[Game, Played], Refusal],
    carry_out: Callable[[Game, Table, Played, Any], Flow[None]],
    usual: Callable[[Game, Sequence[Any]], Any] = lambda view, choices: None,
) -> Effect:
    """Return an effect that is told one thing under a word: one of some choices.

    If it is not told, the only choice is taken, or the `usual` one of several, if there is any.
    """

    def untold(view: Game, there: Sequence[Any]) -> Any:
        return there[0] if len(there) == 1 else usual(view, there)

    def options(view: Game, played: Played) -> LegalOrders:
        return of([way({word: choice}) for choice in choices(view, played)])

    def check(view: Game, played: Played, body: Body) -> Iterator[Wrong]:
        there = choices(view, played)
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

    def carry(game: Game, table: Table, played: Played, body: Body) -> Flow[None]:
        there = [] if word in body else choices(game, played)
        if word in body or there:  # what others have responded may have left no choice
            yield from carry_out(game, table, played, body[word] if word in body else untold(game, there) or there[0])

    return Effect(options, check, carry)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_shown(each)}" for key, each in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def the_moment(game: Game) -> Moment:
    """Return the moment that a response responds to."""
    assert game.moment is not None
    return game.moment


def why_not_at(view: Game, *names: str) -> Refusal | None:
    """Say that an effect belongs to another moment; None: one of these is open."""
    if view.moment is not None and view.moment.name in names:
        return None
    return Refusal("this has its effect only at its moment", "7.1.1")


def parties(battle: Battle) -> list[str]:
    """Return the powers that fight."""
    return [battle.attacker, battle.defender, *([battle.flank] if battle.flank is not None else [])]
