"""Forges games, as a dishonest adjudicator or somebody at the server might: the tests that must find it all out.

A `Tale` is what the commits of a game say, each with the files that it changes. It can be edited and told anew, with
the right signing key, with another, or with the signatures of the true commits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from pbem.audit.record.schemas import TURN_SHAPE
from pbem.crypto.dice import Chain, ChainDice, inputs_digest, step_key
from pbem.crypto.seal import recipient_of, salt_of, salted, seal
from pbem.crypto.signing import sign
from pbem.game import yaml as yamlio
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.layout import record_path, turn_path
from pbem.repo.git import GameRepo
from pbem.repo.git.history import PastRepo
from pbem.repo.ledger import Ledger
from tests.support.live import SECRETS, Folder, pick, sheet

Sign = Callable[[bytes], bytes]
Files = dict[str, bytes | None]


@dataclass
class Tale:
    """The commits of a game, the oldest first: message and the files that each changes."""

    game: str
    commits: list[tuple[str, Files]]
    signatures: list[bytes] = field(default_factory=list)
    dates: list[int] = field(default_factory=list)
    """The author's date of each commit, in seconds since 1970."""

    @classmethod
    def of(cls, path: Path) -> Tale:
        """Return what a repo tells."""
        with PastRepo(path) as repo:
            past = repo.commits()
            commits = [
                (each.message, {c.path: None if c.new is None else repo.blob(c.new) for c in each.changes})
                for each in past
            ]
            return cls(path.stem, commits, [each.signature for each in past], [each.author for each in past])

    def copy(self) -> Tale:
        """Return a tale to be edited."""
        commits = [(message, dict(files)) for message, files in self.commits]
        return Tale(self.game, commits, self.signatures, list(self.dates))

    def tell(self, folder: Path, sign: Sign | None) -> Path:
        """Make a repo of it, every commit signed anew, and return its path."""
        path = folder / f"{self.game}.git"
        message, files = self.commits[0]
        with GameRepo.create(path, _there(files), message, sign) as repo, repo.transaction():
            for at, (message, changes) in enumerate(self.commits[1:], 1):
                date = self.dates[at] if at < len(self.dates) else at
                repo.letter_time = None if date == at else datetime.fromtimestamp(date, UTC)
                repo.commit(changes, message)
        return path

    def tell_with_old_signatures(self, folder: Path) -> Path:
        """Make a repo of it, every commit with the signature of the true one in its place."""
        signatures = iter(self.signatures)
        return self.tell(folder, lambda _: next(signatures, self.signatures[-1]))

    def where(self, path: str) -> list[int]:
        """Return the numbers of the commits that change a file."""
        return [at for at, (_, files) in enumerate(self.commits) if path in files]

    def paths(self) -> list[str]:
        """Return every file that was ever there."""
        return sorted({path for _, files in self.commits for path in files})

    def put(self, path: str, content: bytes | None, version: int = 0) -> None:
        """Give a version of a file another content; None: the commit does not touch it."""
        files = self.commits[self.where(path)[version]][1]
        if content is None:
            del files[path]
        else:
            files[path] = content

    def content(self, path: str, version: int = 0) -> bytes:
        """Return a version of a file."""
        found = self.commits[self.where(path)[version]][1][path]
        assert found is not None
        return found

    def turn(self, n: int) -> dict[str, Any]:
        """Return what a turn file says."""
        value: dict[str, Any] = yamlio.read(self.content(turn_path(n)), name="turn").value
        return value

    def put_turn(self, n: int, turn: Mapping[str, Any]) -> None:
        """Give a turn file other words, in the order in which they are written."""
        self.put(turn_path(n), yamlio.dump(in_order(turn, TURN_SHAPE)).encode())

    @property
    def last(self) -> int:
        """The number of the last turn."""
        return max(n for n in range(1, len(self.commits)) if self.where(turn_path(n)))

    def remade(self, first: int, edit: Callable[[int, dict[str, Any]], None], *, chain: Chain | None = None) -> None:
        """Edit every turn file from one on, and put right what hangs together: digests, inputs, dice, totals.

        That is what an adjudicator could do who holds the signing key. With `chain` the links come from it.
        """
        for n in range(first, self.last + 1):
            turn = self.turn(n)
            before = sha256(self.content(turn_path(n - 1) if n > 1 else "game.yaml")).hexdigest()
            turn["previous"] = before
            if chain is not None:
                turn["link"] = chain.link(n)
            edit(n, turn)
            turn["inputs"] = inputs_digest(self.turn(n - 1)["inputs"] if n > 1 else before, turn)
            dice = ChainDice(step_key(turn["link"], self.game, n, turn["inputs"]), b"")
            for roll in turn.get("rolls", ()):
                roll["faces"] = dice.faces(roll["name"], len(roll["faces"]), roll.get("sides", 6))
                roll["total"] = sum(roll["faces"]) + sum(roll.get("modifiers", {}).values())
                if "need" in roll:
                    sense, need = roll["need"].split(" ")
                    reached = roll["total"] <= int(need) if sense == "<=" else roll["total"] >= int(need)
                    roll["success"] = reached
            self.put_turn(n, turn)

    def record(self, n: int) -> dict[str, Any]:
        """Return the whole record of a turn of a game that is over."""
        record: dict[str, Any] = yamlio.read(self.content(record_path(n)), name="record").value
        return record

    def put_sealed(self, path: str, content: bytes, version: int = 0) -> str:
        """Give a sealed file another content, sealed as it should be, and return its salted digest."""
        self.put(path, seal([recipient_of(SECRETS.identity)], path, content), version)
        return salted(salt_of(SECRETS.hidden, path), content)

    def put_record(self, n: int, record: Mapping[str, Any]) -> None:
        """Give a turn of a game that is over another whole record."""
        self.put(record_path(n), yamlio.dump(dict(record)).encode())


