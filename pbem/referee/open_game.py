"""A game, opened: how it stands, who is asked what, what each side may know. Nothing here changes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pbem.crypto.closing import Closing
from pbem.crypto.dice import ChainDice, Dice
from pbem.crypto.keys import Keys
from pbem.crypto.player_chains import OwnChain
from pbem.engine.forecast import of_sheet
from pbem.engine.session import Queued, Session, resume
from pbem.game import plain, shelf
from pbem.game.corrections import Corrections
from pbem.game.forecast import Prospect
from pbem.game.shelf import Loaded
from pbem.orders.check import Receipt, check_sheet
from pbem.orders.sheet import Sheet
from pbem.orders.standing import Filed, InForce, read_filed
from pbem.orders.standing.in_force import periods_of
from pbem.protocol import Decision, Event, PbemError, Side
from pbem.repo.charter import Pins
from pbem.repo.git import GameRepo
from pbem.repo.ledger import Ledger
from pbem.repo.public import as_files, corrections_in
from pbem.repo.records import as_plain, decision_record
from pbem.repo.state import State


class CannotPlay(PbemError):
    """Something about a game, a player or an address is not as it must be; the text is for a person."""


class OtherRules(CannotPlay):
    """The rules here are not those that a game is played with: a matter of the game master, not of a player."""


@dataclass(slots=True)
class Told:
    """One event of one adjudication, with the number of its roll if it is one."""

    adjudication: int
    event: Event
    roll: int | None = None


@dataclass(slots=True)
class Now:
    """A game as it stands, resumed from the books of one commit."""

    head: str
    state: State | None
    session: Session[Any] | None
    dice: Dice = field(default_factory=lambda: ChainDice(b"", b""))


class OpenGame:
    """One game, open. Use it as a context manager."""

    def __init__(self, ledger: Ledger, loaded: Loaded) -> None:
        self.ledger = ledger
        self.charter = ledger.charter
        self.loaded = loaded
        self.box, self.rules = loaded.box, loaded.rules
        self._now: Now | None = None
        self.today: date | None = None
        """The day by which standing orders lapse; None: the day by the clock."""
        self.moment: datetime | None = None
        """The time at which sheets are closed; None: the time by the clock."""

    @classmethod
    def open(
        cls, games: Path, keys_folder: Path, name: str, *, folders: Iterable[str | Path] = (),
        corrections: Corrections | None = None,
    ) -> Self:  # fmt: skip
        """Open a game by its name, to be moved to `corrections` if there are any: they are kept with the next commit.

        Raises NoSuchGame, BadKeys, BrokenBox.
        """
        path = games / f"{name}.git"
        repo = GameRepo.open(path)
        try:
            ledger = Ledger(repo, Keys.load(keys_folder, name))
            ledger.check_keys()
            ledger.further = as_files(corrections or {})
            loaded = rules_of(ledger, folders, corrections)
        except BaseException:
            repo.close()
            raise
        return cls(ledger, loaded)

    def close(self) -> None:
        """Close the game's repo."""
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ---- how it stands

    @property
    def name(self) -> str:
        return self.charter.game

    @property
    def begun(self) -> bool:
        """Whether the first shuffle has been made."""
        return self._current(resumed=False).state is not None

    @property
    def awaited(self) -> tuple[Side, ...]:
        """The sides with an address whose phrase is still to come; none once the first shuffle has been made."""
        if self.begun:
            return ()
        addresses = self.ledger.addresses
        return tuple(each for each in self.rules.sides if each in addresses and self.ledger.joined(each).phrase is None)

    @property
    def pins(self) -> Pins:
        """The rules that the game is played with."""
        state = self._current(resumed=False).state
        return Pins(**state.pins) if state and state.pins else self.ledger.pins

    @property
    def differs(self) -> str | None:
        """What of the rules here is not what the game is played with, in words; None: nothing."""
        pins = self.pins
        odd = [
            word
            for word, here, pinned in (
                ("box", self.box.digest, pins.box),
                ("code", self.loaded.code, pins.code),
            )
            if here != pinned
        ]
        return " and ".join(odd) or None

    @property
    def adjudication(self) -> int:
        """The number of the last adjudication; 0: the game has not begun."""
        state = self._current(resumed=False).state
        return state.adjudication if state else 0

    @property
    def closed(self) -> Closing | None:
        """How the sheets are closed, while they are: nothing changes until the round of the beacon has come."""
        closing = self.ledger.closing() if self.charter.dice.beacon is not None else None
        return closing if closing is not None and closing.adjudication > self.adjudication else None

    @property
    def open_decisions(self) -> tuple[Decision, ...]:
        """The questions that are open and for which no answer lies ready."""
        now = self._current()
        if now.session is None or now.state is None:
            return ()
        ready = self.in_force(now.state, now.session, self._today())
        return tuple(
            decision
            for decision in now.session.open_decisions
            if not answers(now.state.pending, decision) and ready.answer(now.session, decision) is None
        )

    def asked(self, side: Side) -> list[Decision]:
        """Return the questions open to a side, whether or not an answer lies ready."""
        return [decision for decision in self._session().open_decisions if decision.side == side]

    @property
    def result(self) -> Mapping[str, Any] | None:
        """How the game ended; None: it goes on."""
        state = self._current(resumed=False).state
        return state.result if state else None

    def view(self, side: Side | None) -> Any:
        """Return the position as a side, or an onlooker, may know it."""
        return self.rules.view(self._session().position, side)

    def sheets(self, side: Side) -> int:
        """Return how many sheets a side has had accepted."""
        state = self._current().state
        return state.sheets.get(side, 0) if state else 0

    @property
    def defaults(self) -> Mapping[Side, Queued]:
        """What the game master has set to be the answer of a side, should its deadline pass."""
        state = self._current().state
        return state.defaults if state else {}

    @property
    def requests(self) -> Mapping[str, Any]:
        """How many rollbacks have been asked for (`made`), and the number of the one that is open (`open`)."""
        state = self._current().state
        return state.requests if state else {}

    def standing(self, side: Side) -> list[Filed]:
        """Return a side's standing orders in force, first to last."""
        state = self._current().state
        return [read_filed(record) for record in state.standing.get(side, ())] if state else []

    def side_of(self, address: str) -> Side | None:
        """Return the side that an address plays; None: none."""
        for side, view in self.ledger.addresses.items():
            if view.lower() == address.lower():
                return side
        return None

    def own_chain(self, side: Side, now: Now | None = None) -> OwnChain | None:
        """Return how a side's own chain stands, now or in a game about to be so; None: it has none, or not any more."""
        state = (now or self._current()).state
        promised = self.ledger.joined(side).chain
        if state is None or promised is None or side not in state.links:
            return None
        return OwnChain(promised.tip, promised.length, state.links[side], state.shares.get(side))

    def take_home(self, side: Side) -> dict[str, Any]:
        """Return all that a side needs to check a sheet at home: the position as it knows it, and its questions.

        Questions for which its answer lies ready are among them: a new sheet may still take its place.
        """
        return self.home(self._current(), side)

    def home(self, now: Now, side: Side) -> dict[str, Any]:
        """Return what `take_home` does, of a game as it stands, or is about to."""
        if now.session is None or now.state is None:
            raise CannotPlay(f"{self.name} has not begun")
        view = self.rules.view(now.session.position, side)
        own = self.own_chain(side, now)
        return {
            "game": self.name,
            "side": side,
            "adjudication": now.state.adjudication,
            "rules": self.charter.rules,
            "preset": self.charter.preset,
            "options": dict(self.charter.options),
            "box": (now.state.pins or {}).get("box", self.ledger.pins.box),
            **({"corrected": corrected} if (corrected := self._corrected()) else {}),
            "position": as_plain(self.rules.encode(view)),
            "waiting": [decision_record(decision) for decision in now.session.open_decisions if decision.side == side],
            **({} if own is None else {"own_chain": plain.encode(own)}),
        }

    def _corrected(self) -> dict[str, str]:
        """Return the corrected files that the game keeps: a player at home needs them to check a sheet."""
        return {name: each.text.decode("utf-8") for name, each in corrections_in(self.ledger.repo).items()}

    def told(self, side: Side | None, since: int) -> list[Told]:
        """Return what a side may read of all that happened after an adjudication, and was not rolled back."""
        state = self._current().state
        undone = set(state.undone) if state else set()
        found = []
        for n in range(max(since, 0) + 1, self.adjudication + 1):
            if n in undone:
                continue
            rolls = 0
            for event in self.ledger.turn(n).events:
                rolls += event.roll is not None
                if event.to is None or side in event.to:
                    found.append(Told(n, event, rolls if event.roll is not None else None))
        return found

    def check(
        self, side: Side, raw: bytes, *, name: str = "orders.yaml", ruled: bool = False
    ) -> tuple[Receipt, Sheet | None]:
        """Check a side's sheet and change nothing; the sheet is None if anything is wrong with it.

        One that the game master has written (`ruled`) opens no link of the side's own chain.
        """
        return check_sheet(
            self.box, self.name, self.rules.sides, side, self.adjudication, self.asked(side), self._session().faults,
            raw, name=name, periods=tuple(self._periods()), today=self._today(),
            own=None if ruled else self.own_chain(side), closed=self.closed, further=self._session().further,
            costs=self._session().costs,
        )  # fmt: skip

    def costs(self, side: Side) -> list[str]:
        """Return what the orders of a side that lie ready will cost, in words, as far as it can be foreseen."""
        now, session = self._current(), self._session()
        ready = [] if now.state is None else [queued.order for queued in now.state.pending.get(side, ())]
        asked = {decision.kind: decision for decision in self.asked(side)}
        return [
            line
            for kind, decision in asked.items()
            for line in session.costs(decision, [order for order in ready if order.kind == kind])
        ]

    def forecast(self, side: Side, raw: bytes, *, name: str = "orders.yaml") -> tuple[Receipt, list[Prospect]]:
        """Check a side's sheet, and if nothing is wrong say what it may lead to; nothing is changed, nothing rolled."""
        receipt, sheet = self.check(side, raw, name=name)
        if sheet is None:
            return receipt, []
        return receipt, of_sheet(self.rules, self.view(side), self.asked(side), sheet.orders)

    def in_force(self, state: State, session: Session[Any], today: str) -> InForce:
        """Return the standing orders of all sides, to be tried on the questions of one adjudication."""
        filed = {side: [read_filed(record) for record in records] for side, records in state.standing.items()}
        return InForce(self.rules, filed, today=today, earlier=session.open_decisions, opened=state.opened)

    def _periods(self) -> Mapping[str, Any]:
        return periods_of(self.rules, self._session().position)

    def _today(self) -> str:
        return (self.today or date.today()).isoformat()

    def _time(self) -> datetime:
        return self.moment or datetime.now(UTC)

    def _session(self) -> Session[Any]:
        session = self._current().session
        if session is None:
            raise CannotPlay(f"{self.name} has not begun; `pbem adjudicate {self.name}` begins it")
        return session

    def _current(self, *, resumed: bool = True) -> Now:
        """Return the game as it stands, read anew if its repo has moved on since we last looked.

        Without `resumed` there may be no session: rules that are not the game's own may be unable to go on.
        """
        head = self.ledger.repo.head
        if self._now is None or self._now.head != head:
            self._now = Now(head, self.ledger.state(), None, ChainDice(b"", self.ledger.keys.hidden))
        now = self._now
        if resumed and now.session is None and (state := now.state) is not None:
            session = resume(self.rules, self.rules.decode(state.checkpoint), state.steps, now.dice)
            if state.result is not None and session.result is None:  # the game master broke the game off
                session.result, session.open_decisions = state.result, ()
            now.session = session
        return now


def rules_of(ledger: Ledger, folders: Iterable[str | Path], corrections: Corrections | None = None) -> Loaded:
    """Return the rules that are here for a game, with the corrections that it keeps, or others in their place.

    Raises NotInTheBox, BrokenBox.
    """
    charter, kept = ledger.charter, corrections_in(ledger.repo)
    kept |= corrections or {}
    return shelf.load(charter.rules, preset=charter.preset, options=charter.options, folders=folders, kept=kept)


def answers(orders: Mapping[Side, Sequence[Queued]], decision: Decision) -> bool:
    """Tell whether orders that wait are of the kind that a question asks for."""
    return any(queued.order.kind == decision.kind for queued in orders.get(decision.side, ()))
