"""A game of five sides through the command line, by letters alone: talk, a shown card, a rollback, a draw.

Yew is out of the game from the beginning. The players know only what stood in their letters.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.cli.runtime import NOT_PROVEN
from pbem.crypto.keys import Secrets
from pbem.game.contract import Rules
from pbem.protocol import Decision, Order
from tests.support.letter_table import FAULTS, GAME, LetterTable
from tests.support.live import SECRETS, Folder

PLAYERS = {side: f"{side}@example.org" for side in ("oak", "elm", "ash", "fir", "yew")} | {"fir": "elm@example.org"}
"""The address of each side: one person plays Elm and Fir, and says in each letter for which of them it is."""
DRAW = f"DRAW {GAME} oak elm"
LETTERS = 50


class Table(LetterTable):
    """The five sides: each answers anything that is legal."""

    def __init__(self, home: Path) -> None:
        random = Random(24)

        def any_order(rules: Rules[Any], view: Any, decision: Decision) -> Order:
            order = rules.legal_orders(view, decision).pick(random.random)
            assert order is not None
            return order

        super().__init__(home, PLAYERS, any_order, "five", "plain")
        press = ("--press-unsigned", "--press-opened")
        self.begin("--rules", "five", "--edition", "plain", "--scenario", "late", *press)


def _talks(table: Table) -> None:
    """Let sides talk and show cards, also as they may not."""
    table.says("oak", "PRESS elm, ash: Shall we march on Fir?\nI bid high.")
    assert "  : Shall we march on Fir?\n  : I bid high.\n" in table.heard("ash")[-1]
    table.says("yew", "PRESS UNSIGNED ALL\nDo not trust Oak.\nEND PRESS\n\nSTATUS")
    assert all("does not say who" in table.heard(side)[-1] for side in ("oak", "elm", "ash", "fir"))
    hand = table.rules.decode(table.homes["elm"]["position"]).hands["elm"]
    table.says("elm", f"SHOW oak: card {hand[0]}")
    assert f"Elm shows card {hand[0]}." in table.heard("oak")[-1]
    before = {side: len(table.heard(side)) for side in PLAYERS}
    table.says("elm", "SHOW oak: card 99", ends=FAULTS)
    table.says("ash", "PRESS ash: Hm.", ends=FAULTS)
    table.says("ash", "PRESS birch: Hm.", ends=FAULTS)
    table.says("ash", f"PRESS oak: {'x' * 2049}", ends=FAULTS)
    assert {side: len(table.heard(side)) for side in PLAYERS} == before
    table.pbem("press", GAME, "fir", "--to", "oak,elm", letter=b"I sit at the referee's machine.")
    table.pbem("press", GAME, "fir", "--to", "fir", letter=b"Hm.", ends=FAULTS)
    table.pbem("show", GAME, "fir", "card 99", "--to", "all", ends=FAULTS)
    table.collect()
    assert "I sit at the referee's machine." in table.heard("elm")[-1]
    assert "Do not trust Oak." in table.pbem("press", GAME, "ash")


def _answers_and_talks(table: Table) -> None:
    """Let a side that is asked answer, and another one talk."""
    assert table.answer()
    side = ("oak", "elm", "ash", "fir")[table.sent % 4]
    table.says(side, f"PRESS yew: This is letter {table.sent + 1}.")


def _rolls_back(table: Table, to: int) -> None:
    """Take the game back by the consent of all that are asked for it."""
    table.pbem("rollback", GAME, "--to", str(to), "--reason", "a wrong rule")
    table.collect()
    names = [re.match(rf"{GAME}\.([\w+]+)\.request-", name) for _, name, _ in table.letters]
    asked = [side for side in PLAYERS if any(found and side in found[1].split("+") for found in names)]
    assert asked == ["oak", "elm", "ash", "fir"], "who is out is not asked"
    asking = [" ".join(text.split()) for _, name, text in table.letters if ".request-" in name]
    assert all(text.count("Oak, Elm, Ash and Fir must agree.") == 1 for text in asking)
    n = table.adjudication()
    for side in asked:
        table.says(side, f"CONSENT {GAME} 1")
    assert table.adjudication() == n + 1


def _agrees_to_a_draw(table: Table) -> Any:
    """End the game in a draw, and return how it ended."""
    table.says("oak", DRAW)
    for side in ("elm", "ash", "fir", "yew"):
        if table.status()["result"] is None:
            table.says(side, f"CONSENT {GAME} 2")
    return table.status()["result"]


def _holds_letters_against(table: Table, clone: Path) -> None:
    """Compare the letters with talk in the mailbox of Ash with the record, then one in which the words are others."""
    mailbox = table.home / "mail of ash"
    mailbox.mkdir()
    for path in (table.home / "games" / "outbox" / "new").iterdir():
        if b"To: ash@example.org" in path.read_bytes():
            (mailbox / f"{path.name}.eml").write_bytes(path.read_bytes())
    witnessed = ["verify", str(clone), "--letters", str(mailbox)]
    checked = table.pbem(*witnessed, ends=NOT_PROVEN)  # no letter here was sent by Ash
    assert re.search(r"ok +talk in letters +\d+ letters, \d+ held against the record", checked)
    assert "1 letter with talk that is never opened" in checked
    assert "unheard" not in checked
    forged = next(path for path in mailbox.iterdir() if b"Shall we march on Fir?" in path.read_bytes())
    forged.write_bytes(forged.read_bytes().replace(b"march on Fir?", b"march on Yew?"))
    wrong = table.pbem(*witnessed, ends=FAULTS)
    assert "passes on words of Oak that are not on record" in " ".join(wrong.split())
    assert re.search(r"unheard +no letter here passes on talk \d+ of oak", wrong)


@pytest.mark.slow
@pytest.mark.usefixtures("in_the_folder")
@pytest.mark.slow
def test_a_game_of_five_sides_by_letters_alone(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_FROM", "Referee <pbem@example.org>")
    monkeypatch.setattr(Secrets, "drawn", lambda: SECRETS)
    tmp_path, table = folder.path, Table(folder.path)
    table.collect()
    _talks(table)
    while table.adjudication() < 7:
        _answers_and_talks(table)
    _rolls_back(table, 4)
    while table.sent < LETTERS:
        _answers_and_talks(table)
    assert table.status()["result"] is None
    result = _agrees_to_a_draw(table)
    assert (result["reason"], result["winner"]) == ("draw_agreed", ["oak", "elm"])
    assert table.sent >= LETTERS
    assert table.alike, "no side was asked two questions of a kind at once"

    clone = tmp_path / "observers.git"
    table.pbem("publish", GAME, str(clone))
    checked = table.pbem("verify", str(clone), "--after-reveal")
    assert "FAULT" not in checked
    _holds_letters_against(table, clone)
    assert json.loads(table.pbem("replay", GAME, "--json")) in ([], {"differences": []})
    table.pbem("reveal", str(clone), "--open", str(tmp_path / "open"))
    opened = "".join(path.read_text("utf-8") for path in sorted((tmp_path / "open" / "press").iterdir()))
    assert "Shall we march on Fir?" in opened
    assert "Do not trust Oak" not in opened
    assert Counter(opened.split())["shows:"] == 1