def in_order(value: Any, shape: Any) -> Any:
    """Return a value with its words in the order of its shape, strange ones last."""
    if isinstance(value, list) and isinstance(shape, list):
        return [in_order(item, shape[0]) for item in value]
    if not isinstance(value, Mapping) or not isinstance(shape, dict):
        return value
    if str in shape:
        return {word: in_order(item, shape[str]) for word, item in value.items()}
    shapes = {word.removesuffix("?"): inner for word, inner in shape.items()}
    words = [*(word for word in shapes if word in value), *(word for word in value if word not in shapes)]
    return {word: in_order(value[word], shapes.get(word)) for word in words}


def unchanged(_: int, __: dict[str, Any]) -> None:
    """Edit nothing."""


def flipped(content: bytes, random: Random) -> bytes:
    """Return a content with one byte changed."""
    at = random.randrange(len(content))
    return content[:at] + bytes([content[at] ^ random.randrange(1, 256)]) + content[at + 1 :]


def true_key(ledger: Ledger) -> Sign:
    """Return what signs as the game's adjudicator does."""
    return partial(sign, ledger.keys.signing)


FALSE_KEY: Sign = partial(sign, b"somebody else's key to sign with")


STANDING: Mapping[str, bytes] = {
    "toy": b"standing:\n- react: {card: none}\n",
    "rome_carthage": b"standing: default\n",
}


def told(folder: Folder, *, most: int = 60, seed: int = 2, rules: str = "toy", name: str = "punica") -> Adjudicator:
    """Play a game by letters in which all is used that a repo can hold, and return it; the caller closes it."""
    game = folder.create(rules, name, begin=False)
    sides = game.rules.sides
    game.join_side(sides[0], phrase="Three hills for the elven kings", letter="join 1")
    game.join_side(
        sides[1], key=recipient_of("AGE-SECRET-KEY-1RZ5CJD3AH2FCRCMFMJYYZQCPPWZ70ULEHYP6KDU6AXZCD8FPXLQSF0Q3VR")
    )
    game.adjudicate()
    random = Random(seed)
    for n in range(most):
        if not game.open_decisions:
            break
        side = game.open_decisions[0].side
        text = sheet(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])
        if n in (4, 9):
            text += STANDING[rules]
        receipt = game.receive(side, text, letter=f"letter {n}")
        assert receipt.number is not None, str(receipt)
        game.adjudicate()
    return game


def _there(files: Files) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if content is not None}
