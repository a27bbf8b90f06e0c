"""The sample games under `games/`: each is the history of a finished game as `pbem reveal --open` writes it.

`python -m tests.support.samples` plays them anew, or those that are named, and puts their files, their final maps and
their last reports there: *zama* and *cannae* by two bots, *allia* by the script in `tests.support.allia`. The tests
play the same sheets again, with what was said at the table, and compare every file.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pbem.crypto.keys import Secrets
from pbem.game import yaml as yamlio
from pbem.mail.write.enclosures import map_picture
from pbem.mail.write.outgoing import side_report
from pbem.referee.acts import consents, talk
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.acts.reveal import open_history
from pbem.referee.opening import create_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.repo.files.layout import PINS
from pbem.repo.files.requests import DRAW
from tests.support import allia
from tests.support.live import ADDRESSES, sheet

GAMES: Final = Path(__file__).resolve().parents[2] / "games"
ZAMA: Final = "zama"
ALLIA: Final = "allia"
SECRETS: Final = Secrets(
    b"the chain of the sample game ...",
    b"the hidden secret of sample    8",
    "AGE-SECRET-KEY-165VL8QR03Q7KF68N0A0DF2E5TL4DPKTAURNPG62M9LV8NPVC4U5Q8ML4T4",
    "AGE-SECRET-KEY-1L0CQUKACSAWXNLSPU7GX8F603VYNX40FMWN4SY968Z3ACAW93RRQ9F38PE",
)
PLAYERS: Final = {"carthage": "Bot of Carthage", "rome": "Bot of Rome"}
README: Final = "README.md"
BESIDE: Final = ("map.png", "report.txt", README)
"""What lies beside the files of the repo."""
STANDING: Final = b"standing: default\n"
DAY: Final = datetime(2026, 11, 22, tzinfo=UTC)
TURN: Final = re.compile(r"turns/\d{3}/\d{4}\.yaml")
SAID: Final = re.compile(r"press/\d{4}\.yaml")
ASKED: Final = re.compile(r"requests/\d{3}/\d{4}\.yaml")
MOST_SHEETS: Final = 2000


@dataclass(frozen=True)
class Sample:
    """A sample game: what is played, and how it is made."""

    rules: str
    scenario: str
    play: Callable[[Adjudicator], None]
    """Plays it from its first question to its end. Raises `allia.Unlucky` if it is to be dealt anew."""
    players: Mapping[str, str] = field(default_factory=lambda: PLAYERS)
    terms: Mapping[str, Any] = field(default_factory=dict)
    """The other terms of the game, as `NewGame` has them."""
    seeds: range = range(8, 9)
    """The numbers in the seed of the hidden draws, to be tried in turn."""
    readme: Callable[[Adjudicator], str] | None = None
    """Writes what happens in it and what to look at."""


def by_bots(game: Adjudicator) -> None:
    """Play a game of two bots, which have the standing orders of the game."""
    for side in game.rules.sides:
        head = sheet(game, side).replace(b"orders:\n", STANDING)
        receipt = game.receive(side, head)
        assert receipt.number is not None, str(receipt)
    for _ in range(MOST_SHEETS):
        if not game.open_decisions:
            break
        play_on(game)


def play_on(game: Adjudicator) -> None:
    """Hand in a sheet of the stand-in for the side that is asked first, and carry the game on."""
    rules: Any = game.rules
    side = game.open_decisions[0].side
    orders = [rules.bot_order(game.view(side), each) for each in game.open_decisions if each.side == side]
    receipt = game.receive(side, sheet(game, side, *orders))
    assert receipt.number is not None, str(receipt)
    game.adjudicate()


SAMPLES: Final = {
    ZAMA: Sample("rome_carthage", "standard", by_bots),
    "cannae": Sample("hannibal_italy", "short", by_bots),
    ALLIA: Sample(
        "sword_of_rome",
        "short",
        allia.play,
        players=allia.PLAYERS,
        terms={"press": "free", "press_opened": True, "addresses": {side: ADDRESSES[side] for side in allia.PLAYERS}},
        seeds=range(1, 100),
        readme=allia.readme,
    ),
}


def make(name: str) -> None:
    """Play a sample game and write its files, with the first seed by which it comes to what it is to show."""
    for seed in SAMPLES[name].seeds:
        try:
            make_with(name, seed)
        except allia.Unlucky as why:
            print(f"{name}, seed {seed}: {why}")
        else:
            return
    raise SystemExit(f"{name} comes to nothing with any seed")


def make_with(name: str, seed: int) -> None:
    """Play a sample game with a seed and write its files. Raises `allia.Unlucky`."""
    sample = SAMPLES[name]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        new = NewGame(
            name,
            sample.rules,
            scenario=sample.scenario,
            players=sample.players,
            secrets=replace(SECRETS, hidden=f"the hidden secret of sample {seed:4}".encode()),
            begin=False,
            **sample.terms,
        )
        with create_game(home / "games", home / "keys", new) as game:
            game.today = DAY.date()
            game.adjudicate()
            sample.play(game)
            assert game.result is not None, "the game does not end"
            target = GAMES / name
            shutil.rmtree(target, ignore_errors=True)
            open_history(game.ledger.repo.path, target)
            (target / "map.png").write_bytes(map_picture(game, None, game.adjudication))
            (target / "report.txt").write_text(side_report(game, None, 0).text, "utf-8")
            if sample.readme is not None:
                (target / README).write_text(sample.readme(game), "utf-8")


def kept(folder: Path) -> dict[str, bytes]:
    """Return the files of a sample that its sheets decide: not what says with which code it was played."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in (*BESIDE, PINS)
    }


