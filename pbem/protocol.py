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
    |-- AnotherRuns                post.service.duty: another service works on the same tables
    |-- Astray (ValueError)        rules.hannibal_italy.movement.paths: a path that cannot be followed
    |-- BadBeacon (ValueError)     crypto.beacon: a round or a signature that is not drand's
    |-- BadChainFile               crypto.chain_file: the file of a player's own chain
    |-- BadConfig                  post.settings: the config of the post, with every fault in it
    |-- BadContribution            crypto.player_chains: what a turn file says of a player's chain
    |-- BadFact (ValueError)       referee.game.facts: a fact of time that cannot be put on record
    |-- BadKeys                    crypto.keys: the secrets of a game
    |-- BadLoad (ValueError)       crypto.dice: loaded dice that do not fit their roll
    |-- BadPath (ValueError)       repo.git.formats: a path that may not stand in a game's repo
    |-- BadReceipt (ValueError)    render.text.receipt: the receipt in a letter
    |-- BadRecipient (ValueError)  crypto.seal: a public key
    |-- BadSentence (ValueError)   render.text.messages: a sentence of a box
    |-- BadSheet                   orders.sheet: an order sheet, with every fault in it
    |-- BrokenBox                  game.boxes.box_file: a box, with every flaw in it
    |-- BadTerms (ValueError)      referee.game.terms: the terms of a clock that cannot be played with
    |-- CannotOpen                 crypto.seal: what is sealed, or the key to it
    |   |-- BadBlock               crypto.sealed_orders: a block of sealed orders, and what is wrong with it
    |   `-- _Closed                audit.derive.derivation: a sealed file of the record, which is blamed elsewhere
    |-- CannotPlay                 referee.game.open_game: what a game, a player or an address does not allow
    |   |-- BadPatch               referee.acts.ruling: a change of a position, with every complaint
    |   |-- OtherReport            mail.choose.sheet_choice: orders without a heading that do not answer the last report
    |   `-- OtherRules             referee.game.open_game: the rules here are not those of the game
    |-- DoesNotFollow              referee.again.engine: a commit that does not follow from what was handed in
    |-- Gone                       post.transport.base: a letter that is no longer in the mailbox
    |-- Misdrawn (ValueError)      game.board.board_map: a layout that does not fit its map
    |-- NoBackup                   post.desk.backup: no backup, or one that would overwrite something
    |-- NoBeaconLibrary            crypto.beacon: py_ecc is not installed
    |-- NotInTheBox (LookupError)  game.boxes.box: a name that is not in the box, or a box that is not on the shelf
    |-- NotLoaded (LookupError)    crypto.dice: a roll for which a case has loaded no dice
    |-- NotTried                   post.desk.setup: a trial of the mailbox in which a letter did not come
    |-- RulesDiffer                engine.session: a question that is not the recorded one
    |   `-- Unasked                audit.explain.playback: a recorded answer to which no question comes
    |-- StoreError                 repo.git.objects: a game's repo
    |   |-- Busy                   repo.git.locks: another command is at work on the game
    |   |-- GameExists             repo.git: a new game with the name of another
    |   |-- InTheWay               repo.git.mirror: something stands where a mirror is to be
    |   |-- Moved                  repo.git.locks: a commit based on a position that is no longer the last
    |   |-- NoLocks                repo.git.locks: this system has no file locks
    |   |-- NoSuchGame             repo.git: no repo of a game at a path
    |   |-- NotDerived             repo.ledger: what is derived of a game can neither be had nor made again
    |   |-- OtherFormat            repo.files.charter: a game of a format that is not read here
    |   `-- TooLarge               repo.git.objects: a file of a repo that is larger than what is read
    |-- TablesDamaged              post.tables.tables: tables that cannot be read
    |-- TakenIn                    post.tables.tables: a letter that another worker has taken in meanwhile
    |-- TangledLetter              mail.read.mime: a letter that cannot be taken apart
    |-- Unreachable                post.transport.base: a mail server that does not answer, or broke off
    |   |-- LoginRefused           post.transport.base: a mail server that refuses user or password
    |   `-- Withheld               post.transport.base: a mail server that gives other letters, but not this one
    |-- UnknownZone (LookupError)  referee.game.terms: a name that is no time zone
    |-- Unreadable                 game.yaml.limits: a text that is no YAML of ours
    |-- _CannotGoOn                engine.cases.run: a case that cannot be played on
    |-- _Stop                      game.yaml.reader: a text that makes no sense from there on
    `-- _Unforeseen                rules.sword_of_rome.views.forecast: what depends on dice or on an answer
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

Side: TypeAlias = str
Plain: TypeAlias = bool | int | str | list["Plain"] | dict[str, "Plain"] | None
"""What a YAML file can hold: no dates, no floats, text keys only."""
Record: TypeAlias = Mapping[str, Any]
"""Plain data by name, as it is read from a file or written to one."""
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
    body: Record
    about: str = ""

    @classmethod
    def read(cls, kind: str, written: Record) -> Order:
        """Return the order of a body as a sheet has it.

        >>> Order.read("intercept", {"for": "wolves", "guards": 2})
        Order(kind='intercept', body={'guards': 2}, about='wolves')
        """
        if FOR not in written:
            return cls(kind, written)
        return cls(kind, {key: value for key, value in written.items() if key != FOR}, written[FOR])

    @property
    def written(self) -> Record:
        """The body as a sheet has it: with the key `for`, if the order says which decision it answers."""
        return {FOR: self.about, **self.body} if self.about else self.body

    def __getitem__(self, key: str) -> Any:
        return self.body[key]

    def get(self, key: str, otherwise: object = None) -> Any:
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
    facts: Record
    default: Record | None = None
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
    items: list[object]
    order: list[object]


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
    facts: Record = field(default_factory=dict)

    @classmethod
    def read(cls, record: Record) -> Result:
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


def cited(rule: str) -> str:
    """Return a paragraph as a text cites it: a number as that of a rule, anything else as it is.

    >>> cited("9.2"), cited("card 41")
    ('rule 9.2', 'card 41')
    """
    return f"rule {rule}" if rule[:1].isdigit() else rule
