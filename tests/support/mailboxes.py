"""The referee's folder, and the mailboxes of the players with all that they got and sent."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from email.utils import format_datetime
from pathlib import Path
from random import Random
from typing import Any

from pbem.cli.runtime import DONE
from tests.support.command_line import pbem
from tests.support.live import NOON, Folder, git, letter, pick, sheet


@dataclass
class Mail:
    """The referee's folder, and the mailbox of each player with all that the player got and sent."""

    folder: Folder
    count: int = 0

    @property
    def red(self) -> Path:
        """The mailbox of red."""
        return self.box("red")

    def box(self, side: str) -> Path:
        """Return a player's mailbox."""
        return self.folder.path / side

    def keep(self, side: str, raw: bytes) -> Path:
        """Put a letter into a player's mailbox."""
        self.count += 1
        self.box(side).mkdir(exist_ok=True)
        file = self.box(side) / f"{self.count:03}.eml"
        file.write_bytes(raw)
        return file

    def write(self, side: str, text: bytes, *, kept: bool = True) -> None:
        """Let a player write to the referee, and deliver the answers."""
        raw = letter(side, text, number=self.count, more=f"Date: {format_datetime(NOON)}\n")
        self.send(side, raw, kept=kept)

    def send(self, side: str, raw: bytes, *, kept: bool = True) -> Path | None:
        """Let a letter go to the referee, and deliver the answers; return where its sender keeps it, if they do."""
        file = self.keep(side, raw) if kept else None
        ran = pbem("letter", stdin=raw)
        assert ran.exit_code == DONE, ran.output
        self.deliver()
        return file

    def deliver(self) -> None:
        """Deliver what lies in the outbox."""
        outbox = self.folder.games / "outbox" / "new"
        for file in sorted(outbox.iterdir(), key=lambda file: file.stat().st_mtime_ns) if outbox.is_dir() else ():
            raw = file.read_bytes()
            self.keep("red" if b"To: red@" in raw else "blue", raw)
            file.unlink()

    def play(self, count: int, seed: int = 1) -> None:
        """Let the players write some sheets."""
        random = Random(seed)
        for _ in range(count):
            with self.folder.open() as game:
                side = game.open_decisions[0].side
                asked = [each for each in game.open_decisions if each.side == side]
                text = sheet(game, side, *(pick(game, each, random) for each in asked))
            self.write(side, text)

    def clone(self, of: Folder | None = None, at: str = "main") -> Path:
        """Return a bare clone as the public gets it, perhaps cut off at an earlier commit."""
        path = self.folder.path / "clone.git"
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree((of or self.folder).repo("punica"), path)
        git(path, "update-ref", "refs/heads/main", git(path, "rev-parse", at).strip())
        return path

    def branch(self) -> Folder:
        """Return a copy of all that the referee has, to play another game with."""
        away = Folder(self.folder.path / "branch")
        shutil.copytree(self.folder.games, away.games)
        shutil.copytree(self.folder.keys, away.keys)
        return away


def verified(clone: Path, mailbox: Path, code: int) -> dict[str, Any]:
    """Return what the verification with a mailbox says; it ends with a code."""
    ran = pbem("verify", clone, "--letters", mailbox, "--json")
    assert ran.exit_code == code, ran.output
    said: dict[str, Any] = json.loads(ran.stdout)
    return said
