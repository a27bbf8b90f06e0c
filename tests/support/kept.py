"""Finished games that are kept, to be derived again: `python -m tests.support.kept [NAME ...]` plays and keeps them.

Each is a git bundle in `tests/support/format3/`. Its commits are those of the game, but sealed files stand in it open,
as they were padded before they were sealed: so they pack well. Whoever changes what these games come to has changed
the format: the games are then kept anew, and `FORMAT` in `pbem.repo.files.charter` counts up.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Final
from unittest.mock import patch

from pbem.audit.derive.derivation import Derivation
from pbem.audit.record.findings import Findings
from pbem.audit.record.rules_pinned import RulesHere
from pbem.audit.record.schemas import REVEALED_SHAPE, said_in
from pbem.audit.record.sealed import OpenedSecrets, SealedFiles
from pbem.audit.record.turn_files import gather
from pbem.crypto.beacon import time_of
from pbem.crypto.closing import PATIENCE
from pbem.crypto.dice import Chain
from pbem.crypto.player_chains import LOST
from pbem.crypto.seal import open_padded
from pbem.game import yaml as yamlio
from pbem.game.boxes import shelf
from pbem.protocol import Side
from pbem.referee.acts import consents, rollback, ruling
from pbem.referee.acts.preconditions import valid_adjudications
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.charter import ChainPromise, read_charter
from pbem.repo.files.layout import CHARTER, PLAYERS, REVEALED, SEALED, VIEWS
from pbem.repo.files.requests import ROLLBACK
from pbem.repo.git import GameRepo
from pbem.repo.git.history import PastRepo
from tests.support import samples
from tests.support.beacon_rounds import PUBLISHED
from tests.support.live import Folder, pick, sheet
from tests.support.walks import FOLDERS

BUNDLES: Final = Path(__file__).parent / "format3"
LENGTH: Final = 40


# ---- keeping and deriving


def keep(game: Adjudicator, target: Path) -> None:
    """Keep a finished game as a bundle of its commits, with the sealed files open."""
    assert game.result is not None, "only a finished game is kept"
    with tempfile.TemporaryDirectory() as folder, PastRepo(game.ledger.repo.path) as past:
        commits = [
            (
                each.message,
                {
                    change.path: _opened(game, change.path, past.blob(change.new))
                    for change in each.changes
                    if change.new is not None
                },
            )
            for each in past.commits()
        ]
        path = Path(folder) / f"{game.name}.git"
        message, files = commits[0]
        with GameRepo.create(path, files, message) as repo, repo.transaction():
            for message, files in commits[1:]:
                repo.commit(files, message)
        target.parent.mkdir(parents=True, exist_ok=True)
        _git(path, "repack", "-adfq", "--depth=100", "--window=50")
        _git(path, "bundle", "create", "-q", str(target), "main")


def _opened(game: Adjudicator, path: str, content: bytes) -> bytes:
    """Return a file as it was padded before it was sealed; nothing of what is sealed to other keys."""
    if not path.endswith(SEALED):
        return content
    if path == PLAYERS or path.startswith(VIEWS):
        return b""
    return open_padded(game.ledger.keys.identity, path, content)


class _OpenFiles(SealedFiles):
    """The sealed files of a kept game, which stand open."""

    def padded(self, path: str, oid: bytes) -> bytes:
        """Return what would be sealed at a path, with its padding."""
        return self._read(oid)


def differences(bundle: Path) -> tuple[int, list[str]]:
    """Derive a kept game again; return how many commits it has, and what comes out otherwise.

    The rules are those that are here, whatever the game pins.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kept.git"
        subprocess.run(["git", "clone", "-q", "--bare", "-b", "main", str(bundle), str(path)], check=True)
        with PastRepo(path) as past:
            commits = past.commits()
            first = {change.path: past.blob(change.new) for change in commits[0].changes if change.new is not None}
            charter = read_charter(yamlio.read(first[CHARTER], name=CHARTER).value)
            unread = gather(charter, commits, past.blob, Findings())
            history = unread.history
            revealed = history.latest(REVEALED)
            assert revealed is not None
            said = said_in(past.blob(revealed), REVEALED_SHAPE, history.place_of(REVEALED), unread.findings)
            assert said is not None
            files = _OpenFiles(charter, OpenedSecrets(bytes.fromhex(said["hidden"]), said["identity"]), past.blob)
            loaded = shelf.load(
                charter.rules,
                edition=charter.edition,
                options=charter.options,
                folders=FOLDERS,
                kept=history.corrections(past.blob, len(commits)),
            )
            evidence, here = replace(unread, findings=Findings()), RulesHere([(range(len(commits)), loaded)])
            Derivation(evidence, files, here).run()
            return len(commits), [str(each) for each in evidence.findings.sorted]


def _git(path: Path, *words: str) -> None:
    subprocess.run(["git", "--git-dir", str(path), *words], check=True)


# ---- the games


