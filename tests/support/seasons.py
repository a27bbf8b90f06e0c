"""Games whose letters come and go by `pbem post`, from maildir to maildir: for its tests, the soak and the bench.

A season is a folder with a config, a maildir that letters to the referee are put into, and one that its letters leave
by. Its players are bots, who write a letter with the tokens of the last one that they got, or without.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from time import monotonic, sleep, time

from pbem.crypto.keys import Secrets
from pbem.mail.notes.outboxes import read_maildir
from pbem.post.service.service import Post
from pbem.post.settings import PostConfig, load_config
from pbem.post.tables.open_tables import open_tables
from pbem.post.tables.tables import Tables
from pbem.post.transport import sender, sources
from pbem.protocol import Side
from pbem.referee.opening import create_game, open_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.render.text.form import order_lines
from tests.support.live import SECRETS
from tests.support.walks import FOLDERS

CONFIG = """\
from: Punic Wars <pbem@example.org>
games: games
keys: keys
rules: [{rules}]
in:
  {box}
out:
  maildir: {{folder: out}}
who:
  proofs: [{proofs}]
send: {{per_hour: {rate}, per_day: {rate}}}
limits: {{sender_per_hour: {limit}, game_per_hour: {limit}}}
workers: {workers}
{more}"""


@dataclass
class Season:
    """A folder with a config, games and two maildirs."""

    path: Path
    proofs: str = "address"
    rate: int = 100_000
    limit: int = 100_000
    workers: int = 2
    box: str = "maildir: {folder: in}"
    """Where letters come from."""
    more: str = ""
    """More lines of the config."""
    count: int = 0
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("games", "in/new", "in/cur", "in/tmp"):
            (self.path / name).mkdir(parents=True, exist_ok=True)
        rules = ", ".join(str(Path(each).absolute()) for each in FOLDERS)
        words = {
            "proofs": self.proofs,
            "rate": self.rate,
            "limit": self.limit,
            "workers": self.workers,
            "box": self.box,
            "more": self.more,
        }
        self.file.write_text(CONFIG.format(rules=rules, **words))

    @property
    def file(self) -> Path:
        return self.path / "pbem.yaml"

    @property
    def config(self) -> PostConfig:
        return load_config(self.file)

    @property
    def games(self) -> Path:
        return self.path / "games"

    def post(self, **changes: object) -> Post:
        """Return the parts of the post, whose log goes to `said`."""
        config = replace(self.config, **changes)  # type: ignore[arg-type]
        tables = open_tables(config)
        return Post(config, tables, list(sources(config)), sender(config), self.said.append)

    # ---- games

    def create(self, name: str, rules: str = "toy", secrets: Secrets = SECRETS, **more: object) -> None:
        """Make a game; its players have addresses of their own."""
        with create_game(self.games, self.path / "keys", self.new_game(name, rules, secrets, **more)):
            pass

    def new_game(self, name: str, rules: str, secrets: Secrets, **more: object) -> NewGame:
        probe = NewGame(name, rules, folders=FOLDERS, players={}, addresses={}, secrets=secrets, **more)  # type: ignore[arg-type]
        from tests.support.walks import loaded

        players = {side: address(name, side) for side in loaded(rules).rules.sides}
        return replace(probe, players=players, addresses=players)

    def open(self, name: str) -> Adjudicator:
        return open_game(self.games, self.path / "keys", name, folders=FOLDERS)

    def asked(self, name: str) -> Iterator[tuple[Side, bytes]]:
        """Yield the sides that a game asks, each with a sheet of the bot for all that it is asked."""
        with self.open(name) as game:
            for side in dict.fromkeys(each.side for each in game.open_decisions):
                yield side, bot_sheet(game, side)

    # ---- letters

    def write(self, content: bytes, name: str = "", age: int = 0) -> Path:
        """Put a letter into the mailbox, as a mail server does that got it some seconds ago."""
        self.count += 1
        draft = self.path / "in" / "tmp" / (name or f"{self.count:06}.test")
        draft.write_bytes(content)
        if age:
            os.utime(draft, (time() - age, time() - age))
        return draft.replace(self.path / "in" / "new" / draft.name)

    def written(self) -> int:
        """Return how many different letters were put into the mailbox."""
        return len({path.read_bytes() for room in ("new", "cur") for path in (self.path / "in" / room).iterdir()})

    def letter(self, name: str, side: Side, body: bytes, more: str = "", id: str = "", sender: str = "") -> bytes:
        """Return a letter of a side's player."""
        self.count += 1
        return (
            f"From: {sender or address(name, side)}\nTo: pbem@example.org\nSubject: Re: {name}\n"
            f"Message-ID: <{id or self.count}.{side}.{name}@example.net>\n"
            f"Date: Sun, 22 Nov 2026 12:00:00 +0000\nContent-Type: text/plain; charset=utf-8\n{more}\n"
        ).encode() + body

    def order(self, name: str) -> int:
        """Let each side that a game asks write; return how many letters that were."""
        asked = list(self.asked(name))
        for side, sheet in asked:
            self.write(self.letter(name, side, sheet))
        return len(asked)

    def sent(self) -> list[Message]:
        """Return the letters that have left, in no order."""
        return [message_from_bytes(content) for _, content in read_maildir(self.path / "out")]

    def ids(self) -> list[str]:
        """Return the Message-IDs of the letters that have left."""
        return sorted(str(each["Message-ID"]) for each in self.sent())

    # ---- the service

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start the service as a process of its own."""
        command = [sys.executable, "-m", "pbem", "post", "--config", str(self.file), *words]
        with (self.path / "log").open("a") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, text=True, start_new_session=True)

    @property
    def log(self) -> str:
        return (self.path / "log").read_text("utf-8")

    def tables(self) -> Tables:
        return open_tables(self.config)


def address(name: str, side: Side) -> str:
    return f"{side}.{name}@example.net"


def bot_sheet(game: Adjudicator, side: Side) -> bytes:
    """Return a sheet by which the game's own bot, or the first legal order, answers all that a side is asked."""
    lines = [f"game: {game.name}", f"side: {side}", f"adjudication: {game.adjudication}", "orders:"]
    for each in game.open_decisions:
        if each.side == side:
            view = game.view(side)
            order = (
                game.rules.bot_order(view, each)
                if game.rules.has_bot
                else game.rules.legal_orders(view, each).pick(lambda: 0.0)
            )
            assert order is not None
            lines += order_lines(order.kind, replace(order, about=each.about).written)
    return "\n".join(lines).encode() + b"\n"


def until(seen: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is so; fail if it does not come."""
    end = monotonic() + seconds
    while not seen():
        assert monotonic() < end, "it did not come"
        sleep(0.05)


def now() -> datetime:
    return datetime.now(UTC)


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that is dead and not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """Return the ids of the processes that a process has started and that still run."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [child for child in map(int, found) if alive(child)]


def resident(pid: int) -> int:
    """Return how many bytes of memory a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
