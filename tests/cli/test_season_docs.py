"""The section "A season" of docs/hosting.md: each command in it is one, and it can be followed as it stands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from random import Random

import pytest
import typer

from pbem.audit.verify import verify
from pbem.cli.runtime import DONE, WORLD
from pbem.cli.verbs import app
from pbem.crypto.seal import new_identity, recipient_of
from pbem.post.service.service import Post, run_once
from pbem.post.tables.open_tables import open_tables
from tests.support.blank import blank_pictures
from tests.support.boxes import Box, Way
from tests.support.command_line import pbem
from tests.support.seasons import Season, bot_sheet

DOCS = Path(__file__).parent.parent.parent / "docs" / "hosting.md"
HOUR = timedelta(hours=1)
_ASKS = re.compile(r"<(?:\w+\.)?(?P<game>spring-\d)\.(?P<side>rome|carthage)\b")
MAY_FAIL = ("doctor", "post --health")
"""What tells how things are, and has an exit code of its own for that."""


def section() -> str:
    """Return the section."""
    return DOCS.read_text("utf-8").partition("\n## A season\n")[2].partition("\n## ")[0]


def commands() -> Iterator[list[str]]:
    """Yield the words of each command of the section."""
    for line in section().splitlines():
        if line.startswith("pbem "):
            yield shlex.split(line)[1:]


def test_each_command_of_a_season_is_one() -> None:
    """Verbs and options are known, so that the section cannot fall behind the command line."""
    known = typer.main.get_command(app)
    found = list(commands())
    assert len(found) > 15
    for words in found:
        verb, rest = known.get_command(None, words[0]), words[1:]  # type: ignore[attr-defined]
        assert verb is not None, words
        if hasattr(verb, "list_commands"):
            verb, rest = verb.get_command(None, rest[0]), rest[1:]
            assert verb is not None, words
        verb.make_context(words[0], list(rest), resilient_parsing=False)


class Players:
    """Three people who answer their letters, and the service between them and the games."""

    def __init__(self, season: Season) -> None:
        self.season, self.now, self.random = season, datetime.now(UTC).replace(microsecond=0), Random(3)
        self.box, self.way, self.read = Box(), Way(), 0
        tables = open_tables(season.config)
        self.post = Post(season.config, tables, [self.box], self.way, season.said.append, lambda: self.now.timestamp())
        self.waiting: list[tuple[datetime, str, str, str, str]] = []
        self.silent = {("spring-3", "carthage")}

    def week(self, weeks: float = 1.0) -> None:
        """Let so many weeks pass, with a look every quarter of an hour that anything may have come."""
        end = self.now + timedelta(weeks=weeks)
        while self.now < end:
            run_once(self.post)
            self.read_letters()
            due = [each for each in self.waiting if each[0] <= self.now]
            self.waiting = [each for each in self.waiting if each[0] > self.now]
            for _, to, id, game, side in due:
                self.answer(to, id, game, side)
            nearest = min([end, *(each[0] for each in self.waiting), self.now + 6 * HOUR])
            while self.now + HOUR / 4 < nearest:
                self.now += HOUR / 4
                self.post.tables.note_looked(self.now.timestamp() - 30, self.now.timestamp())
            self.now = max(nearest, self.now + timedelta(minutes=1))

    def read_letters(self) -> None:
        for to, content in self.way.given[self.read :]:
            id = str(message_from_bytes(content)["Message-ID"])
            found = _ASKS.match(id)
            if found and (b"orders.yaml" in content or b"PHRASE" in content) and not id.startswith("<talk"):
                when = self.now + timedelta(hours=self.random.uniform(1, 60))
                self.waiting.append((when, to, id, found["game"], found["side"]))
        self.read = len(self.way.given)

    def answer(self, to: str, id: str, name: str, side: str) -> None:
        if not (self.season.games / f"{name}.git").is_dir():
            return
        with self.season.open(name) as game:
            if not game.begun:
                body = b"PHRASE the die is cast\n" if (name, side) not in self.silent else b""
            else:
                asked = any(each.side == side for each in game.open_decisions)
                body = bot_sheet(game, side) if asked and (name, side) not in self.silent else b""
        if body:
            raw = self.season.letter(name, side, body, sender=to, more=f"In-Reply-To: {id}\nReferences: {id}\n")
            self.box.put(raw, self.now)

    def until_asked(self, name: str, side: str) -> None:
        """Let time pass until a deadline of a side runs."""
        for _ in range(30):
            with self.season.open(name) as game:
                clocks = game.clock.read()
                if clocks is not None and clocks.sides[side].runs:
                    return
            self.week(1 / 7)
        pytest.fail(f"{side} is never asked in {name}")


@pytest.mark.soak
def test_a_game_master_follows_a_season(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three games in simulated time: each command is given as it stands, in its order, while the players play."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    monkeypatch.setattr("os.fsync", lambda fd: None)
    season = Season(tmp_path / "pbem", proofs="token, address")
    for name, value in (("GAMES", season.games), ("KEYS", season.path / "keys"), ("CONFIG", season.file)):
        monkeypatch.setenv(f"PBEM_{name}", str(value))
    monkeypatch.chdir(tmp_path)
    (yaml,) = re.findall(r"```yaml\n# season.yaml\n(.*?)```", section(), re.DOTALL)
    Path("season.yaml").write_text(yaml, "utf-8")
    for name in ("welcome.txt", "away.txt"):
        Path(name).write_text(f"This is {name}.\n", "utf-8")
    players = Players(season)
    for words in commands():
        line = " ".join(words)
        if line == "post":
            players.week(0.6)
            continue
        if words[0] == "extend":
            players.until_asked("spring-2", "rome")
        words = [recipient_of(new_identity()) if each == "age1..." else each for each in words]
        words = [each.replace("/srv/www", str(tmp_path)) for each in words]
        ran = pbem(*words)
        assert ran.exit_code in ((DONE, WORLD) if line.startswith(MAY_FAIL) else (DONE,)), f"{line}: {ran.output}"
        if words[0] in ("adjudicate", "extend", "resume", "player") or line == "post --health":
            players.week(2 if words[0] == "adjudicate" else 1)
    to_dora = [content for to, content in players.way.given if to == "dora@example.org"]
    assert any(b"You watch spring-" in content for content in to_dora)
    assert sum(b"broadcast" in content[:2000] for _, content in players.way.given) >= 7
    assert not [line for line in season.said if "fault in pbem" in line or "cannot go on" in line]
    for name in ("spring-2", "spring-3"):
        with season.open(name) as game:
            assert game.adjudication > 2
            assert game.talk.unsent() == []
        verdict = verify(season.games / f"{name}.git")
        assert verdict.findings.sorted == []
