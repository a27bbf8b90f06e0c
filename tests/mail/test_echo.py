"""The echo: every answer to a sheet that was taken shows how it was read, and what is committed is what it shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.cli.runtime import DONE
from pbem.mail.intake import take_in
from pbem.mail.write.answer_letters import MOST_LINES, echo
from pbem.orders.forgive import Answering, changes_in
from pbem.referee.game.home_check import take_home
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import SheetOrigin
from tests.support.blank import blank_pictures
from tests.support.command_line import pbem
from tests.support.live import Folder, letter
from tests.support.mailboxes import Mail, verified
from tests.support.read_letters import cards, only
from tests.support.soak import quick_first

LOOSE = "GAME: punica\nSide: Red\nAdjudication: {n}\nOrders:\n* BURY: {{Card: {card}}}\n"


def loose(folder: Folder) -> str:
    """Return a sheet as people write it, in which red buries a card."""
    return LOOSE.format(n=1, card=cards(folder, "red")[0])


def kept(folder: Folder) -> bytes:
    """Return the first sheet of red as it is on record."""
    with folder.open() as game:
        return game.ledger.sheet("red", 1)


def test_answer_shows_how_the_sheet_was_read(folder: Folder, toy: Adjudicator) -> None:
    card = cards(folder, "red")[0]
    got = only(take_in(letter("red", loose(folder).encode()), folder.office))
    assert (
        f"""This is how it was read:
  | - bury: {{card: {card}}}
  | (line 5, which begins with *, was read as an order)
"""
        in got.text
    )
    committed = kept(folder)
    assert got.parts["your-sheet.yaml"] == committed
    assert committed.decode().startswith(
        f"game: punica\nside: red\nadjudication: 1\norders:\n- bury: {{card: {card}}}\n#"
    )
    assert f"# | * BURY: {{Card: {card}}}" in committed.decode()


def test_answer_to_a_strict_sheet_shows_its_orders_alone(folder: Folder, toy: Adjudicator) -> None:
    text = f"game: punica\nside: red\nadjudication: 1\norders:\n- bury: {{card: {cards(folder, 'red')[0]}}} # mine\n"
    got = only(take_in(letter("red", text.encode()), folder.office))
    assert f"read as | - bury: {{card: {cards(folder, 'red')[0]}}}\n\n" in got.text
    assert kept(folder).decode() == text


def test_sheet_without_first_lines_answers_what_its_letter_does(folder: Folder, toy: Adjudicator) -> None:
    raw = f"bury {{card: {cards(folder, 'red')[0]}}}\n".encode()
    assert toy.receive("red", raw).number is None
    assert toy.receive("red", raw, origin=SheetOrigin(answering=Answering("punica", "red", 0))).number is None
    receipt = toy.receive("red", raw, origin=SheetOrigin(answering=Answering("punica", "red", 1)))
    assert (receipt.number, toy.ledger.sheet("red", 1)) == (1, receipt.canonical)
    assert changes_in(receipt.canonical.decode()) == list(receipt.changes)


@pytest.mark.usefixtures("in_the_folder")
def test_check_and_submit_show_how_the_sheet_was_read(punica: Folder, tmp_path: Path) -> None:
    (tmp_path / "red.yaml").write_text(loose(punica))
    shown = f"was read:\n  | - bury: {{card: {cards(punica, 'red')[0]}}}\n  | (line 5"
    assert shown in pbem("check", "punica", tmp_path / "red.yaml", "--side", "red").stdout
    with punica.open() as game:
        (tmp_path / "position.json").write_text(json.dumps(take_home(game, "red")))
    assert shown in pbem("check", tmp_path / "position.json", tmp_path / "red.yaml").stdout
    assert shown in pbem("submit", "punica", tmp_path / "red.yaml", "--side", "red").stdout


def test_echo_is_short_and_says_where_the_rest_is() -> None:
    orders = "".join(f"- march: {{path: [rome, capua, s{n}]}}\n" for n in range(20))
    lines = echo(f"game: p\nside: rome\nadjudication: 1\norders:\n{orders}".encode())
    assert len(lines) == MOST_LINES
    assert lines[-1] == "| ... the rest is in your-sheet.yaml"


def test_echo_shows_standing_orders() -> None:
    text = "game: p\nside: rome\nadjudication: 1\nstanding: default\nstanding_add:\n- a: {b: 1}\n  when: {c: '< 1'}\n"
    assert echo(text.encode()) == ["| standing: default", "| standing_add:", "| - a: {b: 1}, when: {c: < 1}"]
    assert echo(b"game: p\nside: rome\nadjudication: 1\norders: []\n") == ["| orders: []"]


@pytest.mark.usefixtures("in_the_folder")
def test_canonical_sheet_is_found_in_the_letter_it_was_made_of(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pbem verify --letters` knows a sheet that was put right by the player's own text below it."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    players = [word for side in ("red", "blue") for word in ("--player", f"{side}={side} <{side}@example.org>")]
    assert pbem("new", "punica", "--rules", "toy", *players).exit_code == DONE
    mail = Mail(folder)
    mail.deliver()
    for side in ("red", "blue"):
        mail.write(side, f"PHRASE of {side}".encode())
    mail.write("red", loose(folder).encode())
    assert b"# |" in kept(folder)
    said = verified(mail.clone(), mail.red, DONE)
    assert (said["divergences"], said["letters"]["matched"]) == ([], 1)
    for file in mail.red.iterdir():  # with another text of the player's, nothing vouches for it
        file.write_bytes(file.read_bytes().replace(b"\n* BURY:", b"\n* Bury:"))
    said = verified(mail.clone(), mail.red, 3)
    assert said["letters"]["matched"] == 0


@pytest.mark.parametrize("quoted", ["", "> "])
@pytest.mark.parametrize(
    "dress",
    quick_first(
        [
            "+ bury: {{card: {card}}}",
            "2. bury: {{card: {card}}}",
            "1) Bury: {{Card: {card}}}",
            "-- bury: {{card: {card}}}",
            "then - bury: {{card: {card}}}",
            "* BURY {{card: {card}}}",
            "- **bury**: {{card: {card}}}",
            "Hi\n\nHere it comes\n\n1. bury: {{card: {card}}}\n\nBye",
            "- bury: {{card: {card}}}\nthen fall back {{hill: West Hill}}",
        ],
        3,
    ),
)
def test_order_in_any_dress_is_found_in_a_letter(folder: Folder, toy: Adjudicator, dress: str, quoted: str) -> None:
    card = cards(folder, "red")[0]
    lines = f"game: punica\nside: red\nadjudication: 1\norders:\n{dress.format(card=card)}\n".splitlines()
    handled = take_in(letter("red", "\n".join(quoted + line for line in lines).encode()), folder.office)
    assert handled.accepted, only(handled).text
    assert f"| - bury: {{card: {card}}}" in only(handled).text


def test_a_form_in_which_nothing_is_chosen_has_an_echo() -> None:
    """Who is asked nothing may send one: it is taken as a sheet without orders."""
    assert echo(b"game: punica\nside: red\nadjudication: 1\norders:\n") == ["| orders: []"]
