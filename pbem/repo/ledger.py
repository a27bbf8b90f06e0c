"""The ledger: the books of one game, with its charter, its turn files, and what is sealed until the end.

A note is a file under a keyed digest of the letter. It is never changed: where a letter makes several commits, as with
a KEY above a sheet, each brings one of its own. A sheet that a word of the letter hands in is noted apart from the
sheet in the letter; in public the two look alike.

`pbem.repo.files.layout` lists the files.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Protocol, TypeAlias

from pbem.crypto.closing import Closing
from pbem.crypto.dice import Chain, inputs_digest, step_key
from pbem.crypto.keys import Keys
from pbem.crypto.player_chains import contribution
from pbem.crypto.seal import Sealing, recipient_of, salt_of, salted, seal, unseal
from pbem.crypto.signing import sign
from pbem.engine.session import Answer
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.boxes.box_file import Correction
from pbem.game.order_form import compact
from pbem.protocol import Record, Side
from pbem.repo.files import layout
from pbem.repo.files.adjudication import (
    Adjudication,
    Seed,
    charter_message,
    commits_of_adjudications,
    public_record,
    read_adjudication,
    sealed_record,
)
from pbem.repo.files.charter import Charter, Joined, Pins, Revealed, check_secrets, check_signer, read_charter
from pbem.repo.files.layout import Store
from pbem.repo.files.records import yaml_of
from pbem.repo.files.seats import Seated
from pbem.repo.files.state import State, read_state
from pbem.repo.files.talk_book import JournalFile, SealedJournal
from pbem.repo.git import GameRepo
from pbem.repo.public import corrections_in

Read: TypeAlias = Callable[[str], bytes | None]
"""Returns a file of the repo by its path."""
PathOf: TypeAlias = Callable[[str], str]
"""Returns the path of a note by the digest of its letter."""
LetterId: TypeAlias = str | tuple[str, ...]
"""The digest by which a letter is known, or several: a note is kept under each."""


class Links(Protocol):
    """The links of a dice chain, such as `Chain`."""

    def link(self, n: int) -> str:
        """Return the link that adjudication n opens, as hex."""

    def renewal(self, n: int) -> str | None:
        """Return the tip that adjudication n promises, as hex; None unless it opens the last link of its chain."""


def stated_inputs(
    n: int, state: State | None, joined: Mapping[Side, Joined], act: Record | None, beacon: Closing | None
) -> dict[str, object]:
    """Return what has been said since the adjudication before, as the turn file states it.

    `joined` is what newcomers have mailed, or all sides if the game has not begun (`state` is None).
    """
    stated: dict[str, object] = {}
    if state is None:
        stated["joined"] = {side: plain.encode(own) for side, own in joined.items()}
    else:
        # Their chain alone: what else they mail later, a KEY, turns no dice.
        stated["joined"] = {
            side: plain.encode(Joined(chain=own.chain, player=own.player)) for side, own in joined.items()
        }
        # Sorted, because the order in which they came must not change the dice.
        stated["sheets"] = {side: dict(state.new_sheets[side]) for side in sorted(state.new_sheets)}
        stated["standing"] = dict(sorted(state.standing_digests.items()))
        stated["player_chains"] = {
            side: contribution(state.links[side], state.new_links.get(side), n) for side in sorted(state.links)
        }
    stated["beacon"] = beacon and beacon.stated
    stated["act"] = act
    return {word: value for word, value in stated.items() if value}


def noted(read: Read, path_of: PathOf, digest: str) -> Record | None:
    """Return what is noted of a letter; None: nothing.

    Of a word in several notes the first counts. `word` is the sheet that a word of the letter has handed in first.
    """
    by_words = [{**note, "word": note["sheet"]} for note in _notes_under(read, path_of, _by_word(digest))]
    notes = [
        *_notes_under(read, path_of, digest),
        *({word: value for word, value in note.items() if word != "sheet"} for note in by_words),
    ]
    return {word: value for note in reversed(notes) for word, value in note.items()} if notes else None


def next_path(read: Read, path_of: PathOf, digest: str) -> str:
    """Return the path of the next note of a letter."""
    return next(path for path in _note_paths(path_of, digest) if read(path) is None)


def by_word(letter: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """Return under what a sheet is noted that a letter hands in by a word."""
    return _by_word(letter) if isinstance(letter, str) else tuple(map(_by_word, letter))


def _notes_under(read: Read, path_of: PathOf, digest: str) -> Iterator[Record]:
    for path in _note_paths(path_of, digest):
        text = read(path)
        if text is None:
            return
        record: Record = yamlio.read(text, name="letter").value
        yield record


def _note_paths(path_of: PathOf, digest: str) -> Iterator[str]:
    return (path_of(f"{digest} {number}" if number else digest) for number in count())


def _by_word(digest: str) -> str:
    return f"{digest} by word"


class Ledger(Seated):
    """The books of one game, open. Writes nothing until `commit`."""

    def __init__(self, repo: Store, keys: Keys, sealing: Sealing | None = None) -> None:
        """`sealing` is what seals the files; None: the keys do, and the commits are signed."""
        self.repo = repo
        self.keys = keys
        self.charter = read_charter(self._yaml(layout.CHARTER))
        if sealing is None:
            repo.sign = partial(sign, keys.signing)
        self._sealing = sealing or Sealing(self.charter.sealed_to, keys.identity)
        self.further: dict[str, bytes] = {}
        """Files that go into the next commit together with what is committed."""
        self.now: Callable[[], datetime] | None = None
        """What says the time of a commit that no letter makes; None: it has none."""
        self.chain: Links = Chain(keys.chain, keys.length)
        self.journal: JournalFile = SealedJournal(repo.path, keys.office)
        """The journal of talk that is not on record yet."""

    @classmethod
    def create(
        cls,
        path: Path,
        keys: Keys,
        charter: Charter,
        pins: Pins,
        addresses: Mapping[Side, str],
        corrected: Mapping[str, bytes] | None = None,
    ) -> Ledger:
        """Make a game's repo with its charter and `corrected` files of its box; nothing has been rolled yet."""
        players = seal([recipient_of(keys.office)], layout.PLAYERS, compact(dict(addresses)))
        files = {
            layout.CHARTER: yaml_of(charter),
            layout.PINS: yaml_of(pins),
            layout.PLAYERS: players,
            **(corrected or {}),
        }
        message = charter_message(charter.game)
        return cls(GameRepo.create(path, files, message, partial(sign, keys.signing)), keys)

    def check_secrets(self) -> None:
        """Raise BadKeys unless the secrets are those that the charter promises; `commit` checks the key that signs."""
        check_secrets(self.charter, self.keys)

    # ---- reading

    def corrections(self) -> dict[str, Correction]:
        """Return the corrected files of the box that the game keeps."""
        return corrections_in(self.repo)

    @cached_property
    def pins(self) -> Pins:
        """The rules that the game was begun with."""
        return plain.decode(Pins, self._yaml(layout.PINS))

    def state(self, at: str | None = None) -> State | None:
        """Return the state from which the game is resumed, now or as of a commit; None: it has not begun."""
        record = self._unsealed(layout.STATE, at)
        return None if record is None else read_state(record)

    def joined(self, side: Side) -> Joined:
        """Return the phrase, the chain and the key that a side has mailed."""
        content = self.repo.read(layout.joined_path(side))
        return Joined() if content is None else plain.decode(Joined, yamlio.read(content, name=side).value)

    def closing(self) -> Closing | None:
        """Return the last closing of the sheets; None: they were never closed."""
        content = self.repo.read(layout.BEACON)
        return None if content is None else plain.decode(Closing, yamlio.read(content, name=layout.BEACON).value)

    def adjudication(self, n: int) -> Adjudication:
        """Return an adjudication of the past."""
        return self.read_adjudication(n, self.public_turn(n))

    def read_adjudication(self, n: int, public: Record) -> Adjudication:
        """Return an adjudication of the past whose turn file has been read already."""
        return read_adjudication(n, public, self._unsealed(layout.sealed_path(layout.turn_path(n))) or {})

    def public_turn(self, n: int) -> Record:
        """Return the content of a turn file."""
        return self._yaml(layout.turn_path(n))

    def turn_digest(self, n: int) -> str:
        """Return the digest of a turn file; for 0, that of the charter."""
        return sha256(self._file(layout.turn_path(n) if n else layout.CHARTER)).hexdigest()

    def commits(self) -> dict[int, str]:
        """Return the commit that made each adjudication."""
        return commits_of_adjudications(self.repo.history())

    def whole_digest(self, n: int, whole: Record) -> str:
        """Return the salted digest of the sealed part of an act of the game master in adjudication n."""
        return self.salted(layout.turn_path(n).replace(".yaml", ".act"), compact(dict(whole)))

    def letter(self, digest: str) -> Record | None:
        """Return what is noted of a letter that was carried out; None: it was not.

        A letter that made several commits has a note with each. Of a word in several notes the first counts. `word` is
        the first sheet that the letter has handed in by a word.
        """
        return noted(self.repo.read, self.letter_path, digest)

    def sheet(self, side: Side, n: int) -> bytes:
        """Return an accepted sheet as it was received."""
        path = layout.sheet_path(side, n)
        return self._sealing.open(path, self._file(path))

    # ---- dice

    def seed(self, n: int, state: State | None, act: Record | None = None, beacon: Closing | None = None) -> Seed:
        """Return the seed of adjudication n.

        `act` is the act of the game master, if it is no play; `beacon` has the round of the beacon, if one has come.
        """
        link, previous = self.chain.link(n), self.turn_digest(n - 1)
        if state is None:
            sides = [name.removesuffix(".yaml") for name in self.repo.listdir("joined")]
        else:
            sides = sorted(state.newcomers)
        stated = stated_inputs(n, state, {side: self.joined(side) for side in sides}, act, beacon)
        inputs = inputs_digest(previous if state is None else state.inputs, stated)
        return Seed(previous, link, stated, inputs, step_key(link, self.charter.game, n, inputs))

    # ---- files to commit

    def join_files(self, side: Side, joined: Joined) -> dict[str, bytes]:
        """Return the file of what a side has mailed: its phrase, its chain, its key."""
        return {layout.joined_path(side): yaml_of(joined)}

    def closing_files(self, closing: Closing) -> dict[str, bytes]:
        """Return the file that records a closing of the sheets."""
        return {layout.BEACON: yaml_of(closing)}

    def sheet_files(self, state: State, side: Side, raw: bytes) -> dict[str, bytes]:
        """Return the file of a newly accepted sheet, and count it in `state`."""
        n = state.sheets.get(side, 0) + 1
        path = layout.sheet_path(side, n)
        state.sheets[side] = n
        state.new_sheets.setdefault(side, {})[path] = self.salted(path, raw)
        return {path: self._seal(path, raw, layout.SHEET_ROOM)}

    def letter_files(self, letter: LetterId, note: Record) -> dict[str, bytes]:
        """Return the note that a letter was carried out, so that it is not carried out twice.

        A note is never changed: where the letter has some already, as for a KEY above a sheet, this is one more.
        """
        digests = (letter,) if isinstance(letter, str) else letter
        text = yamlio.dump(dict(note)).encode()
        return {next_path(self.repo.read, self.letter_path, digest): text for digest in digests}

    def standing_files(self, state: State, side: Side) -> dict[str, bytes]:
        """Return the file of a side's standing orders in force, and put its digest into `state`."""
        path = layout.standing_path(side)
        # The numbers make each text different, so that nobody sees that a side has gone back to earlier orders.
        written = [state.sheets.get(side, 0), state.adjudication]
        content = compact({"written": written, "orders": list(state.standing[side])})
        # Once a side has filed any, the digest is named for ever, also of none: to leave it out would be a choice.
        state.standing_digests[side] = self.salted(path, content)
        return {path: self._seal(path, content, layout.STANDING_ROOM)}

    def state_files(self, state: State, position: int = 0) -> dict[str, bytes]:
        """Return the sealed state; `position` is the length of the public position, 0: of the one on file."""
        new_sheets = sum(map(len, state.new_sheets.values()))
        length = position or len(self._file(layout.POSITION))
        room = layout.state_room(length, len(self.charter.players), len(state.steps), new_sheets)
        return {layout.STATE: self._seal(layout.STATE, compact(state.record()), room)}

    def side_files(self, side: Side, view: Record, state: State, public: int, *, talked: bool) -> dict[str, bytes]:
        """Return the view of a side after an adjudication, sealed to the key that it gave; nothing if it gave none.

        `public` is the length of the public position and of the turn file; `talked`: the view may hold talk.
        """
        key, path = self.joined(side).key, layout.view_path(side)
        if key is None:
            return {}
        corrected = sum(2 * len(each.text) for each in self.corrections().values())
        room = layout.view_room(public, corrected, side in state.handed_in, side in state.standing_digests)
        room += 2 * layout.press_room(len(self.charter.players)) if talked else 0
        return {path: self._sealing.seal(path, compact(view), room, recipient=key)}

    def turn_files(
        self, made: Adjudication, seed: Seed, span: Sequence[Answer] | None, position: bytes, state: State
    ) -> dict[str, bytes]:
        """Return the files of an adjudication.

        `span` are the answers since the last checkpoint, which are published when the next one is reached; None: it is
        not. `position` is the position as an observer may know it, `state` the state after it.
        """
        path = layout.turn_path(made.n)
        public = public_record(made, seed, renewal=self.chain.renewal(made.n), span=span)
        if state.result is not None:
            public["result"] = state.result.record()
        public["position"] = sha256(position).hexdigest()
        # There is no digest of the sealed record: it follows from sheets, dice and the seed of hidden draws.
        text = yamlio.dump(public).encode()
        acted, filed = made.act is not None, len(state.standing_digests)
        room = layout.record_room(len(text), len(state.handed_in), filed, acted)
        sealed = self._seal(layout.sealed_path(path), compact(sealed_record(made)), room)
        return {path: text, layout.sealed_path(path): sealed, layout.POSITION: position}

    def revealed_files(self) -> dict[str, bytes]:
        """Return the file that publishes the secrets of a game that is over."""
        revealed = Revealed(self.keys.hidden.hex(), self.keys.identity)
        return {layout.REVEALED: yaml_of(revealed)}

    def salted(self, path: str, content: bytes) -> str:
        """Return the salted digest of a content that is sealed at a path."""
        return salted(salt_of(self.keys.hidden, path), content)

    def letter_path(self, digest: str) -> str:
        """Return the path of the note of a letter, by the letter's digest."""
        name = hmac.digest(self.keys.office.encode(), digest.encode(), "sha256").hex()
        return f"{layout.LETTERS}{name[:2]}/{name}"

    # ---- talk

    def talk_on_record(self, path: str, at: str | None = None) -> Record | None:
        """Return what a file of talk holds, now or as of a commit; None: it is not there. Raises CannotOpen."""
        if path != layout.UNOPENED:
            return self._unsealed(path, at)
        content = self.repo.read(path, at)
        found: Record | None = None if content is None else json.loads(unseal(self.keys.office, path, content))
        return found

    def seal_talk(self, path: str, content: bytes, room: int) -> bytes:
        """Return a file of talk; one that is never opened is sealed to the key of the players' addresses."""
        recipient = recipient_of(self.keys.office) if path == layout.UNOPENED else None
        return self._sealing.seal(path, content, room, recipient=recipient)

    def talk_digest(self, letter: str) -> str:
        """Return the keyed digest by which a letter with talk is known: nobody can find it by guessing the letter."""
        return hmac.digest(self.keys.office.encode(), f"talk {letter}".encode(), "sha256").hex()[:32]

    # ---- the repo

    def commit(self, files: Mapping[str, bytes], message: str) -> str:
        """Commit files to the game's repo and return the commit's id. Raises BadKeys if it would be signed wrongly."""
        if self.repo.sign is not None:
            check_signer(self.charter, self.keys)
        before = self.repo.letter_time
        try:
            self.repo.letter_time = self.now() if before is None and self.now is not None else before
            sha = self.repo.commit({**files, **self.further}, message)
        finally:
            self.repo.letter_time = before
        self.further = {}
        return sha

    def _file(self, path: str) -> bytes:
        content = self.repo.read(path)
        if content is None:
            raise FileNotFoundError(f"{self.repo.path.name} has no {path}")
        return content

    def _yaml(self, path: str) -> Record:
        record: Record = yamlio.read(self._file(path), name=path).value
        return record

    def _seal(self, path: str, content: bytes, public: int = 0) -> bytes:
        return self._sealing.seal(path, content, public)

    def _unsealed(self, path: str, at: str | None = None) -> Record | None:
        content = self.repo.read(path, at)
        record: Record | None = None if content is None else json.loads(self._sealing.open(path, content))
        return record
