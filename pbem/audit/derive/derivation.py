"""The derivation of a game: every commit made again from what was handed in, and compared with the record.

What `pbem.referee.again` commits must be what is on record: clear files and messages byte by byte, sealed files by
path, length and content. The views that are sealed to keys of the players are compared by their places alone. Where a
commit differs, the derivation stops, and goes on with the next state that is on record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Place
from pbem.audit.record.rules_pinned import RulesHere
from pbem.audit.record.sealed import SealedFiles
from pbem.crypto.keys import Keys, Secrets
from pbem.crypto.seal import CannotOpen
from pbem.game.boxes.shelf import Loaded
from pbem.game.order_form import compact
from pbem.game.wording import counted
from pbem.protocol import Record
from pbem.referee.again.differences import differences
from pbem.referee.again.engine import Again, DoesNotFollow, Files, Known, RecordedCommit
from pbem.repo.files.commit_kinds import RECORD, CommitKind, layout_path
from pbem.repo.files.layout import MIGRATION, OFFICE, PLAYERS, SEALED, STATE, VIEWS, turn_path
from pbem.repo.git import Logged
from pbem.repo.git.history import Past
from pbem.repo.ledger import CommittedState, read_committed

Progress = Callable[[int, int], None]
"""Is told how many commits of how many were derived."""


class _Closed(CannotOpen):
    """A sealed file of the record cannot be opened, which is blamed where all of them are opened."""


class Derivation:
    """The derivation of one game, as far as the rules here made it."""

    def __init__(self, evidence: Evidence, files: SealedFiles, rules: RulesHere) -> None:
        self._history = evidence.history
        self._turn_at = {at: n for n, at in evidence.history.turns.items()}
        self._turns = evidence.books.turns
        self._findings = evidence.findings
        self._rules = rules
        charter, opened = evidence.charter, files.opened
        self._sides = list(charter.players)
        sealed = {path for path in OFFICE if not files.can_open(path)}
        self._record = _OpenedRecord(evidence, files, sealed)
        keys = Keys(charter.game, Secrets(b"", opened.hidden, opened.identity, ""), charter.dice.length)
        first = self._history.commits[0].sha
        self._again = Again(charter.game, self._record, Known(keys, self._turns, sealed), first)
        self._at_hand = True
        """Whether the state is known as of the commit that the derivation has come to."""
        self._left = 0
        """The commits that were not made again because a state was lost."""
        self._draws = 0

    def run(self, progress: Progress | None = None) -> None:
        """Derive all commits that the rules here made, and blame what is otherwise on record."""
        commits = self._history.commits
        derived = others = 0
        for commit in commits[1:]:
            kind = self._history.kinds.get(commit.at)
            loaded = self._rules.of(commit.at)
            if kind is None or loaded is None:
                others += kind is not None
                self._adopt(commit)
            elif self._step(commit, kind, loaded):
                derived += 1
            if progress is not None:
                progress(commit.at + 1, len(commits))
        self._findings.check("shuffles", f"{counted(self._draws, 'hidden draw')} made again")
        self._findings.check("derived", f"{counted(derived, 'commit')} made again from what was handed in")
        if others:
            text = f"{counted(others, 'commit')} of other rules: a version of pbem with those makes them again"
            self._findings.leave_open("derived", text)
        if self._left:
            text = f"{counted(self._left, 'commit')} after one that differs, up to the next state on record"
            self._findings.leave_open("derived", text)

    def _step(self, commit: Past, kind: CommitKind, loaded: Loaded) -> bool:
        """Make a commit again, if the state before it is known; tell whether that was done and comes out the same."""
        try:
            files = self._record.changed(commit)
            if not self._at_hand and not self._taken_up(commit, files, loaded):
                self._left += 1
                self._adopt(commit)
                return False
            self._again.make(RecordedCommit(kind, files, commit.author, self._turn_at.get(commit.at)), loaded)
            if self._same(commit, files):
                self._again.keep(commit.sha)
                self._draws += len(self._turns.get(self._turn_at.get(commit.at, 0), {}).get("draws", ()))
                return True
        except _Closed:
            pass
        except Exception as wrong:  # what stands on record may be anything, and the rules may choke on it
            self._findings.blame(self._place(commit), f"it cannot be derived: {_why(wrong)}")
        self._adopt(commit)
        return False

    def _taken_up(self, commit: Past, files: Files, loaded: Loaded) -> bool:
        """Go on with the state before a commit that it has brought; tell whether it has."""
        found = _state_brought(files)
        if found is None:
            return False
        self._again.adopt(self._again.at, found.state)
        self._at_hand = True
        n = int(found.state["adjudication"])
        if n not in self._turns:
            return True
        try:
            same = self._position_digest(n, self._again.position(loaded)) == self._turns[n]["sealed"]["position"]
        except Exception:  # a state of other rules may be anything to those here
            same = False
        if not same and self._made_here(n):
            self._findings.blame(self._place(commit), f"the state that it begins with is not the one after turn {n}")
        elif not same:
            text = f"the state after turn {n}, which was made by other rules, cannot be held against it"
            self._findings.leave_open("derived", text)
        return True

    def _made_here(self, n: int) -> bool:
        """Tell whether the rules here made an adjudication, or a move away from them has, which changes no position."""
        act, made = self._turns[n].get("act", {}), self._rules.of(self._history.turns[n]) is not None
        moved_away = act.get("kind") == MIGRATION and "accepted" not in act
        return made or (moved_away and self._rules.of(self._history.turns[n - 1]) is not None)

    def _position_digest(self, n: int, position: Record) -> str:
        return self._again.ledger.position_digest(n, position)

    def _adopt(self, commit: Past) -> None:
        """Take a commit as it is on record. What is derived after it is not known."""
        self._left_to_others(commit)
        self._again.adopt(commit.sha)
        self._at_hand = not self._begun(commit)

    def _begun(self, commit: Past) -> bool:
        return self._history.turns.get(1, len(self._history.commits)) <= commit.at

    def _left_to_others(self, commit: Past) -> None:
        """Hold the state that other rules have taken over against the one that the rules here have left."""
        n, before = self._turn_at.get(commit.at), self._rules.of(commit.at - 1)
        mine = self._again.derived.state(self._again.at) if self._at_hand and n is not None else None
        if n is None or mine is None or before is None or self._rules.of(commit.at) is not None:
            return
        try:
            theirs, turn = _state_brought(self._record.changed(commit)), self._turns[n]
            digest = self._position_digest(n, self._again.position(before))
        except (CannotOpen, ValueError, KeyError, TypeError):
            return
        if theirs is not None and compact(theirs.state) != compact(mine):
            self._findings.blame(self._place(commit), "the state that it takes over is not the one before it")
        if "accepted" not in turn.get("act", {}) and digest != turn["sealed"]["position"]:
            self._findings.blame(self._place(commit), "it moves the game to other rules, and what is hidden with it")

    def _place(self, commit: Past) -> Place:
        """Return the place of a commit, or of the turn that it brings."""
        return Place(commit.at, self._turn_at.get(commit.at), commit=commit.sha)

    def _same(self, commit: Past, recorded: Files) -> bool:
        """Compare what was made again with the record, and blame what differs."""
        store = self._again.store
        if len(store.made) != 1:
            self._findings.blame(self._place(commit), "nothing that was handed in makes such a commit")
            return False
        message, reasons = store.made[0][0], list(differences(store, recorded, self._again.sealed))
        for path, reason in reasons:
            self._findings.blame(*self._blamed(commit, path, reason))
        if message != commit.message:
            reason = f"its message is {commit.message!r}; what was handed in makes it {message!r}"
            self._findings.blame(Place(commit.at, commit=commit.sha), reason)
        return not reasons and message == commit.message

    def _blamed(self, commit: Past, path: str, reason: str) -> tuple[Place, str]:
        """Return the place of a file that differs, and the reason: with its name, if the place does not say it."""
        n, known = self._turn_at.get(commit.at), layout_path(path, self._sides)
        if known is not None and known.sort == RECORD:
            return Place(commit.at, known.n, file=path), f"the whole of it, {reason}"
        if n is None:
            return Place(commit.at, commit=commit.sha), f"{path}, {reason}"
        return Place(commit.at, n, file=path), reason if path == turn_path(n) else f"{path}, {reason}"


class _OpenedRecord:
    """The record of a game as of each of its commits, opened as far as the secrets at hand open it."""

    def __init__(self, evidence: Evidence, files: SealedFiles, sealed: set[str]) -> None:
        self._history = evidence.history
        self._read = evidence.read
        self._files = files
        self._sealed = sealed
        self._at = {commit.sha: commit.at for commit in evidence.history.commits}

    def changed(self, commit: Past) -> Files:
        """Return the files that a commit changes. Raises _Closed."""
        return {each.path: None if each.new is None else self._content(each.path, each.new) for each in commit.changes}

    def read(self, path: str, at: str) -> bytes | None:
        """Return a file as of a commit; None if it is not there. Raises _Closed."""
        oid = self._history.before(path, self._at[at] + 1)
        return None if oid is None else self._content(path, oid)

    def listdir(self, path: str, at: str) -> list[str]:
        """Return the names in a folder as of a commit, sorted; nothing if it is not there."""
        folder = f"{path}/" if path else ""
        inside = (each for each in self._history.files if each.startswith(folder))
        there = (each for each in inside if self._history.before(each, self._at[at] + 1) is not None)
        return sorted({each[len(folder) :].partition("/")[0] for each in there})

    def history(self, at: str) -> Iterator[Logged]:
        """Yield the commits from one back."""
        for commit in reversed(self._history.commits[: self._at[at] + 1]):
            yield Logged(commit.sha, commit.message, commit.at)

    def _content(self, path: str, oid: bytes) -> bytes:
        """Return a file of the record: a sealed one opened, as far as the secrets at hand open it."""
        if path.endswith(SEALED) and not path.startswith(VIEWS) and path != PLAYERS and path not in self._sealed:
            try:
                return self._files.padded(path, oid)
            except CannotOpen as wrong:
                raise _Closed(str(wrong)) from None
        return self._read(oid)


def _state_brought(files: Files) -> CommittedState | None:
    """Return the state that a commit has brought; None: it has brought none."""
    content = files.get(STATE)
    return None if content is None else read_committed(content)


def _why(wrong: Exception) -> str:
    text = str(wrong).partition("\n")[0]
    return text if isinstance(wrong, DoesNotFollow) else f"{type(wrong).__name__}: {text}"
