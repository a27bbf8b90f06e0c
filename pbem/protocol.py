"""The protocol: the types that every room shares (orders, faults, decisions, events, ...) and the contract of a game.

This module imports nothing of ours. A *game* (one package below `pbem.rules`) implements `Rules`; the engine,
the reports and the tools know games only through it.

Every exception of ours descends from `PbemError`. The command line prints it as one sentence and ends with exit code
1; only a `Bug` keeps its traceback. What is wrong with an order is no exception but a `Fault`.

    PbemError
    |-- Bug                        the code of pbem or of a game is wrong
    |   |-- Alike                  engine.session: two open decisions that nothing tells apart
    |   |-- DeadEnd                engine.playout: a question without a legal answer
    |   |-- NameReused             game.table: two rolls of one name
    |   |-- OptionRefused          engine.playout: an answer that is both offered and refused
    |   `-- Stuck                  engine.session: a game that rests for ever
    |-- AnotherRuns                post.duty: another service works on the same tables
    |-- Astray (ValueError)        rules.hannibal_italy.movement.paths: a path that cannot be followed
    |-- BadBeacon (ValueError)     crypto.beacon: a round or a signature that is not drand's
    |-- BadChainFile               crypto.chain_file: the file of a player's own chain
    |-- BadConfig                  post.settings: the config of the post, with every fault in it
    |-- BadContribution            crypto.player_chains: what a turn file says of a player's chain
    |-- BadFact (ValueError)       referee.clock.facts: a fact of time that cannot be put on record
    |-- BadKeys                    crypto.keys: the secrets of a game
    |-- BadLoad (ValueError)       crypto.dice: loaded dice that do not fit their roll
    |-- BadPath (ValueError)       repo.git.paths: a path that may not stand in a game's repo
    |-- BadReceipt (ValueError)    render.receipt: the receipt in a letter
    |-- BadRecipient (ValueError)  crypto.seal: a public key
    |-- BadSentence (ValueError)   render.messages: a sentence of a box
    |-- BadSheet                   orders.sheet.reader: an order sheet, with every fault in it
    |-- BrokenBox                  game.box_file: a box, with every flaw in it
    |-- BadTerms (ValueError)      referee.clock.terms: the terms of a clock that cannot be played with
    |-- CannotOpen                 crypto.seal: what is sealed, or the key to it
    |   |-- BadBlock               crypto.sealed_orders: a block of sealed orders, and what is wrong with it
    |   `-- _Closed                audit.derive: a sealed file of the record, which is blamed elsewhere
    |-- CannotPlay                 referee.open_game: what a game, a player or an address does not allow
    |   |-- BadPatch               referee.patching: a change of a position, with every complaint
    |   |-- OtherReport            mail.sheet_choice: orders without a heading that do not answer the last report
    |   `-- OtherRules             referee.open_game: the rules here are not those of the game
    |-- Gone                       post.transport.base: a letter that is no longer in the mailbox
    |-- Misdrawn (ValueError)      game.board_map: a layout that does not fit its map
    |-- NoBackup                   post.backup: no backup, or one that would overwrite something
    |-- NoBeaconLibrary            crypto.beacon: py_ecc is not installed
    |-- NotDerived                 audit.acts: a commit that does not follow from what was handed in
    |-- NotInTheBox (LookupError)  game.box: a name that is not in the box, or a box that is not on the shelf
    |-- NotLoaded (LookupError)    crypto.dice: a roll for which a case has loaded no dice
    |-- NotTried                   post.trial: a trial of the mailbox in which a letter did not come
    |-- RulesDiffer                engine.session: a question that is not the recorded one
    |   `-- Unasked                audit.playback: a recorded answer to which no question comes
    |-- StoreError                 repo.git.objects: a game's repo
    |   |-- Busy                   repo.git.gamelock: another command is at work on the game
    |   |-- GameExists             repo.git: a new game with the name of another
    |   |-- InTheWay               repo.git.mirror: something stands where a mirror is to be
    |   |-- Moved                  repo.git.reflock: a commit based on a position that is no longer the last
    |   |-- NoLocks                repo.git.gamelock: this system has no file locks
    |   |-- NoSuchGame             repo.git: no repo of a game at a path
    |   `-- TooLarge               repo.git.objects: a file of a repo that is larger than what is read
    |-- TablesDamaged              post.tables: tables that cannot be read
    |-- TakenIn                    post.tables: a letter that another worker has taken in meanwhile
    |-- Unreachable                post.transport.base: a mail server that does not answer, or broke off
    |   |-- LoginRefused           post.transport.base: a mail server that refuses user or password
    |   `-- Withheld               post.transport.base: a mail server that gives other letters, but not this one
    |-- UnknownZone (LookupError)  referee.clock.zones: a name that is no time zone
    |-- Unreadable                 game.yaml.limits: a text that is no YAML of ours
    |-- Unreadable                 mail.mime: a letter that cannot be taken apart
    |-- _Stop                      engine.cases.run: a case that cannot be played on
    |-- _Stop                      game.yaml.reader: a text that makes no sense from there on
    `-- _Unforeseen                rules.sword_of_rome.views.successors: what depends on dice or on an answer
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:  # names for the signatures of `Rules` only: at run time this module imports nothing of ours
    from pbem.game.legal_orders import LegalOrders
    from pbem.game.odds import Odds
    from pbem.game.scene import Scene
    from pbem.game.summary import Section, Summary
    from pbem.game.table import Table

Side: TypeAlias = str
Plain: TypeAlias = bool | int | str | list["Plain"] | dict[str, "Plain"] | None
"""What a YAML file can hold: no dates, no floats, text keys only."""
Path: TypeAlias = tuple[str | int, ...]
"""Where in an order or a sheet something stands: keys of mappings and indexes of lists, outermost first."""

S = TypeVar("S")
T = TypeVar("T")


class PbemError(Exception):
    """The root of all our exceptions: something outside the code is wrong, and the text tells a person what."""


class Bug(PbemError):
    """A mistake in the code of pbem or of a game. It keeps its traceback, for whoever repairs it."""


FOR: Final = "for"
"""The key of an order that says which of several decisions of its kind it answers; see `Decision.about`."""


@dataclass(slots=True)
class Order:
    """One answer to one decision: its kind and its body, a mapping of plain values. Treat it as immutable.

    `about` says which of several decisions of its kind it answers; empty: it does not say. A sheet has it in the body,
    under the key `for`; rules never see it there.
    """

    kind: str
    body: Mapping[str, Any]
    about: str = ""

    @classmethod
    def read(cls, kind: str, written: Mapping[str, Any]) -> Order:
        """Return the order of a body as a sheet has it.

        >>> Order.read("intercept", {"for": "wolves", "guards": 2})
        Order(kind='intercept', body={'guards': 2}, about='wolves')
        """
        if FOR not in written:
            return cls(kind, written)
        return cls(kind, {key: value for key, value in written.items() if key != FOR}, written[FOR])

    @property
    def written(self) -> Mapping[str, Any]:
        """The body as a sheet has it: with the key `for`, if the order says which decision it answers."""
        return {FOR: self.about, **self.body} if self.about else self.body

    def __getitem__(self, key: str) -> Any:
        return self.body[key]

    def get(self, key: str, otherwise: Any = None) -> Any:
        return self.body.get(key, otherwise)

    def fault(self, path: Path, reason: str, *, rule: str) -> Fault:
        """Return the fault of an order that can be read but breaks a rule; `path` is within the body."""
        return Fault(ILLEGAL, path, reason, rule)


MALFORMED: Final = "malformed"
ILLEGAL: Final = "illegal"


@dataclass(slots=True, frozen=True)
class Fault:
    """A mistake in an order: malformed (it cannot be read) or illegal (it can be read and breaks a rule)."""

    kind: str
    path: Path
    reason: str
    rule: str | None = None


@dataclass(slots=True)
class Decision:
    """A decision that the game waits for: who must answer, by what kind of order, and the facts that side may know.

    `default` is the body of the answer taken once the deadline has passed; None: the game waits on.
    `secret` answers are not published at the next checkpoint, only when its key is revealed. For an answer with
    `waits` False nobody waits: unless a sheet or a standing order has it ready, the default is taken at once. With
    `on_request` that holds for every side whose standing orders do not ask to be waited for (`KIND: ask`).
    `about` is a word of the facts that tells apart decisions of one kind that are open to one side at once, such as the
    army that an answer is for: an order names it by `for: WORD`. The kind then describes `for` in `orders.yaml`.
    """

    kind: str
    side: Side
    rule: str
    facts: Mapping[str, Any]
    default: Mapping[str, Any] | None = None
    secret: bool = False
    waits: bool = True
    about: str = ""
    on_request: bool = False

    def is_like(self, other: Decision) -> bool:
        """Tell whether another decision is of the same side and kind: only `about` tells the two apart."""
        return (self.side, self.kind) == (other.side, other.kind)


@dataclass(slots=True)
class Roll:
    """A named roll: the faces, the modifiers by reason, their sum, what was needed, and the rule that asked."""

    name: str
    faces: list[int]
    modifiers: dict[str, int]
    total: int
    need: str | None
    success: bool
    rule: str
    sides: int = 6


@dataclass(slots=True)
class Draw:
    """A hidden draw: what was shuffled, under which name, and the resulting order."""

    name: str
    items: list[Any]
    order: list[Any]


@dataclass(slots=True)
class Event:
    """Something that happened, as data; `to` names the only sides that may read it (None: everybody)."""

    kind: str
    facts: dict[str, Any] = field(default_factory=dict)
    rule: str | None = None
    to: tuple[Side, ...] | None = None
    roll: Roll | None = None


@dataclass(slots=True, frozen=True)
class Result:
    """How a game ended: the sides that have won (none, one or several), the kind of end, and what else belongs to it.

    >>> Result.read({"winner": ["red", "green"], "reason": "peace"})
    Result(winners=('red', 'green'), reason='peace', facts={})
    >>> Result(("red",), "conquest").record()
    {'winner': 'red', 'reason': 'conquest'}
    """

    winners: tuple[Side, ...]
    reason: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Result:
        """Return the result that a mapping says; `winner` is a side, a list of sides, or None."""
        winner = record.get("winners") or record.get("winner")  # `winners` stood beside it before several could win
        winners = (winner,) if isinstance(winner, str) else tuple(map(str, winner if isinstance(winner, list) else ()))
        facts = {word: value for word, value in record.items() if word not in ("winner", "winners", "reason")}
        return cls(winners, str(record.get("reason")), facts)

    def record(self) -> dict[str, Any]:
        """Return it as it is written: a list of winners only if several have won."""
        winner = list(self.winners) if len(self.winners) > 1 else next(iter(self.winners), None)
        return {"winner": winner, "reason": self.reason, **self.facts}


@dataclass(slots=True, frozen=True)
class Checkpoint:
    """What a game yields where its position alone says everything: it can be written down and resumed from there.

    Orders of a sheet that are not used yet are dropped here, unless the play that they belong to goes on: with
    `keep_queue` those of all sides stay queued, or only those of the sides that it names.
    """

    keep_queue: bool | frozenset[Side] = False

    def keeps(self, side: Side) -> bool:
        """Tell whether the orders of a side stay queued."""
        return self.keep_queue if isinstance(self.keep_queue, bool) else side in self.keep_queue

    @property
    def kept(self) -> frozenset[Side]:
        """The sides that it names: sealed records keep room for their orders over the checkpoint."""
        return frozenset() if isinstance(self.keep_queue, bool) else self.keep_queue


Question: TypeAlias = Decision | tuple[Decision, ...] | Checkpoint
"""One decision; several, open at once and secret until all are answered; or a checkpoint."""
Flow: TypeAlias = Generator[Question, Any, T]
"""A stretch of rules: yields questions, is sent an Order (or a tuple of them, in the same order), returns T."""


class Rules(ABC, Generic[S]):
    """One game. Pure: the same position, answers and dice in give the same result out.

    `S` is the game's own type of position. A game writes the ten methods that are abstract. The others are optional
    capabilities: the default says that the game has none of it.
    """

    id: str
    sides: tuple[Side, ...]
    reveals: frozenset[str] = frozenset()
    """The kinds of events by which a rule lays open what was hidden."""
    round: str = ""
    """The one of its `periods` that is a round: at its end news is told that was held back. Empty: there is none."""
    turn: str = ""
    """The one of its `periods` at whose beginning reports say in full how things stand. Empty: there is none."""
    in_play: frozenset[str] | None = None
    """The ids of the records of the box that this edition has, where a box counts what is as printed; None: all."""
    has_bot: bool = False
    """Whether `bot_order` plays better than the first legal order."""

    # ---- what every game writes

    @abstractmethod
    def setup(self, scenario: str, table: Table) -> S:
        """Return the position at the start of a scenario; `table` shuffles and tells, it cannot ask."""

    @abstractmethod
    def play(self, position: S, table: Table) -> Flow[Mapping[str, Any]]:
        """Play on from a checkpoint. Return how the game ended: `{winner: ..., reason: kind}`.

        `winner` is a side, a list of the sides that win together, or None (`Result`).
        Start with `game = table.lay(position)`: the game works on that copy and never on its argument.
        """

    @abstractmethod
    def view(self, position: S, side: Side | None) -> S:
        """Return the position as a side (None: an observer) may know it: same type, unknowns blanked."""

    @abstractmethod
    def legal_orders(self, view: S, decision: Decision) -> LegalOrders:
        """Return every legal answer. Asked with an observer's view, it may answer that it cannot tell."""

    @abstractmethod
    def check(self, view: S, decision: Decision, order: Order) -> Iterable[Fault]:
        """Yield everything that is wrong with a well-formed answer."""

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
    def encode(self, position: S) -> dict[str, Any]:
        """Return the position as plain data, the form that is written to disk."""

    @abstractmethod
    def decode(self, data: Mapping[str, Any]) -> S:
        """Return the position that `encode` was given. Raises ValueError, TypeError or LookupError for other data."""

    # ---- for reports and forms

    def summary(self, view: S) -> Summary | None:
        """Return where things stand, for the text of a report."""
        return None

    def close_up(self, view: S, decision: Decision) -> Sequence[Section]:
        """Return the part of a position that a decision is about: its place, who stands there and near, what is held.

        By default it is all that the side holds.
        """
        summary = self.summary(view)
        return () if summary is None else summary.hand

    def places(self, view: S, decision: Decision) -> Sequence[str]:
        """Return the places on the map that a decision is about."""
        return ()

    def hints(self, view: S, decision: Decision) -> Sequence[str | Order]:
        """Return what a form says beside a decision: sentences, and orders to choose from."""
        return ()

    # ---- for standing orders

    def facts(self, view: S, decision: Decision) -> Mapping[str, Any]:
        """Return what conditions of standing orders may go by, besides the facts of the decision."""
        return {}

    def periods(self, position: S) -> Mapping[str, Any]:
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

    # ---- for several orders in one sheet

    def successors(self, view: S, decision: Decision, order: Order) -> Sequence[tuple[S, Decision]]:
        """Return the views that a legal order may lead to, each with the next decision of its side, luckiest first.

        That is the next of the same kind, or of another kind that always follows the order. Empty where nothing
        follows, or nothing can be foreseen.
        """
        return ()

    def cost(self, view: S, decision: Decision, order: Order) -> str:
        """Return a sentence that says what a legal order costs; empty where it costs nothing."""
        return ""

    def ends(self, order: Order) -> bool:
        """Tell whether an order ends what its side is doing: it waits if one before it cannot be carried out."""
        return False

    def is_last(self, view: S, decision: Decision, order: Order) -> bool:
        """Tell whether, once this is the answer, its side is not asked for the kind again before its queue is dropped.

        A second order of the kind is then another answer to the same decision, and the sheet is sent back. Where
        hidden things, dice or the enemy decide it, the answer is False, and the second order waits. The order has the
        right shape, but need not be legal.
        """
        return False

    def is_for_later(self, view: S, decision: Decision, order: Order) -> bool:
        """Tell whether an order that waits is meant for a later decision of its kind than the one that is open now.

        It then stays in its queue until that comes, and does not expire.
        """
        return False

    # ---- for forecasts

    def foresee(self, view: S, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
        """Return the flow that plays on from an answer on a table, as `play` would; None: it does not tell."""
        return None

    def outcome(self, position: S, roll: Roll, facts: Mapping[str, Any]) -> tuple[int, str]:
        """Return the result of a roll without a number to reach: how bad it is for the side that asks, and words."""
        return 0, ""

    def prospects(self, position: S, decision: Decision) -> Iterable[Event]:
        """Yield events that say who can do what a decision asks, and with what chance."""
        return ()

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

    # ---- for a player who is away, and for test cases

    def bot_order(self, view: S, decision: Decision) -> Order:
        """Return a legal answer for a side whose player is away, from what that side knows."""
        return self.legal_orders(view, decision)[0]

    def settle(self, position: S) -> S:
        """Return a position that a test case has changed, with what it leaves open put in order: undealt cards."""
        return position

    def vocabulary(self) -> Mapping[str, Collection[str | int]]:
        """Return the words that may stand in a position, by class and field (`Game.phase`), for test cases.

        Those of a mapping are its keys, and `Game.control.*` are the words of its values; those of a list are its
        items. Empty: any text. The keys of a mapping that is not named here are ids of the box.
        """
        return {}


def cited(rule: str) -> str:
    """Return a paragraph as a text cites it: a number as that of a rule, anything else as it is.

    >>> cited("9.2"), cited("card 41")
    ('rule 9.2', 'card 41')
    """
    return f"rule {rule}" if rule[:1].isdigit() else rule
