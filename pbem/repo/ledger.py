"""The ledger: the books of one game, with its charter, its turn files, and what is sealed until the end.

A note is a file under a keyed digest of the letter. It is never changed: where a letter makes several commits, as with
a KEY above a sheet, each brings one of its own. A sheet that a word of the letter hands in is noted apart from the
sheet in the letter; in public the two look alike.

`pbem.repo.files.layout` lists the files.
"""

from __future__ import annotations

import hmac
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property, partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from pbem import __version__
from pbem.crypto.closing import Closing
from pbem.crypto.dice import Chain, inputs_digest, step_key
from pbem.crypto.keys import Keys
from pbem.crypto.player_chains import contribution
from pbem.crypto.seal import CannotOpen, Sealing, recipient_of, salt_of, salted, seal, unpadded, unseal
from pbem.crypto.signing import sign
from pbem.engine.session import Answer
from pbem.game import plain
from pbem.game import yaml as yamlio
from pbem.game.boxes.box_file import Correction
from pbem.game.order_form import compact
from pbem.protocol import Record, Result, Side
from pbem.repo.derived import Derived, DerivedTurn
from pbem.repo.files import layout
from pbem.repo.files.adjudication import (
    Adjudication,
    Seed,
    charter_message,
    commit_of_adjudication,
    commits_of_adjudications,
    public_record,
    read_adjudication,
    sealed_record,
)
from pbem.repo.files.charter import Charter, Joined, Pins, Revealed, check_secrets, check_signer, read_charter
from pbem.repo.files.layout import Store
from pbem.repo.files.records import without_remarks, yaml_of
from pbem.repo.files.seats import Seated
from pbem.repo.files.state import State, read_state
from pbem.repo.files.talk_book import JournalFile, SealedJournal
from pbem.repo.git import GameRepo, StoreError
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


class NotDerived(StoreError):
    """What is derived of a game is not at hand, and cannot be made again from its commits; the text says why."""


class CommittedState(NamedTuple):
    """A state as a commit has it, and the version of the program that committed it."""

    version: str
    state: Record


class After(NamedTuple):
    """How a game stands after an adjudication: the position as an observer may know it, written out; all of it."""

    seen: bytes
    position: Record
    result: Result | None


def read_committed(padded: bytes) -> CommittedState:
    """Return the state that an opened file holds, as it was padded. Raises CannotOpen for another file."""
    return _committed(unpadded(layout.STATE, padded))


def _committed(content: bytes) -> CommittedState:
    try:
        found = json.loads(content)
        return CommittedState(str(found["version"]), json.loads(zlib.decompress(b64decode(found["state"]))))
    except (ValueError, TypeError, LookupError, zlib.error) as wrong:
        raise CannotOpen(f"{layout.STATE}: holds no state of a game: {wrong}") from None


