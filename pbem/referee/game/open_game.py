"""An open game, to be read: how it stands, its open decisions, what each side may know. Nothing here changes it.

`Adjudicator` adds what changes a game. It uses only the public names of `OpenGame`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Generic, Self, TypeVar

from pbem.crypto.closing import Closing
from pbem.crypto.dice import ChainDice, Dice
from pbem.crypto.player_chains import LOST, PlayerChain
from pbem.engine.answers import has_order_for
from pbem.engine.session import Queued, Session
from pbem.game.boxes.shelf import Loaded
from pbem.orders.standing import FiledOrder, InForce, read_filed
from pbem.protocol import Decision, Event, PbemError, Record, Result, Side
from pbem.referee.game.game_clock import GameClock
from pbem.repo.files.adjudication import Adjudication, commit_of_adjudication
from pbem.repo.files.charter import Pins
from pbem.repo.files.records import result_in
from pbem.repo.files.requests import Request, request_of
from pbem.repo.files.seats import Deputy
from pbem.repo.files.state import State
from pbem.repo.files.talk_book import TalkBook
from pbem.repo.ledger import Ledger

T = TypeVar("T")
_MOST_KEPT: Final = 16
"""Adjudications whose content is kept."""


class KeptByNumber(Generic[T]):
    """What was read of adjudications, by their numbers. It is kept for a while: the letters to all sides need it."""

    def __init__(self) -> None:
        self._by_number: dict[int, T] = {}

    def get(self, n: int, read: Callable[[int], T]) -> T:
        """Return what `read` returns for an adjudication."""
        if n not in self._by_number:
            if len(self._by_number) >= _MOST_KEPT:
                self._by_number.clear()
            self._by_number[n] = read(n)
        return self._by_number[n]


@dataclass(slots=True)
class Now:
    """The state of a game as of one commit, and the session that was resumed from it."""

    head: str
    state: State | None
    session: Session[Any] | None
    dice: Dice = field(default_factory=lambda: ChainDice(b"", b""))
    turns: KeptByNumber[Record] = field(default_factory=KeptByNumber)
    """The turn files that were read."""
    made: KeptByNumber[Adjudication] = field(default_factory=KeptByNumber)
    """The adjudications of the past that were read."""
    earlier: KeptByNumber[Any] = field(default_factory=KeptByNumber)
    """The positions after adjudications of the past that were resumed."""


@dataclass(slots=True)
class Told:
    """One event of one adjudication, with the number of its roll if it is one."""

    adjudication: int
    event: Event
    roll: int | None = None


def events_for(side: Side | None, adjudications: Iterable[tuple[int, Adjudication]]) -> Iterator[Told]:
    """Yield the events of adjudications that a side, or without one an observer, may read; each has its number."""
    for n, made in adjudications:
        rolls = 0
        for event in made.events:
            rolls += event.roll is not None
            if event.to is None or side in event.to:
                yield Told(n, event, rolls if event.roll is not None else None)


class CannotPlay(PbemError):
    """Something about a game, a player or an address is not as it must be. The text is for the reader of a letter."""


class OtherRules(CannotPlay):
    """The rules here are not those that a game is played with. The game master has to act, not a player."""


class OpenGame:
    """One open game. Use it as a context manager."""

    def __init__(self, ledger: Ledger, loaded: Loaded) -> None:
        self.ledger = ledger
        self.charter = ledger.charter
        self.loaded = loaded
        self.box, self.rules = loaded.box, loaded.rules
        self.talk = TalkBook(ledger)
        self._now: Now | None = None
        self.today: date | None = None
        """The day by which standing orders expire; None: the day by the clock."""
        self.moment: datetime | None = None
        """The time at which sheets are closed; None: the time by the clock."""
        self.clock = GameClock(ledger, loaded.rules.sides, lambda: self.time)

    def close(self) -> None:
        """Close the game's repo."""
        self.ledger.repo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The folder of its repo."""
        return self.ledger.repo.path

    def lock(self) -> AbstractContextManager[None]:
        """Hold the game's lock, having read where the game stands now."""
        return self.ledger.repo.lock()

    def transaction(self) -> AbstractContextManager[None]:
        """Hold the game's lock, and write what is committed meanwhile at the end: all of it or nothing."""
        return self.ledger.repo.transaction()

    # ---- how it stands

    @property
    def name(self) -> str:
        return self.charter.game

    @property
    def begun(self) -> bool:
        """Whether the first shuffle has been made."""
        return self.current(resumed=False).state is not None

    @property
    def awaited(self) -> tuple[Side, ...]:
        """The sides with an address whose phrase is still to come; none once the first shuffle has been made."""
        if self.begun:
            return ()
        return tuple(side for side in self.by_mail if self.ledger.joined(side).phrase is None)

    @property
    def by_mail(self) -> list[Side]:
        """The sides whose player has an address: they are asked by letter, and consent by letter."""
        first = self.charter.by_mail
        return [side for side in self.rules.sides if side in first or self.ledger.joined(side).addresses]

    @property
    def out(self) -> tuple[Side, ...]:
        """The sides that are out of the game: by its rules, or because they have resigned."""
        now = self.current()
        if now.state is None or now.session is None:
            return ()
        gone = {*now.state.resigned, *self.rules.out(now.session.position)}
        return tuple(side for side in self.rules.sides if side in gone)

    @property
    def in_play(self) -> list[Side]:
        """The sides that are not out of the game."""
        out = self.out
        return [side for side in self.rules.sides if side not in out]

    def sides_of(self, address: str) -> list[Side]:
        """Return the sides that an address plays, in their order."""
        own = self.ledger.sides_of(address)
        return [side for side in self.rules.sides if side in own]

    def written_by(self, address: str) -> list[Side]:
        """Return the sides that an address may write for today: those that it plays, or is the deputy of."""
        own = self.ledger.written_by(address, self.calendar_day)
        return [side for side in self.rules.sides if side in own]

    @property
    def calendar_day(self) -> str:
        """The day on which the letter came that is carried out, or the day by the clock."""
        return (self.today or date.today()).isoformat()

    @property
    def one_side_each(self) -> bool:
        """Whether no address may play more than one side."""
        return one_side_each(self.rules.sides, self.charter.one_side_each)

    def player(self, side: Side) -> str:
        """Return the name of the player of a side."""
        return self.ledger.player(side)

    @property
    def pins(self) -> Pins:
        """The rules that the game is played with."""
        state = self.current(resumed=False).state
        return Pins(**state.pins) if state and state.pins else self.ledger.pins

    @property
    def differs(self) -> str | None:
        """The part of the installed rules that differs from those of the game, as text; None: nothing differs."""
        pins = self.pins
        pairs = ("box", self.box.digest, pins.box), ("code", self.loaded.code, pins.code)
        return " and ".join(word for word, here, pinned in pairs if here != pinned) or None

    @property
    def adjudication(self) -> int:
        """The number of the last adjudication; 0: the game has not begun."""
        state = self.current(resumed=False).state
        return state.adjudication if state else 0

    @property
    def closed(self) -> Closing | None:
        """The closing of the sheets, while they are closed: nothing changes until the beacon round has come."""
        closing = self.ledger.closing() if self.charter.dice.beacon is not None else None
        return closing if closing is not None and closing.adjudication > self.adjudication else None

    @property
    def open_decisions(self) -> tuple[Decision, ...]:
        """The open decisions that the game waits for: no answer to them is at hand."""
        return tuple(decision for decision in self.unanswered if decision.waits)

    @property
    def unanswered(self) -> tuple[Decision, ...]:
        """The open decisions to which no answer is at hand, also those that the game does not wait for."""
        now = self.current()
        if now.session is None or now.state is None:
            return ()
        ready = self._ready(now.state, now.session)
        return tuple(
            ready.as_wanted(now.session, decision)
            for decision in now.session.open_decisions
            if decision.side not in now.state.resigned
            and not has_order_for(now.session, now.state.pending, decision)
            and ready.answer(now.session, decision) is None
        )

    def asked(self, side: Side) -> list[Decision]:
        """Return the open decisions of a side, whether or not an answer is at hand; none if it has resigned."""
        state = self.current().state
        if state is None or side in state.resigned:
            return []
        session = self.session
        ready = self._ready(state, session)
        return [ready.as_wanted(session, decision) for decision in session.open_decisions if decision.side == side]

    def _ready(self, state: State, session: Session[Any]) -> InForce:
        """Return the standing orders of the kinds that are open."""
        return self.in_force(state, session, self.day, {decision.kind for decision in session.open_decisions})

    @property
    def result(self) -> Result | None:
        """The result of the game; None: it goes on."""
        state = self.current(resumed=False).state
        return state.result if state else None

    def view(self, side: Side | None) -> Any:
        """Return the position as a side, or an observer, may know it."""
        return self.rules.view(self.session.position, side)

    def sheets(self, side: Side) -> int:
        """Return how many sheets of a side have been accepted."""
        state = self.current().state
        return state.sheets.get(side, 0) if state else 0

    @property
    def defaults(self) -> Mapping[Side, Queued]:
        """The orders that the game master has set for sides whose deadline passes."""
        state = self.current().state
        return state.defaults if state else {}

    @property
    def requests(self) -> Record:
        """How many requests there have been (`made`), and the number of the one that is open (`open`)."""
        state = self.current().state
        return state.requests if state else {}

    def request(self, number: int | None = None) -> Request | None:
        """Return a request that needs consent by its number, or the last one; None: there is none."""
        return request_of(self.ledger.repo, self.requests, number)

    def standing(self, side: Side) -> list[FiledOrder]:
        """Return a side's standing orders in force, first to last."""
        state = self.current().state
        return [read_filed(record) for record in state.standing.get(side, ())] if state else []

    def waits(self, side: Side) -> bool:
        """Tell whether orders of a side are waiting to be used."""
        state = self.current().state
        return state is not None and bool(state.pending.get(side))

    def player_chain(self, side: Side, now: Now | None = None) -> PlayerChain | None:
        """Return the state of a player's chain, now or as of a game about to be so; None: there is none."""
        state = (now or self.current()).state
        promised = self.ledger.joined(side).chain
        if state is None or promised is None or side not in state.links:
            return None
        last, opened = state.links[side], state.new_links.get(side)
        lost = opened == LOST
        return PlayerChain(promised.tip, promised.length, last if opened is None or lost else opened, lost)

    def told(self, side: Side | None, since: int) -> list[Told]:
        """Return the events after an adjudication that a side may read, without those that were rolled back."""
        state = self.current().state
        undone = set(state.undone) if state else set()
        numbers = (n for n in range(max(since, 0) + 1, self.adjudication + 1) if n not in undone)
        return list(events_for(side, ((n, self.made(n)) for n in numbers)))

    def made(self, n: int) -> Adjudication:
        """Return an adjudication of the past; it is kept for a while, for the letters of all sides need it."""
        return self.current().made.get(n, lambda n: self.ledger.read_adjudication(n, self.public_turn(n)))

    def in_force(
        self, state: State, session: Session[Any], today: str, kinds: Collection[str] | None = None
    ) -> InForce:
        """Return the standing orders of all sides, or those of some kinds, to be tried on decisions."""
        filed = {
            side: [read_filed(record) for record in records if kinds is None or record["kind"] in kinds]
            for side, records in state.standing.items()
        }
        return InForce(filed, today=today, earlier=session.open_decisions, opened=state.opened)

    def public_turn(self, n: int) -> Record:
        """Return the content of a turn file."""
        return self.current(resumed=False).turns.get(n, self.ledger.public_turn)

    # ---- the state and the session behind it

    @property
    def periods(self) -> Mapping[str, object]:
        """The periods that the game is in, by name."""
        return self.rules.periods(self.session.position)

    @property
    def day(self) -> str:
        """The day by which standing orders expire, as it is written: it never goes back."""
        state = self.current(resumed=False).state
        return max((self.today or date.today()).isoformat(), state.day if state else "")

    def carry_out_letter_of(self, came: datetime, now: datetime) -> None:
        """Note when the letter came that is carried out next, and what time it is now.

        Standing orders expire by the day on which the letter came, and its commits say when that was. Sheets are
        closed now: a round of the beacon that has been published since then may not decide them.
        """
        self.today, self.moment = came.date(), now
        self.ledger.repo.letter_time = came

    @property
    def time(self) -> datetime:
        """The time at which sheets are closed."""
        return self.moment or datetime.now(UTC)

    @property
    def session(self) -> Session[Any]:
        """The game in play. Raises CannotPlay if it has not begun."""
        session = self.current().session
        if session is None:
            raise self.not_begun()
        return session

    def not_begun(self) -> CannotPlay:
        """Return the error for a game that has not begun."""
        return CannotPlay(f"{self.name} has not begun; `pbem adjudicate {self.name}` begins it")

    def forget(self) -> None:
        """Read the game from its repo again next time."""
        self._now = None

    def take_up(self, now: Now) -> None:
        """Go on with a game that was resumed elsewhere, as long as its commit is the head."""
        self._now = now

    @property
    def resumed_now(self) -> Now | None:
        """The game as it was read last; None: it was not read yet."""
        return self._now

    def current(self, *, resumed: bool = True) -> Now:
        """Return the game as it stands, read again if its repo has moved on since it was last read.

        Without `resumed` there may be no session: rules that are not the game's own may be unable to resume it.
        """
        head = self.ledger.repo.head
        if self._now is None or self._now.head != head:
            self._now = Now(head, self.ledger.state(), None, ChainDice(b"", self.ledger.keys.hidden))
        now = self._now
        if resumed and now.session is None and (state := now.state) is not None:
            now.session = self._resumed(state, now.dice)
            if not self._is_on_record(state.adjudication, now.session):  # what lies beside the repo was changed
                self.ledger.derived.discard(head)
                now.state = self.ledger.state()
                assert now.state is not None
                now.session = self._resumed(now.state, now.dice)
        return now

    def _resumed(self, state: State, dice: Dice) -> Session[Any]:
        session = state.resumed(self.rules, dice)
        if state.result is not None and session.result is None:  # the game master broke the game off
            session.result, session.open_decisions = state.result, ()
        return session

    def _is_on_record(self, n: int, session: Session[Any]) -> bool:
        """Tell whether the whole position is the one whose digest is on record; other rules cannot tell."""
        position = self.rules.encode(session.position)
        return self.differs is not None or self.ledger.position_digest(n, position) == self.position_on_record(n)

    def position_on_record(self, n: int) -> str:
        """Return the salted digest of the whole position after an adjudication, as the turn file has it."""
        return str(self.public_turn(n)["sealed"]["position"])


