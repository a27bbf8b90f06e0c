"""Games in which a side gets another player."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.crypto.dice import Chain
from pbem.crypto.seal import recipient_of
from pbem.game import yaml as yamlio
from pbem.mail.write.welcome import new_address_letter
from pbem.protocol import Side
from pbem.referee.acts.players import change_of, change_player
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import ChainPromise
from pbem.repo.files.layout import joined_path
from tests.support.blank import blank_pictures
from tests.support.live import SECRETS, Folder, pick, sheet
from tests.support.read_letters import Read, read

OLD, NEW = Chain(b"r" * 32, 50), Chain(b"n" * 32, 50)
CARL = "carl@example.net"


def go_on(game: Adjudicator, sheets: int, chain: Chain) -> None:
    """Play on by some sheets; those of red open the links of a chain."""
    random = Random(5)
    for _ in range(sheets):
        side = game.open_decisions[0].side
        own = game.player_chain(side)
        link = b"" if own is None else f"link: {chain.link(own.opened + 1)}\n".encode()
        text = sheet(game, side, *[pick(game, each, random) for each in game.asked(side)])
        receipt = game.receive(side, link + text)
        assert receipt.number is not None, str(receipt)
        game.adjudicate()


def replaced(game: Adjudicator, side: Side = "red", name: str = "Carl", address: str = CARL) -> Read:
    """Give a side to another player, and return the letter to them."""
    change = change_of(game, side, name, address)
    change_player(game, change)
    return read(new_address_letter(game, side, change.replaced, office(game)))


def joined(game: Adjudicator, side: Side = "red") -> Any:
    return yamlio.read(game.ledger.repo.read(joined_path(side)) or b"", name="joined").value


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Return a folder with a game of red and blue, where red has a chain and a key; it has gone on for a while."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder = Folder(tmp_path)
    with folder.create(begin=False) as game:
        game.join_side("red", chain=ChainPromise(OLD.tip, 50), key=recipient_of(SECRETS.identity))
        game.adjudicate()
        go_on(game, 4, OLD)
    return folder


def office(game: Adjudicator) -> Any:
    return Folder(game.path.parent.parent).office
