"""The books of one game: its charter, its turn files, and what is sealed until the end. The layout of a game's repo.

```
game.yaml                      the charter: rules, options, players, commitments of dice and hidden cards
position.yaml                  where things stand, as an onlooker may know it
sealed/state.siv               the last resting point, the answers since, the orders that wait (sealed)
sealed/players.siv             the players' mail addresses (sealed)
turns/000/0042.yaml            an adjudication as everybody may read it
turns/000/0042.siv             the whole of it (sealed)
standing/<side>.siv            a side's standing orders (sealed)
sheets/<side>/000/0017.siv     an accepted sheet, as received (sealed)
letters/9f/9f86d081...         a letter that was carried out (named by its keyed digest, since who can guess a letter
                               could find its digest): side, sheet, adjudication before it
```
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import plain, yamlio
from pbem.dice import Chain, inputs_digest, make_chain, step_key
from pbem.engine import Answer, Queued, Step
from pbem.protocol import Event, Roll, Side
from pbem.record import (
    answer_record,
    event_records,
    public_answer,
    queued_record,
    read_answer,
    read_events,
    read_queued,
    read_roll,
    roll_record,
)
from pbem.seal import BadKeys, Keys, commitment, seal, unseal
from pbem.store import GameExists, GameRepo, NoSuchGame, numbered

CHARTER: Final = "game.yaml"
POSITION: Final = "position.yaml"
STATE: Final = "sealed/state.siv"
PLAYERS: Final = "sealed/players.siv"
_MOST_TURNS: Final = 64


@dataclass(slots=True)
class DicePromise:
    """What is promised about the dice before the first roll: the chain's tip, and the hidden secret's digest."""

    scheme: str
    length: int
    tip: str
    hidden: str


@dataclass(slots=True)
class Charter:
    """`game.yaml`: what is played, by whom, under which options, and with which dice."""

    game: str
    rules: str
    preset: str
    scenario: str
    players: dict[str, str]
    options: dict[str, Any]
    """Options that differ from the preset."""
    box: str
    """Digest of the rules box that the game is played with."""
    version: int
    dice: DicePromise


@dataclass(slots=True)
class State:
    """What the game is resumed from: the resting point, the adjudications since, the orders not yet used."""

    adjudication: int
    """The number of the last adjudication."""
    digest: str
    """The digest of its turn file."""
    checkpoint: Mapping[str, Any]
    steps: list[Step]
    pending: dict[Side, list[Queued]] = field(default_factory=dict)
    new_sheets: dict[Side, list[str]] = field(default_factory=dict)
    """Paths of the sheets accepted since the last adjudication."""
    sheets: dict[Side, int] = field(default_factory=dict)
    """How many sheets each side has had accepted."""
    standing: dict[Side, list[Any]] = field(default_factory=dict)
    """Each side's standing orders in force, first to last, as `Filed.record` keeps them."""
    opened: int = 1
    """The adjudication that asked the questions now open."""
    result: Mapping[str, Any] | None = None


class Opening(NamedTuple):
    """What turns the dice to an adjudication: the link opened, the digest of all that goes in, the key of both."""

    link: str
    inputs: str
    key: bytes


@dataclass(slots=True)
class Turn:
    """One adjudication: everything in it, for whom it may concern."""

    n: int
    answers: list[Answer]
    rolls: list[Roll]
    events: list[Event]
    waiting: list[dict[str, str]]


def turn_path(n: int) -> str:
    """Return the path of a turn file."""
    return numbered("turns", n)


def sealed_path(path: str) -> str:
    """Return the path of the sealed file beside a file."""
    return path.removesuffix(".yaml") + ".siv"


