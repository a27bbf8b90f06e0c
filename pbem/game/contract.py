"""The contract of games: `Rules`, which every game implements, and through which everything else knows a game."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pbem.game import plain
from pbem.protocol import ILLEGAL, Decision, Event, Fault, Flow, Order, Record, Roll, S, Side

if TYPE_CHECKING:
    from pbem.game.board.scene import Scene
    from pbem.game.board.summary import Section, Summary
    from pbem.game.choices.legal_orders import LegalOrders
    from pbem.game.choices.parts import Part
    from pbem.game.decision_kinds import Kind
    from pbem.game.prospects import Odds
    from pbem.game.table import Table

F = TypeVar("F", bound=Callable[..., object])


class Rules(ABC, Generic[S]):
    """One game. Pure: the same position, answers and dice in give the same result out.

    `S` is the game's own type of position. A game names the kinds of decisions that it asks for, and writes the seven
    methods that are abstract. The others ask the kind of a decision, or are optional capabilities: the default says
    that the game has none of it.
    """

    id: str
    sides: tuple[Side, ...]
    kinds: Mapping[str, Kind[S]]
    """The kinds of decisions, by name (`by_name`): legal orders, checks, hints, the bot's answers."""
    reveals: frozenset[str] = frozenset()
    """The kinds of events by which a rule lays open what was hidden."""
    round: str = ""
    """The one of its `periods` that is a round: at its end news is told that was held back. Empty: there is none."""
    turn: str = ""
    """The one of its `periods` at whose beginning reports say in full how things stand. Empty: there is none."""
    in_play: frozenset[str] | None = None
    """The ids of the records of the box that this edition has, where a box counts what is as printed; None: all."""

    # ---- what every game writes

    @abstractmethod
    def setup(self, scenario: str, table: Table) -> S:
        """Return the position at the start of a scenario; `table` shuffles and tells, it cannot ask."""

    @abstractmethod
    def play(self, position: S, table: Table) -> Flow[Record]:
        """Play on from a checkpoint. Return how the game ended: `{winner: ..., reason: kind}`.

        `winner` is a side, a list of the sides that win together, or None (`Result`).
        Start with `game = table.lay(position)`: the game works on that copy and never on its argument.
        """

    @abstractmethod
    def view(self, position: S, side: Side | None) -> S:
        """Return the position as a side (None: an observer) may know it: same type, unknowns blanked."""

    @abstractmethod
    def scene(self, view: S, told: Sequence[Event] = ()) -> Scene:
        """Return what there is to draw, with arrows for the moves just told."""

    @abstractmethod
    def resample_hidden(self, position: S, side: Side | None, table: Table) -> S:
        """Return another position that the side could not tell from this one; the leak test is built on it."""

    @abstractmethod
    def audit(self, position: S) -> Iterable[str]:
        """Yield a sentence for every broken invariant: a lost unit, a card in two hands."""

    @abstractmethod
    def decode(self, data: Record) -> S:
        """Return the position that `encode` was given. Raises ValueError, TypeError or LookupError for other data."""

    def encode(self, position: S) -> dict[str, Any]:
        """Return the position as plain data, the form that is written to disk."""
        return plain.encode(position)

    # ---- what the kind of a decision says

    def choices(self, view: S, decision: Decision) -> Part:
        """Return what a side may answer, as a structure of parts; an observer's view may not show enough to tell."""
        return self.kinds[decision.kind].choices(view, decision)

    def legal_orders(self, view: S, decision: Decision) -> LegalOrders:
        """Return every legal answer. Asked with an observer's view, it may answer that it cannot tell."""
        return self.kinds[decision.kind].legal_orders(view, decision)

    def check(self, view: S, decision: Decision, order: Order) -> Iterable[Fault]:
        """Yield everything that is wrong with a well-formed answer."""
        return self.kinds[decision.kind].check(view, decision, order)

    def hints(self, view: S, decision: Decision) -> Sequence[str | Order]:
        """Return what a form says beside a decision: sentences, and orders to choose from."""
        hints = self._found(self.kinds[decision.kind].hints)
        return () if hints is None else list(hints(view, decision))

    def close_up(self, view: S, decision: Decision) -> Sequence[Section]:
        """Return the part of a position that a decision is about: its place, who stands there and near, what is held.

        By default it is all that the side holds.
        """
        close_up = self._found(self.kinds[decision.kind].close_up)
        if close_up is not None:
            return list(close_up(view, decision))
        summary = self.summary(view)
        return () if summary is None else summary.hand

    def places(self, view: S, decision: Decision) -> Sequence[str]:
        """Return the places on the map that a decision is about."""
        places = self._found(self.kinds[decision.kind].places)
        return () if places is None else list(places(view, decision))

    def successors(self, view: S, decision: Decision, order: Order) -> Sequence[tuple[S, Decision]]:
        """Return the views that a legal order may lead to, each with the next decision of its side, luckiest first.

        That is the next of the same kind, or of another kind that always follows the order. Empty where nothing
        follows, or nothing can be foreseen.
        """
        successors = self._found(self.kinds[decision.kind].successors)
        return () if successors is None else successors(view, decision, order)

    def cost(self, view: S, decision: Decision, order: Order) -> str:
        """Return a sentence that says what a legal order costs; empty where it costs nothing."""
        cost = self._found(self.kinds[decision.kind].cost)
        return "" if cost is None else cost(view, decision, order)

    def ends(self, order: Order) -> bool:
        """Tell whether an order ends what its side is doing: it waits if one before it cannot be carried out."""
        ends = self.kinds[order.kind].ends
        return ends is not None and ends(order)

    def is_last(self, view: S, decision: Decision, order: Order) -> bool:
        """Tell whether, once this is the answer, its side is not asked for the kind again before its queue is dropped.

        A second order of the kind is then another answer to the same decision, and the sheet is sent back. Where
        hidden things, dice or the enemy decide it, the answer is False, and the second order waits. The order has the
        right shape, but need not be legal.
        """
        is_last = self._found(self.kinds[decision.kind].is_last)
        return is_last is not None and is_last(view, decision, order)

    def is_for_later(self, view: S, decision: Decision, order: Order) -> bool:
        """Tell whether an order that waits is meant for a later decision of its kind than the one that is open now.

        It then stays in its queue until that comes, and does not expire.
        """
        is_for_later = self.kinds[decision.kind].is_for_later
        return is_for_later is not None and is_for_later(view, decision, order)

    def foresee(self, view: S, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
        """Return the flow that plays on from an answer on a table, as `play` would; None: it does not tell."""
        foresee = self._found(self.kinds[decision.kind].foresee)
        return None if foresee is None else foresee(view, table, decision, order)

    def prospects(self, position: S, decision: Decision) -> Iterable[Event]:
        """Yield events that say who can do what a decision asks, and with what chance."""
        prospects = self._found(self.kinds[decision.kind].prospects)
        return () if prospects is None else prospects(position, decision)

    @cached_property
    def has_bot(self) -> bool:
        """Whether `bot_order` plays better than the first legal order."""
        return any(kind.bot is not None for kind in self.kinds.values())

    def bot_order(self, view: S, decision: Decision) -> Order:
        """Return a legal answer for a side whose player is away, from what that side knows.

        Without a bot it is the first legal order. A bot that has no legal idea takes the default, if there is one.
        """
        for order in self._ideas(view, decision) if self.has_bot else ():
            if not any(True for _ in self.check(view, decision, order)):
                return order
        return self.legal_orders(view, decision)[0]

    def _ideas(self, view: S, decision: Decision) -> Iterator[Order]:
        bot = self._found(self.kinds[decision.kind].bot)
        if bot is not None:
            yield from bot(view, decision)
        if decision.default is not None:
            yield Order(decision.kind, decision.default)

    def _found(self, function: F | str | None) -> F | None:
        """Return a function of a kind, imported from the package of the game if only its place is said."""
        if not isinstance(function, str):
            return function
        module, name = function.split(":")
        found: F = getattr(import_module(f".{module}", sys.modules[type(self).__module__].__package__), name)
        return found

    # ---- for reports

    def summary(self, view: S) -> Summary | None:
        """Return where things stand, for the text of a report."""
        return None

    # ---- for standing orders

    def facts(self, view: S, decision: Decision) -> Record:
        """Return what conditions of standing orders may go by, besides the facts of the decision."""
        return {}

    def periods(self, position: S) -> Record:
        """Return the periods that the game is in, such as its turn, for standing orders that end with one."""
        return {}

    # ---- for players who plan their week

    def left_in_turn(self, view: S) -> tuple[int, str] | None:
        """Return how much is played at most until the turn is over, and in what: `(9, "card play")`; None: unknown.

        The number counts down and never up within a turn.
        """
        return None

    # ---- for sides that leave the game before its end

    def out(self, position: S) -> Collection[Side]:
        """Return the sides that are out of the game: their consent is not asked, and no order of theirs counts."""
        return ()

    # ---- for forecasts

    def outcome(self, position: S, roll: Roll, facts: Record) -> tuple[int, str]:
        """Return the result of a roll without a number to reach: how bad it is for the side that asks, and words."""
        return 0, ""

    # ---- for players who weigh an order

    @cached_property
    def odds(self) -> Mapping[str, Odds]:
        """Word -> a question about chances that players may ask (`pbem odds`)."""
        return {}

    # ---- for players who talk

    def silence(self, view: S) -> str | None:
        """Return the paragraph by which nobody may talk now, from what everybody knows; None: all may."""
        return None

    def show(self, view: S, side: Side, what: str) -> Event | Fault:
        """Return the event by which a side lets others see what it holds, or why it cannot; `what` is as it wrote it.

        The facts of the event are all that the others see. To whom it is told is not for the rules to say.
        """
        return Fault(ILLEGAL, (), "this game has nothing that a side could show")

    # ---- for test cases

    def settle(self, position: S) -> S:
        """Return a position that a test case has changed, with what it leaves open put in order: undealt cards."""
        return position

    def vocabulary(self) -> Mapping[str, Collection[str | int]]:
        """Return the words that may stand in a position, by class and field (`Game.phase`), for test cases.

        Those of a mapping are its keys, and `Game.control.*` are the words of its values; those of a list are its
        items. Empty: any text. The keys of a mapping that is not named here are ids of the box. `plain.vocabulary`
        reads all this from the types of a position.
        """
        return {}
