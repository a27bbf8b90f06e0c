"""The comparison of a player's mailbox with the record of a game (`pbem verify --letters`).

In a game with a beacon the sheets are closed before the round is known that decides. The letter that says so shows it.

A sheet came from its player if one of their letters has it as it is on record. Of a sheet that had to be put right, or
that stood in no sheet, the answer encloses the canonical text, with the player's own words below it: these must be
what a letter of theirs has. So it is with AGREED, which stands for a sheet. Whether such a sheet says what its words
say, its player could see in the answer that showed it.

The receipts in the letters that a player got name turn files, commits, sheets and closings. The letters that the player
sent have the sheets themselves. Together they show what a repo alone cannot: that it is another game, that turns were
cut off, that a sheet was made up, changed or lost, that the sheets were closed when the round was known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from pbem.audit.letters.late_check import check_late
from pbem.audit.letters.talk_check import OpenedTalk, compare_talk
from pbem.audit.letters.witnesses import Clone, KeptLetters, Witness
from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Findings, Place, listed
from pbem.crypto.beacon import BadBeacon, time_of
from pbem.crypto.seal import salted
from pbem.crypto.sealed_orders import BadBlock, SealedBlock, open_block
from pbem.game import yaml as yamlio
from pbem.game.wording import counted
from pbem.orders.forgive import came_from, came_from_lines
from pbem.orders.sheet import sheet_of_word
from pbem.protocol import Side
from pbem.render.text.receipt import ClosedSheets, KeptLetter, LetterReceipt, ReceiptedSheet
from pbem.repo.files.layout import PINS

_OLDER: Final = "The clone is older than the letter, or what came last was cut off"
_Receipted: TypeAlias = tuple[ReceiptedSheet, KeptLetter, LetterReceipt]
"""A sheet that was taken in, with the first letter that says so and its receipt."""


class Compared(NamedTuple):
    """How much there was to compare: letters read, letters with a receipt of the game, sheets on receipts and in mail.

    `unreadable` says which letters, or which receipts in them, could not be read, and why.
    """

    read: int
    receipts: int
    sheets: int
    matched: int
    unreadable: list[str]


def compare_letters(evidence: Evidence, kept: KeptLetters, talk: OpenedTalk | None = None) -> Compared:
    """Compare letters with the record of a game; `talk` is what can be opened of it."""
    findings, clone = evidence.findings, Clone(evidence)
    pins = evidence.history.before(PINS, 1)
    rules = "" if pins is None else sha256(evidence.read(pins)).hexdigest()
    comparison = _Comparison(findings, evidence.charter.dice.tip, rules)
    comparison.compare(clone, kept.receipts)
    _check_told(clone, kept, findings)
    matched = _match_sheets(clone, kept, comparison.sheets, findings)
    _check_closings(clone, kept, comparison.told, findings)
    check_late(evidence, kept)
    compare_talk(talk, kept, findings)
    return summed_up(kept, findings, len(comparison.sheets), matched)


def summed_up(kept: KeptLetters, findings: Findings, sheets: int = 0, matched: int = 0) -> Compared:
    """Return how much there was to compare, and put on record what could not be read."""
    unreadable = [f"{letter.where}: {letter.damage}" for letter in kept.all if letter.damage]
    if unreadable:
        findings.leave_open("unread", f"{counted(len(unreadable), 'letter')} cannot be read: {listed(unreadable)}")
    receipts = len({letter.where for letter, _ in kept.receipts})
    return Compared(len(kept.all), receipts, sheets, matched, unreadable)


@dataclass(slots=True)
class _Comparison:
    """The comparison of the receipts with the clone, letter by letter; what several letters witness is blamed once."""

    findings: Findings
    tip: str
    rules: str
    """The SHA-256 of the rules that the game was begun with."""
    told: dict[int, KeptLetter] = field(default_factory=dict)
    """The first letter that tells of each adjudication, as far as it is that of the clone."""
    sheets: dict[tuple[Side, str], _Receipted] = field(default_factory=dict)
    """The sheets that were taken in, by side and path, each with the first letter that says so."""
    _blamed: set[tuple[object, ...]] = field(default_factory=set)

    def compare(self, clone: Clone, witnesses: Iterable[Witness]) -> None:
        """Compare all receipts, but for sheets sent and closings."""
        for letter, receipt in witnesses:
            if receipt.tip != self.tip:
                self._blame(
                    ("tip", receipt.tip),
                    Place(),
                    f"{letter}, names the tip {receipt.tip} and commit {receipt.commit}; the tip of this game is "
                    f"{self.tip}: it is another game, or was made again",
                )
                continue
            if receipt.rules != self.rules:
                self._blame(
                    ("rules", receipt.rules),
                    Place(file=PINS),
                    f"{letter}, names the digest {receipt.rules} for it; that of this game is {self.rules}: "
                    "it was begun with other rules",
                )
            for sheet in receipt.sheets:
                self._keep(sheet, letter, receipt)
            if self._turns(clone, letter, receipt):
                continue
            for n in receipt.adjudications:
                self.told.setdefault(n, letter)
            if not (self._sheets(clone, letter, receipt) or receipt.commit in clone.commits):
                self._blame(
                    ("commit", receipt.commit),
                    Place(len(clone.commits), commit=receipt.commit),
                    f"{letter}, was written at this commit, which is not in this clone; the clone ends at commit "
                    f"{clone.head}. {_OLDER}",
                )

    def _keep(self, sheet: ReceiptedSheet, letter: KeptLetter, receipt: LetterReceipt) -> None:
        """Put on record that a sheet was taken in; blame two letters that say so otherwise."""
        first, earlier, at = self.sheets.setdefault((receipt.side, sheet.path), (sheet, letter, receipt))
        if first.digest != sheet.digest:
            self._blame(
                ("twice", sheet.path, sheet.digest),
                Place(file=sheet.path, commit=receipt.commit),
                f"{earlier}, written at commit {at.commit}, has the digest {first.digest} for it; {letter}, written at "
                f"commit {receipt.commit}, has {sheet.digest}",
            )

    def _turns(self, clone: Clone, letter: KeptLetter, receipt: LetterReceipt) -> bool:
        """Compare the turn files that a letter names; tell whether one of them is not that of the clone."""
        wrong = False
        for n, digest in receipt.turns:
            turn, named = clone.turns.get(n), f"turn file {digest}, at commit {receipt.commit}"
            if turn is not None and turn.digest == digest:
                continue
            wrong = True
            if turn is None:
                here = f"this clone ends with turn {clone.last}, at commit {clone.head}. {_OLDER}"
            else:
                here = f"here it is {clone.brought(n)}: these are two games, or the turn was changed"
            self._blame(("turn", n, digest), clone.place(n), f"{letter}, names {named}; {here}")
        return wrong

    def _sheets(self, clone: Clone, letter: KeptLetter, receipt: LetterReceipt) -> bool:
        """Compare the sheets that a letter says were taken in; tell whether one of them is not on record so."""
        wrong = False
        for sheet in receipt.sheets:
            for reason in _sheet_misfits(clone, sheet, receipt):
                wrong = True
                at = clone.sheets.get(sheet.path, (len(clone.commits), receipt.commit))
                self._blame(
                    ("sheet", sheet.path, sheet.digest),
                    Place(at[0], file=sheet.path, commit=at[1]),
                    f"{letter}, written at commit {receipt.commit}, says that it was taken in with the digest "
                    f"{sheet.digest}; {reason}",
                )
        named = {sheet.path for sheet in receipt.sheets}
        for n in receipt.adjudications:
            turn = clone.turns.get(n)
            for path in turn.sheets(receipt.side) if turn else ():
                if path not in named:
                    wrong = True
                    self._blame(
                        ("unnamed", path),
                        clone.place(n),
                        f"it used {path}, and was brought by commit {turn.commit if turn else ''}; {letter}, tells of "
                        "this turn, and does not say that such a sheet was taken in",
                    )
        return wrong

    def _blame(self, key: tuple[object, ...], place: Place, reason: str) -> None:
        if key not in self._blamed:
            self._blamed.add(key)
            self.findings.blame(place, reason)


def _sheet_misfits(clone: Clone, sheet: ReceiptedSheet, receipt: LetterReceipt) -> Iterator[str]:
    """Yield why a sheet is not on record as a letter says."""
    there, at = clone.sheets.get(sheet.path), clone.commits.get(receipt.commit)
    if there is None:
        yield f"no commit up to {clone.head} has it"
        return
    used = [n for n, turn in clone.turns.items() if sheet.path in turn.sheets(receipt.side)]
    if used:
        digest = clone.turns[used[0]].sheets(receipt.side)[sheet.path]
        if digest != sheet.digest:
            yield f"turn {used[0]}, brought by commit {clone.turns[used[0]].commit}, used one with the digest {digest}"
    elif later := [n for n, turn in clone.turns.items() if turn.at > there[0]]:
        yield f"turn {later[0]}, brought by commit {clone.turns[later[0]].commit}, did not use it"
    if at is not None and there[0] > at:
        yield f"it was only committed later, by commit {there[1]}"


def _check_told(clone: Clone, kept: KeptLetters, findings: Findings) -> None:
    """Put on record how many letters there are, and of which turns none tells."""
    letters, sides = len({letter.where for letter, _ in kept.receipts}), sorted(kept.readers)
    read = f"{counted(len(kept.all), 'letter')} read, {letters or 'none'} with a receipt of this game"
    if not sides:
        findings.leave_open("letters", f"{read}: there is nothing to compare")
        return
    findings.check("letters", f"{read}, to {listed(sides)}")
    for side in sides:
        told = [receipt.adjudications for _, receipt in kept.to(side)]
        missing = [n for n in clone.turns if not any(n in span for span in told)]
        if missing:
            findings.leave_open("untold", f"no letter here tells {side} of turn {listed(missing)}")


def _match_sheets(
    clone: Clone, kept: KeptLetters, receipted: Mapping[tuple[Side, str], _Receipted], findings: Findings
) -> int:
    """Look for each sheet that was taken in among those that its player sent; return how many are there."""
    matched = sealed = 0
    enclosed = [sheet for letter in kept.all for sheet in letter.taken_in]
    for side in sorted(kept.readers):
        own = [each for (of, _), each in receipted.items() if of == side]
        written = kept.written_by(side)
        sent = SentSheets(kept.game, side, written, clone.last, enclosed, clone.identity)
        shut = sent.shut
        if own and sent.is_empty:
            findings.leave_open(
                "sent", f"no sheet that {side} sent is here; add --letters with the folder of sent letters"
            )
            continue
        for sheet, letter, receipt in sorted(own, key=lambda each: each[0].number):
            if sent.has(sheet):
                matched += 1
                continue
            if shut:
                shut -= 1
                sealed += 1
                continue
            at, commit = clone.sheets.get(sheet.path, (len(clone.commits), receipt.commit))
            findings.blame(
                Place(at, file=sheet.path, commit=commit),
                f"{letter}, written at commit {receipt.commit}, says that it came from {side} and has the digest "
                f"{sheet.digest}; none of the {counted(len(written), 'letter')} that {side} sent has that sheet. It "
                f"was made up or changed, or the letter with it is missing here",
            )
    if sealed:
        findings.leave_open(
            "sealed orders",
            f"{counted(sealed, 'sheet')} may have come as sealed orders, which open once the game has revealed its key",
        )
    if receipted:
        text = f"{counted(len(receipted), 'sheet')} taken in, {matched} of them found in letters that were sent"
        findings.check("sent", text)
    return matched


def _check_closings(clone: Clone, kept: KeptLetters, told: Mapping[int, KeptLetter], findings: Findings) -> None:
    """Check that the sheets were closed as letters say, and before anybody knew the round that decided."""
    first: dict[ClosedSheets, Witness] = {}
    for witness in kept.receipts:  # the earliest first
        if witness.receipt.closed is not None:
            first.setdefault(witness.receipt.closed, witness)
    for closed, (letter, receipt) in first.items():
        said = f"{letter}, written at commit {receipt.commit}, says that sheets are closed until round {closed.round}"
        findings.blame(clone.place(closed.adjudication), *(f"{said}; {why}" for why in _closed_wrongly(clone, closed)))
        if letter.own and (why := _known_before(closed.round, letter.time)) is not None:
            findings.blame(clone.place(closed.adjudication), f"{said}; {why}")
    rounds = {closed.round for closed in first}
    for n, letter in sorted(told.items()):
        turn = clone.turns.get(n)
        if turn is None or turn.round is None or turn.round in rounds:
            continue
        rounds.add(turn.round)
        findings.blame(
            clone.place(n),
            f"{letter}, tells of it, and commit {turn.commit} says that round {turn.round} decided it; no letter here "
            "says before that the sheets are closed until that round. They were closed late, or that letter is missing",
        )
    if first:
        findings.check("closings", f"{counted(len(first), 'closing')} told of, each before its round was published")


def _closed_wrongly(clone: Clone, closed: ClosedSheets) -> Iterator[str]:
    """Yield why a closing that a letter tells of is not the one of the clone."""
    turn, n = clone.turns.get(closed.adjudication), closed.adjudication
    there = [(each, commit) for each, commit in clone.closings.items() if each.adjudication == n]
    if turn is not None and "act" not in turn.content and turn.round != closed.round:
        yield f"turn {n}, brought by commit {turn.commit}, was decided by round {turn.round or 'none'}"
    elif not any(each == closed for each, _ in there) and (there or turn is not None):
        others = [f"commit {commit} closed {each.digest} until round {each.round}" for each, commit in there]
        yield f"it has the digest {closed.digest} for what is closed, but {listed(others) or 'no commit has it'}"


def _known_before(round: int, time: datetime | None) -> str | None:
    """Return why a letter does not show that a round was still unknown; None: it does, or has no time."""
    try:
        known = time_of(round)
    except BadBeacon as wrong:
        return str(wrong)
    if time is None or time < known:
        return None
    return f"the round was published before, at {known:%Y-%m-%d %H:%M:%S} UTC, so this closing came too late"


class _Canonical(NamedTuple):
    """A sheet as a letter of the referee encloses it."""

    text: str
    adjudication: int


@dataclass
class SentSheets:
    """All that a side sent in a game, as far as it is kept; `last` is the last turn of the game."""

    game: str
    side: Side
    letters: Sequence[KeptLetter]
    """The letters of the side."""
    last: int
    enclosed: Sequence[bytes] = ()
    """The sheets that letters of the referee enclose as they were taken in."""
    identity: str = ""
    """The key of the game, which opens the sealed orders; empty: it is not revealed."""
    sheets: Sequence[bytes] = ()
    shut: int = 0
    """How many blocks of sealed orders of the side do not open yet."""
    _by_word: Sequence[bytes] = ()
    _used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        sealed = list(self._sealed())
        self.shut = sealed.count(None)
        open_ones = [text for letter in self.letters for of, text in letter.sheets if of == self.game]
        self.sheets = list(dict.fromkeys([*open_ones, *(text for text in sealed if text is not None)]))
        words = {word for letter in self.letters for word in letter.words}
        turns = range(1, self.last + 1)
        made = (sheet_of_word(word, self.game, self.side, n) for word in words for n in turns)
        self._by_word = [text for text in made if text is not None]

    @property
    def is_empty(self) -> bool:
        """Whether there is no letter in which a sheet may have stood."""
        return not (self.sheets or self.shut or self._by_word or any(map(self._may_order, self.letters)))

    def _sealed(self) -> Iterator[bytes | None]:
        """Yield the sheets that the side sealed, as the referee reads them; None for one that does not open yet."""
        blocks = dict.fromkeys(block.letters for letter in self.letters for block in letter.sealed)
        named = {block.letters: block for letter in self.letters for block in letter.sealed if block.check}
        for letters in blocks:
            block = named.get(letters) or SealedBlock(0, 0, letters, whole=True)
            if block.game not in ("", self.game) or block.side not in ("", self.side):
                continue
            if not self.identity:
                yield None
                continue
            try:
                _, side, content = open_block(block, [(self.game, self.identity)])
            except (BadBlock, ValueError):
                continue
            if side == self.side:
                lines = [line.rstrip() for line in content.decode("utf-8", "replace").rstrip().split("\n")]
                text = "\n".join([*lines, ""])
                yield from (text.encode(), f"side: {side}\n{text}".encode())

    def has(self, sheet: ReceiptedSheet) -> bool:
        """Tell whether a sheet that was taken in came from the side. Ask for each sheet once, the earliest first."""
        salt = bytes.fromhex(sheet.salt)
        if any(salted(salt, text) == sheet.digest for text in (*self.sheets, *self._by_word)):
            return True
        own = (
            _canonical(text) for raw in self.enclosed for text in _as_sent(raw) if salted(salt, text) == sheet.digest
        )
        found = next((each for each in own if each is not None), None)
        return found is not None and (self._has_text(found) or self._has_lines(found))

    def _has_text(self, sheet: _Canonical) -> bool:
        return any(came_from(sheet.text, text.decode("utf-8", "replace")) for text in self.sheets)

    def _has_lines(self, sheet: _Canonical) -> bool:
        """Tell whether a letter has the words of a sheet outside any sheet. No letter stands for two sheets."""
        report = (self.game, self.side, sheet.adjudication)
        for letter in sorted(self.letters, key=lambda letter: report not in letter.answers):
            known = {number for game, side, number in letter.answers if (game, side) == report[:2]}
            if letter.where in self._used or (known and report[2] not in known):
                continue
            both = (*letter.words, *letter.lines, *letter.beside_words)
            if came_from_lines(sheet.text, letter.lines) or came_from_lines(sheet.text, both):
                self._used.add(letter.where)
                return True
        return False

    def _may_order(self, letter: KeptLetter) -> bool:
        return any((game, side) == (self.game, self.side) for game, side, _ in letter.answers)


def _as_sent(raw: bytes) -> Iterator[bytes]:
    """Yield the bytes of an enclosed sheet as they were, and with the line ends that mail may have given it."""
    yield raw
    if b"\r\n" in raw:
        yield raw.replace(b"\r\n", b"\n")


def _canonical(text: bytes) -> _Canonical | None:
    try:
        value = yamlio.read(text, name="sheet").value
    except yamlio.Unreadable:
        return None
    number = value.get("adjudication") if isinstance(value, dict) else None
    return _Canonical(text.decode("utf-8", "replace"), number) if isinstance(number, int) else None
