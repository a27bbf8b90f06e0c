"""The comparison of a player's mailbox with the record of a game (`pbem verify --letters`).

The receipts in the letters that a player got name turn files, commits, sheets and closings. The letters that the player
sent have the sheets themselves. Together they show what a repo alone cannot: that it is another game, that turns were
cut off, that a sheet was made up, changed or lost, that the sheets were closed when the round was known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pbem.audit.findings import Findings, Place, listed
from pbem.audit.letters_clone import Clone, read_clone
from pbem.audit.letters_closings import check_closings
from pbem.audit.letters_late import Calls, check_late
from pbem.audit.letters_sent import Sent
from pbem.audit.letters_talk import OpenedTalk, compare_talk
from pbem.game.wording import counted
from pbem.protocol import Side
from pbem.render.receipt import KeptLetter, LetterReceipt, ReceiptedSheet
from pbem.repo.git import StoreError
from pbem.repo.git.history import PastRepo

_NEVER = datetime.max.replace(tzinfo=UTC)


class Compared(NamedTuple):
    """How much there was to compare: letters read, letters with a receipt of the game, sheets on receipts and in mail.

    `unreadable` says which letters, or which receipts in them, could not be read, and why.
    """

    read: int
    receipts: int
    sheets: int
    matched: int
    unreadable: list[str]


def compare_letters(
    path: Path,
    game: str,
    tip: str,
    letters: Sequence[KeptLetter],
    findings: Findings,
    talk: OpenedTalk | None = None,
) -> Compared:
    """Compare letters with the game whose repo is at a path; `tip` is that of its dice, `talk` what can be opened."""
    found = _witnesses(game, letters)
    unreadable = [f"{letter.where}: {letter.damage}" for letter in letters if letter.damage]
    comparison = _Comparison(findings, tip)
    matched = 0
    try:
        if not tip:
            raise StoreError("the charter of the game cannot be read")
        with PastRepo(path) as repo, repo.undisturbed():
            commits = repo.commits()
            clone, calls = read_clone(repo, commits), Calls(repo, commits)
    except StoreError as wrong:
        findings.leave("letters", f"they cannot be compared: {wrong}")
    else:
        comparison.compare(clone, found)
        _check_told(clone, len(letters), found, findings)
        matched = _check_sent(clone, game, comparison.sheets, found, letters, findings)
        check_closings(clone, found, comparison.told, findings)
        readers = {receipt.side: _addresses(found, receipt.side) for _, receipt in found}
        sent = {side: [each for each in letters if each.sender in own] for side, own in readers.items()}
        check_late(calls, game, found, sent, findings)
        compare_talk(game, talk, readers, letters, findings)
    if unreadable:
        findings.leave("unread", f"{counted(len(unreadable), 'letter')} cannot be read: {listed(unreadable)}")
    return Compared(
        len(letters), len({letter.where for letter, _ in found}), len(comparison.sheets), matched, unreadable
    )


def _witnesses(game: str, letters: Sequence[KeptLetter]) -> list[tuple[KeptLetter, LetterReceipt]]:
    """Return each receipt of the game once, with the letter that has it, the earliest first; a quoted one last."""
    kept: dict[LetterReceipt, KeptLetter] = {}
    for letter in sorted(letters, key=lambda letter: (not letter.own, letter.time or _NEVER)):
        for receipt in letter.receipts:
            if receipt.game == game:
                kept.setdefault(receipt, letter)
    return sorted(((letter, each) for each, letter in kept.items()), key=lambda pair: pair[0].time or _NEVER)


@dataclass(slots=True)
class _Comparison:
    """The comparison of the receipts with the clone, letter by letter; what several letters witness is blamed once."""

    findings: Findings
    tip: str
    told: dict[int, KeptLetter] = field(default_factory=dict)
    """The first letter that tells of each adjudication, as far as it is that of the clone."""
    sheets: dict[tuple[Side, str], tuple[ReceiptedSheet, KeptLetter, LetterReceipt]] = field(default_factory=dict)
    """The sheets that were taken in, by side and path, each with the first letter that says so."""
    _blamed: set[tuple[object, ...]] = field(default_factory=set)

    def compare(self, clone: Clone, witnesses: Iterable[tuple[KeptLetter, LetterReceipt]]) -> None:
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
            for reason in _why_not(clone, sheet, receipt):
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


_OLDER = "The clone is older than the letter, or what came last was cut off"


def _why_not(clone: Clone, sheet: ReceiptedSheet, receipt: LetterReceipt) -> Iterator[str]:
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


def _check_told(
    clone: Clone, count: int, found: Sequence[tuple[KeptLetter, LetterReceipt]], findings: Findings
) -> None:
    """Put on record how many letters there are, and of which turns none tells."""
    letters = len({letter.where for letter, _ in found})
    sides = sorted({receipt.side for _, receipt in found})
    read = f"{counted(count, 'letter')} read, {letters or 'none'} with a receipt of this game"
    if not sides:
        findings.leave("letters", f"{read}: there is nothing to compare")
        return
    findings.check("letters", f"{read}, to {listed(sides)}")
    for side in sides:
        told = [receipt.adjudications for _, receipt in found if receipt.side == side]
        missing = [n for n in clone.turns if not any(n in span for span in told)]
        if missing:
            findings.leave("untold", f"no letter here tells {side} of turn {listed(missing)}")


def _addresses(found: Sequence[tuple[KeptLetter, LetterReceipt]], side: Side) -> set[str]:
    """Return the addresses that letters to a side went to."""
    return {letter.to for letter, receipt in found if receipt.side == side and letter.own} - {""}


def _check_sent(
    clone: Clone,
    game: str,
    receipted: Mapping[tuple[Side, str], tuple[ReceiptedSheet, KeptLetter, LetterReceipt]],
    found: Sequence[tuple[KeptLetter, LetterReceipt]],
    letters: Sequence[KeptLetter],
    findings: Findings,
) -> int:
    """Look for each sheet that was taken in among those that its player sent; return how many are there."""
    matched = sealed = 0
    for side in sorted({receipt.side for _, receipt in found}):
        addresses = _addresses(found, side)
        own = [each for (of, _), each in receipted.items() if of == side]
        written = [letter for letter in letters if letter.sender in addresses]
        sent = Sent(
            game, side, written, clone.last, [sheet for letter in letters for sheet in letter.taken_in], clone.identity
        )
        shut = sent.shut
        if own and sent.is_empty:
            findings.leave("sent", f"no sheet that {side} sent is here; add --letters with the folder of sent letters")
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
        findings.leave(
            "sealed orders",
            f"{counted(sealed, 'sheet')} may have come as sealed orders, which open once the game has revealed its key",
        )
    if receipted:
        text = f"{counted(len(receipted), 'sheet')} taken in, {matched} of them found in letters that were sent"
        findings.check("sent", text)
    return matched