def one_side_each(sides: Sequence[Side], agreed: bool) -> bool:
    """Tell whether no address may play more than one side: where two play each other, or as agreed for a game."""
    return agreed or len(sides) == 2


def position_at(game: OpenGame, n: int) -> Any | None:
    """Return the position after an adjudication; None: there is none, or the rules here cannot resume it."""
    if n == game.adjudication:
        return game.session.position
    return game.current(resumed=False).earlier.get(n, partial(_resumed, game))


def _resumed(game: OpenGame, n: int) -> Any | None:
    commit = commit_of_adjudication(game.ledger.repo.history(), n)
    state = None if commit is None else game.ledger.state(commit)
    if state is None:
        return None
    try:
        return state.resumed(game.rules, ChainDice(b"", game.ledger.keys.hidden)).position
    except (PbemError, ValueError, TypeError, LookupError):  # the game was moved to other rules since
        return None


def told_until(game: OpenGame, side: Side | None, since: int, until: int) -> list[Told]:
    """Return the events after one adjudication, up to another, that a side may read, as it was told them then.

    Events that were rolled back later are included, because nobody knew that yet.
    """
    turns = {n: game.made(n) for n in range(since + 1, until + 1)}
    undone = {n for made in turns.values() for n in (made.act or {}).get("undone", ())}
    return list(events_for(side, ((n, made) for n, made in turns.items() if n not in undone)))


def result_at(game: OpenGame, n: int) -> Result | None:
    """Return the result of a game as of an adjudication; None: it went on."""
    if n == game.adjudication:
        return game.result
    return result_in(game.ledger.public_turn(n))


def deputy_of(game: OpenGame, side: Side, day: str | None = None) -> Deputy | None:
    """Return who may write for a side beside its player on a day, by default today; None: nobody."""
    deputy = game.ledger.deputies.get(side)
    return deputy if deputy is not None and deputy.writes_on(day or game.calendar_day) else None


def on_hold_until(game: OpenGame) -> datetime | None:
    """Return until when a game is on hold; None: it is not."""
    held = game.clock.held()
    return held if held is not None and held >= game.clock.time and not game.open_decisions else None