def acts(folder: Folder) -> Adjudicator:
    """Play a game of Three Hills with every act of the game master, and a rollback by consent."""
    game = folder.create("toy", "acts", begin=False)
    random = Random(5)
    red, blue = game.rules.sides
    game.join_side(red, phrase="Three hills for the elven kings", letter="joins")
    game.adjudicate()
    _turn(game, random, standing=b"standing:\n- react: {card: none}\n")
    for _ in range(3):
        _turn(game, random)
    asked = consents.propose(game, None, Proposal(ROLLBACK, to=game.adjudication - 1), "a slip of the pen").request
    consents.refuse_request(game, blue, asked, letter="refuses")
    asked = consents.propose(game, None, Proposal(ROLLBACK, to=game.adjudication - 1), "a slip of the pen").request
    for side in (red, blue):
        consents.consent(game, side, asked, letter=f"consent of {side}")
    _turn(game, random)
    rollback.roll_back(game, _last_but_one(game), "a slip of the referee")
    side = game.open_decisions[0].side
    assert ruling.answer_for_side(game, side, _sheet(game, side, random), "a letter was lost")[1] is not None
    game.adjudicate()
    side = game.open_decisions[0].side
    first = [each for each in game.open_decisions if each.side == side][:1]
    ruled = sheet(game, side, *[pick(game, each, random) for each in first])
    assert ruling.set_default(game, side, ruled, "they are on a journey")[1] is not None
    game.adjudicate(late=[side])
    hill = next(iter(game.rules.encode(game.session.position)["guards"]))
    ruling.change_position(game, {f"guards.{hill}": 5}, "a guard was forgotten")
    _turn(game, random)
    ruling.break_off(game, "the players agree")
    return game


def beacon(folder: Folder) -> Adjudicator:
    """Play a game of Three Hills whose dice a beacon decides; one round does not come."""
    first, second, third, fourth = sorted(PUBLISHED)
    game = folder.create("toy", "beacon", begin=False, beacon="drand")
    random = Random(6)
    for number in (first, second, third, fourth):
        game.moment = time_of(number) - PATIENCE
        if number != first:
            for side in game.rules.sides:
                if game.asked(side):
                    receipt = game.receive(side, _sheet(game, side, random))
                    assert receipt.number is not None, str(receipt)
        game.adjudicate()
        assert game.closed is not None, "no sheets were closed"
        if number == third:
            game.moment = time_of(number)
            game.miss_round(number, "the network was down")
        else:
            game.put_in_round(number, PUBLISHED[number])
    ruling.break_off(game, "the players agree")
    return game


def chains(folder: Folder) -> Adjudicator:
    """Play a game with players' chains, one of them lost; some sides are late or absent, some sheets replaced."""
    game = folder.create("rome_carthage", "chains", begin=False)
    random = Random(8)
    chain = {side: Chain(f"the chain of {side}".ljust(32).encode(), LENGTH) for side in game.rules.sides}
    opened, letters = dict.fromkeys(game.rules.sides, 0), count()
    for side in game.rules.sides:
        game.join_side(side, chain=ChainPromise(chain[side].tip, LENGTH))
    game.adjudicate()

    def link(side: Side) -> bytes:
        if game.player_chain(side) is None:
            return b""
        opened[side] += 1
        lost = side == game.rules.sides[1] and opened[side] > 3
        return f"link: {LOST if lost else chain[side].link(opened[side])}\n".encode()

    for number in range(24):
        if not game.open_decisions:
            break
        side = game.open_decisions[0].side
        if number % 6 == 4:
            game.adjudicate(late=[side])
        elif number % 8 == 5:
            game.adjudicate(absent=[side])
        else:
            orders = _sheet(game, side, random)
            for _ in range(2 if number % 3 == 0 else 1):
                receipt = game.receive(side, link(side) + orders, letter=f"letter {next(letters)}")
                assert receipt.number is not None, str(receipt)
            game.adjudicate()
    ruling.break_off(game, "the players agree")
    return game


def _turn(game: Adjudicator, random: Random, standing: bytes = b"") -> None:
    """Hand in a sheet of the side that is asked first, and adjudicate."""
    side = game.open_decisions[0].side
    receipt = game.receive(side, _sheet(game, side, random) + standing)
    assert receipt.number is not None, str(receipt)
    game.adjudicate()


def _last_but_one(game: Adjudicator) -> int:
    """Return the last adjudication but one of those that were not undone."""
    state = game.ledger.state()
    assert state is not None
    return valid_adjudications(state)[-2]


def _sheet(game: Adjudicator, side: Side, random: Random) -> bytes:
    return sheet(game, side, *[pick(game, each, random) for each in game.open_decisions if each.side == side])


GAMES: Final[Mapping[str, Callable[[Folder], Adjudicator]]] = {"acts": acts, "beacon": beacon, "chains": chains}


def _sample(name: str) -> Callable[[Folder], Adjudicator]:
    return lambda folder: samples.played_again(name, folder.path)


def _all() -> Iterator[tuple[str, Callable[[Folder], Adjudicator]]]:
    yield from GAMES.items()
    for name in samples.SAMPLES:
        yield name, _sample(name)


def main(names: list[str]) -> None:
    """Play the games that are named, or all of them, and keep them."""
    for name, play in _all():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            stack.enter_context(patch("pbem.crypto.closing.check_signature"))  # those of the rounds are known
            game = stack.enter_context(play(Folder(Path(folder))))
            keep(game, BUNDLES / f"{name}.bundle")
        print(f"{name}: {(BUNDLES / f'{name}.bundle').stat().st_size // 1024} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
