"""A game whose adjudicator is killed at any instant, letter after letter, is the game that it would have been.

Each letter is taken in by what `pbem letter` does, again and again until one attempt lives; after every death the
repo is looked at, and in the end everything is compared with a game that nobody disturbed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import time
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from pbem.audit.explain.replay import replay
from pbem.audit.verify import verify
from pbem.cli.runtime import Shared
from pbem.repo.git import GameRepo
from tests.support.chance import seed_of
from tests.support.live import Folder, files, git, letter, pick, sheet
from tests.support.sent import sent
from tests.support.soak import scaled
from tests.support.walks import FOLDERS
from tests.support.ward import Ward

GAME = "punica"
TIDY_EVERY = 16
"""Repacks are rare in life; here they must be hit too."""


@dataclass
class Stage:
    """How a game stands after one of its letters: what anybody can read of the repo, and all that was sent."""

    commits: int
    public: dict[str, bytes]
    sent: dict[str, bytes]


@dataclass
class Story:
    """A game by letters: where it begins, the letters, and how it stood after each."""

    start: Path
    letters: list[bytes] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)


def take_in(path: Path, raw: str) -> None:
    """Do what `pbem letter` does."""
    from pbem.cli.master import play as desk
    from pbem.repo import git as store

    with patch.dict(os.environ, PBEM_KEYS=str(path / "keys")), patch.object(store, "TIDY_EVERY", TIDY_EVERY):
        desk.receive_letter(path / raw, None, Shared(path / "games", [Path(folder) for folder in FOLDERS], json=True))


def look(path: Path) -> Stage:
    """Return how a game stands."""
    with GameRepo.open(path / "games" / f"{GAME}.git") as repo:
        public = {name: content for name, content in files(repo).items() if not name.endswith((".age", ".siv"))}
        return Stage(len(list(repo.history())), public, sent(path))


def write_story(folder: Path, rules: str, seed: int, most: int) -> Story:
    """Play a random game by letters, undisturbed."""
    there = Folder(folder / "whole")
    there.create(rules, GAME).close()
    story = Story(folder / "start")
    shutil.copytree(there.path, story.start)
    story.stages.append(look(there.path))
    random = Random(seed)
    for number in range(most):
        with there.open(GAME) as game:
            if not game.open_decisions:
                break
            side = game.open_decisions[0].side
            text = sheet(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])
        raw = letter(side, text, number=number)
        (there.path / "letter.eml").write_bytes(raw)
        begun = time.monotonic()
        take_in(there.path, "letter.eml")
        story.seconds.append(time.monotonic() - begun)
        story.letters.append(raw)
        story.stages.append(look(there.path))
    return story


@dataclass
class Toll:
    """What the deaths left: how many there were, before the commit, after it, and between two answers."""

    early: int = 0
    late: int = 0
    between: int = 0
    planned: int = 0
    """How many of those between two answers were planned."""

    @property
    def deaths(self) -> int:
        return self.early + self.late + self.between

    def __add__(self, other: Toll) -> Toll:
        return Toll(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def take_in_and_die(path: Path, raw: str, answers: int) -> None:
    """Take a letter in and be killed once so many answers lie in the outbox; with none, before the first commit."""
    rename = os.rename

    def last_one(src: Any, dst: Any) -> None:
        nonlocal answers
        if not answers and Path(dst).name == "main":
            os.kill(os.getpid(), signal.SIGKILL)
        rename(src, dst)
        if Path(dst).parent == path / "games" / "outbox" / "new":
            answers -= 1
            if not answers:
                os.kill(os.getpid(), signal.SIGKILL)

    with patch.object(os, "rename", last_one), patch.object(os, "replace", last_one):
        take_in(path, raw)


def live_through(story: Story, path: Path, ward: Ward, random: Random, deaths: int) -> Toll:
    """Play a story again, killing each attempt until one outlives its killer; `deaths` a letter at most.

    Of three letters the first dies before its commit and the second between its answers, if it has two, whatever
    chance does: it seldom finds the second.
    """
    shutil.copytree(story.start, path)
    toll = Toll()
    for n, (raw, usual) in enumerate(zip(story.letters, story.seconds, strict=True)):
        (path / "letter.eml").write_bytes(raw)
        work = partial(take_in, path, "letter.eml")
        answers = len(story.stages[n + 1].sent) - len(story.stages[n].sent)
        if n % 3 == 0 or (n % 3 == 1 and answers > 1):
            assert ward.dies(partial(take_in_and_die, path, "letter.eml", n % 3))
            judge_the_dead(story, n, path, toll)
            toll.planned += n % 3
        for _ in range(deaths):
            if not ward.kills(work, usual * random.random() ** 2):
                break
            judge_the_dead(story, n, path, toll)
        else:
            ward.lets_live(work)
        assert look(path) == story.stages[n + 1], f"letter {n}"
    verdict = verify(path / "games" / f"{GAME}.git", folders=FOLDERS)
    assert verdict.findings.sorted == []
    with Folder(path).open(GAME) as game:
        assert list(replay(game)) == []
    return toll


def judge_the_dead(story: Story, n: int, path: Path, toll: Toll) -> None:
    """Look at what a death in the n-th letter left: the game as before it or as after it, and no other answers."""
    wait_for_the_lock(path)
    before, after, found = story.stages[n], story.stages[n + 1], look(path)
    assert git(path / "games" / f"{GAME}.git", "fsck", "--strict", "--full", "--no-dangling") == "", f"letter {n}"
    assert found.commits in (before.commits, after.commits), f"letter {n}"
    assert found.public == (before if found.commits == before.commits else after).public, f"letter {n}"
    assert found.sent.items() <= after.sent.items(), f"letter {n}"
    if toll.deaths % 5 == 0:
        assert not verify(path / "games" / f"{GAME}.git", folders=FOLDERS).findings.sorted, f"letter {n}"
    if found.commits == before.commits:
        assert found.sent == before.sent, f"letter {n}"
        toll.early += 1
    elif before.sent.keys() < found.sent.keys() < after.sent.keys():
        toll.between += 1
    else:
        toll.late += 1


def wait_for_the_lock(path: Path) -> None:
    """Wait until nobody holds the game's lock: a repack that outlives the adjudicator who began it does."""
    fd = os.open(path / "games" / f"{GAME}.git" / "pbem.lock", os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    os.close(fd)


def warm(start: Path) -> None:
    """Read everything that a letter of a game needs, once, and draw its map."""
    folder = Folder(start)
    with folder.open(GAME) as game:
        side = game.open_decisions[0].side
        order = pick(game, game.open_decisions[0], Random(0))
        (start / "warm.eml").write_bytes(letter(side, sheet(game, side, order)))
    take_in(start, "warm.eml")


def deaths_in(rules: str, folder: Path, *, letters: int, a_letter: int, least: int) -> Toll:
    """Live through games until there were enough deaths, at most some a letter; return what they left."""
    total, seed = Toll(), 0
    story = write_story(folder / "0", rules, seed, letters)
    shutil.copytree(story.start, folder / "warm")
    with Ward(partial(warm, folder / "warm")) as ward:
        while True:
            total += live_through(story, folder / str(seed) / "killed", ward, Random(seed_of(seed)), a_letter)
            print(f"{rules}, game {seed}: {total}", file=sys.stderr, flush=True)
            shutil.rmtree(folder / str(seed))
            if total.deaths >= least:
                return total
            seed += 1
            story = write_story(folder / str(seed), rules, seed, letters)


@pytest.mark.slow
def test_a_game_whose_adjudicator_is_killed_is_the_same_game(tmp_path: Path) -> None:
    toll = deaths_in("toy", tmp_path, letters=8, a_letter=6, least=12)
    assert toll.early
    assert toll.between >= toll.planned > 0


@pytest.mark.soak
@pytest.mark.parametrize(
    ("rules", "letters", "least"),
    [
        ("toy", scaled(120, least=10), scaled(1400)),
        ("rome_carthage", scaled(180, least=10), scaled(600)),
        ("hannibal_italy", scaled(180, least=10), scaled(200)),
    ],
)
def test_so_is_one_of_two_thousand_deaths(tmp_path: Path, rules: str, letters: int, least: int) -> None:
    toll = deaths_in(rules, tmp_path, letters=letters, a_letter=12, least=least)
    assert toll.early
    assert toll.between >= toll.planned > 0
