"""What is derived of a game, beside its repo: the state as of its head, and the last adjudications as a whole.

All of it follows from the commits (`pbem.referee.again`), so nothing is lost with it: no write is waited for, and what
is torn, missing or of another commit is made again. A file is named by the commit that it belongs to, sealed like the
files of the repo, and neither cloned nor published. Of the last `KEPT` adjudications the whole is kept, and of those
before a move to other rules: the rules here may be unable to make them again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from re import compile as pattern
from typing import Final, NamedTuple

from pbem.crypto.seal import CannotOpen, recipient_of, seal, unseal
from pbem.game.order_form import compact
from pbem.protocol import Record

DERIVED: Final = "derived"
"""The folder inside that of the repo."""
KEPT: Final = 64
"""So many of the last adjudications are kept as a whole."""
_HEAD: Final = "head"
_TURN: Final = "turn"
_HELD: Final = "held"
_NAME: Final = pattern(rf"(?:{_HEAD}|(?:{_TURN}|{_HELD})-[0-9]+)-[0-9a-f]{{40}}")
"""The names of its files; others are left alone."""
_OPEN: Final = 4
"""So many of the last commits are kept in memory as they are; of others only adjudications are, compressed."""


class DerivedTurn(NamedTuple):
    """An adjudication as it was derived: its number, and its sealed record."""

    n: int
    record: Record


class _KeptState(NamedTuple):
    """What is derived as of a commit, as compact JSON: the state, and the adjudication that it made (0: none)."""

    state: bytes
    n: int = 0
    record: bytes = b""
    packed: bool = False
    """Whether the state is compressed."""

    @property
    def text(self) -> bytes:
        """The state as JSON."""
        return zlib.decompress(self.state) if self.packed else self.state


class Derived:
    """What is derived of one game; without a folder it is kept in memory alone."""

    def __init__(self, repo: Path | None = None, identity: str = "") -> None:
        self._folder = None if repo is None else repo / DERIVED
        self._identity = identity
        self._memory: dict[str, _KeptState] = {}

    def state(self, sha: str) -> Record | None:
        """Return the state as of a commit; None: it is not known. The caller may change it."""
        kept = self._find(sha)
        return None if kept is None else json.loads(kept.text)

    def turn(self, sha: str) -> DerivedTurn | None:
        """Return the adjudication that a commit has made; None: it is not known."""
        kept = self._find(sha)
        return None if kept is None or not kept.n else DerivedTurn(kept.n, json.loads(kept.record))

    def put(self, sha: str, state: Record, turn: DerivedTurn | None = None) -> None:
        """Keep what is derived as of a commit."""
        n, record = (0, b"") if turn is None else (turn.n, compact(turn.record))
        self._put(sha, _KeptState(compact(state), n, record))

    def moved(self, old: str, new: str) -> None:
        """Take the state as of one commit for that of the next, which does not change it."""
        if (kept := self._find(old)) is not None:
            self._put(new, _KeptState(kept.text))

    def renamed(self, old: str, new: str) -> None:
        """Take a commit whose id was not known yet for another."""
        if (kept := self._memory.pop(old, None)) is not None:
            self._memory[new] = kept

    def take(self, sha: str, other: Derived, *, lasting: bool) -> None:
        """Keep what was derived elsewhere as of a commit; without `lasting` in memory alone."""
        if (kept := other._memory.get(sha)) is not None:
            self._put(sha, kept, lasting=lasting)

    def hold(self) -> None:
        """Keep for ever what is kept of adjudications: they were made by rules that the game is moved away from."""
        for name in self._names():
            if self._folder is not None and name.startswith(f"{_TURN}-"):
                with suppress(OSError):
                    (self._folder / name).rename(self._folder / name.replace(_TURN, _HELD, 1))

    def discard(self, sha: str) -> None:
        """Throw away what is kept as of a commit: it does not follow from it."""
        self._memory.pop(sha, None)
        for name in self._names():
            if self._folder is not None and name.endswith(f"-{sha}"):
                with suppress(OSError):
                    (self._folder / name).unlink()

    def _put(self, sha: str, kept: _KeptState, *, lasting: bool = True) -> None:
        self._memory.pop(sha, None)
        self._memory[sha] = kept
        if self._folder is not None and lasting:
            self._write(f"{_TURN}-{kept.n:06}-{sha}" if kept.n else f"{_HEAD}-{sha}", kept)
            self._prune(sha, kept.n)
        if len(self._memory) > _OPEN:
            old = list(self._memory)[-_OPEN - 1]
            was = self._memory[old]
            if not was.n or (self._folder is not None and lasting):
                del self._memory[old]
            elif not was.packed:
                self._memory[old] = was._replace(state=zlib.compress(was.state, 1), packed=True)

    def _find(self, sha: str) -> _KeptState | None:
        if (kept := self._memory.get(sha)) is None and (kept := self._read(sha)) is not None:
            self._memory[sha] = kept
        return kept

    # ---- on disk

    def _names(self) -> Sequence[str]:
        try:
            names = [] if self._folder is None else [each.name for each in self._folder.iterdir()]
            return [name for name in names if _NAME.fullmatch(name)]
        except OSError:
            return []

    def _read(self, sha: str) -> _KeptState | None:
        name = next((each for each in self._names() if each.endswith(f"-{sha}")), None)
        if self._folder is None or name is None:
            return None
        try:
            content = zlib.decompress(unseal(self._identity, f"{DERIVED}/{sha}", (self._folder / name).read_bytes()))
            n, state, record = content.split(b"\n")
            return _KeptState(state, int(n), record)
        except (OSError, CannotOpen, ValueError, zlib.error):
            return None

    def _write(self, name: str, kept: _KeptState) -> None:
        assert self._folder is not None
        content = zlib.compress(b"%d\n%b\n%b" % (kept.n, kept.text, kept.record), 4)
        sealed = seal([recipient_of(self._identity)], f"{DERIVED}/{name[-40:]}", content, public=len(content))
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            (self._folder / name).write_bytes(sealed)

    def _prune(self, sha: str, n: int) -> None:
        """Remove the states of earlier commits, and the adjudications that are made again more easily than kept."""
        assert self._folder is not None
        for name in self._names():
            kind, _, rest = name.partition("-")
            old = kind == _TURN and n and not n - KEPT < int(rest.partition("-")[0]) <= n
            if (kind == _HEAD and not name.endswith(sha)) or old:
                with suppress(OSError):
                    (self._folder / name).unlink()
