"""The sample games under `games/`: each is the history of a finished game as `pbem reveal --open` writes it.

`python -m tests.support.samples` plays them again, or those that are named, two bots by order sheets, and puts their
files, their final maps and their last reports there. The tests play the same sheets again and compare every file.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pbem.crypto.keys import Secrets
from pbem.game import yaml as yamlio
from pbem.mail.maps import map_picture
from pbem.mail.outgoing import side_report
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.new_game import NewGame
from pbem.referee.reveal import open_history
from pbem.repo.layout import PINS
from tests.support.live import sheet

GAMES: Final = Path(__file__).resolve().parents[2] / "games"
ZAMA: Final = "zama"
SAMPLES: Final = {ZAMA: ("rome_carthage", "standard"), "cannae": ("hannibal_italy", "short")}
"""Name of a sample -> the game that is played in it, and the scenario."""
SECRETS: Final = Secrets(
    b"the chain of the sample game ...",
    b"the hidden secret of sample    8",
    "AGE-SECRET-KEY-165VL8QR03Q7KF68N0A0DF2E5TL4DPKTAURNPG62M9LV8NPVC4U5Q8ML4T4",
    "AGE-SECRET-KEY-1L0CQUKACSAWXNLSPU7GX8F603VYNX40FMWN4SY968Z3ACAW93RRQ9F38PE",
)
PLAYERS: Final = {"carthage": "Bot of Carthage", "rome": "Bot of Rome"}
BESIDE: Final = ("map.png", "report.txt")
"""What lies beside the files of the repo."""
STANDING: Final = b"standing: default\n"
DAY: Final = datetime(2026, 11, 22, tzinfo=UTC)
TURN: Final = re.compile(r"turns/\d{3}/\d{4}\.yaml")
MOST_SHEETS: Final = 2000


def make(name: str) -> None:
    """Play a sample game and write its files."""
    rules, scenario = SAMPLES[name]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        new = NewGame(name, rules, scenario=scenario, players=PLAYERS, secrets=SECRETS, begin=False)
        with Adjudicator.create(home / "games", home / "keys", new) as game:
            game.today = DAY.date()
            game.adjudicate()
            for side in game.rules.sides:
                head = sheet(game, side).replace(b"orders:\n", STANDING)
                receipt = game.receive(side, head)
                assert receipt.number is not None, str(receipt)
            for _ in range(MOST_SHEETS):
                if not game.open_decisions:
                    break
                play_on(game)
            assert game.result is not None, "the game does not end"
            target = GAMES / name
            shutil.rmtree(target, ignore_errors=True)
            open_history(game.ledger.repo.path, target)
            (target / "map.png").write_bytes(map_picture(game, None, game.adjudication))
            (target / "report.txt").write_text(side_report(game, None, 0).text, "utf-8")


def play_on(game: Adjudicator) -> None:
    """Hand in a sheet of the stand-in for the side that is asked first, and carry the game on."""
    rules: Any = game.rules
    side = game.open_decisions[0].side
    orders = [rules.bot_order(game.view(side), each) for each in game.open_decisions if each.side == side]
    receipt = game.receive(side, sheet(game, side, *orders))
    assert receipt.number is not None, str(receipt)
    game.adjudicate()


def kept(folder: Path) -> dict[str, bytes]:
    """Return the files of a sample that its sheets decide: not what says with which code it was played."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in (*BESIDE, PINS)
    }


def played_again(name: str, home: Path) -> Adjudicator:
    """Return a sample game played again by its sheets; the caller closes it."""
    charter: Mapping[str, Any] = yamlio.read(kept(GAMES / name)["game.yaml"], name="game.yaml").value
    new = NewGame(
        name,
        charter["rules"],
        players=charter["players"],
        scenario=charter["scenario"],
        edition=charter["edition"],
        options=charter["options"],
        secrets=SECRETS,
        made_by=charter["made_by"],
        begin=False,
    )
    game = Adjudicator.create(home / "games", home / "keys", new)
    game.today = DAY.date()
    game.adjudicate()
    for together in sheets(name):
        for side, raw in together:
            receipt = game.receive(side, raw)
            assert receipt.number is not None, str(receipt)
        game.adjudicate()
    return game


def sheets(name: str) -> Iterator[list[tuple[str, bytes]]]:
    """Yield the sheets of a sample in the order in which they were used, those of one adjudication together."""
    found = kept(GAMES / name)
    for path in sorted(path for path in found if TURN.fullmatch(path)):
        used = yamlio.read(found[path], name=path).value.get("sheets", {})
        if used:
            yield [(side, found[each.removesuffix(".age") + ".yaml"]) for side, paths in used.items() for each in paths]


if __name__ == "__main__":
    for sample in sys.argv[1:] or SAMPLES:
        make(sample)
