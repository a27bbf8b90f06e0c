"""Live games in a folder, as the tests of everything above the engine need them: made, opened, answered, written to."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pyrage

from pbem.crypto.keys import Secrets
from pbem.crypto.seal import unseal
from pbem.mail.write.outgoing import MailSettings
from pbem.protocol import Decision, Order, Side
from pbem.referee.opening import create_game, open_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.render.text.form import order_lines
from pbem.repo.files.layout import OFFICE, Store
from tests.support.walks import FOLDERS, GAMES, loaded

SECRETS = Secrets(
    b"c" * 32,
    b"h" * 32,
    "AGE-SECRET-KEY-1RZ5CJD3AH2FCRCMFMJYYZQCPPWZ70ULEHYP6KDU6AXZCD8FPXLQSF0Q3VR",
    "AGE-SECRET-KEY-1YG4HDKK0J3S6PNX6Z9QCVUG3XSKQJVX5ZLX5TV467QWXD444D0SQE049ME",
)
OTHERS = replace(SECRETS, chain=b"d" * 32, hidden=b"i" * 32)
NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SIDES = {game: loaded(game).rules.sides for game in GAMES}
ADDRESSES = {side: f"{side}@example.org" for sides in SIDES.values() for side in sides}


@dataclass(frozen=True)
class Folder:
    """A folder of games and their keys."""

    path: Path

    @property
    def games(self) -> Path:
        return self.path / "games"

    @property
    def keys(self) -> Path:
        return self.path / "keys"

    @property
    def office(self) -> MailSettings:
        boxes = [Path(folder) for folder in FOLDERS]
        return MailSettings(self.games, self.keys, "Referee <pbem@example.org>", NOON, boxes, self.path / "drawings")

    def repo(self, name: str) -> Path:
        return self.games / f"{name}.git"

    def create(self, rules: str = "toy", name: str = "punica", **more: Any) -> Adjudicator:
        sides = loaded(rules, more.get("edition")).rules.sides
        addresses = {side: ADDRESSES[side] for side in sides}
        words = {"players": addresses, "addresses": addresses, "folders": FOLDERS, "secrets": SECRETS, **more}
        return create_game(self.games, self.keys, NewGame(name, rules, **words))

    def open(self, name: str = "punica") -> Adjudicator:
        return open_game(self.games, self.keys, name, folders=FOLDERS)


def sheet(game: Adjudicator, side: Side, *orders: Order, adjudication: int | None = None, name: str = "") -> bytes:
    """Return the text of a sheet with some orders."""
    lines = [line for order in orders for line in order_lines(order.kind, order.written)]
    number = game.adjudication if adjudication is None else adjudication
    heading = [f"game: {name or game.name}", f"side: {side}", f"adjudication: {number}", "orders:"]
    return "\n".join([*heading, *lines]).encode() + b"\n"


def order(kind: str, **body: Any) -> Order:
    return Order(kind, body)


def give(game: Adjudicator, side: Side, *orders: Order) -> list[int]:
    """Hand in a sheet that must be good, and carry the game on."""
    receipt = game.receive(side, sheet(game, side, *orders))
    assert receipt.number is not None, str(receipt)
    return game.adjudicate()


def pick(game: Adjudicator, decision: Decision, random: Random) -> Order:
    """Pick a legal answer."""
    choices = game.rules.legal_orders(game.view(decision.side), decision)
    picked = choices.pick(random.random)
    assert picked is not None
    return replace(picked, about=decision.about)


def play(game: Adjudicator, seed: int, most: int) -> Iterator[tuple[Side, bytes]]:
    """Play a random game by sheets; yield each before it is handed in."""
    random = Random(seed)
    for _ in range(most):
        if not game.open_decisions:
            return
        side = game.open_decisions[0].side
        text = sheet(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])
        yield side, text
        receipt = game.receive(side, text)
        assert receipt.number is not None, str(receipt)
        game.adjudicate()


def history(game: Adjudicator) -> list[str]:
    """Return the commit ids, youngest first."""
    return [commit.sha for commit in game.ledger.repo.history()]


def subjects(game: Adjudicator) -> list[str]:
    """Return the first lines of the commit messages, oldest first."""
    return [commit.message.split("\n")[0] for commit in game.ledger.repo.history()][::-1]


def files(repo: Store, at: str | None = None, folder: str = "") -> dict[str, bytes]:
    """Return every file of a commit by its path."""
    found = {}
    for name in repo.listdir(folder, at):
        path = f"{folder}/{name}" if folder else name
        content = repo.read(path, at)
        found.update(files(repo, at, path) if content is None else {path: content})
    return found


def readable(repo: Store, at: str | None = None) -> dict[str, bytes]:
    """Return what anybody can read of a commit: everything that is not sealed."""
    return {path: content for path, content in files(repo, at).items() if not path.endswith(".age")}


def opened(repo: Store, at: str | None = None, secrets: Secrets = SECRETS) -> dict[str, bytes]:
    """Return every file of a commit, the sealed ones as they were before: sealing draws at random."""
    return {path: clear(path, content, secrets) for path, content in files(repo, at).items()}


def clear(path: str, content: bytes, secrets: Secrets) -> bytes:
    """Return a file as it was before it was sealed, if it is; what is sealed to a player stays so."""
    if not path.endswith(".age") or path.startswith("views/"):
        return content
    return unseal(secrets.office if path in OFFICE else secrets.identity, path, content)


def room(sealed: bytes, identity: str = SECRETS.identity) -> int:
    """Return the room that a sealed file was given; age itself adds some bytes, as many as chance has it."""
    return len(pyrage.decrypt(sealed, [pyrage.x25519.Identity.from_str(identity)]))


def rooms(repo: Store, at: str | None = None) -> dict[str, int]:
    """Return how much of each file of a commit its size tells to everybody.

    Quotes do not count: a digest that begins with a digit has them, another has none.
    """
    return {
        path: room(content, SECRETS.office if path in OFFICE else SECRETS.identity)
        if path.endswith(".age")
        else len(content.replace(b'"', b""))
        for path, content in files(repo, at).items()
        if not path.startswith("views/")
    }


def story(game: Adjudicator) -> list[tuple[str, dict[str, bytes]]]:
    """Return the messages of the commits and what each holds, opened, youngest first."""
    repo = game.ledger.repo
    return [(commit.message, opened(repo, commit.sha)) for commit in repo.history()]


def every_file(repo: Store) -> dict[str, bytes]:
    """Return every file of every commit, as `commit:path`."""
    return {
        f"{commit.sha[:8]}:{path}": content
        for commit in repo.history()
        for path, content in files(repo, commit.sha).items()
    }


def git(path: Path, *words: str) -> str:
    """Run git on a repo; fail if it fails."""
    ran = subprocess.run(["git", "--git-dir", str(path), *words], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


def letter(side: Side, *bodies: bytes, more: str = "", sender: str = "", number: int = 0) -> bytes:
    """Return a plain letter from the player of a side, with some texts in it; each text has a Message-ID of its own."""
    number = number or crc32(b"".join(bodies))
    return (
        f"From: {sender or ADDRESSES[side]}\nTo: pbem@example.org\nSubject: Re: punica\n"
        f"Message-ID: <{number}.{side}@example.org>\nContent-Type: text/plain; charset=utf-8\n{more}\n"
        + "\n\n".join(body.decode() for body in bodies)
    ).encode()


def quoted(text: bytes | str) -> bytes:
    """Return a text as mail programs quote it."""
    lines = (text if isinstance(text, str) else text.decode()).splitlines()
    return "".join(f"> {line}\n" if line else ">\n" for line in lines).encode()


def later(office: MailSettings, hours: int) -> MailSettings:
    """Return the same settings some hours later."""
    return replace(office, now=office.now.replace(hour=(office.now.hour + hours) % 24))


def numbers_in(hand: Iterable[int]) -> Mapping[str, str]:
    """Return a hand of cards as YAML writes it, in both of its styles."""
    cards = list(hand)
    return {"flow": f"[{', '.join(map(str, cards))}]", "block": "".join(f"- {card}\n" for card in cards)}
