"""A whole opening by real letters: from the set-up and `pbem new` to a battle, with two mail programs and a service."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.cli.demo import MADE_BY, PHRASES, SECRETS, Players, slip
from pbem.cli.verbs import app
from pbem.crypto.keys import Secrets
from pbem.post.desk.setup import set_up
from pbem.protocol import Order
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from tests.real.mailhost import MailHost, soon
from tests.real.master import master
from tests.real.season import GAME, Season, key_in
from tests.support.live import sheet

pytestmark = pytest.mark.real

USERS = {"rome": "ann", "carthage": "bob"}


def new_game(season: Season, patch: pytest.MonkeyPatch) -> None:
    """Make a game with `pbem new` whose dice are those of the demonstration, so that there is a battle soon."""
    patch.setattr(Secrets, "drawn", classmethod(lambda cls: SECRETS))
    defaults = NewGame.__init__.__kwdefaults__
    assert defaults is not None
    patch.setitem(defaults, "made_by", MADE_BY)
    for name, value in season.environment.items():
        patch.setenv(name, value)
    players = [f"{side}={user.title()} <{user}@pbem.test>" for side, user in USERS.items()]
    made = CliRunner().invoke(
        app, ["new", GAME, "--rules", "rome_carthage", "--player", players[0], "--player", players[1], "--yes"]
    )
    assert made.exit_code == 0, made.output


def test_opening_is_played_by_letters_to_a_battle(
    host: MailHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    season, count = Season(host, tmp_path), 0
    new_game(season, monkeypatch)
    assert set_up(season.file, master(host), 30)
    season.file.write_text(f"{season.file.read_text()}send: {{per_hour: 500, per_day: 900}}\n")
    with season.open_post():
        for side, phrase in PHRASES.items():
            welcome = season.letter_with(USERS[side], "PHRASE")
            if side == "rome":
                season.swaks("ann", f"PHRASE {phrase}\n", welcome)
            else:
                season.neomutt("bob", f"PHRASE {phrase}\n", answers=welcome)
            count += 1
        soon(lambda: adjudications(season) > 0, 60)
        players, hurried = Players(), False
        while count < 60:
            with season.open() as game:
                if players.over(game):
                    break
                side, number, sheets = game.open_decisions[0].side, game.adjudication, numbers(game)
                orders = [Order(kind, body) for kind, body in players.bodies(game, side)]
                text = sheet(game, side, *orders).decode()
            letter = season.letter_with(USERS[side], f"adjudication: {number}")
            if "nemausus" in text and not hurried:
                hurried = True
                faulty = sheet(game, side, Order(orders[0].kind, slip(dict(orders[0].body)))).decode()
                season.swaks(USERS[side], faulty, letter)
                season.letter_with(USERS[side], "elefants")
                count += 1
            if side == "rome":
                season.swaks("ann", f"Hello,\n\n{text}\nAnn\n", letter)
            else:
                address = letter["Reply-To"].addresses[0].addr_spec
                assert "+" in address
                key = key_in(letter) if count % 2 else ""  # by turns the address and the sheet tell who it is
                to = "" if count % 2 else address
                season.neomutt("bob", "Here are my orders.\n", f"{key}\n{text}", to)
            count += 1
            soon(partial(changed, season, number, sheets), 60)
        with season.open() as game:
            told = {each.event.kind for each in game.told(None, 0)}
            last = game.adjudication
        assert count >= 20
        assert {"battle", "battle_won"} <= told
        with season.open() as game:
            asked = game.open_decisions[0].side
        season.letter_with(USERS[asked], f"{GAME}, report {last}")
        with host.mailbox("referee") as box:
            soon(lambda: not box.search("UNSEEN"), 60)
    season.pbem("verify", GAME, "--with-key")
    for user in USERS.values():
        seen = Counter(str(each["Message-ID"]) for each in season.letters(user))
        assert set(seen.values()) == {1}


def adjudications(season: Season) -> int:
    with season.open() as game:
        return game.adjudication


def numbers(game: Adjudicator) -> dict[str, int]:
    return {side: game.sheets(side) for side in USERS}


def changed(season: Season, number: int, sheets: dict[str, int]) -> bool:
    with season.open() as game:
        return game.adjudication > number or numbers(game) != sheets