def played_again(name: str, home: Path) -> Adjudicator:
    """Return a sample game played again by its sheets; the caller closes it."""
    game = begun_again(name, home)
    for together in sheets(name):
        say_again(game)
        for side, raw in together:
            receipt = game.receive(side, raw)
            assert receipt.number is not None, str(receipt)
        game.adjudicate()
    say_again(game)
    _end_again(game)
    return game


def begun_again(name: str, home: Path) -> Adjudicator:
    """Return a sample game as it was when its first question was asked; the caller closes it."""
    files = kept(GAMES / name)
    charter: Mapping[str, Any] = yamlio.read(files["game.yaml"], name="game.yaml").value
    revealed: Mapping[str, Any] = yamlio.read(files["revealed.yaml"], name="revealed.yaml").value
    new = NewGame(
        name,
        charter["rules"],
        players=charter["players"],
        addresses={side: ADDRESSES[side] for side in charter["by_mail"]},
        scenario=charter["scenario"],
        edition=charter["edition"],
        options=charter["options"],
        press=charter.get("press"),
        press_opened=charter.get("press_opened", False),
        secrets=replace(SECRETS, hidden=bytes.fromhex(revealed["hidden"])),
        made_by=charter["made_by"],
        begin=False,
    )
    game = create_game(home / "games", home / "keys", new)
    game.today = DAY.date()
    game.adjudicate()
    return game


def said(name: str) -> list[Mapping[str, Any]]:
    """Return what the players of a sample said and showed, in the order in which they did."""
    return [
        each
        for path, content in sorted(kept(GAMES / name).items())
        if SAID.fullmatch(path)
        for each in yamlio.read(content, name=path).value["talk"]
    ]


def say_again(game: Adjudicator) -> None:
    """Say and show what was said and shown after the last adjudication."""
    for each in said(game.name):
        if each["after"] != game.adjudication:
            continue
        if each.get("shows"):
            talk.show_to(game, each["side"], each["to"], each["shows"], each["letter"])
        else:
            talk.speak(game, each["side"], each["to"], each["text"], each["letter"])


def _end_again(game: Adjudicator) -> None:
    """End a game as its players agreed to."""
    for path, content in sorted(kept(GAMES / game.name).items()):
        if not ASKED.fullmatch(path):
            continue
        request: Mapping[str, Any] = yamlio.read(content, name=path).value
        draw = Proposal(DRAW, winners=request.get("winners", ()))
        asked = consents.propose(game, request["side"], draw, request["reason"])
        for side in request["consents"]:
            if side != request["side"]:
                consents.consent(game, side, asked.request)


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
