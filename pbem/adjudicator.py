"""Joins the rooms: a sheet comes in and is checked, the game is carried on, and each side can be told of it.

Everything that changes a game goes through here, under the game's lock: `receive` checks a sheet and commits it,
`adjudicate` carries the game on as far as the answers at hand reach, one commit an adjudication.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from pbem import shelf, yamlio
from pbem.checking import Receipt, check_sheet
from pbem.dice import ChainDice
from pbem.engine import Outcome, Queued, Session, Sources, Step, advance, begin, resume
from pbem.forecast import of_sheet
from pbem.ledger import POSITION, Charter, Ledger, Opening, State, Turn, keys_for_new_game, promise
from pbem.notices import notices
from pbem.prospects import Prospect
from pbem.protocol import Decision, Event, Side
from pbem.record import as_plain, decision_record
from pbem.seal import Keys
from pbem.sheet import ORDERS, Sheet
from pbem.shelf import Loaded
from pbem.standing_orders import Filed, InForce, file_standing, read_filed
from pbem.standing_orders.in_force import periods_of
from pbem.store import GameRepo

MOST_ADJUDICATIONS: Final = 200
"""One sheet sets off at most so many adjudications; a game that goes on longer without an answer is looping."""


class CannotPlay(Exception):
    """Something about a game, a player or an address is not as it must be; the text is for a person."""


@dataclass(slots=True)
class Told:
    """One event of one adjudication, with the number of its roll if it is one."""

    adjudication: int
    event: Event
    roll: int | None = None


@dataclass(slots=True)
class _Now:
    """A game as it stands, resumed from the books of one commit."""

    head: str
    state: State | None
    session: Session[Any] | None
    dice: ChainDice = field(default_factory=lambda: ChainDice(b"", b""))


class Adjudicator:
    """One game, open. Use it as a context manager."""

    def __init__(self, ledger: Ledger, loaded: Loaded) -> None:
        self.ledger = ledger
        self.charter = ledger.charter
        self.box, self.rules = loaded.box, loaded.rules
        self._now: _Now | None = None
        self.today: date | None = None
        """The day by which standing orders lapse; None: the day by the clock."""

    # ---- opening

    @classmethod
    def create(
        cls, games: Path, keys_folder: Path, name: str, rules: str, *, players: Mapping[Side, str],
        addresses: Mapping[Side, str] | None = None, scenario: str | None = None, preset: str | None = None,
        options: Mapping[str, Any] | None = None, folders: Iterable[str | Path] = (),
        secrets: tuple[bytes, bytes] | None = None,
    ) -> Adjudicator:  # fmt: skip
        """Make a new game and play it to its first question.

        `players` are the names by side, `addresses` their mail addresses; `secrets` (chain, hidden) are drawn
        at random unless given. Raises CannotPlay or GameExists where that cannot be.
        """
        loaded = shelf.load(rules, preset=preset, options=options, folders=folders)
        _require_sides(loaded, [*players, *(addresses or {})])
        scenario = scenario or loaded.box.scenarios[0]
        loaded.box.scenario(scenario)
        path = games / f"{name}.git"
        keys = keys_for_new_game(keys_folder, name, path, secrets)
        charter = Charter(
            name, rules, preset or loaded.box.presets[0], scenario,
            {side: players.get(side, side) for side in loaded.rules.sides}, dict(options or {}),
            loaded.box.digest, loaded.box.version, promise(keys),
        )  # fmt: skip
        game = cls(Ledger.create(path, keys, charter, addresses or {}), loaded)
        try:
            game.adjudicate()
        except BaseException:
            game.close()
            raise
        return game

    @classmethod
    def open(cls, games: Path, keys_folder: Path, name: str, *, folders: Iterable[str | Path] = ()) -> Adjudicator:
        """Open a game by its name. Raises NoSuchGame, BadKeys, BrokenBox."""
        path = games / f"{name}.git"
        repo = GameRepo.open(path)
        try:
            ledger = Ledger(repo, Keys.load(keys_folder, name))
            ledger.check_keys()
            charter = ledger.charter
            loaded = shelf.load(charter.rules, preset=charter.preset, options=charter.options, folders=folders)
        except BaseException:
            repo.close()
            raise
        return cls(ledger, loaded)

    def close(self) -> None:
        """Close the game's repo."""
        self.ledger.close()

    def __enter__(self) -> Adjudicator:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ---- how it stands

    @property
    def name(self) -> str:
        return self.charter.game

    @property
    def adjudication(self) -> int:
        """The number of the last adjudication; 0: the game has not begun."""
        state = self._current().state
        return state.adjudication if state else 0

    @property
    def waiting(self) -> tuple[Decision, ...]:
        """The questions that are open and for which no answer lies ready."""
        now = self._current()
        if now.session is None or now.state is None:
            return ()
        ready = self._in_force(now.state, now.session, self._today())
        return tuple(
            decision
            for decision in now.session.waiting
            if not _answers(now.state.pending, decision) and ready.answer(now.session, decision) is None
        )

    def asked(self, side: Side) -> list[Decision]:
        """Return the questions open to a side, whether or not an answer lies ready."""
        return [decision for decision in self._session().waiting if decision.side == side]

    @property
    def result(self) -> Mapping[str, Any] | None:
        """How the game ended; None: it goes on."""
        state = self._current().state
        return state.result if state else None

    def known(self, side: Side | None) -> Any:
        """Return the position as a side, or an onlooker, may know it."""
        return self.rules.known(self._session().position, side)

    def sheets(self, side: Side) -> int:
        """Return how many sheets a side has had accepted."""
        state = self._current().state
        return state.sheets.get(side, 0) if state else 0

    def standing(self, side: Side) -> list[Filed]:
        """Return a side's standing orders in force, first to last."""
        state = self._current().state
        return [read_filed(record) for record in state.standing.get(side, ())] if state else []

    def side_of(self, address: str) -> Side | None:
        """Return the side that an address plays; None: none."""
        for side, known in self.ledger.addresses.items():
            if known.lower() == address.lower():
                return side
        return None

    def take_home(self, side: Side) -> dict[str, Any]:
        """Return all that a side needs to check a sheet at home: the position as it knows it, and its questions.

        Questions for which its answer lies ready are among them: a new sheet may still take its place.
        """
        return {
            "game": self.name,
            "side": side,
            "adjudication": self.adjudication,
            "rules": self.charter.rules,
            "preset": self.charter.preset,
            "options": dict(self.charter.options),
            "box": self.charter.box,
            "position": as_plain(self.rules.encode(self.known(side))),
            "waiting": [decision_record(decision) for decision in self.asked(side)],
        }

    def told(self, side: Side | None, since: int) -> list[Told]:
        """Return what a side may read of all that happened after an adjudication."""
        found = []
        for n in range(max(since, 0) + 1, self.adjudication + 1):
            rolls = 0
            for event in self.ledger.turn(n).events:
                rolls += event.roll is not None
                if event.to is None or side in event.to:
                    found.append(Told(n, event, rolls if event.roll is not None else None))
        return found

    # ---- what changes it

    def receive(self, side: Side, raw: bytes, *, name: str = "orders.yaml", letter: str | None = None) -> Receipt:
        """Check a side's sheet and, if nothing is wrong with it, commit it; `letter` is the digest of its letter.

        A sheet takes the place of the side's earlier one that has not been used yet.
        """
        with self._changing():
            receipt, sheet = self.check(side, raw, name=name)
            if sheet is None:
                return receipt
            now = self._current()
            assert now.state is not None
            files = self.ledger.sheet_files(now.state, side, raw, letter)
            receipt.number = now.state.sheets[side]
            by = f"sheet {receipt.number}"
            if ORDERS in sheet.document.value:
                now.state.pending[side] = [Queued(order, by) for order in sheet.orders]
            if sheet.standing is not None or sheet.standing_add:
                now.state.standing[side] = self._filed(now.state, side, sheet)
                files.update(self.ledger.standing_files(side, now.state.standing[side]))
            files.update(self.ledger.state_files(now.state))
            now.head = self.ledger.commit(files, f"{self.name}: {by} of {side}")
            return receipt

    def check(self, side: Side, raw: bytes, *, name: str = "orders.yaml") -> tuple[Receipt, Sheet | None]:
        """Check a side's sheet and change nothing; the sheet is None if anything is wrong with it."""
        return check_sheet(
            self.box, self.name, self.rules.sides, side, self.adjudication, self.asked(side), self._session().faults,
            raw, name=name, periods=tuple(self._periods()), today=self._today(),
        )  # fmt: skip

    def forecast(self, side: Side, raw: bytes, *, name: str = "orders.yaml") -> tuple[Receipt, list[Prospect]]:
        """Check a side's sheet, and if nothing is wrong say what it may lead to; nothing is changed, nothing rolled."""
        receipt, sheet = self.check(side, raw, name=name)
        if sheet is None:
            return receipt, []
        return receipt, of_sheet(self.rules, self.known(side), self.asked(side), sheet.orders)

    def adjudicate(self, late: Iterable[Side] = (), absent: Iterable[Side] = ()) -> list[int]:
        """Carry the game on as far as answers reach; return the numbers of the new adjudications.

        `late` are the sides whose deadline has passed: their questions are answered by default where there is one,
        until the game next rests. What is asked after that has a deadline of its own. For `absent` sides the game's
        stand-in plays until somebody else is asked. Raises CannotPlay if the game has no stand-in.
        """
        done: list[int] = []
        passed, away = frozenset(late), frozenset(absent)
        if away and not hasattr(self.rules, "advise"):
            raise CannotPlay(f"{self.box.title} has no stand-in for an absent player")
        with self._changing():
            for _ in range(MOST_ADJUDICATIONS):
                now = self._current()
                if now.state is None:
                    self._begin(now)
                elif not self._step(now, now.state, passed if not done else frozenset(), away):
                    break
                done.append(self.adjudication)
        return done

    # ---- within

    def _begin(self, now: _Now) -> None:
        opening = self.ledger.opening(1, None)
        outcome = begin(self.rules, self.charter.scenario, opening.key, now.dice)
        standing = InForce(self.rules, {}, today=self._today())
        self._commit(now, State(0, "", {}, []), outcome, Sources(), opening, standing)

    def _step(self, now: _Now, state: State, late: frozenset[Side], absent: frozenset[Side]) -> bool:
        """Make one adjudication if there is anything to answer; tell whether there was."""
        session = self._session()
        if not session.waiting:
            return False
        opening = self.ledger.opening(state.adjudication + 1, state)
        standing = self._in_force(state, session, self._today())
        pending = {side: list(queue) for side, queue in state.pending.items()}
        sources = Sources(pending, standing.answer, late, absent)
        outcome = advance(session, opening.key, now.dice, sources)
        if not outcome.answers and not sources.lapsed:
            return False
        self._commit(now, state, outcome, sources, opening, standing)
        return True

    def _commit(
        self, now: _Now, state: State, outcome: Outcome[Any], sources: Sources, opening: Opening, standing: InForce
    ) -> None:
        n, session = state.adjudication + 1, outcome.session
        for decision in session.waiting:
            if not _answers(sources.sheets, decision):
                standing.answer(session, decision)
        over = list(standing.over(session.position))
        events = [*outcome.events, *notices(outcome.answers, sources, standing, over)]
        waiting = [{"side": decision.side, "kind": decision.kind} for decision in session.waiting]
        turn = Turn(n, outcome.answers, outcome.rolls, events, waiting)
        span = [answer for step in state.steps for answer in step.answers] + outcome.answers
        finished = outcome.rested is not None or session.result is not None
        files, digest = self.ledger.turn_files(
            turn, opening, previous=state.digest, sheets=state.new_sheets,
            standing=self.ledger.standing_digests(state), span=span if finished else None, result=session.result,
        )  # fmt: skip
        if outcome.rested is not None:
            state.checkpoint, state.steps = self.rules.encode(outcome.rested), [Step(opening.key)]
        else:
            state.steps = [*state.steps, Step(opening.key, outcome.answers)]
        state.adjudication, state.digest, state.new_sheets = n, digest, {}
        if outcome.answers:
            state.opened = n
        for side in sorted({side for side, _ in over}):
            gone = [each.record() for of, each in over if of == side]
            state.standing[side] = [record for record in state.standing[side] if record not in gone]
            files.update(self.ledger.standing_files(side, state.standing[side]))
        state.pending = {side: queue for side, queue in sources.sheets.items() if queue}
        state.result = None if session.result is None else dict(session.result)
        onlooker = self.rules.encode(self.rules.known(session.position, None))
        files[POSITION] = yamlio.dump(onlooker).encode()
        files.update(self.ledger.state_files(state))
        now.head = self.ledger.commit(files, _subject(self.name, turn))
        now.state, now.session = state, session

    def _in_force(self, state: State, session: Session[Any], today: str) -> InForce:
        filed = {side: [read_filed(record) for record in records] for side, records in state.standing.items()}
        return InForce(self.rules, filed, today=today, earlier=session.waiting, opened=state.opened)

    def _filed(self, state: State, side: Side, sheet: Sheet) -> list[Any]:
        """Return a side's standing orders as they are kept once a sheet has changed them."""
        n, periods = state.sheets[side], self._periods()
        new = [
            as_plain(each.record())
            for written in (sheet.standing_add, sheet.standing or ())
            for each in file_standing(written, self.box.standing, sheet=n, after=state.adjudication, periods=periods)
        ]
        return new if sheet.standing is not None else [*new, *state.standing.get(side, ())]

    def _periods(self) -> Mapping[str, Any]:
        return periods_of(self.rules, self._session().position)

    def _today(self) -> str:
        return (self.today or date.today()).isoformat()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the game's lock; when something goes wrong, forget what is in memory: the repo is right."""
        with self.ledger.repo.lock():
            try:
                yield
            except BaseException:
                self._now = None
                raise

    def _session(self) -> Session[Any]:
        session = self._current().session
        if session is None:
            raise CannotPlay(f"{self.name} has not begun; `pbem adjudicate {self.name}` begins it")
        return session

    def _current(self) -> _Now:
        """Return the game as it stands, resumed anew if its repo has moved on since we last looked."""
        head = self.ledger.repo.head
        if self._now is None or self._now.head != head:
            state = self.ledger.state()
            dice = ChainDice(b"", self.ledger.keys.hidden)
            session = None
            if state is not None:
                session = resume(self.rules, self.rules.decode(state.checkpoint), state.steps, dice)
            self._now = _Now(head, state, session, dice)
        return self._now


def _answers(orders: Mapping[Side, Sequence[Queued]], decision: Decision) -> bool:
    return any(queued.order.kind == decision.kind for queued in orders.get(decision.side, ()))


def _subject(game: str, turn: Turn) -> str:
    """Return the commit message of an adjudication: only what everybody may know."""
    waiting = ", ".join(f"{each['side']}: {each['kind']}" for each in turn.waiting)
    return f"{game}: adjudication {turn.n}" + (f"\n\nwaiting for {waiting}" if waiting else "\n\nthe game is over")


def _require_sides(loaded: Loaded, named: Iterable[str]) -> None:
    for side in named:
        if side not in loaded.rules.sides:
            sides = ", ".join(loaded.rules.sides)
            raise CannotPlay(f"{loaded.box.title} has no side {side}; its sides are {sides}")
