"""The derivation of a game: makes every commit again from what was handed in, and compares it with the record.

The adjudicator works on a repo in memory, with the secrets of the game and without sealing. Commit by commit it is
given what came from outside: the opened sheets, what players mailed before the beginning, the requests, the rounds of
the beacon, the acts of the game master with their reasons, the day, and who was late or absent. What it commits must be
what is on record: clear files and messages byte by byte, sealed files by path, length and content. The views that are
sealed to keys of the players are compared by their places alone.

What the record is taken for: the links of the dice chain (each follows from the tip, which
`pbem.audit.public.dice_check` checks), the paths of the notes of letters (named by a digest under a key that is never
revealed), and the two lists in which a migration says what a replay under two versions of the rules found.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import zip_longest
from operator import itemgetter
from typing import Any, Final

from pbem.audit.derive.derived_acts import Acts, NotDerived, ask_again, say_again
from pbem.audit.record.commit_check import History, Kind
from pbem.audit.record.findings import Findings, Place
from pbem.audit.record.rules_pinned import RulesHere
from pbem.audit.record.schemas import Record
from pbem.audit.record.sealed import SealedFiles
from pbem.audit.record.turn_files import Books
from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE, Closing
from pbem.crypto.keys import Keys, Secrets
from pbem.crypto.seal import CannotOpen, NoSealing, unpadded
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.wording import counted
from pbem.protocol import Side
from pbem.referee.acts.consents import note_consent, refuse
from pbem.referee.acts.players import put_deputy
from pbem.referee.acts.reveal import reveal_secrets
from pbem.referee.acts.talk import write_talk
from pbem.referee.acts.timekeeping import put_fact
from pbem.referee.game.facts import read_fact
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import Joined
from pbem.repo.files.layout import (
    BEACON,
    DEPUTIES,
    FACTS,
    JOINED,
    LETTERS,
    OFFICE,
    PLAYERS,
    PRESS,
    REQUESTS,
    SEALED,
    SHEETS,
    UNOPENED,
    VIEWS,
    joined_path,
    sealed_path,
    turn_path,
)
from pbem.repo.files.seats import Deputyship
from pbem.repo.files.talk_book import JournalFile, OpenJournal
from pbem.repo.git.history import Past
from pbem.repo.ledger import Ledger, LetterId
from pbem.repo.memory import MemoryRepo

# ---- The ledger and the adjudicator of a derived game, without seals; what cannot be derived comes from the record


class RecordedLinks:
    """The links that the turns have opened: what they come from is never revealed."""

    def __init__(self, books: Books) -> None:
        self._turns = books.turns

    def link(self, n: int) -> str:
        """Return the link that a turn has opened; nothing for one that was not made, as when its sheets are closed."""
        return str(self._turns[n]["link"]) if n in self._turns else ""

    def renewal(self, n: int) -> str | None:
        """Return the tip that a turn promises."""
        return self._turns[n].get("renewal")


class OpenLedger(Ledger):
    """The ledger of a game that is derived: nothing is sealed, and links and names of letters are those on record."""

    def __init__(self, repo: MemoryRepo, keys: Keys, books: Books, *, unopened: bool) -> None:
        """`unopened`: the talk that is never opened is known, because all keys are at hand."""
        super().__init__(repo, keys, NoSealing())
        self.chain = RecordedLinks(books)
        self.journal: JournalFile = OpenJournal()
        self._unopened = unopened

    def talk_on_record(self, path: str, at: str | None = None) -> Record | None:
        """Return what a file of talk holds, if it can be opened."""
        return self._unsealed(path, at) if path != UNOPENED or self._unopened else None

    def seal_talk(self, path: str, content: bytes, room: int) -> bytes:
        """Return a file of talk as it would be sealed."""
        return self._sealing.seal(path, content, room)

    def letter_path(self, digest: str) -> str:
        """Return the path of the note of a letter, which is given in place of the letter's digest."""
        return digest

    @property
    def _seats(self) -> Mapping[Side, str]:
        """The players and their addresses, which nobody can open."""
        return {}

    def _seat_files(self, side: Side, seat: Record) -> dict[str, bytes]:
        """Return the file of the players, which nobody can open."""
        return {PLAYERS: b""}


