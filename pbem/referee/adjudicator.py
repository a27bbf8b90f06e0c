"""Joins the rooms: a sheet comes in and is checked, the game is carried on, and each side can be told of it.

Everything that changes a game goes through here, under the game's lock: `receive` checks a sheet and commits it,
`adjudicate` carries the game on as far as the answers at hand reach, one commit an adjudication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from pbem.crypto.closing import DRAND, Closing, close
from pbem.crypto.keys import Secrets
from pbem.crypto.player_chains import MOST_LINKS, last_links
from pbem.crypto.seal import BadRecipient, check_recipient, recipient_of
from pbem.crypto.signing import public_key
from pbem.engine.session import Outcome, Queued, Sources, Step, advance, at_hand, begin
from pbem.game import shelf
from pbem.game import yaml as yamlio
from pbem.game.corrections import Corrections
from pbem.game.shelf import Loaded
from pbem.orders.check import Receipt
from pbem.orders.sheet import ORDERS, Sheet
from pbem.orders.standing import InForce, file_standing
from pbem.protocol import Side
from pbem.referee.notices import notices, of_the_beacon
from pbem.referee.open_game import CannotPlay, Now, OpenGame, OtherRules, answers
from pbem.repo.charter import ChainPromise, Charter, Joined, Pins, promise
from pbem.repo.key_backup import keys_for_new_game
from pbem.repo.layout import turn_path
from pbem.repo.ledger import Ledger, Opening, Turn
from pbem.repo.public import as_files
from pbem.repo.records import as_plain, decision_record, event_records
from pbem.repo.requests import settle
from pbem.repo.state import State

MOST_ADJUDICATIONS: Final = 200
"""One sheet sets off at most so many adjudications; a game that goes on longer without an answer is looping."""


class Call(NamedTuple):
    """What an adjudication is made with: the sides that are late or away, the day, the round of the beacon."""

    late: frozenset[Side]
    absent: frozenset[Side]
    day: str
    beacon: Closing | None = None


class Adjudicator(OpenGame):
    """One game, open, that can be carried on. Use it as a context manager."""

    @classmethod
    def create(
        cls, games: Path, keys_folder: Path, name: str, rules: str, *, players: Mapping[Side, str],
        addresses: Mapping[Side, str] | None = None, scenario: str | None = None, preset: str | None = None,
        options: Mapping[str, Any] | None = None, folders: Iterable[str | Path] = (),
        secrets: Secrets | None = None, beacon: str | None = None, begin: bool = True,
        corrections: Corrections | None = None,
    ) -> Self:  # fmt: skip
        """Make a new game and, if it is to `begin` at once, play it to its first question.

        `players` are the names by side, `addresses` their mail addresses; `secrets` are drawn at random unless
        given. The game keeps `corrections` of its box in its repo. Raises CannotPlay or GameExists where that cannot
        be, BrokenBox for a box that is not in order.
        """
        loaded = shelf.load(rules, preset=preset, options=options, folders=folders, kept=corrections)
        if not loaded.box.ours or corrections:
            loaded.box.check()
        _require_sides(loaded, [*players, *(addresses or {})])
        scenario = scenario or loaded.box.scenarios[0]
        loaded.box.scenario(scenario)
        path = games / f"{name}.git"
        keys = keys_for_new_game(keys_folder, name, path, secrets)
        charter = Charter(
            name, rules, preset or loaded.box.presets[0], scenario,
            {side: players.get(side, side) for side in loaded.rules.sides}, dict(options or {}),
            promise(keys, beacon),
            recipient_of(keys.identity), public_key(keys.signing),
        )  # fmt: skip
        pins, corrected = Pins(loaded.box.digest, loaded.code), as_files(corrections or {})
        game = cls(Ledger.create(path, keys, charter, pins, addresses or {}, corrected), loaded)
        try:
            if begin:
                game.adjudicate()
        except BaseException:
            game.close()
            raise
        return game

    # ---- before the first shuffle

    def join(
        self, side: Side, *, phrase: str | None = None, chain: ChainPromise | None = None, key: str | None = None,
        letter: str | None = None,
    ) -> Joined:  # fmt: skip
        """Put on record what a side has mailed for itself, and return all that it has; None leaves it as it is.

        A phrase and a chain count only before the first shuffle. Raises CannotPlay where one comes too late or is
        none. `letter` is the digest of the letter that it came in.
        """
        with self._changing():
            self._require_open()
            joined = self.ledger.joined(side)
            if self.begun and (phrase is not None or chain is not None):
                what = "a phrase" if phrase is not None else "a chain of your own"
                raise CannotPlay(f"{what} counts only before the first shuffle, and {self.name} has begun")
            if chain is not None:
                _require_chain(chain)
            try:
                kept_key = joined.key if key is None else check_recipient(key)
            except BadRecipient as wrong:
                raise CannotPlay(f"{wrong}") from None
            joined = Joined(phrase or joined.phrase, chain or joined.chain, kept_key)
            files = self.ledger.join_files(side, joined)
            if letter is not None:
                files |= self.ledger.letter_files(letter, {"side": side, "joined": True, "after": self.adjudication})
            self._now = None
            self.ledger.commit(files, f"{self.name}: {side} joins")
            return joined

    # ---- what carries it on

    def receive(self, side: Side, raw: bytes, *, name: str = "orders.yaml", letter: str | None = None) -> Receipt:
        """Check a side's sheet and, if nothing is wrong with it, commit it; `letter` is the digest of its letter.

        A sheet takes the place of the side's earlier one that has not been used yet.
        """
        with self._changing():
            receipt, sheet = self.check(side, raw, name=name)
            if sheet is None:
                return receipt
            now = self._current()
            state = now.state
            assert state is not None
            files = self.ledger.sheet_files(state, side, raw)
            receipt.number = state.sheets[side]
            by = f"sheet {receipt.number}"
            if letter is not None:
                note = {"side": side, "sheet": receipt.number, "after": state.adjudication}
                files |= self.ledger.letter_files(letter, note)
            if ORDERS in sheet.document.value:
                state.pending[side] = [Queued(order, by) for order in sheet.orders]
            if sheet.standing is not None or sheet.standing_add:
                state.standing[side] = self._filed(state, side, sheet)
                files |= self.ledger.standing_files(state, side)
            if sheet.link is not None:
                state.shares[side] = sheet.link
            files |= self.ledger.state_files(state)
            now.head = self.ledger.commit(files, f"{self.name}: {by} of {side}")
            return receipt

    def adjudicate(self, late: Iterable[Side] = (), absent: Iterable[Side] = ()) -> list[int]:
        """Carry the game on as far as answers reach; return the numbers of the new adjudications.

        `late` are the sides whose deadline has passed: their questions are answered by default where there is one,
        until the game next rests. What is asked after that has a deadline of its own. For `absent` sides the game's
        stand-in plays until somebody else is asked. Raises CannotPlay if the game has no stand-in.
        """
        done: list[int] = []
        passed, away = frozenset(late), frozenset(absent)
        if away and not self.rules.has_bot:
            raise CannotPlay(f"{self.box.title} has no stand-in for an absent player")
        with self._changing():
            for _ in range(MOST_ADJUDICATIONS):
                now = self._current()
                asked = Call(passed if not done else frozenset(), away, self._today())
                call = asked if self.charter.dice.beacon is None else self._decided(now, asked)
                if call is None or not (self._begin(now, call) if now.state is None else self._step(now, call)):
                    break
                done.append(self.adjudication)
        return done

    def put_in_round(self, number: int, signature: str) -> list[int]:
        """Put in the round of the beacon that the closed sheets wait for; return the new adjudications.

        Raises BadBeacon for another round or a signature that is not drand's, NoBeaconLibrary if nobody can tell,
        CannotPlay if no sheets are closed. Nothing has changed then.
        """
        return self._put_in(lambda closing: closing.with_signature(number, signature))

    def miss_round(self, number: int, reason: str) -> list[int]:
        """Put on record that the round which the closed sheets wait for will not come; return the new adjudications.

        Raises BadBeacon for another round, one that is not due, or without a reason; CannotPlay if no sheets are
        closed.
        """
        return self._put_in(lambda closing: closing.without_signature(number, reason, self._time()))

    def _put_in(self, completed: Callable[[Closing], Closing]) -> list[int]:
        with self._changing(pinned=False):
            closing = self.closed
            if closing is None:
                raise CannotPlay(f"{self.name} waits for no round of the beacon; no sheets are closed")
            come = completed(closing)
            if closing.come and come != closing:
                raise CannotPlay(f"round {closing.round} is on record; `pbem adjudicate {self.name}` plays on")
            if not closing.come:
                missing = " is missing" if come.missing is not None else ""
                message = f"{self.name}: round {come.round} of {DRAND}{missing}"
                self.ledger.commit(self.ledger.closing_files(come), message)
            return self.adjudicate()

    def enact(
        self, act: Mapping[str, Any], play: Callable[[Now, State, Opening], tuple[Outcome[Any], Sources]],
        whole: Mapping[str, Any] | None = None, *, resumed: bool = True,
    ) -> int:  # fmt: skip
        """Make an adjudication out of what the game master does, and return its number.

        `act` is put on record: its kind, its reason, what belongs to it; `whole` is what of it stays sealed until the
        end. `play` is told how the game stands and what turns the dice; it may change the state, and says what came
        of it. Without `resumed` the rules here need not be able to go on from where the game stands.
        """
        with self._changing(pinned=False):
            now = self._current(resumed=resumed)
            if resumed or now.state is None:
                self._session()
            self._require_open(act["kind"])
            state = now.state
            assert state is not None
            opening = self.ledger.opening(state.adjudication + 1, state, act)
            outcome, sources = play(now, state, opening)
            standing = self.in_force(state, outcome.session, self._today())
            self._commit(now, state, outcome, sources, opening, standing, act, whole=whole)
            return state.adjudication

    def note(self, change: Callable[[State], tuple[Mapping[str, bytes], str]]) -> None:
        """Commit what is no adjudication; `change` may change the state, and returns files and the commit's message."""
        with self._changing(pinned=False):
            self._require_open()
            self._session()
            now = self._current()
            assert now.state is not None
            files, message = change(now.state)
            now.head = self.ledger.commit({**files, **self.ledger.state_files(now.state)}, f"{self.name}: {message}")

    # ---- within

    def _decided(self, now: Now, call: Call) -> Call | None:
        """Return by what the next adjudication is decided, in a game with a beacon; None: not yet, or there is none.

        Closes the sheets if everything else is at hand.
        """
        closing, n = self.ledger.closing(), self.adjudication + 1
        if closing is not None and closing.adjudication == n:
            decided = Call(frozenset(closing.late), frozenset(closing.absent), closing.day, closing)
            return decided if closing.come else None
        if closing is not None and now.state is not None and not now.state.new_sheets and not call.late | call.absent:
            before = self.ledger.public_turn(n - 1).get("beacon", {})
            if before.get("round") == closing.round:  # nobody has had a say since
                return Call(frozenset(), frozenset(closing.absent), closing.day, closing)
        if now.state is None or at_hand(self._session(), self._sources(now.state, call)[0]):
            inputs = self.ledger.opening(n, now.state).inputs
            closing = close(n, inputs, closing, self._time(), call.day, call.late, call.absent)
            message = f"{self.name}: sheets closed for adjudication {n}; round {closing.round} of {DRAND} decides"
            now.head = self.ledger.commit(self.ledger.closing_files(closing), message)
        return None

    def _require_open(self, act: str = "") -> None:
        closed = self.closed  # only with other rules a game can need a migration to adjudicate at all
        if closed is not None and not (closed.come and act == "migration"):
            raise CannotPlay(f"the sheets of {self.name} are closed until round {closed.round} of {DRAND} is put in")

    def _begin(self, now: Now, call: Call) -> bool:
        opening = self.ledger.opening(1, None, beacon=call.beacon)
        outcome = begin(self.rules, self.charter.scenario, opening.key, now.dice)
        standing = InForce(self.rules, {}, today=call.day)
        state = State(0, {}, [])
        for side in self.rules.sides:
            if (chain := self.ledger.joined(side).chain) is not None:
                state.links[side] = chain.tip
        self._commit(now, state, outcome, Sources(), opening, standing, beacon=call.beacon)
        return True

    def _step(self, now: Now, call: Call) -> bool:
        """Make one adjudication if there is anything to answer; tell whether there was."""
        session, state = self._session(), now.state
        if state is None or not session.open_decisions:
            return False
        opening = self.ledger.opening(state.adjudication + 1, state, beacon=call.beacon)
        sources, standing = self._sources(state, call)
        outcome = advance(session, opening.key, now.dice, sources)
        if not outcome.answers and not sources.lapsed:
            return False
        self._commit(now, state, outcome, sources, opening, standing, beacon=call.beacon)
        return True

    def _sources(self, state: State, call: Call) -> tuple[Sources, InForce]:
        """Return where answers come from, and the standing orders among them."""
        standing = self.in_force(state, self._session(), call.day)
        pending = {side: list(queue) for side, queue in state.pending.items()}
        return Sources(pending, standing.answer, call.late, call.absent, state.defaults), standing

    def _commit(
        self, now: Now, state: State, outcome: Outcome[Any], sources: Sources, opening: Opening, standing: InForce,
        act: Mapping[str, Any] | None = None, beacon: Closing | None = None, whole: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Commit an adjudication: its turn file, and where the game stands after it."""
        n, session = state.adjudication + 1, outcome.session
        for decision in session.open_decisions:
            if not answers(sources.sheets, decision):
                standing.answer(session, decision)
        over = list(standing.over(session.position))
        settled = settle(self.ledger.repo, state, n, act)
        events = [*of_the_beacon(n, beacon), *settled.events, *outcome.events]
        events += notices(outcome.answers, sources, standing, over)
        waiting = [{"side": decision.side, "kind": decision.kind} for decision in session.open_decisions]
        turn = Turn(n, outcome.answers, outcome.rolls, outcome.draws, events, waiting, act, whole)
        span = [answer for step in state.steps for answer in step.answers] + outcome.answers
        finished = outcome.rested is not None or session.result is not None
        position = yamlio.dump(self.rules.encode(self.rules.view(session.position, None))).encode()
        files = self.ledger.turn_files(
            turn, opening, span=span if finished else None, result=session.result, position=position
        )
        if outcome.rested is not None:
            state.checkpoint, state.steps = self.rules.encode(outcome.rested), [Step(opening.key)]
        else:
            state.steps = [*state.steps, Step(opening.key, outcome.answers)]
        state.adjudication, state.new_sheets, state.shares = n, {}, {}
        state.asked = [decision_record(decision) for decision in session.open_decisions]
        state.links = last_links(opening.went_in.get("shares", {}), state.links)
        if outcome.answers:
            state.opened, state.defaults = n, {}
        for side in sorted({side for side, _ in over}):
            gone = [each.record() for of, each in over if of == side]
            state.standing[side] = [record for record in state.standing[side] if record not in gone]
            files |= self.ledger.standing_files(state, side)
        state.pending = {side: queue for side, queue in sources.sheets.items() if queue}
        state.result = None if session.result is None else dict(session.result)
        files |= self.ledger.state_files(state, len(position))
        now.state, now.session = state, session
        files |= self._files_of_sides(now, turn, len(position) + len(files[turn_path(n)])) | settled.files
        if session.result is not None:
            files |= self.ledger.revealed_files()
        now.head = self.ledger.commit(files, _subject(self.name, turn))

    def _files_of_sides(self, now: Now, turn: Turn, public: int) -> dict[str, bytes]:
        """Return what each side that gave a key may know, sealed to it: position, questions, what it is told."""
        files: dict[str, bytes] = {}
        for side in self.rules.sides:
            if self.ledger.joined(side).key is None:
                continue
            events = [event for event in turn.events if event.to is None or side in event.to]
            view = {**self.home(now, side), "events": event_records(events)}
            files |= self.ledger.side_files(side, view, 2 * public)
        return files

    def _filed(self, state: State, side: Side, sheet: Sheet) -> list[Any]:
        """Return a side's standing orders as they are kept once a sheet has changed them."""
        n, periods = state.sheets[side], self._periods()
        new = [
            as_plain(each.record())
            for written in (sheet.standing_add, sheet.standing or ())
            for each in file_standing(written, self.box.standing, sheet=n, after=state.adjudication, periods=periods)
        ]
        return new if sheet.standing is not None else [*new, *state.standing.get(side, ())]

    @contextmanager
    def _changing(self, *, pinned: bool = True) -> Iterator[None]:
        """Hold the game's lock; when something goes wrong, forget what is in memory: the repo is right.

        With `pinned`, raise OtherRules if the rules here are not those that the game is played with.
        """
        with self.ledger.repo.lock():
            try:
                if pinned and (odd := self.differs) is not None:
                    raise OtherRules(
                        f"{self.name} is played with other rules than those here: the {odd} differs. "
                        f"`pbem replay {self.name}` says what would change, `pbem migrate {self.name}` moves it."
                    )
                yield
            except BaseException:
                self._now = None
                raise


def _subject(game: str, turn: Turn) -> str:
    """Return the commit message of an adjudication: only what everybody may know."""
    if turn.act is not None:
        return f"{game}: adjudication {turn.n}, {turn.act['kind']}"
    waiting = ", ".join(f"{each['side']}: {each['kind']}" for each in turn.waiting)
    return f"{game}: adjudication {turn.n}" + (f"\n\nwaiting for {waiting}" if waiting else "\n\nthe game is over")


def _require_sides(loaded: Loaded, named: Iterable[str]) -> None:
    for side in named:
        if side not in loaded.rules.sides:
            sides = ", ".join(loaded.rules.sides)
            raise CannotPlay(f"{loaded.box.title} has no side {side}; its sides are {sides}")


def _require_chain(chain: ChainPromise) -> None:
    if len(chain.tip) != 64 or set(chain.tip) - set("0123456789abcdef") or not 1 <= chain.length <= MOST_LINKS:
        raise CannotPlay(f"a chain is a tip of 64 digits 0-9 and a-f, and a length from 1 to {MOST_LINKS}")
