"""Checks what was sealed, once it can be opened: digests, shuffles, and that the sealed records say what is public."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pbem.audit.answers import Sheets, check_answers, check_published, check_states
from pbem.audit.findings import Findings, Place, number
from pbem.audit.history import SHEET, STANDING, TURN, History, filed
from pbem.audit.schemas import RECORD, misfit, same_words
from pbem.audit.secrets import Opened
from pbem.audit.standing_orders import check_standing
from pbem.audit.turn_files import Books
from pbem.crypto.dice import ChainDice, step_key
from pbem.crypto.seal import CannotOpen, salt_of, salted, unseal
from pbem.game.box import open_box
from pbem.repo.charter import Charter
from pbem.repo.layout import KNOWN, PLAYERS, SEALED, STATE, sealed_path, standing_path, turn_path

Read = Callable[[bytes], bytes]


def sealed_text(history: History) -> str:
    """Say what stays unchecked as long as it is sealed."""
    sealed = [path for path in history.files if path.endswith(SEALED)]
    sides = sum(path.startswith(KNOWN) for path in sealed)
    text = f"{number(len(sealed) - sides, 'file')}: to check them takes the secrets, which are revealed at the end"
    return text + (f"; {sides} more are sealed to keys of the sides" if sides else "")


def check_sealed(
    history: History, books: Books, charter: Charter, opened: Opened, read: Read, folders: Iterable[str | Path],
    same_box: bool, findings: Findings,
) -> None:  # fmt: skip
    """Open what is sealed and check all of it. With `same_box` the box here is the game's: its sheets can be read."""
    sealed = Sealed(history, books, charter, opened, read, findings)
    sealed.check()
    check_published(history, books, sealed.records, charter.game, findings)
    check_states(history, books, sealed.records, sealed.states(), sealed.digest_of, charter.game, findings)
    box = open_box(charter.rules, folders, history.corrections(read)) if same_box else None
    moved = any(turn.get("act", {}).get("kind") == "migration" for turn in books.turns.values())
    check_standing(history, list(charter.players), sealed.standing, sealed.sheets.get, box, moved, findings)
    if box is not None:
        sheets = Sheets(box.forms, sealed.sheets.get)
        check_answers(history, books, sealed.records, sheets, findings)
    else:
        findings.leave("answers", "not held against the sheets: to read them takes the box of the game")


