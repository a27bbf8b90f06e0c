"""The engine that makes the commits of a game again, each from what came from outside.

The adjudicator works on a repo in memory, with the secrets of the game and without sealing. Commit by commit it is
given what came from outside: the opened sheets, what players mailed before the beginning, the requests, the rounds of
the beacon, the acts of the game master with their reasons, the day, and who was late or absent.

What the record is taken for: the links of the dice chain (each follows from the tip, which
`pbem.audit.public.dice_check` checks), the paths of the notes of letters (named by a digest under a key that is never
revealed), and the two lists in which a migration says what a replay under two versions of the rules found. Of talk,
what was said is taken as stated: only those who said and heard it know. What can be checked is that the referee would
have passed it on, and that what was shown was held.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from operator import itemgetter
from typing import TypeAlias

from pbem.audit.explain.migrate import carry_over
from pbem.audit.record.evidence import Books, CommitKind
from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE, Closing
from pbem.crypto.keys import Keys
from pbem.crypto.seal import NoSealing, unpadded
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.boxes.shelf import Loaded
from pbem.protocol import PbemError, Record, Side
from pbem.referee import GAME_MASTER
from pbem.referee.acts import ruling
from pbem.referee.acts.consents import note_consent, propose, refuse_request
from pbem.referee.acts.ending import end_by_game_master
from pbem.referee.acts.players import put_deputy
from pbem.referee.acts.request_kinds import KINDS, proposal_of
from pbem.referee.acts.reveal import reveal_secrets
from pbem.referee.acts.rollback import roll_back
from pbem.referee.acts.talk import show_to, speak, write_talk
from pbem.referee.acts.timekeeping import put_fact
from pbem.referee.game.facts import read_fact
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import SheetOrigin
from pbem.repo.files import layout
from pbem.repo.files.charter import Joined
from pbem.repo.files.records import read_order
from pbem.repo.files.requests import DRAW, RESIGNATION, ROLLBACK, Request
from pbem.repo.files.seats import Deputyship
from pbem.repo.files.talk_book import JournalFile, OpenJournal
from pbem.repo.ledger import Ledger, LetterId
from pbem.repo.memory import MemoryRepo

Files: TypeAlias = Mapping[str, bytes | None]
"""The files that a commit changes, the sealed ones open but with their padding; None: taken out."""


class NotDerived(PbemError):
    """A commit does not follow from what was handed in; the text says why."""


@dataclass(frozen=True, slots=True)
class RecordedCommit:
    """A commit as it is on record: what is taken out of it is what came from outside."""

    kind: CommitKind
    files: Files
    author: int
    """The author's date, in seconds since 1970."""
    n: int | None
    """The adjudication that it makes; None: it makes none."""


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
        return self._unsealed(path, at) if path != layout.UNOPENED or self._unopened else None

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
        return {layout.PLAYERS: b""}


class DerivedAdjudicator(Adjudicator):
    """The adjudicator of a game that is derived. That its rules are the right ones is known."""

    @property
    def differs(self) -> str | None:
        """Nothing differs."""
        return None


