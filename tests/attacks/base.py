"""A dishonest referee, for the attacks of docs/dice.md: forges while the game is played, and the game goes on with it.

A `Dishonest` adjudicator holds the true secrets and signs properly. An attack overrides one of its hooks, each of which
is given what is about to be used or committed. What comes of it is looked at as players would: with `pbem verify`,
without a key and with the secrets, and with `verify_one.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, suppress
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from pbem import verify_one
from pbem.audit.verify import verify
from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE, Closing
from pbem.crypto.dice import Chain, inputs_digest, step_key
from pbem.crypto.keys import Keys
from pbem.crypto.player_chains import PlayerChain
from pbem.game.boxes.shelf import Loaded
from pbem.protocol import Order, Record, Side
from pbem.referee.game.open_game import Now
from pbem.referee.opening import remade, rules_of
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.played import Played
from pbem.repo.files.adjudication import Adjudication, Seed
from pbem.repo.files.charter import ChainPromise
from pbem.repo.files.state import State
from pbem.repo.git import GameRepo
from pbem.repo.ledger import Ledger
from tests.support.beacon_rounds import PUBLISHED
from tests.support.live import Folder, git, pick, sheet
from tests.support.walks import FOLDERS

CHAIN = Chain(b"r" * 32, 50)
"""The player chain of red, where red has one."""
STANDING = b"standing:\n- react: {card: none}\n"
A = TypeVar("A", bound=Adjudicator)
D = TypeVar("D", bound="Dishonest")


class Dishonest(Adjudicator):
    """An adjudicator with hooks. As it stands it is honest."""

    def __init__(self, ledger: Ledger, loaded: Loaded) -> None:
        super().__init__(_Books(ledger.repo, ledger.keys, self), loaded)
        self._before: str | None = None

    def stated(self, n: int, stated: dict[str, Any]) -> Mapping[str, Any]:
        """Return what turn n states of its inputs; its dice are made of that."""
        return stated

    def played(self, n: int, played: Played) -> Played:
        """Return adjudication n, which has been played."""
        return played

    def files(self, files: dict[str, bytes], message: str) -> Mapping[str, bytes] | None:
        """Return the files of a commit; None: it is not made."""
        return files

    def _commit(self, now: Now, played: Played, checkpoint: Mapping[str, bytes] | None = None) -> int:
        return super()._commit(now, self.played(played.state.adjudication + 1, played), checkpoint)

    def file(self, side: Side, raw: bytes) -> None:
        """File a sheet that was never sent, or is sent again: no check is made of its link."""
        link = raw.partition(b"link: ")[2].partition(b"\n")[0].decode()
        self._before = sha256(bytes.fromhex(link)).hexdigest() if link else ""
        try:
            receipt = self.receive(side, raw)
        finally:
            self._before = None
        assert receipt.number is not None, str(receipt)

    def player_chain(self, side: Side, now: Now | None = None) -> PlayerChain | None:
        """Return the chain of a player; of a sheet that is filed falsely, one that its link follows."""
        chain = super().player_chain(side, now)
        if chain is None or self._before is None:
            return chain
        return replace(chain, last=self._before) if self._before else None


class _Books(Ledger):
    """The ledger of a dishonest adjudicator."""

    def __init__(self, repo: Any, keys: Keys, referee: Dishonest) -> None:
        super().__init__(repo, keys)
        self._referee = referee

    def seed(self, n: int, state: State | None, act: Record | None = None, beacon: Closing | None = None) -> Seed:
        seed = super().seed(n, state, act, beacon)
        stated = dict(self._referee.stated(n, dict(seed.stated)))
        inputs = inputs_digest(seed.previous if state is None else state.inputs, stated)
        key = step_key(seed.link, self.charter.game, n, inputs)
        return seed._replace(stated=stated, inputs=inputs, key=key)

    def commit(
        self, files: Mapping[str, bytes], message: str, after: State | None = None, made: Adjudication | None = None
    ) -> str:
        forged = self._referee.files(dict(files), message)
        return self.repo.head if forged is None else super().commit(forged, message, after, made)


def opened(folder: Folder, referee: type[A], folders: Sequence[str | Path] = FOLDERS) -> A:
    """Open the game of a folder with a dishonest referee; the caller closes it."""
    ledger = Ledger(GameRepo.open(folder.repo("punica")), Keys.load(folder.keys, "punica"))
    return remade(referee(ledger, rules_of(ledger, folders)), folders)


def begun(folder: Folder, referee: type[D], *, chain: bool = False, beacon: bool = False) -> D:
    """Begin a game with a dishonest referee, and return it; the caller closes it."""
    folder.create(begin=False, **({"beacon": "drand"} if beacon else {})).close()
    game = opened(folder, referee)
    if beacon:
        game.moment = time_of(next(iter(PUBLISHED))) - PATIENCE
    game.join_side("blue", phrase="three hills for the elven kings")
    if chain:
        game.join_side("red", chain=ChainPromise(CHAIN.tip, CHAIN.length))
    game.adjudicate()
    return game


def written(game: Adjudicator, side: Side, *orders: Order, more: bytes = b"") -> bytes:
    """Return the sheet of an honest player, with the next link of their chain if they have one."""
    chain = game.player_chain(side)
    link = b"" if chain is None else f"link: {CHAIN.link(chain.opened + 1)}\n".encode()
    return sheet(game, side, *orders).replace(b"orders:", link + b"orders:") + more


def answers(game: Adjudicator, side: Side, random: Random) -> list[Order]:
    """Return legal answers to what a side is asked."""
    return [pick(game, decision, random) for decision in game.asked(side)]


def go_on(game: Adjudicator, sheets: int, seed: int = 1, more: bytes = b"") -> None:
    """Play on by some honest sheets; `more` is written below the first one."""
    random = Random(seed)
    for _ in range(sheets):
        if game.result is not None:
            return
        side = game.open_decisions[0].side
        receipt = game.receive(side, written(game, side, *answers(game, side, random), more=more))
        assert receipt.number is not None, str(receipt)
        more = b""
        game.adjudicate()


def found(game: Adjudicator, *, with_key: bool = False) -> list[str]:
    """Return what `pbem verify` finds wrong with a game, the first first."""
    keys = (lambda _: game.ledger.keys) if with_key else None
    return [str(each) for each in verify(game.path, keys=keys, folders=FOLDERS).findings.sorted]


def found_by_small(game: Adjudicator, away: Path) -> str:
    """Return what `verify_one.py` finds wrong with a clone of a game; empty: nothing."""
    git(game.path, "clone", "-q", str(game.path), str(away / "clone"))
    with redirect_stderr(StringIO()) as told, suppress(SystemExit):
        verify_one.main(str(away / "clone"))
    return told.getvalue().removeprefix("broken: ").strip()


def dice(game: Adjudicator, after: int = 0) -> list[Any]:
    """Return what turns the dice of each turn after one, and how they fall."""
    turns = [game.ledger.public_turn(n) for n in range(after + 1, game.adjudication + 1)]
    return [(turn["inputs"], turn.get("rolls")) for turn in turns]