class Sealed:
    """The sealed files of a game, opened."""

    def __init__(
        self, history: History, books: Books, charter: Charter, opened: Opened, read: Read, findings: Findings
    ) -> None:
        self.history = history
        self.books = books
        self.charter = charter
        self.opened = opened
        self.records: dict[int, Mapping[str, Any]] = {}
        """The sealed records of the turns, as far as they can be read."""
        self.sheets: dict[str, bytes] = {}
        """The sheets, as received, by path."""
        self.standing: dict[bytes, bytes | None] = {}
        """Every version of standing orders, by what names it."""
        self._states: dict[int, bytes] = {}
        self._read = read
        self._findings = findings

    def check(self) -> None:
        """Open every file, and hold every one against its digest and what is public."""
        files = versions = 0
        sides = list(self.charter.players)
        for path in self.history.files:
            known = filed(path, sides)
            if known is None or not path.endswith(SEALED) or path.startswith(KNOWN):
                continue
            if path == PLAYERS and self.opened.keys is None:
                continue
            files += 1
            for version in self.history.files[path]:
                if version.oid is None:
                    continue
                versions += 1
                place = Place(version.at, known.n if known.sort == TURN else None, file=path)
                if known.sort in (TURN, SHEET, STANDING):  # those are opened for their digests
                    continue
                content = self._open(path, version.oid, place)
                if path == STATE and content is not None:
                    self._states[version.at] = content
        self._open_sheets()
        self._standing()
        for n in self.books.turns:
            self._record(n)
        opened = f"{number(files, 'file')} opened in all of {number(versions, 'version')}"
        text = f"{opened}; sheets and standing orders are those of the digests"
        self._findings.check("sealed", text)
        self._shuffles()

    def states(self) -> dict[int, Any]:
        """Return what the game goes on from, by the number of the commit that says so; what is unreadable is blamed."""
        states = {}
        for commit, content in self._states.items():
            try:
                state = json.loads(content)
            except ValueError as wrong:
                self._findings.blame(Place(commit, file=STATE), f"it cannot be read: {wrong}")
                continue
            if isinstance(state, dict):
                states[commit] = state
            else:
                self._findings.blame(Place(commit, file=STATE), "it is no mapping")
        return states

    def digest_of(self, path: str) -> str | None:
        """Return the salted digest of a sheet; None: it could not be opened."""
        return self._salted(path, self.sheets[path]) if path in self.sheets else None

    def _open(self, path: str, oid: bytes, place: Place) -> bytes | None:
        """Return what is sealed in a version of a file; blame it if it cannot be opened."""
        keys = self.opened.keys
        identity = keys.office if path == PLAYERS and keys is not None else self.opened.identity
        try:
            return unseal(identity, path, self._read(oid))
        except CannotOpen as wrong:
            self._findings.blame(place, f"{path if place.turn else 'it'} {str(wrong).removeprefix(f'{path}: ')}")
            return None

    def _salted(self, path: str, content: bytes) -> str:
        return salted(salt_of(self.opened.hidden, path), content)

    def _open_sheets(self) -> None:
        """Hold every sheet against the digest that went into the dice."""
        for n, by_side in self.history.sheets.items():
            named = self.books.turns.get(n + 1, {}).get("sheets", {})
            for side, paths in by_side.items():
                for path in paths:
                    place, oid = self.history.place_of(path), self.history.latest(path)
                    content = None if oid is None else self._open(path, oid, place)
                    promised = named.get(side, {}).get(path)
                    if content is None:
                        continue
                    self.sheets[path] = content
                    if promised not in (None, self._salted(path, content)):
                        reason = f"it is not the sheet whose digest went into turn {n + 1}"
                        self._findings.blame(place, reason)

    def _standing(self) -> None:
        """Hold standing orders against the digests that went into the dice."""
        for side in self.charter.players:
            path = standing_path(side)
            contents = {
                version.oid: self._open(path, version.oid, Place(version.at, file=path))
                for version in self.history.files.get(path, ())
                if version.oid is not None
            }
            self.standing |= contents
            for n, turn in self.books.turns.items():
                promised = turn.get("standing", {}).get(side)
                oid = self.history.before(path, self.history.turns[n])
                content = None if oid is None else contents.get(oid)
                if promised is not None and content is not None and self._salted(path, content) != promised:
                    reason = f"the standing orders of {side} are not those whose digest went in"
                    self._findings.blame(self.history.place(n), reason)

    def _record(self, n: int) -> None:
        """Hold the sealed record of a turn against what its turn file says; it has no digest of its own."""
        path, place = sealed_path(turn_path(n)), self.history.place(n)
        oid, turn = self.history.latest(path), self.books.turns[n]
        if oid is None:
            self._findings.blame(place, "there is no sealed record")
            return
        content = self._open(path, oid, place)
        if content is None:
            return
        try:
            record = json.loads(content)
        except ValueError as wrong:
            self._findings.blame(place, f"the sealed record cannot be read: {wrong}")
            return
        if wrong_shape := misfit(record, RECORD):
            self._findings.blame(place, f"the sealed record is not written as they are: {wrong_shape}")
            return
        self.records[n] = record
        promised, whole = turn.get("act", {}).get("sealed"), record.get("act")
        if promised != (
            None if whole is None else self._salted(turn_path(n).replace(".yaml", ".act"), _compact(whole))
        ):
            self._findings.blame(place, "what the game master did out of sight is not what its digest says")
        public = [event for at, event in enumerate(record["events"]) if str(at) not in record["readers"]]
        if not same_words(public, turn["events"]):
            self._findings.blame(
                place, f"its events are not those of the sealed record: {_first(turn['events'], public)}"
            )

    def _shuffles(self) -> None:
        """Make every hidden draw again."""
        dice = ChainDice(b"", self.opened.hidden)
        draws = 0
        for n, record in self.records.items():
            turn, place = self.books.turns[n], self.history.place
            dice.reseed(step_key(turn["link"], self.charter.game, n, turn["inputs"]))
            said = [(draw["name"], draw["of"]) for draw in turn.get("draws", ())]
            made = [(draw["name"], len(draw["items"])) for draw in record["draws"]]
            if said != made:
                self._findings.blame(place(n), f"its draws are not those of the sealed record: {_first(said, made)}")
            for at, draw in enumerate(record["draws"], 1):
                draws += 1
                if dice.shuffled(draw["name"], draw["items"]) != draw["order"]:
                    reason = "the order on record is not the one that the hidden secret makes"
                    self._findings.blame(place(n, at, draw["name"], "draw"), reason)
        self._findings.check("shuffles", f"{number(draws, 'hidden draw')} made again")


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _first(here: Sequence[Any], there: Sequence[Any]) -> str:
    """Say where two lists begin to differ."""
    at = next((at for at, pair in enumerate(zip(here, there, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        return "in another order of words" if len(here) == len(there) else f"{len(here)} here, {len(there)} there"
    return f"number {at + 1} is {_short(here[at])} here, {_short(there[at])} there"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
