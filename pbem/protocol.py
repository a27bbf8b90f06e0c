"""The words every room shares: sides, orders, faults, decisions, events, rolls, errors, and the contract of a game.

This module imports nothing of ours. A *game* (one package below `pbem.rules`) implements `Rules`; the engine,
the reports and the tools know games only through it.

Every exception of ours descends from `PbemError`. The command line prints it as one sentence and ends with exit code
1; only a `Bug` keeps its traceback. What is wrong with an order is no exception but a `Fault`.

    PbemError
    |-- Bug                        the code of pbem or of a game is wrong
    |   |-- DeadEnd                engine.playout: a question without a legal answer
    |   |-- NameReused             game.table: two rolls of one name
    |   |-- OptionRefused          engine.playout: an answer that is both offered and refused
    |   `-- Stuck                  engine.session: a game that rests for ever
    |-- Astray (ValueError)        rules.hannibal_italy.movement.paths: a path that cannot be followed
    |-- BadBeacon (ValueError)     crypto.beacon: a round or a signature that is not drand's
    |-- BadChainFile               crypto.chain_file: the file of a player's own chain
    |-- BadKeys                    crypto.keys: the secrets of a game
    |-- BadLoad (ValueError)       crypto.dice: loaded dice that do not fit their roll
    |-- BadPath (ValueError)       repo.git.paths: a path that may not stand in a game's repo
    |-- BadRecipient (ValueError)  crypto.seal: a public key
    |-- BadSentence (ValueError)   render.messages: a sentence of a box
    |-- BadShare                   crypto.player_chains: a link of a player's own chain in a turn file
    |-- BadSheet                   orders.sheet.reader: an order sheet, with every fault in it
    |-- BrokenBox                  game.box: a box, with every flaw in it
    |-- CannotOpen                 crypto.seal: what is sealed, or the key to it
    |-- CannotPlay                 referee.open_game: what a game, a player or an address does not allow
    |   |-- BadPatch               referee.patching: a change of a position, with every complaint
    |   `-- OtherRules             referee.open_game: the rules here are not those of the game
    |-- Misdrawn (ValueError)      game.scene: a layout that does not fit its map
    |-- NoBeaconLibrary            crypto.beacon: py_ecc is not installed
    |-- NotInTheBox (LookupError)  game.box: a name that is not in the box, or a box that is not on the shelf
    |-- NotLoaded (LookupError)    crypto.dice: a roll for which a case has loaded no dice
    |-- RulesDiffer                engine.session: a question that is not the recorded one
    |   `-- Unasked                audit.playback: a recorded answer to which no question comes
    |-- StoreError                 repo.git.objects: a game's repo
    |   |-- Busy                   repo.git.gamelock: another command is at work on the game
    |   |-- GameExists             repo.git: a new game with the name of another
    |   |-- InTheWay               repo.git.mirror: something stands where a mirror is to be
    |   |-- Moved                  repo.git: a commit upon a position that is no longer the last
    |   |-- NoLocks                repo.git.gamelock: this system has no file locks
    |   `-- NoSuchGame             repo.git: no repo of a game at a path
    |-- Unreadable                 game.yaml.limits: a text that is no YAML of ours
    |-- Unreadable                 mail.mime: a letter that cannot be taken apart
    |-- _Stop                      engine.cases.run: a case that cannot be played on
    `-- _Stop                      game.yaml.reader: a text that makes no sense from there on
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, TypeVar

Side: TypeAlias = str
Plain: TypeAlias = bool | int | str | list["Plain"] | dict[str, "Plain"] | None
"""What a YAML file can hold: no dates, no floats, text keys only."""
Path: TypeAlias = tuple[str | int, ...]
"""Where in an order or a sheet something stands: keys of mappings and indexes of lists, outermost first."""

S = TypeVar("S")
T = TypeVar("T")


class PbemError(Exception):
    """The root of all our exceptions: something outside the code is not as it must be; the text is for a person."""


class Bug(PbemError):
    """The code of pbem or of a game does what it must not. It keeps its traceback, for whoever mends it."""


@dataclass(slots=True)
class Order:
    """One answer to one question: its kind and its body, a mapping of plain values. Treat it as immutable."""

    kind: str
    body: Mapping[str, Any]

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
    """What is wrong with an order: malformed (cannot be read) or illegal (read, but against a rule)."""

    kind: str
    path: Path
    reason: str
    rule: str | None = None


@dataclass(slots=True)
class Decision:
    """A question the game waits on: who must answer, what kind of order, and the facts that side may know.

    `default` is the body of the answer taken once the deadline has passed; None: the game waits on.
    `secret` answers are not published when the game next rests, only when its key is revealed. For an answer with
    `waits` False nobody waits: unless a sheet or a standing order has it ready, the default is taken at once.
    """

    kind: str
    side: Side
    rule: str
    facts: Mapping[str, Any]
    default: Mapping[str, Any] | None = None
    secret: bool = False
    waits: bool = True


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
    """A hidden draw: what was shuffled under which name, and the order that came of it."""

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


class Rest:
    """What a game yields when it stands at a resting point: the position then says everything.

    With `keeps` the orders of a sheet that are not used yet stay in their queue: the play they belong to goes on.
    """

    __slots__ = ("keeps",)

    def __init__(self, keeps: bool = False) -> None:
        self.keeps = keeps

    def __repr__(self) -> str:
        return "PAUSE" if self.keeps else "REST"


REST: Final = Rest()
PAUSE: Final = Rest(keeps=True)

Question: TypeAlias = Decision | tuple[Decision, ...] | Rest
"""One question; several, open at once and secret until all are answered; or a resting point."""
Flow: TypeAlias = Generator[Question, Any, T]
"""A stretch of rules: yields questions, is sent an Order (or a tuple of them, in the same order), returns T."""


class Choices(Protocol):
    """The legal answers to a question, in a fixed order: they can be counted and picked without being listed.

    `certain` is False when the view they were asked of does not show enough to list them (an onlooker
    before a hidden hand); they are then empty. The implementation stands in `pbem.game.choices`.
    """

    @property
    def certain(self) -> bool: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Order: ...
    def __iter__(self) -> Iterator[Order]: ...
    def pick(self, random: Callable[[], float]) -> Order | None: ...


class Rules(Protocol[S]):
    """One game. Pure: the same position, answers and dice in give the same result out.

    A game may have more than is listed here, and what asks for it does without where it is missing: `hints` and
    `standing` for reports, `facts(known, decision)` and `periods(position)` for standing orders, what a forecast
    wants (`pbem.game.forecast`), `advise(known, decision)` for a side whose player is away, `after(known, decision,
    order)` for the further orders of a sheet, and `reveals`, the kinds of events by which a rule lays open what was
    hidden.
    """

    id: str
    sides: tuple[Side, ...]

    def setup(self, scenario: str, table: Any) -> S:
        """Return the position at the start of a scenario; `table` shuffles and tells, it cannot ask."""
        ...

    def play(self, position: S, table: Any) -> Flow[Mapping[str, Any]]:
        """Play on from a resting point. Return how the game ended: `{winner: side or None, reason: kind}`.

        Start with `game = table.lay(position)`: the game works on that copy and never on its argument.
        """
        ...

    def known(self, position: S, side: Side | None) -> S:
        """Return the position as a side (None: an onlooker) may know it: same type, unknowns blanked."""
        ...

    def options(self, known: S, decision: Decision) -> Choices:
        """Return every legal answer. Asked with an onlooker's view, it may answer that it cannot tell."""
        ...

    def check(self, known: S, decision: Decision, order: Order) -> Iterable[Fault]:
        """Yield everything that is wrong with a well-formed answer."""
        ...

    def scene(self, known: S, told: Sequence[Event] = ()) -> Any:
        """Return what there is to draw (`pbem.game.scene.Scene`), with arrows for the moves just told."""
        ...

    def reseal(self, position: S, side: Side | None, table: Any) -> S:
        """Return another position that the side could not tell from this one; the leak test is built on it."""
        ...

    def audit(self, position: S) -> Iterable[str]:
        """Yield every broken invariant in words: a lost unit, a card in two hands."""
        ...

    def encode(self, position: S) -> dict[str, Any]:
        """Return the position as plain data, the form that is written to disk."""
        ...

    def decode(self, data: Mapping[str, Any]) -> S:
        """Return the position that `encode` was given."""
        ...


def cited(rule: str) -> str:
    """Return a paragraph as a text cites it: a number as that of a rule, anything else as it is.

    >>> cited("9.2"), cited("card 41")
    ('rule 9.2', 'card 41')
    """
    return f"rule {rule}" if rule[:1].isdigit() else rule
