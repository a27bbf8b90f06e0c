"""Kinds of decisions: all that the rules say of one is a `Kind`; ready-made answers; refusals, declining."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias

from pbem.game.choices.legal_orders import Answers, LegalOrders
from pbem.game.choices.parts import OneOf, Part, Plain, Value
from pbem.protocol import ILLEGAL, Decision, Event, Fault, Flow, Order, Path, Record, S

if TYPE_CHECKING:
    from pbem.game.board.summary import Section
    from pbem.game.table import Table

# ---- A refusal: why something cannot be done, and by which rule. The rules of a game have no other value for "no"


class Refusal(NamedTuple):
    """A reason for the player to read, and the paragraph of the rulebook."""

    reason: str
    rule: str

    def at(self, path: Path) -> Fault:
        """Return the fault of an order that is refused for this; `path` is within its body."""
        return Fault(ILLEGAL, path, self.reason, self.rule)


# ---- A kind of decision, as its chapter of the rules states it


ChoicesOf: TypeAlias = Callable[[S, Decision], Part]
"""Returns what a side may answer, from its view; a short list of orders will do."""
Check: TypeAlias = Callable[[S, Decision, Order], Iterable[Fault]]
Tells: TypeAlias = Callable[[S, Decision, Order], bool]


@dataclass(frozen=True, slots=True)
class Kind(Generic[S]):
    """A kind of decision: its name, what may be answered, and what else the rules can tell of it.

    What a kind leaves out it has not. A function that stands above the chapters (in what reports, forms, forecasts or
    bots need) is named by its place in the package of the game, `views.hints:fight`, and imported when it is first
    asked: an import would close a circle, and most commands need neither hints nor a bot.
    """

    name: str
    choices: ChoicesOf[S]
    check: Check[S]
    """Yields everything that is wrong with a well-formed answer."""
    hints: Callable[[S, Decision], Iterable[str | Order]] | str | None = None
    """Yields what a form says beside the decision: sentences, and orders to choose from."""
    bot: Callable[[S, Decision], Iterable[Order]] | str | None = None
    """Yields answers for a player who is away, the best first; the rules may refuse some of them."""
    close_up: Callable[[S, Decision], Iterable[Section]] | str | None = None
    """Yields the part of the position that the decision is about."""
    places: Callable[[S, Decision], Iterable[str]] | str | None = None
    """Yields the places on the map that the decision is about."""
    is_last: Tells[S] | str | None = None
    """Tells whether, after this answer, its side is not asked again before its queue is dropped (`once`)."""
    ends: Callable[[Order], bool] | None = None
    """Tells whether an order ends what its side is doing."""
    is_for_later: Tells[S] | None = None
    """Tells whether an order that waits is meant for a later decision of the kind."""
    successors: Callable[[S, Decision, Order], Sequence[tuple[S, Decision]]] | str | None = None
    """Returns the views that a legal order may lead to, each with the decision that always follows."""
    cost: Callable[[S, Decision, Order], str] | str | None = None
    """Returns a sentence that says what a legal order costs."""
    foresee: Callable[[S, Table, Decision, Order], Flow[None] | None] | str | None = None
    """Returns the flow that plays on from an answer, for a forecast."""
    prospects: Callable[[S, Decision], Iterable[Event]] | str | None = None
    """Yields events that say who can do what the decision asks, and with what chance, for a forecast."""

    def legal_orders(self, view: S, decision: Decision) -> LegalOrders:
        """Return what a side may answer, as a sequence of orders."""
        return Answers(self.name, self.choices(view, decision))


def by_name(*kinds: Kind[S], close_up: str | None = None, places: str | None = None) -> Mapping[str, Kind[S]]:
    """Return the kinds of a game by their names; `close_up` and `places` are for those that have none of their own."""
    return {
        kind.name: replace(kind, close_up=kind.close_up or close_up, places=kind.places or places) for kind in kinds
    }


def once(view: object, decision: Decision, order: Order) -> bool:
    """Tell that any answer is the last one: the side is asked once in a phase."""
    return True


# ---- Ready-made legal orders and checks, for plain questions


def one_of(word: str, answers: Iterable[Plain]) -> tuple[ChoicesOf[Any], Check[Any]]:
    """Return choices and check of a decision that is answered by `{word: answer}` for one of some answers.

    The check finds nothing: the schema of the order refuses everything else.
    """
    choices = OneOf(word, [Value(answer) for answer in answers])

    def check(view: object, decision: Decision, order: Order) -> Iterable[Fault]:
        return ()

    return lambda view, decision: choices, check


def yes_or_no(word: str) -> tuple[ChoicesOf[Any], Check[Any]]:
    """Return choices and check of a decision that is answered by `{word: true}` or `{word: false}`."""
    return one_of(word, (True, False))


def each_of(word: str, fact: str, of: str = "", *, on_map: bool = False) -> ChoicesOf[object]:
    """Return choices of a decision that is answered by `{word: answer}` for one of those that a fact lists.

    `of` is the list of the lexicon that has their names; `on_map` if they are places.
    """

    def choices(view: object, decision: Decision) -> Part:
        return OneOf(word, [Value(each, at=each if on_map else "") for each in decision.facts[fact]], of=of)

    return choices


def legal(check: Check[S], view: S, decision: Decision, bodies: Iterable[Record]) -> Iterator[Order]:
    """Yield as orders those of some bodies that pass the check."""
    for body in bodies:
        order = Order(decision.kind, body)
        if not any(True for _ in check(view, decision, order)):
            yield order


# ---- Declining: which answers do nothing, and which one a side gives that wants nothing done


NO: Final = frozenset({"end", "hold", "leave", "none", "pass", "stop"})
"""Words by which an answer does nothing: `card: none`, `stop: true`. So do false, 0 and an empty list."""
_MOST_LOOKED_AT: Final = 1_000
"""Legal orders among which `decline` looks for the one that does nothing."""


def decline(decision: Decision, legal_orders: Iterable[Order]) -> Order | None:
    """Return the legal answer by which a side does nothing; None: there is none, as far as is seen.

    It is one of which every part says no (`NO`).
    """
    if decision.default is not None and does_nothing(decision.default):
        return Order(decision.kind, decision.default)
    few = islice(legal_orders, _MOST_LOOKED_AT)
    return next((order for order in few if does_nothing(order.body)), None)


def does_nothing(body: Record) -> bool:
    """Tell whether an answer says no to all that it is asked.

    >>> does_nothing({"fight": False}), does_nothing({"stop": True}), does_nothing({"card": 33})
    (True, True, False)
    """
    return bool(body) and all(
        not value or (key in NO if value is True else isinstance(value, str) and value in NO)
        for key, value in body.items()
    )