class Again(Adjudicator):
    """The adjudicator of a game that is derived. That its rules are the right ones is known."""

    @property
    def differs(self) -> str | None:
        """Nothing differs."""
        return None


# ---- First difference: says where a recorded file and the file that was derived for it begin to differ


_LONGEST: Final = 120


def first_difference(path: str, recorded: bytes, made: bytes) -> str:
    """Return a sentence that says where a recorded file first differs from the derived one.

    Both are the plain bytes; those of a sealed file still have their padding.
    """
    try:
        here, there = _value(path, recorded), _value(path, made)
    except (ValueError, CannotOpen) as wrong:
        return f"it is not the file that follows from what was handed in: {wrong}"
    found = _difference(here, there, "")
    if found is None:
        room = "; its padding has another length" if len(recorded) != len(made) else ""
        return f"it says what follows from what was handed in, but is written otherwise{room}"
    at, one, other = found
    return f"{at}: on record is {_value_said(one)}; what was handed in makes it {_value_said(other)}"


def _value(path: str, content: bytes) -> Any:
    if not path.endswith(SEALED):
        return yamlio.read(content, name=path).value
    return json.loads(unpadded(path, content))


def _difference(here: Any, there: Any, at: str) -> tuple[str, Any, Any] | None:
    """Return the place of the first difference between two plain values, and what stands there in each."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in dict.fromkeys((*there, *here)):
            if found := _difference(here.get(key, _NOTHING), there.get(key, _NOTHING), f"{at}.{key}" if at else key):
                return found
        return None if list(here) == list(there) else (at or "its words", list(here), list(there))
    if isinstance(here, list) and isinstance(there, list):
        return _in_lists(here, there, at)
    same = type(here) is type(there) and here == there
    return None if same else (at or "it", here, there)


def _in_lists(here: Sequence[Any], there: Sequence[Any], at: str) -> tuple[str, Any, Any] | None:
    pairs = enumerate(zip_longest(here, there, fillvalue=_NOTHING), 1)
    found = (_difference(one, other, f"{at} {number}") for number, (one, other) in pairs)
    return next((each for each in found if each is not None), None)


_NOTHING: Final = object()


def _value_said(value: Any) -> str:
    if value is _NOTHING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


# ---- The derivation of a game: makes every commit again from what was handed in, and compares it with the record


Progress = Callable[[int, int], None]
"""Is told how many commits of how many were derived."""
Files = Mapping[str, bytes | None]


class _Closed(CannotOpen):
    """A sealed file of the record cannot be opened, which is blamed where all of them are opened."""


class Derivation:
    """The derivation of one game, as far as the rules here made it."""

    def __init__(
        self, history: History, books: Books, files: SealedFiles, read: Callable[[bytes], bytes], rules: RulesHere
    ) -> None:
        self._history = history
        self._turn_at = {at: n for n, at in history.turns.items()}
        self._books = books
        self._files = files
        self._read = read
        self._rules = rules
        charter, opened = files.charter, files.opened
        self._repo = MemoryRepo(charter.game, self._as_of)
        self._adopt(history.commits[0])
        keys = Keys(charter.game, Secrets(b"", opened.hidden, opened.identity, ""), charter.dice.length)
        self._sealed = {path for path in OFFICE if not files.can_open(path)}
        ledger = OpenLedger(self._repo, keys, books, unopened=UNOPENED not in self._sealed)
        self._game = Again(ledger, rules.loaded)

    def run(self, findings: Findings, progress: Progress | None = None) -> None:
        """Derive all commits that the rules here made, and blame what is otherwise on record."""
        commits = self._history.commits
        derived = others = 0
        for commit in commits[1:]:
            kind = self._history.kinds.get(commit.at)
            if kind is None or not self._rules.made(commit.at):
                others += kind is not None
                self._adopt(commit)
                self._game.forget()
                continue
            try:
                self._make(kind, commit)
                self._compare(commit, findings)
                derived += 1
            except _Closed:
                self._go_on(commit)
            except Exception as wrong:  # what stands on record may be anything, and the rules may choke on it
                findings.blame(self._place(commit), f"it cannot be derived: {_said(wrong)}")
                self._go_on(commit)
            if progress is not None:
                progress(commit.at + 1, len(commits))
        left = (
            f"; {others:,} that other rules made left out: a version of pbem with those derives them" if others else ""
        )
        findings.check("derived", f"{counted(derived, 'commit')} made again from what was handed in{left}")

    # ---- what is on record

    def _content(self, path: str, oid: bytes) -> bytes:
        """Return a file of the record: a sealed one opened, as far as the secrets at hand open it."""
        if path.endswith(SEALED) and not path.startswith(VIEWS) and path != PLAYERS and path not in self._sealed:
            try:
                return self._files.padded(path, oid)
            except CannotOpen as wrong:
                raise _Closed(str(wrong)) from None
        return self._read(oid)

    def _recorded(self, commit: Past) -> dict[str, bytes | None]:
        return {each.path: None if each.new is None else self._content(each.path, each.new) for each in commit.changes}

    def _adopt(self, commit: Past) -> None:
        """Take a commit as it is on record."""
        files: dict[str, bytes | None] = {}
        for change in commit.changes:
            try:
                files[change.path] = None if change.new is None else self._content(change.path, change.new)
            except _Closed:
                continue
        self._repo.commit(files, commit.message)
        self._repo.keep()

    def _as_of(self, path: str, commits: int) -> bytes | None:
        """Return a file of the record as of its first so many commits."""
        oid = self._history.before(path, commits)
        return None if oid is None else self._content(path, oid)

    def _go_on(self, commit: Past) -> None:
        """Go on from the record in place of what was derived."""
        self._repo.undo()
        self._game.ledger.journal = OpenJournal()
        self._adopt(commit)
        self._game.forget()

    def _place(self, commit: Past) -> Place:
        """Return the place of a commit, or of the turn that it brings."""
        return Place(commit.at, self._turn_at.get(commit.at), commit=commit.sha)

    # ---- making it again

    def _make(self, kind: Kind, commit: Past) -> None:
        """Make a commit again from what came from outside."""
        recorded = self._recorded(commit)
        self._game.talk.due = PRESS in recorded
        if PRESS in recorded:
            self._talk(recorded)
        self._game.today, self._game.moment = date.min, None
        if self._game.clock.terms is not None:
            self._repo.letter_time = datetime.fromtimestamp(commit.author, UTC)
        if kind is Kind.TALK:
            write_talk(self._game)
        elif kind is Kind.JOIN:
            self._join(recorded)
        elif kind is Kind.PLAYER:
            self._player(recorded)
        elif kind is Kind.DEPUTY:
            self._deputy(recorded)
        elif kind is Kind.SHEET:
            self._sheet(recorded)
        elif kind is Kind.CLOSING:
            self._closing(recorded)
        elif kind is Kind.REQUEST:
            self._request(recorded)
        elif kind is Kind.REVEAL:
            reveal_secrets(self._game)
        elif kind is Kind.FACT:
            self._fact(recorded)
        else:
            n = self._turn_at.get(commit.at)
            if n is None or n not in self._books.turns:
                raise NotDerived("its turn file cannot be read")
            self._adjudication(n, self._books.turns[n])

    def _talk(self, recorded: Files) -> None:
        """Say and show again what is recorded, as far as it can be opened, day by day."""
        said = [
            each
            for path in self._game.talk.paths
            if path in recorded and path not in self._sealed
            for each in json.loads(unpadded(path, recorded[path] or b""))["talk"]
        ]
        for each in sorted(said, key=itemgetter("day")):
            self._game.today = date.fromisoformat(each["day"])
            say_again(self._game, each)

    def _join(self, recorded: Files) -> None:
        """Mail again what a player has mailed for themselves."""
        note, letter = _note(recorded)
        joined = next((path for path in recorded if path.startswith(JOINED)), None)
        side = str(note.get("side")) if joined is None else joined[len(JOINED) : -len(".yaml")]
        content = recorded.get(joined_path(side))
        said = self._game.ledger.joined(side)
        if content is not None:
            said = plain.decode(Joined, yamlio.read(content, name=joined_path(side)).value)
        before = self._game.ledger.joined(side)
        phrase = said.phrase if content and not self._game.begun else None
        chain = said.chain if content and (not self._game.begun or said.chain != before.chain) else None
        self._game.join(side, phrase=phrase, chain=chain, key=said.key if content else None, letter=letter)

    def _player(self, recorded: Files) -> None:
        """Give a side another player or address again; who that is stays sealed."""
        path = next(path for path in recorded if path.startswith(JOINED))
        side = path[len(JOINED) : -len(".yaml")]
        said = plain.decode(Joined, yamlio.read(recorded[path] or b"", name=path).value)
        replaced = said.player != self._game.ledger.joined(side).player
        self._game.change_player(side, "", "", replaced=replaced)

    def _deputy(self, recorded: Files) -> None:
        """Give a side a deputy again, or dismiss one; who that is stays sealed."""
        path = next(path for path in recorded if path.startswith(DEPUTIES))
        side = path[len(DEPUTIES) : -len(".yaml")]
        said = plain.decode(Deputyship, yamlio.read(recorded[path] or b"", name=path).value)
        put_deputy(self._game, side, None, said.until, _note(recorded)[1])

    def _sheet(self, recorded: Files) -> None:
        """Hand in an opened sheet again."""
        path = next(path for path in recorded if path.startswith(SHEETS))
        side = path[len(SHEETS) :].partition("/")[0]
        raw = unpadded(path, recorded[path] or b"")
        receipt = self._game.receive(side, raw, letter=_note(recorded)[1], recorded=True)
        if receipt.number is None:
            raise NotDerived(
                f"this sheet has faults and would have been sent back: {receipt.complaints[0].fault.reason}"
            )

    def _closing(self, recorded: Files) -> None:
        """Close the sheets again for the round on record, or put the round in."""
        closing = plain.decode(Closing, yamlio.read(recorded[BEACON] or b"", name=BEACON).value)
        if closing.come:
            before = self._game.closed
            if before is None:
                raise NotDerived("no sheets are closed for the round")
            self._game.note_round(replace(before, signature=closing.signature, missing=closing.missing))
            return
        self._game.today = date.fromisoformat(closing.day)
        self._game.moment = time_of(closing.round) - PATIENCE
        if self._game.step(frozenset(closing.late), frozenset(closing.absent)):
            raise NotDerived("the next adjudication needed no round")

    def _request(self, recorded: Files) -> None:
        """Ask again for a rollback, a draw or a resignation, or consent to it or refuse it again."""
        note, letter = _note(recorded)
        paths = sorted(path for path in recorded if path.startswith(REQUESTS))
        new = [path for path in paths if self._game.ledger.read(path) is None]
        if new:
            said = yamlio.read(recorded[new[0]] or b"", name=new[0]).value
            ask_again(self._game, said, letter)
            return
        before = self._game.request()
        if before is None:
            raise NotDerived("there is no request")
        said = yamlio.read(recorded[paths[0]] or b"", name=paths[0]).value if paths else plain.encode(before)
        outcome = str(said.get("outcome", ""))
        if outcome.startswith("refused by "):
            refuse(self._game, outcome.removeprefix("refused by "), before.request, letter)
            return
        if more := [side for side in said.get("refusals", ()) if side not in before.refusals]:
            refuse(self._game, more[0], before.request, letter)
            return
        new_sides = [side for side in said.get("consents", ()) if side not in before.consents] or [note.get("side", "")]
        note_consent(self._game, new_sides[0], before.request, letter)

    def _fact(self, recorded: Files) -> None:
        """State a fact of time again, or decide again who is late."""
        path = next(path for path in recorded if path.startswith(FACTS))
        put_fact(self._game, read_fact(yamlio.read(recorded[path] or b"", name=path).value), _note(recorded)[1])

    def _adjudication(self, n: int, turn: Record) -> None:
        """Make an adjudication again, or an act of the game master."""
        self._game.today = date.fromisoformat(turn["day"])
        if "act" not in turn:
            if not self._game.step(frozenset(turn.get("late", ())), frozenset(turn.get("absent", ()))):
                raise NotDerived("nothing was at hand that could have been adjudicated")
            return
        act = turn["act"]
        path = sealed_path(turn_path(n))
        oid = self._history.latest(path)
        record = json.loads(unpadded(path, self._content(path, oid))) if oid is not None else {}
        Acts(self._game, n, act, record.get("act")).again()

    # ---- comparing

    def _compare(self, commit: Past, findings: Findings) -> None:
        """Compare what was made again with the record; where they differ, go on from the record."""
        made = self._repo.new
        if len(made) != 1:
            findings.blame(self._place(commit), "nothing that was handed in makes such a commit")
            self._go_on(commit)
            return
        ((message, files),) = made
        reasons = list(self._differences(files, self._recorded(commit)))
        for path, reason in reasons:
            findings.blame(*self._blamed(commit, path, reason))
        if message != commit.message:
            reason = f"its message is {commit.message!r}; what was handed in makes it {message!r}"
            findings.blame(Place(commit.at, commit=commit.sha), reason)
        if reasons or message != commit.message:
            self._go_on(commit)
        else:
            self._repo.keep()

    def _blamed(self, commit: Past, path: str, reason: str) -> tuple[Place, str]:
        """Return the place of a file that differs, and the reason: with its name, if the place does not say it."""
        n = self._turn_at.get(commit.at)
        if n is None:
            return Place(commit.at, commit=commit.sha), f"{path}, {reason}"
        what = {turn_path(n): "", sealed_path(turn_path(n)): "its sealed record, "}.get(path, f"{path}, ")
        return Place(commit.at, n, file=path), what + reason

    def _differences(self, made: Files, recorded: Files) -> Iterator[tuple[str, str]]:
        """Yield the files that differ, each with what differs."""
        for path in sorted(made.keys() | recorded.keys(), key=_in_order):
            if path not in recorded:
                if made[path] != self._repo.before(path):
                    yield path, "it is not changed, but what was handed in changes it"
            elif path not in made:
                yield path, "it is changed, and nothing that was handed in changes it"
            elif not path.startswith(VIEWS) and path not in (PLAYERS, *self._sealed) and made[path] != recorded[path]:
                yield path, first_difference(path, recorded[path] or b"", made[path] or b"")


_NO_LETTER: Final[tuple[Record, LetterId | None]] = {}, None


def _note(recorded: Files) -> tuple[Record, LetterId | None]:
    """Return the note of the letter that a commit carries out, and the paths of the note; nothing if there is none."""
    paths = tuple(path for path in recorded if path.startswith(LETTERS))
    if not paths:
        return _NO_LETTER
    return yamlio.read(recorded[paths[0]] or b"", name=paths[0]).value, paths


def _in_order(path: str) -> tuple[bool, bool, str]:
    """Sort the files of a commit: the turn file, its sealed record, the others; those in clear first."""
    return not path.startswith("turns/"), path.endswith(SEALED), path


def _said(wrong: Exception) -> str:
    text = str(wrong).partition("\n")[0]
    return text if isinstance(wrong, NotDerived) else f"{type(wrong).__name__}: {text}"
