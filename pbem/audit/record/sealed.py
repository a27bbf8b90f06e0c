"""What was sealed, once it can be opened: the secrets, and that it fits its digests.

For that the rules of the game are not needed. What its adjudications must come to, and every hidden draw, is checked by
`pbem.audit.derive`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, NamedTuple

from pbem.audit.record.evidence import Evidence, History, Read, Version
from pbem.audit.record.findings import Place
from pbem.audit.record.schemas import ACT_SHAPE, REVEALED_SHAPE, misfit, said_in
from pbem.crypto.keys import Keys
from pbem.crypto.seal import CannotOpen, commitment, open_padded, recipient_of, salt_of, salted, unpadded
from pbem.game.order_form import compact
from pbem.game.wording import counted
from pbem.repo.files.charter import Charter, check_keys
from pbem.repo.files.commit_kinds import HEARD, VIEW, layout_path
from pbem.repo.files.layout import OFFICE, REVEALED, SEALED, VIEWS, sealed_path, standing_path, turn_path
from pbem.repo.files.records import without_remarks

_MOST_KEPT: Final = 16
"""The opened files that are kept in memory: a stranger's clone may hold any number of large ones."""


class OpenedSecrets(NamedTuple):
    """What opens the sealed files and makes the shuffles; `keys` are all the secrets, if they are at hand."""

    hidden: bytes
    identity: str
    keys: Keys | None = None


def secrets_of(evidence: Evidence, keys: Callable[[str], Keys] | None) -> OpenedSecrets | None:
    """Return the secrets of a game, checked against what was promised; None: they are not at hand, or are others.

    `keys` returns those of the key store. Raises BadKeys if they are not those of this game.
    """
    revealed = _revealed(evidence)
    if keys is None:
        return revealed
    found = keys(evidence.charter.game)
    check_keys(evidence.charter, found)
    return OpenedSecrets(found.hidden, found.identity, found)


def _revealed(evidence: Evidence) -> OpenedSecrets | None:
    """Return the secrets that were revealed; blame them if they are not those that were promised."""
    charter, findings = evidence.charter, evidence.findings
    oid = evidence.history.latest(REVEALED)
    if oid is None:
        return None
    place = evidence.history.place_of(REVEALED)
    said = said_in(evidence.read(oid), REVEALED_SHAPE, place, findings)
    if said is None:
        return None
    hidden, identity = bytes.fromhex(said["hidden"]), said["identity"]
    reasons = []
    if commitment(hidden) != charter.dice.hidden:
        reasons.append("the hidden secret is not the one whose digest the charter has")
    try:
        recipient = recipient_of(identity)
    except ValueError as wrong:
        reasons.append(f"identity: {wrong}")
    else:
        if recipient != charter.sealed_to:
            reasons.append(f"its key does not open what is sealed to {charter.sealed_to}")
    findings.blame(place, *reasons)
    return None if reasons else OpenedSecrets(hidden, identity)


def sealed_text(history: History) -> str:
    """Say what stays unchecked as long as it is sealed."""
    sealed = [path for path in history.files if path.endswith(SEALED)]
    sides = sum(path.startswith(VIEWS) for path in sealed)
    text = f"{counted(len(sealed) - sides, 'file')}: to check them takes the secrets, which are revealed at the end"
    return text + (f"; {sides} more are sealed to keys of the sides" if sides else "")


class SealedFiles:
    """The sealed files of a game, each version opened once."""

    def __init__(self, charter: Charter, opened: OpenedSecrets, read: Read) -> None:
        self.charter = charter
        self.opened = opened
        self._read = read
        self._padded: dict[bytes, bytes] = {}

    def can_open(self, path: str) -> bool:
        """Tell whether a file is one of those that the secrets at hand open."""
        known = layout_path(path, list(self.charter.players))
        if known is None or not path.endswith(SEALED) or known.sort in (VIEW, HEARD):
            return False
        return path not in OFFICE or self.opened.keys is not None

    def padded(self, path: str, oid: bytes) -> bytes:
        """Return what was sealed at a path, with its padding. Raises CannotOpen."""
        if oid not in self._padded:
            if len(self._padded) >= _MOST_KEPT:
                self._padded.clear()
            keys = self.opened.keys
            identity = keys.office if path in OFFICE and keys is not None else self.opened.identity
            self._padded[oid] = open_padded(identity, path, self._read(oid))
        return self._padded[oid]

    def content(self, path: str, oid: bytes) -> bytes:
        """Return what was sealed at a path. Raises CannotOpen."""
        return unpadded(path, self.padded(path, oid))

    def salted(self, path: str, content: bytes) -> str:
        """Return the salted digest of what was sealed at a path."""
        return salted(salt_of(self.opened.hidden, path), content)


