"""The sample games under `games/`: each is the files of a finished game's repo, with its secrets beside them.

`python -m tests.samples` plays them anew, two stand-ins by order sheets, and puts their files, their final maps and
their last reports there. The tests play the same sheets again and compare every file.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pbem import yamlio
from pbem.adjudicator import Adjudicator
from pbem.correspondence import map_picture, side_report
from pbem.seal import Keys
from tests.live import files, sheet

GAMES: Final = Path(__file__).resolve().parents[1] / "games"
ZAMA: Final = "zama"
SECRETS: Final = (b"the chain of the sample game ...", b"the hidden secret of sample    8")
PLAYERS: Final = {"carthage": "Stand-in of Carthage", "rome": "Stand-in of Rome"}
REVEALED: Final = "revealed"
"""The folder of the secrets, published because the game is over."""
BESIDE: Final = ("map.png", "report.txt")
"""What lies beside the files of the repo."""
STANDING: Final = b"standing: default\n"
DAY: Final = datetime(2026, 11, 22, tzinfo=UTC)
MOST_SHEETS: Final = 2000


def make(name: str = ZAMA) -> None:
    """Play the sample game and write its files."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with Adjudicator.create(
            home / "games", home / "keys", name, "rome_carthage", players=PLAYERS, secrets=SECRETS
        ) as game:  # fmt: skip
            for side in game.rules.sides:
                head = sheet(game, side).replace(b"orders:\n", STANDING)
                receipt = game.receive(side, head)
                assert receipt.number is not None, str(receipt)
            for _ in range(MOST_SHEETS):
                if not game.waiting:
                    break
                play_on(game)
            assert game.result is not None, "the game does not end"
            target = GAMES / name
            shutil.rmtree(target, ignore_errors=True)
            for path, content in files(game.ledger.repo).items():
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                (target / path).write_bytes(content)
            (target / "map.png").write_bytes(map_picture(game, None, game.adjudication))
            (target / "report.txt").write_text(side_report(game, None, 0).text, "utf-8")
            (target / REVEALED).mkdir()
            shutil.copy(home / "keys" / f"{name}.yaml", target / REVEALED / f"{name}.yaml")


def play_on(game: Adjudicator) -> None:
    """Hand in a sheet of the stand-in for the side that is asked first, and carry the game on."""
    rules: Any = game.rules
    side = game.waiting[0].side
    orders = [rules.advise(game.known(side), each) for each in game.waiting if each.side == side]
    receipt = game.receive(side, sheet(game, side, *orders))
    assert receipt.number is not None, str(receipt)
    game.adjudicate()


def kept(name: str) -> dict[str, bytes]:
    """Return the files of a sample's repo as they are kept."""
    folder = GAMES / name
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in BESIDE and REVEALED not in path.parts
    }


def played_again(name: str, home: Path) -> Adjudicator:
    """Return a sample game played again by its sheets; the caller closes it."""
    charter: Mapping[str, Any] = yamlio.read(kept(name)["game.yaml"], name="game.yaml").value
    keys = Keys.load(_private(GAMES / name / REVEALED, home), name)
    game = Adjudicator.create(
        home / "games", home / "keys", name, charter["rules"], players=charter["players"],
        scenario=charter["scenario"], preset=charter["preset"], options=charter["options"],
        secrets=(keys.chain, keys.hidden),
    )  # fmt: skip
    for side, raw in sheets(name, game):
        receipt = game.receive(side, raw)
        assert receipt.number is not None, str(receipt)
        game.adjudicate()
    return game


def sheets(name: str, game: Adjudicator) -> Iterator[tuple[str, bytes]]:
    """Yield the sheets of a sample in the order in which they were used."""
    found = kept(name)
    for path in sorted(path for path in found if path.startswith("turns/") and path.endswith(".yaml")):
        for side, paths in yamlio.read(found[path], name=path).value.get("sheets", {}).items():
            for each in paths:
                yield side, game.ledger.unsealed(each, found[each])


def _private(folder: Path, home: Path) -> Path:
    """Return a copy of a folder of secrets with the rights that secrets need: git does not keep them."""
    copied = home / REVEALED
    shutil.copytree(folder, copied)
    copied.chmod(0o700)
    for path in copied.iterdir():
        path.chmod(0o600)
    return copied


if __name__ == "__main__":
    make()
