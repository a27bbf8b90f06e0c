"""Events of strategy cards as the rules see them: as card plays, and in the windows for counter events (7.4, 7.4.1).

A window is a moment at which a counter event may be played beside the ordinary play, in either side's turn. It opens
where public facts say that a card could be used, never because a side holds it: it stays shut where the side has no
card left in its hand, or where everybody sees that the card lies elsewhere. With the option `windows` at `advance`
nobody waits for the answer, so that no pause betrays a hand; answers are secret for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

from pbem.game import UNTOLD, OneOf, Part, Refusal, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.position.board import Board, StrategyCard
from pbem.rules.rome_carthage.position.state import UNSEEN, Game

Play: TypeAlias = Callable[[Game, Table, Side, Order, StrategyCard], Flow[None]]
ChoicesOf: TypeAlias = Callable[[Game, Side, StrategyCard], Part]
Check: TypeAlias = Callable[[Game, Side, Order, StrategyCard], Iterable[Fault]]
Needs: TypeAlias = Callable[[Game, Side, StrategyCard], str | None]
ADVANCE: Final = "advance"
NONE: Final = "none"
ANY: Final = "any"
"""The lowest fitting card in hand, if there is one: legal always, so that an order given in advance shows no hand."""


# ---- card plays (7.4)


def not_said(game: Game, side: Side, card: StrategyCard) -> str | None:
    """Say nothing about what an event needs."""
    return None


@dataclass(frozen=True, slots=True)
class CardEvent:
    """An event that is a card play of its own. It leaves no choice while its condition is not met."""

    play: Play
    choices: ChoicesOf
    """Returns what an order says besides the card."""
    check: Check
    needs: Needs = not_said
    """Says for a form what the event needs if it can be played now; None: nothing is to be said."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An event that is not a card play of its own; `when` tells a player when it is used instead."""

    when: str


# ---- windows (7.4.1)


@lru_cache(maxsize=256)
def cards_of(board: Board, event: str) -> tuple[StrategyCard, ...]:
    """Return the cards that have an event, lowest first."""
    return tuple(card for _, card in sorted(board.cards.items()) if card.event == event)


def may_hold(game: Game, side: Side, card: StrategyCard) -> bool:
    """Tell whether a side may hold a card whose event it may use, as far as everybody can see (7.4.1)."""
    if not game.hands.get(side) or not card.event_of(side):
        return False
    on_table = game.card is not None and game.card.card == card.number
    return not on_table and card.number not in game.discards and card.number not in game.removed


def held(view: Game, side: Side, event: str) -> list[int]:
    """List the cards of an event in a hand that its owner sees, lowest first."""
    return [card.number for card in cards_of(view.board, event) if card.number in view.hands.get(side, ())]


@dataclass(frozen=True, slots=True)
class Window:
    """A moment for counter events: the kind of decision, the rule, what a standing order may test, the usual answer."""

    kind: str
    rule: str
    facts: Mapping[str, object]
    default: Mapping[str, object] = field(default_factory=lambda: {"card": NONE})

    def asks(self, game: Game, side: Side) -> Decision:
        """Return its decision: secret, and waited for only if the option `windows` says so (7.4.1)."""
        waits = game.options["windows"] != ADVANCE
        return Decision(self.kind, side, self.rule, self.facts, self.default, secret=True, waits=waits)


def open_window(game: Game, table: Table, side: Side, window: Window) -> Flow[StrategyCard | None]:
    """Let a side play a card of the event that a window is named after, and return the card it has played (7.4.1).

    It is asked if it may hold one. The card goes from the hand to the discards at once; its effect is left to the
    caller.
    """
    event = window.kind
    if not any(may_hold(game, side, card) for card in cards_of(game.board, event)):
        return None
    (order,) = yield from table.ask_all([window.asks(game, side)])
    number = chosen(game, side, event, order["card"])
    return None if number is None else play_counter(game, table, side, number)


def chosen(game: Game, side: Side, event: str, word: int | str) -> int | None:
    """Return the card that an answer names; None: nothing is played (7.4.1)."""
    if isinstance(word, int):
        return word
    return next(iter(held(game, side, event)), None) if word == ANY else None


def play_counter(game: Game, table: Table, side: Side, number: int) -> StrategyCard:
    """Discard a counter event from a hand and return the card (7.4.1)."""
    game.hands[side].remove(number)
    game.discards.append(number)
    table.tell("counter_played", side=side, card=number, rule="7.4.1")
    return game.board.cards[number]


def hand_hidden(view: Game, side: Side) -> bool:
    """Tell whether the viewer does not see a side's strategy cards (7.1)."""
    return UNSEEN in view.hands.get(side, ())


def window_choices(view: Game, decision: Decision) -> Part:
    """Return the cards of the event that a window is named after, and none (7.4.1)."""
    if hand_hidden(view, decision.side):
        return UNTOLD
    return cards_or_none(held(view, decision.side, decision.kind))


def cards_or_none(cards: Iterable[int]) -> Part:
    """Return the choice of no card, or of one of some; of those that are not listed any is one (7.4.1)."""
    none = Value(NONE, says=(NONE,), must=True)
    return OneOf("card", [none, *[Value(card) for card in cards], Value(ANY, says=(ANY,), unlisted=True)], of="card")


def check_window(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the card of a window that is named after its event (7.4.1)."""
    return check_card(view, decision, order, decision.kind)


def check_card(view: Game, decision: Decision, order: Order, event: str) -> Iterator[Fault]:
    """Yield what is wrong with the card of an answer: it must be in hand and of the event in question (7.4.1)."""
    word = order["card"]
    if isinstance(word, int) and (why := why_unfit(view, decision.side, word, (event,))) is not None:
        yield why.at(("card",))


def why_unfit(view: Game, side: Side, number: int, events: Sequence[str]) -> Refusal | None:
    """Say why a card cannot be played in a window; None: it can (7.4.1)."""
    card = view.board.cards[number]
    fits = [each for event in events for each in cards_of(view.board, event)]
    if card not in fits:
        names = " or ".join(f"{each.name} ({each.number})" for each in fits)
        return Refusal(f"{card.name} ({number}) cannot be played now; {names} can, or none", "7.4.1")
    if number not in view.hands.get(side, ()):
        reason = f"{card.name} ({number}) is not in your hand; write any for a card that you may hold, or none"
        return Refusal(reason, "7.4.1")
    return None
