"""The adjudicator: accepts order sheets, plays the game on, and commits every step.

Everything that changes a game goes through here, under the game's lock. `receive` checks a sheet and commits it.
`adjudicate` plays on as far as the answers at hand reach, with one commit for each adjudication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.crypto.closing import DRAND, Circumstances, Closing, close_sheets
from pbem.crypto.player_chains import MOST_LINKS
from pbem.crypto.seal import BadRecipient, check_recipient
from pbem.engine.advance import Outcome, advance, at_hand, begin
from pbem.engine.answers import Sources, has_order_for
from pbem.engine.session import Queued
from pbem.orders.check import Receipt
from pbem.orders.sheet import ORDERS, cancellation, withdrawal
from pbem.orders.standing import InForce
from pbem.protocol import Record, Side
from pbem.referee.game.open_game import CannotPlay, Now, OpenGame, OtherRules
from pbem.referee.play import sheet_check
from pbem.referee.play.clocked import after_adjudication, after_replacement, after_sheet, require_on_time
from pbem.referee.play.played import Played, adjudication_of, advanced, files_of
from pbem.referee.play.sheet_check import USUAL_ORIGIN, SheetOrigin, is_on_hold, require_gone_on
from pbem.repo.files.adjudication import Seed, adjudication_message
from pbem.repo.files.charter import ChainPromise, Joined
from pbem.repo.files.layout import MIGRATION, is_checkpoint
from pbem.repo.files.requests import REPLACEMENT, made, open_request, request_files, settle, still_needed
from pbem.repo.files.state import State
from pbem.repo.ledger import LetterId, by_word

Enacted: TypeAlias = tuple[Outcome[Any], Sources]
"""The outcome of an act, and the orders that are left after it."""
Act: TypeAlias = Callable[[Now, State, Seed], Enacted]
"""An act of the game master: is given the game and a seed, may change the state, and returns the outcome."""
MOST_ADJUDICATIONS: Final = 200
"""One sheet causes at most so many adjudications; a game that goes on longer without an answer is looping."""


def replacement_agreed(game: OpenGame, side: Side) -> bool:
    """Tell whether the sides have voted that a side gets another player.

    Raises CannotPlay if they must have, because the game master plays a side, and they have not.
    """
    request = game.request() if game.begun else None
    asked = request is not None and request.is_open and (request.kind, request.replaced) == (REPLACEMENT, side)
    if request is not None and asked and not still_needed(request):
        return True
    terms = game.clock.terms
    if game.begun and terms is not None and terms.master is not None and terms.master != side:
        raise CannotPlay(
            f"the game master plays {terms.master} in {game.name}: the other sides vote on another player for {side}; "
            f"`pbem player {game.name} {side}=PERSON --vote` asks them"
        )
    return False


class Call(NamedTuple):
    """An adjudication that is to be made: its circumstances, and the closing of its sheets."""

    at: Circumstances
    beacon: Closing | None = None


class Adjudicator(OpenGame):
    """One open game that can be changed. Use it as a context manager."""

    # ---- before the first shuffle

    def join_side(
        self,
        side: Side,
        *,
        phrase: str | None = None,
        chain: ChainPromise | None = None,
        key: str | None = None,
        letter: LetterId | None = None,
    ) -> Joined:
        """Record the phrase, the chain or the key that a side has mailed, and return all that is on record for it.

        A phrase and a chain count only before the first shuffle; a player who has taken the side over may promise a
        chain later, once. Raises CannotPlay if one comes too late or is not valid. `letter` is the digest, or the
        digests, of the letter that they came in.
        """
        with self._changing():
            self._require_open()
            joined = self.ledger.joined(side)
            late = self.begun and joined.player > 1 and joined.chain is None and phrase is None
            if self.begun and not late and (phrase is not None or chain is not None):
                what = "a phrase" if phrase is not None else "a chain of your own"
                raise CannotPlay(f"{what} counts only before the first shuffle, and {self.name} has begun")
            if chain is not None and not chain.sound:
                raise CannotPlay(f"a chain is a tip of 64 digits 0-9 and a-f, and a length from 1 to {MOST_LINKS}")
            try:
                kept_key = joined.key if key is None else check_recipient(key)
            except BadRecipient as wrong:
                raise CannotPlay(f"{wrong}") from None
            joined = replace(joined, phrase=phrase or joined.phrase, chain=chain or joined.chain, key=kept_key)
            files = self.ledger.join_files(side, joined)
            state = self.current(resumed=False).state
            if state is not None and chain is not None:
                state.newcomers.setdefault(side, False)
            if letter is not None:
                files |= self.ledger.letter_files(letter, {"side": side, "joined": True, "after": self.adjudication})
            self.forget()
            self.ledger.commit(files, f"{self.name}: {side} joins", state)
            return joined

    def change_player(self, side: Side, name: str, address: str, *, replaced: bool) -> Joined:
        """Record another address of a side, and with `replaced` another player; return what is on record for it.

        Public is only that the side has one. A new player begins with nothing mailed: their chain ends, and nothing
        more is sealed to their key. The clock of the side starts again with the letter that asks the new player. All
        else stays: the position, sheets that wait, standing orders.
        """
        with self._changing(pinned=False):
            self._require_open()
            if replaced:
                require_on_time(self)
            joined, state = self.ledger.joined(side), self.current(resumed=False).state
            voted = replaced and replacement_agreed(self, side)
            files = self.ledger.player_files(side, name, address, replaced=replaced)
            count = joined.addresses + 1
            joined = Joined(player=joined.player + 1) if replaced else joined
            joined = replace(joined, addresses=count)
            files |= self.ledger.join_files(side, joined)
            at = None
            if replaced and state is not None:
                for links in (state.links, state.new_links):
                    links.pop(side, None)
                state.newcomers[side] = True
                if (request := open_request(self.ledger.repo, state)) is not None:
                    # A new player has consented to nothing.
                    request.outcome = "done" if voted else f"void: {side} has another player"
                    state.requests = {"made": made(state)}
                    files |= request_files(request)
                clocks = after_replacement(self, side)
                files |= clocks.files
                at = clocks.at
            self.forget()
            with self.clock.dated(at):
                self.ledger.commit(
                    files, f"{self.name}: {side} has another {'player' if replaced else 'address'}", state
                )
            return joined

    # ---- play

    def receive(
        self,
        side: Side,
        raw: bytes,
        *,
        letter: LetterId | None = None,
        origin: SheetOrigin = USUAL_ORIGIN,
    ) -> Receipt:
        """Check a side's sheet and, if it has no faults, commit it in its canonical form.

        `letter` is the digest of its letter. A sheet replaces the side's earlier one if that has not been used yet.
        """
        with self._changing():
            require_on_time(self)
            receipt, sheet = sheet_check.check_sheet_of(self, side, raw, origin)
            if sheet is None:
                return receipt
            require_gone_on(self, self.ready)
            now = self.current()
            state = now.state
            assert state is not None
            files = self.ledger.sheet_files(state, side, receipt.canonical)
            receipt.number = state.sheets[side]
            by = f"sheet {receipt.number}"
            if letter is not None:
                note = {"side": side, "sheet": receipt.number, "after": state.adjudication}
                files |= self.ledger.letter_files(letter, note)
            if orders := sheet.document.value.get(ORDERS) is not None:
                state.pending[side] = [Queued(order, by) for order in sheet.orders]
            if sheet.files:
                state.standing[side] = sheet_check.filed_standing(self, state, side, sheet)
                files |= self.ledger.standing_files(state, side)
            if sheet.link is not None:
                state.new_links[side] = sheet.link
            clocks = after_sheet(self, side, self.ready, orders=orders)
            with self.clock.dated(clocks.at):
                now.head = self.ledger.commit(files | clocks.files, f"{self.name}: {by} of {side}", state)
            return receipt

    def withdraw(self, side: Side, link: str | None = None, letter: LetterId | None = None) -> int:
        """Put an empty sheet in the place of a side's orders that are not used yet, and return its number.

        `link` is the next link of the side's own chain, `letter` the digest, or the digests, of the letter with the
        word. Raises CannotPlay if no orders are waiting, or the link is wrong.
        """
        with self.lock():
            self._require_in_play()
            if not self.waits(side):
                raise CannotPlay(
                    "no orders of yours are waiting. A sheet that has been used cannot be taken back by you alone: "
                    "with the consent of all sides your game master can take the game back"
                )
            return self._hand_in(side, withdrawal(self.name, side, self.adjudication, link), letter)

    def cancel_standing(
        self, side: Side, numbers: Sequence[int], link: str | None = None, letter: LetterId | None = None
    ) -> int:
        """Cancel standing orders of a side by their numbers (none: all of them), and return the number of the sheet.

        `link` and `letter` are as in `withdraw`. Raises CannotPlay if there are no such orders, or the link is wrong.
        """
        with self.lock():
            self._require_in_play()
            if not self.standing(side):
                raise CannotPlay("you have no standing orders in force")
            return self._hand_in(side, cancellation(self.name, side, self.adjudication, numbers, link), letter)

    def _hand_in(self, side: Side, raw: bytes, letter: LetterId | None) -> int:
        """Receive the sheet that a word of a letter stands for, and return its number. Raises CannotPlay."""
        receipt = self.receive(side, raw, letter=letter and by_word(letter))
        if receipt.number is None:
            raise CannotPlay("; ".join(placed.fault.reason for placed in receipt.complaints))
        return receipt.number

    def _require_in_play(self) -> None:
        if self.result is not None:
            raise CannotPlay(f"{self.name} is over; nothing of it can be changed any more")

    def adjudicate(self, late: Iterable[Side] = (), absent: Iterable[Side] = ()) -> list[int]:
        """Play the game on as far as answers reach; return the numbers of the new adjudications.

        `late` are the sides whose deadline has passed. Their decisions are answered by default, where there is one, in
        the first adjudication only: what is asked after it has a deadline of its own. For `absent` sides the bot plays
        until another side is asked. Raises CannotPlay if the game has no bot.
        """
        done: list[int] = []
        passed, away = frozenset(late), frozenset(absent)
        if (passed or away) and self.clock.decides:
            raise CannotPlay(f"the clock of {self.name} says who is late; `pbem status {self.name}` shows until when")
        if away and not self.rules.has_bot:
            raise CannotPlay(f"{self.box.title} has no bot to play for an absent player")
        with self._changing():
            for _ in range(MOST_ADJUDICATIONS):
                if not self.step(passed if not done else frozenset(), away):
                    break
                done.append(self.adjudication)
        return done

    def step(self, late: frozenset[Side], absent: frozenset[Side]) -> bool:
        """Make the next adjudication if there is anything to answer, or close its sheets; return whether it was made.

        The game's lock is held. `late` and `absent` are as in `adjudicate`; in a game with a clock they are on record.
        Nothing is made while a sheet is on hold.
        """
        if is_on_hold(self, late=bool(late)):
            return False
        if self.clock.decides:
            late, absent = self.clock.called()
        now, at = self.current(), Circumstances(self.day, late, absent)
        call = Call(at) if self.charter.dice.beacon is None else self._decided(now, at)
        if call is None:
            return False
        return self._begin(now, call) if now.state is None else self._step(now, call)

    def ready(self) -> bool:
        """Tell whether every open decision has an answer, so that the game can go on, once no sheet is on hold."""
        if (state := self.current().state) is None:
            return False
        at = Circumstances(self.day, *(self.clock.called() if self.clock.decides else ()))
        return at_hand(self.session, self._sources(state, at)[0])

    def put_in_round(self, number: int, signature: str) -> list[int]:
        """Put in the beacon round that the closed sheets wait for; return the new adjudications.

        Raises BadBeacon for another round or a signature that is not drand's, NoBeaconLibrary if it cannot be checked,
        CannotPlay if no sheets are closed. Nothing is changed then.
        """
        return self._put_in(lambda closing: closing.with_signature(number, signature))

    def miss_round(self, number: int, reason: str) -> list[int]:
        """Record that the round which the closed sheets wait for will not come; return the new adjudications.

        Raises BadBeacon for another round, for a round that is not due, or if there is no reason; CannotPlay if no
        sheets are closed.
        """
        return self._put_in(lambda closing: closing.without_signature(number, reason, self.time))

    def _put_in(self, completed: Callable[[Closing], Closing]) -> list[int]:
        with self._changing(pinned=False):
            closing = self.closed
            if closing is None:
                raise CannotPlay(f"{self.name} waits for no round of the beacon; no sheets are closed")
            come = completed(closing)
            if closing.come and come != closing:
                raise CannotPlay(f"round {closing.round} is on record; `pbem adjudicate {self.name}` plays on")
            if not closing.come:
                self.note_round(come)
            return self.adjudicate()

    def note_round(self, come: Closing) -> None:
        """Commit a closing whose round has come, or is known to be missing."""
        missing = " is missing" if come.missing is not None else ""
        message = f"{self.name}: round {come.round} of {DRAND}{missing}"
        self.ledger.commit(self.ledger.closing_files(come), message)

    def enact(self, act: Record, play: Act, whole: Record | None = None, *, resumed: bool = True) -> int:
        """Make an adjudication of an act of the game master, and return its number.

        `act` is recorded in public: its kind, its reason, and what belongs to it. `whole` is the part that stays sealed
        until the end. `play` does it. Without `resumed`, the rules here need not be able to resume the game.
        """
        with self._changing(pinned=False):
            now = self.current(resumed=resumed)
            if (state := now.state) is None:
                raise self.not_begun()
            self._require_open(act["kind"])
            n = state.adjudication + 1
            seed, checkpoint = self.ledger.seed(n, state, act), self._checkpoint(state, act)
            outcome, sources = play(now, state, seed)
            standing = self.in_force(state, outcome.session, self.day)
            played = Played(state, Circumstances(self.day), seed, outcome, sources, standing, act, whole)
            return self._commit(now, played, checkpoint)

    def note(self, change: Callable[[State], tuple[Mapping[str, bytes], str]]) -> None:
        """Commit what is no adjudication; `change` may change the state, and returns files and a commit message."""
        with self._changing(pinned=False):
            self._require_open()
            now = self.current()
            if now.state is None:
                raise self.not_begun()
            files, message = change(now.state)
            now.head = self.ledger.commit(files, f"{self.name}: {message}", now.state)

    # ---- within

    def _decided(self, now: Now, at: Circumstances) -> Call | None:
        """Return the next adjudication of a game with a beacon; None: it cannot be made yet.

        Close the sheets if everything else is at hand.
        """
        closing, n = self.ledger.closing(), self.adjudication + 1
        if closing is not None and closing.adjudication == n:
            closed = Circumstances(closing.day, frozenset(closing.late), frozenset(closing.absent))
            return Call(closed, closing) if closing.come else None
        said = now.state is not None and bool(now.state.new_sheets or now.state.newcomers)
        if closing is not None and now.state is not None and not said and not at.late | at.absent:
            before = self.ledger.public_turn(n - 1).get("beacon", {})
            if before.get("round") == closing.round:  # nobody has had a say since
                return Call(Circumstances(closing.day, frozenset(), frozenset(closing.absent)), closing)
        if now.state is None or at_hand(self.session, self._sources(now.state, at)[0]):
            inputs = self.ledger.seed(n, now.state).inputs
            closing = close_sheets(n, inputs, at, closing, self.time)
            message = f"{self.name}: sheets closed for adjudication {n}; round {closing.round} of {DRAND} decides"
            now.head = self.ledger.commit(self.ledger.closing_files(closing), message)
        return None

    def _require_open(self, act: str = "") -> None:
        closed = self.closed  # only with other rules a game can need a migration to adjudicate at all
        if closed is not None and not (closed.come and act == MIGRATION):
            raise CannotPlay(f"the sheets of {self.name} are closed until round {closed.round} of {DRAND} is put in")

    def _begin(self, now: Now, call: Call) -> bool:
        seed = self.ledger.seed(1, None, beacon=call.beacon)
        outcome = begin(self.rules, self.charter.scenario, seed.key, now.dice)
        standing = InForce({}, today=call.at.day)
        state = State(0, {}, [])
        for side in self.rules.sides:
            if (chain := self.ledger.joined(side).chain) is not None:
                state.links[side] = chain.tip
        self._commit(now, Played(state, call.at, seed, outcome, Sources(), standing, beacon=call.beacon))
        return True

    def _step(self, now: Now, call: Call) -> bool:
        """Make one adjudication if there is anything to answer; tell whether there was."""
        session, state = self.session, now.state
        if state is None or not session.open_decisions:
            return False
        seed = self.ledger.seed(state.adjudication + 1, state, beacon=call.beacon)
        sources, standing = self._sources(state, call.at)
        outcome = advance(session, seed.key, now.dice, sources)
        if not outcome.answers and not sources.expired:
            return False
        self._commit(now, Played(state, call.at, seed, outcome, sources, standing, beacon=call.beacon))
        return True

    def _sources(self, state: State, at: Circumstances) -> tuple[Sources, InForce]:
        """Return the sources of answers, and the standing orders among them."""
        standing = self.in_force(state, self.session, at.day)
        pending = {side: list(queue) for side, queue in state.pending.items()}
        resigned = frozenset(state.resigned)
        return Sources(pending, standing, at.late, at.absent, resigned, state.defaults), standing

    def _checkpoint(self, before: State, act: Record | None = None) -> dict[str, bytes]:
        """Return the file of the state before the next adjudication, if that is committed with it."""
        due = is_checkpoint(before.adjudication + 1, act)
        return self.ledger.checkpoint_files(before) if due else {}

    def _commit(self, now: Now, played: Played, checkpoint: Mapping[str, bytes] | None = None) -> int:
        """Commit an adjudication, and return its number; `checkpoint` is its file of the state before it."""
        state, session = played.state, played.outcome.session
        n = state.adjudication + 1
        files = dict(self._checkpoint(state) if checkpoint is None else checkpoint)
        for decision in session.open_decisions:  # a side is told why its standing orders did not answer
            if not has_order_for(session, played.sources.sheets, decision):
                played.standing.answer(session, decision)
        expired = list(played.standing.expired(session))
        settled = settle(self.ledger.repo, state, n, played.act)
        made = adjudication_of(played, expired)
        after = advanced(self.rules, played, expired, settled.requests)
        now.state, now.session = after, session
        clocks = after_adjudication(self, after, played)
        files |= files_of(self, now, made, played) | self.talk.files()
        for side in sorted({side for side, _ in expired}):
            files |= self.ledger.standing_files(after, side)
        files |= settled.files | clocks.files
        with self.clock.dated(clocks.at):
            now.head = self.ledger.commit(files, adjudication_message(self.name, made), after, made)
        return n

    @contextmanager
    def _changing(self, *, pinned: bool = True) -> Iterator[None]:
        """Hold the game's lock; after any exception read the game from its repo again.

        With `pinned`, raise OtherRules if the rules here are not those that the game is played with.
        """
        with self.lock():
            try:
                if pinned and (odd := self.differs) is not None:
                    raise OtherRules(
                        f"{self.name} is played with other rules than those here: the {odd} differs. "
                        f"`pbem replay {self.name}` says what would change, `pbem migrate {self.name}` moves it."
                    )
                yield
            except BaseException:
                self.forget()
                raise
