"""The check of table talk: on record no more than the charter allows, none taken out, and all as letters passed it on.

A letter with talk has no receipt: who reads it is told words, and who says them. Once the talk of a game is opened, its
words must be on record as said by that side to the reader, and what a side is on record with must be in a letter of
its own (`pbem verify --letters`). Talk that is never opened, because it is unsigned or the charter says so, stays as
the letter has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.audit.letters.witnesses import KeptLetters
from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Findings, Place, listed
from pbem.audit.record.schemas import TALK_SHAPE, misfit
from pbem.audit.record.sealed import SealedFiles
from pbem.crypto.seal import CannotOpen
from pbem.game.wording import counted
from pbem.protocol import Record, Side
from pbem.render.text.receipt import KeptLetter
from pbem.repo.files.layout import PRESS, UNOPENED
from pbem.repo.files.talk_book import talk_paths

_SUBJECT: Final = "talk in letters"


@dataclass(frozen=True, slots=True)
class OpenedTalk:
    """The talk of a game that can be opened."""

    said: Sequence[Record]
    """What was said and shown, file by file."""
    names: Mapping[Side, str]
    """The names of the sides; empty: they are not known here, and a letter may have any."""
    signed: bool
    """Whether all that is signed is opened."""

    def calls(self, side: Side, name: str | None) -> bool:
        """Tell whether a letter may call a side by a name."""
        return not self.names or self.names.get(side) == name


def check_talk_files(evidence: Evidence) -> None:
    """Blame files of talk that the charter does not allow, and one that is written without the other."""
    history, findings, allowed = evidence.history, evidence.findings, talk_paths(evidence.charter)
    for path in (PRESS, UNOPENED):
        for version in history.files.get(path, ()):
            place = Place(version.at, file=path)
            if path not in allowed:
                findings.blame(place, "the charter of this game allows no such talk")
            elif any(all(each.at != version.at for each in history.files.get(other, ())) for other in allowed):
                findings.blame(place, "the files of talk belong together, and one is missing")


def check_talk(evidence: Evidence, files: SealedFiles) -> list[Record]:
    """Hold the talk that can be opened against its shape, see that nothing of it was taken out, and return it."""
    findings, found = evidence.findings, list[Record]()
    for path in talk_paths(evidence.charter):
        last = 0
        for version in evidence.history.files.get(path, ()) if files.can_open(path) else ():
            place = Place(version.at, file=path)
            try:
                record = json.loads(files.content(path, version.oid or b""))
            except CannotOpen:  # blamed where all sealed files are opened
                continue
            except ValueError as wrong:
                findings.blame(place, f"it cannot be read: {wrong}")
                continue
            if wrong_shape := misfit(record, TALK_SHAPE):
                findings.blame(place, f"it is not written as talk is: {wrong_shape}")
                continue
            numbers = [each["number"] for each in record["talk"]]
            if numbers != list(range(last + 1, last + len(numbers) + 1)) or record["last"] != last + len(numbers):
                findings.blame(place, f"its numbers do not go on from {last}: talk was taken out or put in")
            last = record["last"]
            found += record["talk"]
    if found:
        shown = sum("event" in each for each in found)
        findings.check("talk", f"{counted(len(found), 'letter')} of table talk, {shown} of which show something")
    return found


def compare_talk(talk: OpenedTalk | None, kept: KeptLetters, findings: Findings) -> None:
    """Compare the letters that passed talk on with the talk on record; None: that is not opened."""
    heard = [each for each in kept.all if each.talk is not None and each.talk.game == kept.game]
    if talk is None:
        if heard:
            findings.beyond(_SUBJECT, f"{counted(len(heard), 'letter')}: what was said and shown is sealed")
        return
    said = [each for each in talk.said if "event" not in each]
    heard = [each for each in heard if each.talk is not None and not each.talk.shows]
    if not (heard or said):
        return
    unknown: list[KeptLetter] = []
    for letter in heard:
        assert letter.talk is not None
        own = {side for side, addresses in kept.readers.items() if letter.to in addresses} or set(kept.readers)
        alike = [each for each in said if _words_joined(each["text"]) == _words_joined(letter.talk.text)]
        if any(own & {*each["to"]} and talk.calls(each["side"], letter.talk.by) for each in alike):
            continue
        if letter.talk.by is None or not talk.signed:
            unknown.append(letter)
            continue
        others = listed(dict.fromkeys(each["side"] for each in alike))
        findings.blame(
            Place(file=PRESS),
            f"{letter}, passes on words of {letter.talk.by} that are not on record"
            + (f"; {others} said the same, or to others" if others else ""),
        )
    findings.check(_SUBJECT, f"{counted(len(heard), 'letter')}, {len(heard) - len(unknown)} held against the record")
    if unknown:
        findings.beyond(_SUBJECT, f"{counted(len(unknown), 'letter')} with talk that is never opened")
    _check_unheard(said, talk, kept, heard, findings)
    _check_unsaid(said, kept, findings)


def _check_unheard(
    said: Iterable[Record], talk: OpenedTalk, kept: KeptLetters, heard: Iterable[KeptLetter], findings: Findings
) -> None:
    """Put on record what was said to a reader and is in no letter here: it was lost, or never passed on."""
    told = [(each.talk.by, _words_joined(each.talk.text)) for each in heard if each.talk is not None]
    missing = [
        f"{each['number']} of {each['side']}"
        for each in said
        if {*each["to"]} & {*kept.readers}
        and not any(words == _words_joined(each["text"]) and talk.calls(each["side"], by) for by, words in told)
    ]
    if missing:
        findings.leave_open("unheard", f"no letter here passes on talk {listed(missing)}")


def _check_unsaid(said: Iterable[Record], kept: KeptLetters, findings: Findings) -> None:
    """Put on record what a side is said to have said and is in no letter of its own: it was made up, or is missing."""
    sent = {
        side: [_words_joined(" ".join(each.words)) for each in kept.written_by(side) if each.words]
        for side in kept.readers
    }
    missing = [
        f"{each['number']} of {each['side']}"
        for each in said
        if (own := sent.get(each["side"])) and not any(_words_joined(each["text"]) in words for words in own)
    ]
    if missing:
        findings.leave_open("unsaid", f"no letter here that was sent has talk {listed(missing)}")


def _words_joined(text: str) -> str:
    return " ".join(text.split())