class Ledger:
    """The books of one game, open. Writes nothing until `commit`."""

    def __init__(self, repo: GameRepo, keys: Keys) -> None:
        self.repo = repo
        self.keys = keys
        self._sealing = keys.sealing_key()
        self.charter = plain.decode(Charter, self._yaml(CHARTER))
        self._turns: dict[tuple[str, int], Turn] = {}

    @cached_property
    def chain(self) -> Chain:
        """The links of the game's dice."""
        return make_chain(self.keys.chain, self.keys.length)

    @classmethod
    def create(cls, path: Path, keys: Keys, charter: Charter, addresses: Mapping[Side, str]) -> Ledger:
        """Make a game's repo with its charter; nothing has been rolled yet."""
        players = seal(keys.sealing_key(), PLAYERS, yamlio.dump(dict(addresses)).encode())
        files = {CHARTER: yamlio.dump(plain.encode(charter)).encode(), PLAYERS: players}
        return cls(GameRepo.create(path, files, f"{charter.game}: the charter"), keys)

    def check_keys(self) -> None:
        """Raise BadKeys unless the secrets are those that the charter promises."""
        made = self.charter.dice
        # The length comes first: a chain as long as a damaged file says might take for ever to make.
        same = self.keys.length == made.length and self.chain.tip == made.tip
        if not same or commitment(self.keys.hidden) != made.hidden:
            raise BadKeys(f"these are not the secrets that {self.charter.game} was begun with; find the right ones")

    def close(self) -> None:
        """Close the repo."""
        self.repo.close()

    # ---- reading

    @cached_property
    def addresses(self) -> Mapping[Side, str]:
        """Side -> the address that may play it."""
        addresses: Mapping[Side, str] = self._unsealed(PLAYERS) or {}
        return addresses

    def state(self) -> State | None:
        """Return what the game is resumed from; None: it has not begun."""
        record = self._unsealed(STATE)
        if record is None:
            return None
        return State(
            adjudication=record["adjudication"],
            digest=record["digest"],
            checkpoint=record["checkpoint"],
            steps=[
                Step(bytes.fromhex(step["key"]), [read_answer(answer) for answer in step["answers"]])
                for step in record["steps"]
            ],
            pending={side: [read_queued(order) for order in orders] for side, orders in record["pending"].items()},
            new_sheets=record["new_sheets"],
            sheets=record["sheets"],
            standing=record["standing"],
            opened=record["opened"],
            result=record["result"],
        )

    def turn(self, n: int) -> Turn:
        """Return an adjudication of the past, whole: look, do not touch. The letters of all sides ask for the same."""
        key = (self.repo.head, n)
        if key not in self._turns:
            if len(self._turns) >= _MOST_TURNS:
                self._turns.clear()
            self._turns[key] = self._read_turn(n)
        return self._turns[key]

    def _read_turn(self, n: int) -> Turn:
        public = self._yaml(turn_path(n))
        record = self._unsealed(sealed_path(turn_path(n))) or {}
        rolls = [read_roll(roll) for roll in public.get("rolls", ())]
        readers = {int(at): sides for at, sides in record["readers"].items()}
        return Turn(
            n,
            [read_answer(answer) for answer in record["answers"]],
            rolls,
            read_events(record["events"], rolls, readers),
            public["waiting"],
        )

    def public_turn(self, n: int) -> Any:
        """Return a turn file as everybody may read it."""
        return self._yaml(turn_path(n))

    def turn_digest(self, n: int) -> str:
        """Return the digest of a turn file as it lies there."""
        return self._digest(turn_path(n))

    def letter(self, digest: str) -> Mapping[str, Any] | None:
        """Return what became of a letter that was carried out; None: it was not."""
        text = self.repo.read(self._letter_path(digest))
        if text is None:
            return None
        record: Mapping[str, Any] = yamlio.read(text, name="letter").value
        return record

    def sheet(self, side: Side, n: int) -> bytes:
        """Return an accepted sheet as it was received."""
        path = sealed_path(numbered(f"sheets/{side}", n))
        return unseal(self._sealing, path, self._file(path))

    def unsealed(self, path: str, content: bytes) -> bytes:
        """Return what was sealed for a path of this game's repo."""
        return unseal(self._sealing, path, content)

    # ---- dice

    def opening(self, n: int, state: State | None) -> Opening:
        """Return what turns the dice to adjudication n."""
        link = self.chain.link(n)
        previous, sheets, standing = "", {}, {}
        if state is not None:
            previous = state.digest
            sheets = {side: [self._digest(path) for path in paths] for side, paths in state.new_sheets.items()}
            standing = self.standing_digests(state)
        inputs = inputs_digest(previous, sheets, standing, {})
        return Opening(link, inputs, step_key(link, self.charter.game, n, inputs))

    def standing_digests(self, state: State) -> dict[Side, str]:
        """Return the digest of each side's standing orders in force: they go into the dice."""
        return {side: self._digest(_standing_path(side)) for side in sorted(state.standing) if state.standing[side]}

    # ---- files to commit

    def sheet_files(self, state: State, side: Side, raw: bytes, letter: str | None) -> dict[str, bytes]:
        """Return the files of a newly accepted sheet, and count it in `state`."""
        n = state.sheets.get(side, 0) + 1
        path = sealed_path(numbered(f"sheets/{side}", n))
        state.sheets[side] = n
        state.new_sheets.setdefault(side, []).append(path)
        files = {path: seal(self._sealing, path, raw)}
        if letter is not None:
            note: dict[str, Any] = {"side": side, "sheet": n, "after": state.adjudication}
            files[self._letter_path(letter)] = yamlio.dump(note).encode()
        return files

    def standing_files(self, side: Side, orders: Sequence[Any]) -> dict[str, bytes]:
        """Return the file of a side's standing orders."""
        path = _standing_path(side)
        return {path: self._sealed(path, list(orders))}

    def state_files(self, state: State) -> dict[str, bytes]:
        """Return the sealed state."""
        record: dict[str, Any] = {
            "adjudication": state.adjudication,
            "digest": state.digest,
            "checkpoint": state.checkpoint,
            "steps": [
                {"key": step.key.hex(), "answers": [answer_record(answer) for answer in step.answers]}
                for step in state.steps
            ],
            "pending": {side: [queued_record(order) for order in orders] for side, orders in state.pending.items()},
            "new_sheets": state.new_sheets,
            "sheets": state.sheets,
            "standing": state.standing,
            "opened": state.opened,
            "result": state.result,
        }
        return {STATE: self._sealed(STATE, record)}

    def turn_files(
        self, turn: Turn, opening: Opening, *, previous: str, sheets: Mapping[Side, Sequence[str]],
        standing: Mapping[Side, str], span: Sequence[Answer] | None, result: Mapping[str, Any] | None,
    ) -> tuple[dict[str, bytes], str]:  # fmt: skip
        """Return the files of an adjudication and the digest of its turn file.

        Everything that went into the opening is named: the sheets by path, the standing orders by digest. `span` are
        the answers of the whole resting span, published when the game rests; None: it does not.
        """
        path = turn_path(turn.n)
        public: dict[str, Any] = {"adjudication": turn.n, "previous": previous}
        public |= {"link": opening.link, "inputs": opening.inputs}
        if sheets:  # sorted, for in which order they came must not turn the dice of the next adjudication
            public["sheets"] = {side: list(sheets[side]) for side in sorted(sheets)}
        if standing:
            public["standing"] = dict(standing)
        if span is not None:
            public["answers"] = [public_answer(answer_record(answer)) for answer in span if not answer.secret]
        if turn.rolls:
            public["rolls"] = [roll_record(n, roll) for n, roll in enumerate(turn.rolls, 1)]
        records = event_records(turn.events)
        readers = {str(at): list(event.to) for at, event in enumerate(turn.events) if event.to is not None}
        public["events"] = [record for at, record in enumerate(records) if str(at) not in readers]
        public["waiting"] = turn.waiting
        if result is not None:
            public["result"] = dict(result)
        text = yamlio.dump(public).encode()
        whole = {"answers": [answer_record(a) for a in turn.answers], "events": records, "readers": readers}
        files = {path: text, sealed_path(path): self._sealed(sealed_path(path), whole)}
        return files, sha256(text).hexdigest()

    def _letter_path(self, digest: str) -> str:
        name = hmac.digest(self._sealing, digest.encode(), "sha256").hex()
        return f"letters/{name[:2]}/{name}"

    # ---- the repo

    def commit(self, files: Mapping[str, bytes], message: str) -> str:
        """Commit files to the game's repo and return the commit's id."""
        return self.repo.commit(dict(files), message)

    def _file(self, path: str) -> bytes:
        content = self.repo.read(path)
        if content is None:
            raise FileNotFoundError(f"{self.repo.path.name} has no {path}")
        return content

    def _digest(self, path: str) -> str:
        return sha256(self._file(path)).hexdigest()

    def _yaml(self, path: str) -> Any:
        return yamlio.read(self._file(path), name=path).value

    def _sealed(self, path: str, value: Any) -> bytes:
        return seal(self._sealing, path, yamlio.dump(value).encode())

    def _unsealed(self, path: str) -> Any:
        content = self.repo.read(path)
        return None if content is None else yamlio.read(unseal(self._sealing, path, content), name=path).value


def promise(keys: Keys) -> DicePromise:
    """Return what a game's charter promises about its dice."""
    return DicePromise(keys.scheme, keys.length, make_chain(keys.chain, keys.length).tip, commitment(keys.hidden))


def keys_for_new_game(folder: Path, name: str, path: Path, secrets: tuple[bytes, bytes] | None) -> Keys:
    """Return the secrets of a new game; those that a game left behind which never came to be are used up.

    Raises GameExists if there is such a game at `path`, BadKeys if the secrets of another stand in the way.
    """
    chain, hidden = secrets or (None, None)
    try:
        return Keys.create(folder, name, chain=chain, hidden=hidden)
    except BadKeys:
        try:
            GameRepo.open(path).close()
        except NoSuchGame:
            left = Keys.load(folder, name)
            if secrets in (None, (left.chain, left.hidden)):
                return left
        else:
            raise GameExists(f"{path} exists already; a new game needs another name") from None
        raise


def _standing_path(side: Side) -> str:
    return f"standing/{side}.siv"