def check_sealed(evidence: Evidence, files: SealedFiles) -> None:
    """Open every version of every sealed file, and hold it against the digests that are public."""
    _SealedCheck(evidence, files).all()


class _SealedCheck:
    """The check of the sealed files of a game."""

    def __init__(self, evidence: Evidence, files: SealedFiles) -> None:
        self._history = evidence.history
        self._books = evidence.books
        self._findings = evidence.findings
        self._files = files
        self._blamed: set[tuple[str, int]] = set()

    def all(self) -> None:
        """Check all of them."""
        paths = [path for path in self._history.files if self._files.can_open(path)]
        versions = 0
        for path in paths:
            for version in self._history.files[path]:
                versions += 1
                self._content(path, version)
        self._sheets()
        self._standing()
        text = f"{counted(len(paths), 'file')} opened in all of {counted(versions, 'version')}"
        self._findings.check("sealed", f"{text}; sheets and standing orders are those of the digests")
        for n in self._books.turns:
            self._act(n)

    def _content(self, path: str, version: Version | None) -> bytes | None:
        """Return what is sealed in a version of a file; blame it, once, if it cannot be opened."""
        if version is None or version.oid is None:
            return None
        try:
            return self._files.content(path, version.oid)
        except CannotOpen as wrong:
            if (path, version.at) in self._blamed:
                return None
            self._blamed.add((path, version.at))
            known = layout_path(path, list(self._files.charter.players))
            place = Place(version.at, known.n if known is not None and known.sort == "turn" else None, file=path)
            self._findings.blame(place, f"{path if place.turn else 'it'} {str(wrong).removeprefix(f'{path}: ')}")
            return None

    def _last(self, path: str, before: int | None = None) -> Version | None:
        """Return the last version of a file, or the last before a commit; None: there is none."""
        found = [each for each in self._history.files.get(path, ()) if before is None or each.at < before]
        return found[-1] if found and found[-1].oid is not None else None

    def _sheets(self) -> None:
        """Hold every sheet against the digest that went into the dice."""
        for n, by_side in self._history.sheets.items():
            turn = self._books.turns.get(n + 1, {})
            named, texts = turn.get("sheets", {}), turn.get("texts", {})
            for side, paths in by_side.items():
                for path in paths:
                    content, promised = self._content(path, self._last(path)), named.get(side, {}).get(path)
                    if content is None or promised is None:
                        continue
                    if promised != self._files.salted(path, without_remarks(content)):
                        reason = f"it is not the sheet whose digest went into turn {n + 1}"
                        self._findings.blame(self._history.place_of(path), reason)
                    elif texts.get(side, {}).get(path) != self._files.salted(path, content):
                        reason = f"its remarks are not those whose digest stands in turn {n + 1}"
                        self._findings.blame(self._history.place_of(path), reason)

    def _standing(self) -> None:
        """Hold standing orders against the digests that went into the dice."""
        for side in self._files.charter.players:
            path = standing_path(side)
            for n, turn in self._books.turns.items():
                promised = turn.get("standing", {}).get(side)
                content = self._content(path, self._last(path, self._history.turns[n]))
                if promised is not None and content is not None and self._files.salted(path, content) != promised:
                    reason = f"the standing orders of {side} are not those whose digest went in"
                    self._findings.blame(self._history.place(n), reason)

    def _act(self, n: int) -> None:
        """Hold what the game master did out of sight in a turn against the digest of its act."""
        path, place, act = sealed_path(turn_path(n)), self._history.place(n), self._books.turns[n].get("act", {})
        content, promised = self._content(path, self._last(path)), act.get("sealed", act.get("hidden"))
        if content is None:
            if promised is not None and self._last(path) is None:
                self._findings.blame(place, "what the game master did out of sight is not there")
            return
        try:
            record = json.loads(content)
        except ValueError as wrong:
            self._findings.blame(place, f"the sealed part of the act cannot be read: {wrong}")
            return
        if wrong_shape := misfit(record, ACT_SHAPE):
            self._findings.blame(place, f"the sealed part of the act is not written as they are: {wrong_shape}")
        elif promised != self._files.salted(turn_path(n).replace(".yaml", ".act"), compact(record["act"])):
            self._findings.blame(place, "what the game master did out of sight is not what its digest says")
