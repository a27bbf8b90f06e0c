"""Attacks on the talk of the players: it is changed, made up, taken out or put in, or shows what nobody holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from email import message_from_bytes
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pytest

from pbem.crypto.seal import unseal
from pbem.game.order_form import compact
from pbem.mail.answer.table_talk import talk_letters
from pbem.referee.acts.ruling import break_off
from pbem.referee.acts.talk import show_to, speak
from pbem.repo.files.layout import PRESS, UNOPENED, press_room
from tests.attacks.base import Dishonest, answers, found, opened, written
from tests.support.live import SECRETS, Folder
from tests.support.soak import quick_first

Change: TypeAlias = Callable[[list[dict[str, Any]]], None]
"""Changes the talk of a file that is about to be committed."""


class Forges(Dishonest):
    """Changes what is put on record of the talk."""

    change: Change | None = None
    drops: str = ""
    """A file of talk that is left out."""

    def files(self, files: dict[str, bytes], message: str) -> dict[str, bytes]:
        if PRESS in files and self.change is not None:
            record = json.loads(unseal(SECRETS.identity, PRESS, files[PRESS]))
            self.change(record["talk"])
            files[PRESS] = self.ledger.seal_talk(PRESS, compact(record), press_room(5))
        files.pop(self.drops, None)
        return files


def talking(folder: Folder, **more: Any) -> Forges:
    """Return a game of five sides with a dishonest referee in which they may talk; the caller closes it."""
    folder.create("five", press="free", press_opened=True, **more).close()
    return opened(folder, Forges)


def go_on(game: Forges, adjudications: int = 1) -> None:
    """Play on by honest sheets."""
    random, until = Random(1), game.adjudication + adjudications
    while game.adjudication < until and game.result is None:
        side = game.open_decisions[0].side
        assert game.receive(side, written(game, side, *answers(game, side, random))).number is not None
        game.adjudicate()


def talk_a_little(game: Forges) -> None:
    speak(game, "oak", ["elm"], "I march on Yew.", "a")
    show_to(game, "oak", ["elm"], f"card {game.view('oak').hands['oak'][0]}", "b")
    speak(game, "elm", ["oak"], "So do I.", "c")


def test_other_words_on_record_show_to_whoever_heard_them(folder: Folder) -> None:
    """The record is right by itself. The letter to the side that heard them says something else."""
    with talking(folder) as game:
        game.change = lambda talk: talk[0].update(text="I march on Elm.")
        talk_a_little(game)
        letters = [message_from_bytes(out.content) for out in talk_letters(game, folder.office, [])]
        go_on(game)
        break_off(game, "the end")
        assert found(game, with_key=True) == found(game) == []
        recorded = json.loads(
            unseal(SECRETS.identity, PRESS, game.ledger.repo.read(PRESS, game.ledger.commits()[2]) or b"")
        )
        assert recorded["talk"][0]["text"] == "I march on Elm."
        assert any("I march on Yew." in str(each.get_payload(decode=True)) for each in letters)


@pytest.mark.parametrize(
    ("change", "reason"),
    quick_first(
        [
            (lambda talk: talk.pop(1), "its numbers do not go on from 0: talk was taken out or put in"),
            (lambda talk: talk.append(dict(talk[0])), "its numbers do not go on from 0: talk was taken out or put in"),
            (
                lambda talk: talk[0].update(to=["oak"]),
                "talk of oak would not have been passed on: you cannot talk to your",
            ),
            (lambda talk: talk[0].update(to=["birch"]), "would not have been passed on: birch does not play in punica"),
            (lambda talk: talk[0].update(text="x" * 3000), "would not have been passed on: it takes 3,000 bytes"),
            (lambda talk: talk[0].update(after=0), "sealed/press.age"),
            (lambda talk: talk[0].update(mood="bad"), "it is not written as talk is: 'mood' has no place"),
            (lambda talk: talk[0].pop("day"), "it is not written as talk is: day is missing"),
        ],
        3,
    ),
)
def test_talk_that_was_not_passed_on_shows_at_the_end(folder: Folder, change: Change, reason: str) -> None:
    with talking(folder) as game:
        game.change = change
        talk_a_little(game)
        go_on(game)
        assert found(game) == []
        assert reason in "\n".join(found(game, with_key=True))


def test_a_card_that_is_not_held_is_shown_at_the_end(folder: Folder) -> None:
    with talking(folder) as game:
        other = next(card for card in range(1, 40) if card not in game.view("oak").hands["oak"])
        for changed in ({"shows": f"card {other}"}, {"event": {"facts": {"card": other}, "kind": "shown"}}):
            game.change = lambda talk, changed=changed: talk[0].update(changed)
            show_to(game, "oak", ["elm"], f"card {game.view('oak').hands['oak'][0]}", f"{changed}")
            go_on(game)
            wrong = found(game, with_key=True)
            assert any(f"card {other} is not in your hand" in each or "sealed/press.age" in each for each in wrong), (
                wrong
            )


def test_talk_in_a_game_without_it_shows(folder: Folder, tmp_path: Path) -> None:
    with Folder(tmp_path / "other").create("five", press="free") as other:
        sealed = other.ledger.seal_talk(PRESS, b"{}", press_room(5))
    folder.create("five").close()
    with opened(folder, Forges) as game:
        game.ledger.commit({PRESS: sealed}, "punica: table talk")
        assert "the charter of this game allows no such talk" in found(game)[0]


@pytest.mark.parametrize("path", [PRESS, UNOPENED])
def test_half_of_the_files_of_talk_shows(folder: Folder, path: str) -> None:
    """Otherwise the files would tell which kind of talk there was."""
    with talking(folder, press_unsigned=True) as game:
        game.drops = path
        talk_a_little(game)
        go_on(game)
        assert found(game)
