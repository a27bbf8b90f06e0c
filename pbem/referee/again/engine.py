"""The engine that makes the commits of a game again, each from what came from outside.

The adjudicator works on a store in memory, with the secrets of the game and without sealing. Commit by commit it is
given what came from outside: the opened sheets, what players mailed before the beginning, the requests, the rounds of
the beacon, the acts of the game master with their reasons, the day, and who was late or absent.

What the record is taken for: the links of the dice chain (each follows from the tip, which
`pbem.audit.public.dice_check` checks), the paths of the notes of letters (named by a digest under a key that is never
revealed), the version of the program beside a state, and the two lists in which a migration says what a replay under
two versions of the rules found. Of talk, what was said is taken as stated: only those who said and heard it know. What
can be checked is that the referee would have passed it on, and that what was shown was held.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from operator import itemgetter
from typing import NamedTuple, TypeAlias

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
from pbem.referee.acts.moving import carry_over
from pbem.referee.acts.players import put_deputy
from pbem.referee.acts.request_kinds import KINDS, proposal_of
from pbem.referee.acts.reveal import reveal_secrets
from pbem.referee.acts.rollback import roll_back
from pbem.referee.acts.talk import show_to, speak, write_talk
from pbem.referee.acts.timekeeping import put_fact
from pbem.referee.again.store import RecordBehind, StoreAgain
from pbem.referee.game.facts import read_fact
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import SheetOrigin
from pbem.repo.derived import Derived
from pbem.repo.files import layout
from pbem.repo.files.charter import Joined
from pbem.repo.files.commit_kinds import CommitKind
from pbem.repo.files.records import read_order
from pbem.repo.files.requests import DRAW, RESIGNATION, ROLLBACK, Request
from pbem.repo.files.seats import Deputyship
from pbem.repo.files.talk_book import JournalFile, OpenJournal
from pbem.repo.ledger import Ledger, LetterId

Files: TypeAlias = Mapping[str, bytes | None]
"""The files that a commit changes, the sealed ones open but with their padding; None: taken out."""


Turns: TypeAlias = Mapping[int, Record]
"""The turn files that can be read, by number."""


class DoesNotFollow(PbemError):
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

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def link(self, n: int) -> str:
        """Return the link that a turn has opened; nothing for one that was not made, as when its sheets are closed."""
        return str(self._turns[n]["link"]) if n in self._turns else ""

    def renewal(self, n: int) -> str | None:
        """Return the tip that a turn promises."""
        return self._turns[n].get("renewal")


class Known(NamedTuple):
    """What is known of a game that is made again, beside its record."""

    keys: Keys
    turns: Turns
    sealed: Collection[str]
    """The paths of the files that nobody here can open."""


class OpenLedger(Ledger):
    """The ledger of a game that is derived: nothing is sealed, and links and names of letters are those on record."""

    def __init__(self, repo: StoreAgain, known: Known, derived: Derived) -> None:
        super().__init__(repo, known.keys, NoSealing(), derived)
        self.turns = known.turns
        self.chain = RecordedLinks(known.turns)
        self.journal: JournalFile = OpenJournal()
        self._unopened = layout.UNOPENED not in known.sealed

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


class Again:
    """A game that is made again from a commit of its record on, of which the state is known or none is needed."""

    def __init__(self, name: str, record: RecordBehind, known: Known, at: str) -> None:
        self.store = StoreAgain(name, record, at)
        self.derived = Derived()
        """What was derived as of the commits made so far."""
        self.ledger = OpenLedger(self.store, known, self.derived)
        self.sealed = known.sealed
        self._engine: Engine | None = None

    @property
    def at(self) -> str:
        """The commit of the record that it has come to."""
        return self.store.at

    def make(self, commit: RecordedCommit, loaded: Loaded) -> None:
        """Make the next commit with some rules. Raises DoesNotFollow, and whatever the rules raise."""
        self._engine_with(loaded).make(commit)

    def position(self, loaded: Loaded) -> Record:
        """Return the whole position as it stands, by some rules. Raises whatever they raise."""
        return self._engine_with(loaded).position()

    def _engine_with(self, loaded: Loaded) -> Engine:
        if self._engine is None or self._engine.loaded is not loaded:
            self._engine = Engine(self.ledger, loaded, self.sealed)
        return self._engine

    def keep(self, sha: str) -> None:
        """Go on from what was made, which is the commit `sha` of the record."""
        self.derived.renamed(self.store.head, sha)
        self.store.keep(sha)
        if self._engine is not None:
            self._engine.moved(sha)

    def adopt(self, sha: str, state: Record | None = None) -> None:
        """Go on from a commit of the record in place of what was made; `state` is that as of it, if it is known."""
        self.store.keep(sha)
        if state is not None:
            self.derived.put(sha, state)
        self._engine = None
        self.ledger.journal = OpenJournal()


class Engine:
    """One game that is made again. `sealed` are the paths of the files that nobody here can open."""

    def __init__(self, ledger: OpenLedger, loaded: Loaded, sealed: Collection[str]) -> None:
        self.loaded = loaded
        self._ledger = ledger
        self._turns = ledger.turns
        self._sealed = sealed
        self._game = DerivedAdjudicator(ledger, loaded)

    def position(self) -> Record:
        """Return the whole position as it stands."""
        return self._game.rules.encode(self._game.session.position)

    def moved(self, sha: str) -> None:
        """Take the last commit for one of the record."""
        if self._game.resumed_now is not None:
            self._game.resumed_now.head = sha

    def make(self, commit: RecordedCommit) -> None:
        """Make a commit again from what came from outside. Raises DoesNotFollow, and whatever the rules raise."""
        kind, recorded = commit.kind, commit.files
        if state := recorded.get(layout.STATE):
            self._ledger.version = str(json.loads(unpadded(layout.STATE, state)).get("version"))
        self._game.talk.due = layout.PRESS in recorded
        if layout.PRESS in recorded:
            self._talk(recorded)
        self._game.today, self._game.moment = date.min, None
        if self._game.clock.terms is not None:
            self._ledger.repo.letter_time = datetime.fromtimestamp(commit.author, UTC)
        if kind is CommitKind.TALK:
            write_talk(self._game)
        elif kind is CommitKind.NOTE and "joined" not in _letter_note(recorded)[0]:
            self._request(recorded)
        elif kind in (CommitKind.JOIN, CommitKind.NOTE):
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
                raise DoesNotFollow("its turn file cannot be read")
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
            raise DoesNotFollow(
                f"this sheet has faults and would have been sent back: {receipt.complaints[0].fault.reason}"
            )

    def _closing(self, recorded: Files) -> None:
        """Close the sheets again for the round on record, or put the round in."""
        closing = plain.decode(Closing, yamlio.read(recorded[layout.BEACON] or b"", name=layout.BEACON).value)
        if closing.come:
            before = self._game.closed
            if before is None:
                raise DoesNotFollow("no sheets are closed for the round")
            self._game.note_round(replace(before, signature=closing.signature, missing=closing.missing))
            return
        self._game.today = date.fromisoformat(closing.day)
        self._game.moment = time_of(closing.round) - PATIENCE
        if self._game.step(frozenset(closing.late), frozenset(closing.absent)):
            raise DoesNotFollow("the next adjudication needed no round")

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
            raise DoesNotFollow("there is no request")
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
                raise DoesNotFollow("nothing was at hand that could have been adjudicated")
            return
        act, path = turn["act"], layout.sealed_path(layout.turn_path(n))
        sealed = recorded.get(path)
        whole: Record = {} if sealed is None else json.loads(unpadded(path, sealed)).get("act") or {}
        if act["kind"] == layout.MIGRATION:
            # Corrected files are what came from outside; the digest of the box, to which it moves, binds them.
            self._ledger.further = {
                path: content
                for path, content in recorded.items()
                if path.startswith(layout.BOX) and content is not None
            }
            carry_over(self._game, act)
        elif act["kind"] in (ROLLBACK, DRAW, RESIGNATION):
            self._agreed(act)
        elif act["what"] == "patch":
            ruling.change_position(self._game, ruling.whole_patch(act, whole), act["reason"])
        elif act["what"] == "end":
            ruling.break_off(self._game, act["reason"])
        else:
            self._ordered(act, whole)

    def _agreed(self, act: Record) -> None:
        """Do again what all sides have consented to, or what the game master did in their stead."""
        game = self._game
        request = None if act["by"] == GAME_MASTER else game.request(act.get("request"))
        if act["by"] != GAME_MASTER and request is None:
            raise DoesNotFollow("it says that the sides consented, and there is no request")
        if request is not None and request.kind != act["kind"]:
            raise DoesNotFollow(f"the sides consented to a {request.kind}")
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
            raise DoesNotFollow(f"the orders of the game master have faults: {receipt.complaints[0].fault.reason}")


def _file_request(game: Adjudicator, said: Record, letter: LetterId | None) -> None:
    """File a request again as its file says."""
    if said["kind"] not in KINDS:
        raise DoesNotFollow(f"nobody can ask for {said['kind']!r}")
    request = plain.decode(Request, {"needed": [], **said})
    propose(game, *proposal_of(request), request.reason, letter)


def _say_again(game: Adjudicator, said: Record) -> None:
    """Say or show again what is on record. Raises DoesNotFollow for what would not have been passed on."""
    try:
        if "event" in said:
            made = show_to(game, said["side"], said["to"], said["shows"], said["letter"])
        else:
            unsigned = said.get("unsigned", False)
            made = speak(game, said["side"], said["to"], said.get("text", ""), said["letter"], unsigned=unsigned)
    except CannotPlay as wrong:
        raise DoesNotFollow(f"talk of {said['side']} would not have been passed on: {wrong}") from None
    if made is None:
        raise DoesNotFollow(f"talk of {said['side']} is recorded twice")


def _letter_note(recorded: Files) -> tuple[Record, LetterId | None]:
    """Return the note of the letter that a commit carries out, and the paths of the note; nothing if there is none."""
    paths = tuple(path for path in recorded if path.startswith(layout.LETTERS))
    if not paths:
        return {}, None
    return yamlio.read(recorded[paths[0]] or b"", name=paths[0]).value, paths
