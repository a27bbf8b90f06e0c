"""Letters and verbs that would change a game of format 1: they wait for the version that plays it on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pbem.cli.runtime import DONE, WORLD
from pbem.crypto.dice import EARLIER
from pbem.crypto.keys import Keys
from pbem.crypto.seal import new_identity, recipient_of
from pbem.mail.intake import take_in
from pbem.referee.game.open_game import OtherRules
from tests.audit.test_format1 import BUNDLES
from tests.cli.test_verbs import said
from tests.support.live import SECRETS, Folder, letter, order, sheet

NAME = "running"
SENTENCE = "was begun with format 1. This version reads, replays and reveals it; pbem 0.1 verifies it and plays it on."


@pytest.fixture(params=["running", "finished"])
def world(request: pytest.FixtureRequest, folder: Folder) -> str:
    """Put a game of format 1 into the folder, and return which of the two it is."""
    folder.games.mkdir()
    bundle = BUNDLES / f"{request.param}.bundle"
    subprocess.run(["git", "clone", "-q", "--bare", "-b", "main", str(bundle), str(folder.repo(NAME))], check=True)
    Keys(NAME, SECRETS, scheme=EARLIER).write(folder.keys)
    return str(request.param)


def head(folder: Folder) -> str:
    with folder.open(NAME) as game:
        return game.ledger.head


def asked(folder: Folder) -> tuple[str, bytes]:
    """Return a side, and a sheet that it might send now."""
    with folder.open(NAME) as game:
        side = game.open_decisions[0].side if game.open_decisions else game.rules.sides[0]
        return side, sheet(game, side, order("move", end=True))


def test_a_letter_that_would_change_it_waits(folder: Folder, world: str) -> None:
    """Such a letter is neither lost nor refused as the player's fault; once the game is over, it is answered."""
    side, text = asked(folder)
    before = head(folder)
    key = f"KEY {recipient_of(new_identity())}".encode()
    for number, body in enumerate([text, key, b"CONSENT 1", b"REFUSE 1"]):
        raw = letter(side, body, number=number).replace(b"Re: punica", b"Re: running")
        if world == "running":
            with pytest.raises(OtherRules, match=SENTENCE):
                take_in(raw, folder.office)
        else:
            handled = take_in(raw, folder.office)
            assert (handled.accepted, len(handled.letters)) == (False, 1)
            assert b"running is over" in handled.letters[0].content
    assert head(folder) == before


def test_a_letter_that_asks_is_answered(folder: Folder, world: str) -> None:
    side, _ = asked(folder)
    raw = letter(side, b"STATUS\n\nREPORT").replace(b"Re: punica", b"Re: running")
    handled = take_in(raw, folder.office)
    assert (handled.accepted, len(handled.letters)) == (True, 1), world


@pytest.mark.usefixtures("in_the_folder")
@pytest.mark.parametrize("world", ["running"], indirect=True)
def test_verbs_that_would_change_it_say_so(folder: Folder, world: str) -> None:
    side, text = asked(folder)
    (folder.path / "orders.yaml").write_bytes(text)
    (folder.path / "letter.eml").write_bytes(letter(side, text))
    before = head(folder)
    for words in (
        ["submit", world, "orders.yaml", "--side", side],
        ["letter", "letter.eml"],
        ["adjudicate", world],
        ["rollback", world, "--to", "3"],
        ["rollback", world, "--to", "3", "--by-game-master", "--reason", "so it is"],
        ["ruling", world, "--end", "--reason", "so it is"],
        ["ruling", world, "--answer", f"{side}=orders.yaml", "--reason", "so it is"],
        ["migrate", world, "--accept", "--reason", "so it is"],
    ):
        assert said(WORLD, *words) == f"pbem: {world} {SENTENCE}\n", words
    assert head(folder) == before
    assert not list(Path(folder.games).glob("outbox/new/*"))
    for words in (["status", world], ["report", world, "--side", side], ["log", world]):
        assert said(DONE, *words)
