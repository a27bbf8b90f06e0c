"""Forgeries made by a grammar while a game is played: verify finds every one that counts.

An adjudicator drops, adds, alters or reorders one thing in what he is about to commit, signs it, and the game goes on
from it. Run this module to see the classes: which are found on the day, without a key, and which only with the secrets.

    python -m tests.attacks.test_forgeries [HOW MANY]
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest

from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.crypto.seal import CannotOpen
from pbem.referee.again.engine import Engine
from tests.support.chance import seed_of
from tests.support.grammar import COMMITS, Forged, finish, play
from tests.support.live import Folder, git
from tests.support.soak import scaled
from tests.support.walks import FOLDERS

FEW, MANY = 30, scaled(3000, 80)
"""How many forgeries `make check` tries, and `make soak`; `make test` tries one batch."""
ON_THE_DAY, WITH_THE_SECRETS, NEVER = "on the day", "with the secrets", "never"
BATCH: Final = 5
"""So many forgeries are one test, so that the tests can run side by side."""


def forged(folder: Folder, seed: int) -> tuple[Forged, str] | None:
    """Play a game with one forgery; return what it was, and when it is found. None: nothing was altered."""
    rules = "rome_carthage" if seed % 10 == 9 else "toy"
    game, forger = play(folder, rules, Random(seed).randint(1, COMMITS), seed)
    path = folder.repo(game.name)
    with game:
        if forger.done is None:  # what is forged is the end
            finish(game)
        on_the_day = verify(path, folders=FOLDERS).findings.divergences
        if seed % 2:
            finish(game)
        landed, done = forger.landed, forger.done
    if not landed or done is None:
        return None
    if on_the_day:
        return done, ON_THE_DAY
    verdict = verify(path, folders=FOLDERS, keys=lambda name: Keys.load(folder.keys, name))
    return done, WITH_THE_SECRETS if verdict.findings.divergences else NEVER


def many(first: int, most: int) -> Iterator[tuple[int, Forged, str]]:
    """Yield so many forgeries, from a seed on."""
    made, seed = 0, first
    while made < most:
        with tempfile.TemporaryDirectory() as name:
            found = forged(Folder(Path(name)), seed)
        if found is not None:
            yield seed, *found
            made += 1
        seed += 1


def harmless(done: Forged) -> bool:
    """Tell whether a forgery changes nothing of what somebody may read, what counts, or a die.

    It is what came from outside, which no record can prove: the note of a letter, what a player has mailed (their
    letter and their report show it), the words in which the game master asked for a rollback. Or it is sealed to a key
    that nobody has who verifies: the addresses, and the view of a side, which its player can compare with the report.
    """
    outside = ("letters/", "joined/", "views/", "sealed/players.age")
    return done.path.startswith(outside) or (done.path.startswith("requests/") and done.at == "reason")


@pytest.mark.parametrize(
    "batch",
    [
        0,
        *(pytest.param(each, marks=pytest.mark.slow) for each in range(1, FEW // BATCH)),
        *(pytest.param(each, marks=pytest.mark.soak) for each in range(FEW // BATCH, MANY // BATCH)),
    ],
)
def test_every_forgery_that_counts_is_found(batch: int) -> None:
    """Every forgery that changes what somebody may read, what counts, or a die is found with the secrets."""
    found = list(many(seed_of(batch) if batch else 0, BATCH))
    missed = [f"{seed}: {done}" for seed, done, when in found if when == NEVER and not harmless(done)]
    assert missed == []
    if not batch:  # any five may all lie in sealed files; of these it is known that they do not
        assert any(when == ON_THE_DAY for _, _, when in found)


def test_every_commit_of_an_honest_game_is_made_again(folder: Folder) -> None:
    """None is taken as it stands, whatever the referee looks at when they make it."""
    game, forger = play(folder, "toy", target=10_000, seed=0)
    path = folder.repo(game.name)
    with game:
        finish(game)
        assert forger.done is None
    verdict = verify(path, folders=FOLDERS)
    commits = git(path, "rev-list", "--count", "main")
    (derived,) = (each.text for each in verdict.findings.checked if each.subject == "derived")
    assert derived == f"{int(commits) - 1} commits made again from what was handed in"


def test_what_nobody_can_open_excuses_no_commit(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit whose making wants a file that is never opened is blamed, not taken as it stands."""
    game, _ = play(folder, "toy", target=10_000, seed=0)
    path = folder.repo(game.name)
    with game:
        finish(game)

    def closed(*_: object) -> None:
        raise CannotOpen("the addresses of the players")

    monkeypatch.setattr(Engine, "make", closed)
    assert "it cannot be derived: " in str(verify(path, folders=FOLDERS).findings.sorted)


def main(most: int) -> None:
    """Print the classes of forgeries, and when each is found."""
    classes: dict[str, Counter[str]] = {ON_THE_DAY: Counter(), WITH_THE_SECRETS: Counter(), NEVER: Counter()}
    for batch in range(max(1, most // BATCH)):
        for _, done, when in many(1000 * batch, BATCH):
            classes[when][done.kind] += 1
    for when, kinds in classes.items():
        print(f"{when}: {kinds.total()}")
        for kind, times in sorted(kinds.items()):
            print(f"  {times:4} {kind}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else FEW)
