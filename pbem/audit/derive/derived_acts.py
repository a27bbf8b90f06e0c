"""The acts and the talk of a game that is derived again: what was done, agreed and said.

What was said is taken as stated: only those who said and heard it know. What can be checked is that the referee would
have passed it on, and that what was shown was held.
"""

from __future__ import annotations

import json
from dataclasses import replace

from pbem.audit.explain.migrate import carry_over
from pbem.audit.record.commit_check import History
from pbem.audit.record.findings import Findings, Place
from pbem.audit.record.schemas import TALK, Record, misfit
from pbem.audit.record.sealed import SealedFiles
from pbem.crypto.seal import CannotOpen
from pbem.game import yaml as yamlio
from pbem.game.wording import counted
from pbem.protocol import PbemError
from pbem.referee import GAME_MASTER
from pbem.referee.acts import ruling
from pbem.referee.acts.ending import ask_for_draw, ask_to_resign, end_by_game_master, end_by_request
from pbem.referee.acts.motions import Proposal, propose
from pbem.referee.acts.rollback import ask_for, roll_back
from pbem.referee.acts.ruling import whole_patch
from pbem.referee.acts.talk import show_to, speak
from pbem.referee.game.calendar import read_instant
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.adjudication import Adjudication
from pbem.repo.files.charter import Charter
from pbem.repo.files.layout import PRESS, UNOPENED
from pbem.repo.files.records import read_order
from pbem.repo.files.requests import DRAW, MOTIONS, RESIGNATION, ROLLBACK, Ending, Request
from pbem.repo.files.talk_book import talk_paths
from pbem.repo.ledger import LetterId

# ---- The acts of a game that is derived again: what the game master did, and what the sides agreed to


class NotDerived(PbemError):
    """A commit does not follow from what was handed in; the text says why."""


class Acts:
    """An act of the game master, done again as its turn file and the sealed record beside it say."""

    def __init__(self, game: Adjudicator, n: int, act: Record, whole: Record | None) -> None:
        self._game = game
        self._n = n
        self._act = act
        self._whole = whole or {}

    def again(self) -> None:
        """Do it again."""
        act, game = self._act, self._game
        if act["kind"] == "migration":
            carry_over(game, act)
        elif act["kind"] in (ROLLBACK, DRAW, RESIGNATION):
            self._agreed()
        elif act["what"] == "patch":
            ruling.change_position(game, whole_patch(self._recorded()), act["reason"])
        elif act["what"] == "end":
            ruling.break_off(game, act["reason"])
        else:
            self._ordered()

    def _agreed(self) -> None:
        """Do again what all sides have consented to, or what the game master did in their stead."""
        act, game = self._act, self._game
        request = None if act["by"] == GAME_MASTER else game.request(act.get("request"))
        if act["by"] != GAME_MASTER and request is None:
            raise NotDerived("it says that the sides consented, and there is no request")
        if request is not None and request.kind != act["kind"]:
            raise NotDerived(f"the sides consented to a {request.kind}")
        if act["kind"] == ROLLBACK:
            roll_back(game, act["to"], act["reason"], request=request if isinstance(request, Request) else None)
        elif isinstance(request, Ending):
            end_by_request(game, request)
        else:
            end_by_game_master(game, act["kind"], act.get("side"), act["reason"], act.get("winners", ()))

    def _recorded(self) -> Adjudication:
        """Return as much of the adjudication as says what it changed."""
        return replace(self._game.ledger.adjudication(self._n - 1), act=self._act, whole=self._whole or None)

    def _ordered(self) -> None:
        """Give again the orders that the game master gave for a side."""
        orders = self._whole.get("orders") or [self._whole["order"]]
        sheet = {
            "game": self._game.name,
            "side": self._act["side"],
            "adjudication": self._game.adjudication,
            "orders": [{each["kind"]: read_order(each).written} for each in orders],
        }
        give = ruling.answer_for_side if self._act["what"] == "answer" else ruling.set_default
        receipt, made = give(self._game, self._act["side"], yamlio.dump(sheet).encode(), self._act["reason"])
        if made is None:
            raise NotDerived(f"the orders of the game master have faults: {receipt.complaints[0].fault.reason}")


def ask_again(game: Adjudicator, said: Record, letter: LetterId | None) -> None:
    """File a request again as its file says."""
    if said["kind"] == ROLLBACK:
        ask_for(game, said["to"], said["reason"])
    elif said["kind"] == DRAW:
        by = None if said["side"] == GAME_MASTER else said["side"]
        ask_for_draw(game, by, said["reason"], letter, winners=said.get("winners", ()))
    elif said["kind"] == RESIGNATION:
        ask_to_resign(game, said["side"], said["reason"], letter, by_player=said["side"] in said.get("consents", ()))
    elif said["kind"] in MOTIONS:
        by = None if said["side"] == GAME_MASTER else said["side"]
        until = read_instant(said["until"]) if "until" in said else None
        extended = {side: read_instant(at) for side, at in said.get("extended", {}).items()}
        proposal = Proposal(said["kind"], until, extended, said.get("replaced", ""))
        propose(game, by, proposal, said["reason"], letter)
    else:
        raise NotDerived(f"nobody can ask for {said['kind']!r}")


# ---- The talk of a game that is verified: no more files of it than its charter allows, and nothing that may not be
#      said


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
            made = show_to(game, said["side"], said["to"], said["shows"], said["letter"])
        else:
            unsigned = said.get("unsigned", False)
            made = speak(game, said["side"], said["to"], said.get("text", ""), said["letter"], unsigned=unsigned)
    except CannotPlay as wrong:
        raise NotDerived(f"talk of {said['side']} would not have been passed on: {wrong}") from None
    if made is None:
        raise NotDerived(f"talk of {said['side']} is recorded twice")
