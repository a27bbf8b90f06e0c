"""The talk of a game that is verified: no more files of it than its charter allows, and nothing that may not be said.

What was said is taken as stated: only those who said and heard it know. What can be checked is that the referee would
have passed it on, and that what was shown was held.
"""

from __future__ import annotations

import json

from pbem.audit.acts import NotDerived
from pbem.audit.findings import Findings, Place
from pbem.audit.history import History
from pbem.audit.schemas import TALK, Record, misfit
from pbem.audit.sealed import SealedFiles
from pbem.crypto.seal import CannotOpen
from pbem.game.wording import counted
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay
from pbem.referee.talk import show, speak
from pbem.repo.charter import Charter
from pbem.repo.layout import PRESS, UNOPENED
from pbem.repo.talk import talk_paths


def check_talk_files(history: History, charter: Charter, findings: Findings) -> None:
    """Blame files of talk that the charter does not allow, and one that is written without the other."""
    allowed = talk_paths(charter)
    for path in (PRESS, UNOPENED):
        for version in history.files.get(path, ()):
            place = Place(version.at, file=path)
            if path not in allowed:
                findings.blame(place, "the charter of this game allows no such talk")
            elif any(all(each.at != version.at for each in history.files.get(other, ())) for other in allowed):
                findings.blame(place, "the files of talk belong together, and one is missing")


def check_talk(history: History, files: SealedFiles, findings: Findings) -> list[Record]:
    """Hold the talk that can be opened against its shape, see that nothing of it was taken out, and return it."""
    found: list[Record] = []
    for path in talk_paths(files.charter):
        last = 0
        for version in history.files.get(path, ()) if files.can_open(path) else ():
            place = Place(version.at, file=path)
            try:
                record = json.loads(files.content(path, version.oid or b""))
            except CannotOpen:  # blamed where all sealed files are opened
                continue
            except ValueError as wrong:
                findings.blame(place, f"it cannot be read: {wrong}")
                continue
            if wrong_shape := misfit(record, TALK):
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


def say_again(game: Adjudicator, said: Record) -> None:
    """Say or show again what is on record. Raises NotDerived for what would not have been passed on."""
    try:
        if "event" in said:
            made = show(game, said["side"], said["to"], said["shows"], said["letter"])
        else:
            unsigned = said.get("unsigned", False)
            made = speak(game, said["side"], said["to"], said.get("text", ""), said["letter"], unsigned=unsigned)
    except CannotPlay as wrong:
        raise NotDerived(f"talk of {said['side']} would not have been passed on: {wrong}") from None
    if made is None:
        raise NotDerived(f"talk of {said['side']} is recorded twice")