class Ledger(Seated):
    """The books of one game, open. Writes nothing until `commit`."""

    def __init__(self, repo: Store, keys: Keys, sealing: Sealing | None = None, derived: Derived | None = None) -> None:
        """`sealing` is what seals the files; None: the keys do, and the commits are signed.

        `derived` is what is derived of the game; None: it lies beside the repo.
        """
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
        self.derived = derived or Derived(repo.path, keys.identity)
        self.make_again: Callable[[str], None] | None = None
        """What makes the state as of a commit, and the adjudication that it made, again; None: nothing does.

        It puts them into `derived`.
        """
        self.version = __version__
        """The version of the program that is noted with a state that is committed."""

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

    @cached_property
    def pins_digest(self) -> str:
        """The SHA-256 of the file with the digests of these rules, which is never changed."""
        return sha256(self._file(layout.PINS)).hexdigest()

    def state(self, at: str | None = None) -> State | None:
        """Return the state from which the game is resumed, now or as of a commit; None: it has not begun.

        Raises NotDerived if it is not at hand and cannot be made again.
        """
        sha = at or self.repo.head
        record = self.derived.state(sha)
        if record is None and self.repo.read(layout.turn_path(1), at) is not None:
            self._make_again(sha)
            record = self.derived.state(sha)
        return None if record is None else read_state(record)

    def committed_state(self, at: str) -> CommittedState | None:
        """Return the state before an adjudication that the commit `at` has brought; None: it brought none."""
        content = self.repo.read(layout.STATE, at)
        return None if content is None else _committed(self._sealing.open(layout.STATE, content))

    def _make_again(self, sha: str) -> None:
        if self.make_again is None:
            raise NotDerived(f"{self.charter.game}: how it stood as of {sha[:12]} is not at hand")
        self.make_again(sha)

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
        return read_adjudication(n, public, self.record(n))

    def record(self, n: int, sha: str | None = None) -> Record:
        """Return the whole record of an adjudication: as it is kept, as it was published, or made again.

        `sha` is the commit that made it, if it is known. Raises NotDerived if none of it can be.
        """
        sha = sha or commit_of_adjudication(self.repo.history(), n)
        if sha is None:
            raise FileNotFoundError(f"{self.repo.path.name} has no adjudication {n}")
        made = self.derived.turn(sha)
        if made is None and (published := self.repo.read(layout.record_path(n))) is not None:
            made = DerivedTurn(n, yamlio.read(published, name=layout.record_path(n)).value)
        if made is None:
            self._make_again(sha)
            made = self.derived.turn(sha)
        if made is None:
            raise NotDerived(f"{self.charter.game}: adjudication {n} cannot be made again here")
        return made.record

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
        texts = {} if state is None else {side: dict(state.new_texts[side]) for side in sorted(state.new_texts)}
        return Seed(previous, link, stated, inputs, step_key(link, self.charter.game, n, inputs), texts)

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
        state.new_sheets.setdefault(side, {})[path] = self.salted(path, without_remarks(raw))
        state.new_texts.setdefault(side, {})[path] = self.salted(path, raw)
        return {path: self._seal(path, raw, layout.sheet_room(len(raw)))}

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

    def checkpoint_files(self, before: State) -> dict[str, bytes]:
        """Return the file of the state before an adjudication, sealed."""
        packed = b64encode(zlib.compress(compact(before.record()), 9)).decode()
        content = compact({"version": self.version, "state": packed})
        return {layout.STATE: self._seal(layout.STATE, content, layout.state_room(len(self.charter.players)))}

    def side_files(self, side: Side, view: Record, public: int) -> dict[str, bytes]:
        """Return the view of a side after an adjudication, sealed to the key that it gave; nothing if it gave none.

        `public` is the length of the public position and of the turn file.
        """
        key, path = self.joined(side).key, layout.view_path(side)
        if key is None:
            return {}
        return {path: self._sealing.seal(path, compact(view), layout.view_room(public), recipient=key)}

    def heard_files(self, side: Side, heard: Sequence[Record], room: int) -> dict[str, bytes]:
        """Return the file of what a side said and heard, sealed to the key that it gave; nothing if it gave none."""
        key, path = self.joined(side).key, layout.heard_path(side)
        if key is None:
            return {}
        return {path: self._sealing.seal(path, compact({"talk": list(heard)}), room, recipient=key)}

    def turn_files(
        self, made: Adjudication, seed: Seed, span: Sequence[Answer] | None, after: After
    ) -> dict[str, bytes]:
        """Return the files of an adjudication.

        `span` are the answers since the last checkpoint, which are published when the next one is reached; None: it is
        not.
        """
        path = layout.turn_path(made.n)
        public = public_record(made, seed, renewal=self.chain.renewal(made.n), span=span)
        if after.result is not None:
            public["result"] = after.result.record()
        public["position"] = sha256(after.seen).hexdigest()
        # They turn no dice. Of what is hidden nothing is committed: without them it could be another in each clone.
        public["sealed"] = {
            "record": self.salted(layout.record_path(made.n), compact(sealed_record(made))),
            "position": self.position_digest(made.n, after.position),
        }
        files = {path: yamlio.dump(public).encode(), layout.POSITION: after.seen}
        if made.whole is not None:
            content = compact({"act": dict(made.whole)})
            files[layout.sealed_path(path)] = self._seal(layout.sealed_path(path), content, layout.ACT_ROOM)
        return files

    def position_digest(self, n: int, position: Record) -> str:
        """Return the salted digest of the whole position after adjudication n."""
        return self.salted(layout.turn_path(n), compact(position))

    def record_files(self, last: Adjudication) -> dict[str, bytes]:
        """Return the files that publish all adjudications as a whole, but those that cannot be made again here.

        `last` is the one that ends the game, which is not committed yet.
        """
        records: dict[int, Record] = {last.n: sealed_record(last)}
        for n, sha in self.commits().items():
            with suppress(NotDerived):
                records[n] = self.record(n, sha)
        return {layout.record_path(n): yamlio.dump(dict(records[n])).encode() for n in sorted(records)}

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

    def commit(
        self, files: Mapping[str, bytes], message: str, after: State | None = None, made: Adjudication | None = None
    ) -> str:
        """Commit files to the game's repo and return the commit's id; without any change the head stays.

        `after` is the state after it (None: it stays as it was), `made` the adjudication that it makes. Raises BadKeys
        if it would be signed wrongly.
        """
        if self.repo.sign is not None:
            check_signer(self.charter, self.keys)
        files = {**files, **self.further}
        before, head = self.repo.letter_time, self.repo.head
        if all(self.repo.read(path) == content for path, content in files.items()):
            return head
        try:
            self.repo.letter_time = self.now() if before is None and self.now is not None else before
            sha = self.repo.commit(files, message)
        finally:
            self.repo.letter_time = before
        self.further = {}
        if after is None:
            self.derived.moved(head, sha)
        else:
            turn = None if made is None else DerivedTurn(made.n, sealed_record(made))
            self.derived.put(sha, after.record(), turn)
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