class Engine:
    """One game that is made again. `sealed` are the paths of the files that nobody here can open."""

    def __init__(self, repo: MemoryRepo, keys: Keys, books: Books, loaded: Loaded, sealed: Collection[str]) -> None:
        self._repo = repo
        self._turns = books.turns
        self._sealed = sealed
        self._game = DerivedAdjudicator(OpenLedger(repo, keys, books, unopened=layout.UNOPENED not in sealed), loaded)

    def forget(self) -> None:
        """Read the game from its repo again: the repo has been put where the record is."""
        self._game.ledger.journal = OpenJournal()
        self._game.forget()

    def make(self, commit: RecordedCommit) -> None:
        """Make a commit again from what came from outside. Raises NotDerived, and whatever the rules raise."""
        kind, recorded = commit.kind, commit.files
        self._game.talk.due = layout.PRESS in recorded
        if layout.PRESS in recorded:
            self._talk(recorded)
        self._game.today, self._game.moment = date.min, None
        if self._game.clock.terms is not None:
            self._repo.letter_time = datetime.fromtimestamp(commit.author, UTC)
        if kind is CommitKind.TALK:
            write_talk(self._game)
        elif kind is CommitKind.JOIN:
            self._join(recorded)
        elif kind is CommitKind.PLAYER:
            self._player(recorded)
        elif kind is CommitKind.DEPUTY:
            self._deputy(recorded)
        elif kind is CommitKind.SHEET:
            self._sheet(recorded)
        elif kind is CommitKind.CLOSING:
            self._closing(recorded)
        elif kind is CommitKind.REQUEST:
            self._request(recorded)
        elif kind is CommitKind.REVEAL:
            reveal_secrets(self._game)
        elif kind is CommitKind.FACT:
            self._fact(recorded)
        else:
            n = commit.n
            if n is None or n not in self._turns:
                raise NotDerived("its turn file cannot be read")
            self._adjudication(n, recorded)

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
            _say_again(self._game, each)

    def _join(self, recorded: Files) -> None:
        """Mail again what a player has mailed for themselves."""
        note, letter = _letter_note(recorded)
        joined = next((path for path in recorded if path.startswith(layout.JOINED)), None)
        side = str(note.get("side")) if joined is None else joined[len(layout.JOINED) : -len(".yaml")]
        content = recorded.get(layout.joined_path(side))
        said = self._game.ledger.joined(side)
        if content is not None:
            said = plain.decode(Joined, yamlio.read(content, name=layout.joined_path(side)).value)
        before = self._game.ledger.joined(side)
        phrase = said.phrase if content and not self._game.begun else None
        chain = said.chain if content and (not self._game.begun or said.chain != before.chain) else None
        self._game.join_side(side, phrase=phrase, chain=chain, key=said.key if content else None, letter=letter)

    def _player(self, recorded: Files) -> None:
        """Give a side another player or address again; who that is stays sealed."""
        path = next(path for path in recorded if path.startswith(layout.JOINED))
        side = path[len(layout.JOINED) : -len(".yaml")]
        said = plain.decode(Joined, yamlio.read(recorded[path] or b"", name=path).value)
        replaced = said.player != self._game.ledger.joined(side).player
        self._game.change_player(side, "", "", replaced=replaced)

    def _deputy(self, recorded: Files) -> None:
        """Give a side a deputy again, or dismiss one; who that is stays sealed."""
        path = next(path for path in recorded if path.startswith(layout.DEPUTIES))
        side = path[len(layout.DEPUTIES) : -len(".yaml")]
        said = plain.decode(Deputyship, yamlio.read(recorded[path] or b"", name=path).value)
        put_deputy(self._game, side, None, said.until, _letter_note(recorded)[1])

    def _sheet(self, recorded: Files) -> None:
        """Hand in an opened sheet again."""
        path = next(path for path in recorded if path.startswith(layout.SHEETS))
        side = path[len(layout.SHEETS) :].partition("/")[0]
        raw = unpadded(path, recorded[path] or b"")
        receipt = self._game.receive(side, raw, letter=_letter_note(recorded)[1], origin=SheetOrigin(recorded=True))
        if receipt.number is None:
            raise NotDerived(
                f"this sheet has faults and would have been sent back: {receipt.complaints[0].fault.reason}"
            )

    def _closing(self, recorded: Files) -> None:
        """Close the sheets again for the round on record, or put the round in."""
        closing = plain.decode(Closing, yamlio.read(recorded[layout.BEACON] or b"", name=layout.BEACON).value)
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
        note, letter = _letter_note(recorded)
        paths = sorted(path for path in recorded if path.startswith(layout.REQUESTS))
        new = [path for path in paths if self._game.ledger.repo.read(path) is None]
        if new:
            said = yamlio.read(recorded[new[0]] or b"", name=new[0]).value
            _file_request(self._game, said, letter)
            return
        before = self._game.request()
        if before is None:
            raise NotDerived("there is no request")
        said = yamlio.read(recorded[paths[0]] or b"", name=paths[0]).value if paths else plain.encode(before)
        outcome = str(said.get("outcome", ""))
        if outcome.startswith("refused by "):
            refuse_request(self._game, outcome.removeprefix("refused by "), before.request, letter)
            return
        if more := [side for side in said.get("refusals", ()) if side not in before.refusals]:
            refuse_request(self._game, more[0], before.request, letter)
            return
        new_sides = [side for side in said.get("consents", ()) if side not in before.consents] or [note.get("side", "")]
        note_consent(self._game, new_sides[0], before.request, letter)

    def _fact(self, recorded: Files) -> None:
        """State a fact of time again, or decide again who is late."""
        path = next(path for path in recorded if path.startswith(layout.FACTS))
        put_fact(self._game, read_fact(yamlio.read(recorded[path] or b"", name=path).value), _letter_note(recorded)[1])

    def _adjudication(self, n: int, recorded: Files) -> None:
        """Make an adjudication again, or an act of the game master."""
        turn = self._turns[n]
        self._game.today = date.fromisoformat(turn["day"])
        if "act" not in turn:
            if not self._game.step(frozenset(turn.get("late", ())), frozenset(turn.get("absent", ()))):
                raise NotDerived("nothing was at hand that could have been adjudicated")
            return
        act, path = turn["act"], layout.sealed_path(layout.turn_path(n))
        sealed = recorded.get(path)
        whole: Record = {} if sealed is None else json.loads(unpadded(path, sealed)).get("act") or {}
        if act["kind"] == "migration":
            # Corrected files are what came from outside; the digest of the box, to which it moves, binds them.
            self._game.ledger.further = {
                path: content
                for path, content in recorded.items()
                if path.startswith(layout.BOX) and content is not None
            }
            carry_over(self._game, act)
        elif act["kind"] in (ROLLBACK, DRAW, RESIGNATION):
            self._agreed(act)
        elif act["what"] == "patch":
            changed = replace(self._game.ledger.adjudication(n - 1), act=act, whole=whole or None)
            ruling.change_position(self._game, ruling.whole_patch(changed), act["reason"])
        elif act["what"] == "end":
            ruling.break_off(self._game, act["reason"])
        else:
            self._ordered(act, whole)

    def _agreed(self, act: Record) -> None:
        """Do again what all sides have consented to, or what the game master did in their stead."""
        game = self._game
        request = None if act["by"] == GAME_MASTER else game.request(act.get("request"))
        if act["by"] != GAME_MASTER and request is None:
            raise NotDerived("it says that the sides consented, and there is no request")
        if request is not None and request.kind != act["kind"]:
            raise NotDerived(f"the sides consented to a {request.kind}")
        if request is not None:
            KINDS[request.kind].carry_out(game, request)
        elif act["kind"] == ROLLBACK:
            roll_back(game, act["to"], act["reason"])
        else:
            end_by_game_master(game, act["kind"], act.get("side"), act["reason"], act.get("winners", ()))

    def _ordered(self, act: Record, whole: Record) -> None:
        """Give again the orders that the game master gave for a side."""
        orders = whole.get("orders") or [whole["order"]]
        sheet = {
            "game": self._game.name,
            "side": act["side"],
            "adjudication": self._game.adjudication,
            "orders": [{each["kind"]: read_order(each).written} for each in orders],
        }
        give = ruling.answer_for_side if act["what"] == "answer" else ruling.set_default
        receipt, made = give(self._game, act["side"], yamlio.dump(sheet).encode(), act["reason"])
        if made is None:
            raise NotDerived(f"the orders of the game master have faults: {receipt.complaints[0].fault.reason}")


def _file_request(game: Adjudicator, said: Record, letter: LetterId | None) -> None:
    """File a request again as its file says."""
    if said["kind"] not in KINDS:
        raise NotDerived(f"nobody can ask for {said['kind']!r}")
    request = plain.decode(Request, {"needed": [], **said})
    propose(game, *proposal_of(request), request.reason, letter)


def _say_again(game: Adjudicator, said: Record) -> None:
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


def _letter_note(recorded: Files) -> tuple[Record, LetterId | None]:
    """Return the note of the letter that a commit carries out, and the paths of the note; nothing if there is none."""
    paths = tuple(path for path in recorded if path.startswith(layout.LETTERS))
    if not paths:
        return {}, None
    return yamlio.read(recorded[paths[0]] or b"", name=paths[0]).value, paths
