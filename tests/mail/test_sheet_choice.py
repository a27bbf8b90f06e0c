"""Several sheets in a letter, orders outside the sheet, and orders without a heading: what counts and what does not."""

from __future__ import annotations

import re

import pytest

from pbem.mail.intake import take_in
from pbem.mail.read.sheet_finder import bare_orders, sheet_of_bare
from pbem.mail.tasks import Handled
from pbem.mail.write.outgoing import side_report
from pbem.orders.forgive import Answering
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.blank import blank_pictures
from tests.support.live import OTHERS, SIDES, Folder, git, give, letter, order, quoted, sheet
from tests.support.read_letters import read
from tests.support.soak import quick_first

KINDS = ["bid", "bury", "battle_card"]
ANSWERED = "In-Reply-To: <punica.red.1@example.org>\n"


@pytest.fixture
def folder(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Spare the drawing of maps."""
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    return folder


@pytest.fixture
def toy(folder: Folder) -> Adjudicator:
    return folder.create()


def cards(toy: Adjudicator, side: str = "red") -> list[int]:
    hand: list[int] = toy.view(side).hands[side]
    return hand


def bury(toy: Adjudicator, at: int = 0) -> str:
    return sheet(toy, "red", order("bury", card=cards(toy)[at])).decode()


def form(toy: Adjudicator) -> str:
    text = side_report(toy, "red", toy.adjudication).sheet
    assert text is not None
    return text


def head(folder: Folder) -> str:
    return git(folder.repo("punica"), "rev-parse", "main")


def mailed(folder: Folder, *parts: str, more: str = ANSWERED, subject: str = "Re: punica", number: int = 0) -> Handled:
    raw = letter("red", *(part.encode() for part in parts), more=more, number=number)
    return take_in(raw.replace(b"Subject: Re: punica", f"Subject: {subject}".encode()), folder.office)


def said(handled: Handled) -> str:
    return " ".join(" ".join(read(out).text for out in handled.letters).split())


def buried(folder: Folder) -> int | None:
    """Return the card that red's sheet buries, once blue has buried one, too."""
    with folder.open() as game:
        give(game, "blue", order("bury", card=game.view("blue").hands["blue"][0]))
        card: int | None = game.view("red").buried["red"]
        return card


# ---- several sheets


def test_two_sheets_that_differ_are_sent_back_and_shown(folder: Folder, toy: Adjudicator) -> None:
    before = head(folder)
    handled = mailed(folder, bury(toy), "or rather", bury(toy, 1))
    assert not handled.accepted
    assert "Which of the two counts?" in said(handled)
    for at in (0, 1):
        assert f"| - bury: {{card: {cards(toy)[at]}}}" in said(handled)
    assert head(folder) == before
    assert handled.log == ["punica: letter of red: refused; it waits for red (bury) and blue (bury)"]
    assert len(handled.notes) == 1
    assert "bury" not in handled.notes[0]


def test_two_sheets_that_say_the_same_are_one(folder: Folder, toy: Adjudicator) -> None:
    again = bury(toy).replace("{card: ", "\n    card: ").replace("}", "") + "# the same\n"
    assert mailed(folder, bury(toy), again).accepted
    assert buried(folder) == cards(toy)[0]


@pytest.mark.parametrize("where", ["copied above", "copied below", "quoted"])
def test_sheet_counts_beside_our_form_as_it_was_sent(folder: Folder, toy: Adjudicator, where: str) -> None:
    parts = {
        "copied above": (form(toy), bury(toy, 1)),
        "copied below": (bury(toy, 1), form(toy)),
        "quoted": (bury(toy, 1), "pbem wrote:", quoted(form(toy)).decode()),
    }
    assert mailed(folder, *parts[where]).accepted
    assert buried(folder) == cards(toy)[1]


def test_sheet_above_another_one_in_the_quote_is_sent_back(folder: Folder, toy: Adjudicator) -> None:
    handled = mailed(folder, bury(toy), "pbem wrote:", quoted(bury(toy, 1)).decode())
    assert not handled.accepted
    assert "in the text that you quote" in said(handled)


def test_earlier_sheet_quoted_below_a_new_one_does_not_count(folder: Folder, toy: Adjudicator) -> None:
    """A player who answers the letter that showed their sheet may send another."""
    assert mailed(folder, bury(toy)).accepted
    assert mailed(folder, bury(toy, 1), "I wrote:", quoted(bury(toy)).decode(), number=2).accepted
    assert buried(folder) == cards(toy)[1]


def test_faulty_sheet_in_the_quote_gives_way_to_a_good_one(folder: Folder, toy: Adjudicator) -> None:
    wrong = bury(toy).replace("card: ", "cart: ")
    assert mailed(folder, bury(toy, 1), "pbem wrote:", quoted(wrong).decode()).accepted
    assert buried(folder) == cards(toy)[1]


def test_earlier_sheet_enclosed_again_does_not_count(folder: Folder, toy: Adjudicator) -> None:
    """Some programs enclose again what came with the letter that they answer."""
    assert mailed(folder, bury(toy)).accepted
    assert mailed(folder, bury(toy, 1), bury(toy), number=2).accepted
    assert buried(folder) == cards(toy)[1]


# ---- orders outside the sheet


@pytest.mark.parametrize("bullet", quick_first(["", "+ ", "2. ", "1) ", "-- ", "then - ", "• ", "* "], 3))
@pytest.mark.parametrize("above", [True, False])
def test_order_outside_the_sheet_is_a_fault(folder: Folder, toy: Adjudicator, bullet: str, above: bool) -> None:
    before = head(folder)
    stray = f"{bullet}Bury: {{card: {cards(toy)[1]}}}"
    text = [stray, "and also", bury(toy)] if above else [bury(toy), "and also", stray]
    handled = mailed(folder, *text)
    assert f"card: {cards(toy)[1]}" in said(handled)
    if above or not handled.accepted:
        assert head(folder) == before
    else:  # it belongs to the sheet
        with folder.open() as game:
            assert f"bury: {{card: {cards(toy)[1]}}}" in game.ledger.sheet("red", 1).decode()


def test_order_outside_that_the_sheet_has_too_is_no_fault(folder: Folder, toy: Adjudicator) -> None:
    assert mailed(folder, f"Bury {{card: {cards(toy)[0]}}}, that is:", f"bury: {{card: {cards(toy)[0]}}}").letters
    assert mailed(folder, f"bury: {{card: {cards(toy)[0]}}}", "As a sheet:", bury(toy), number=2).accepted


@pytest.mark.parametrize(
    "talk", ["I play Hannibal: he was great", "PS: well played", "[a joke] bid adieu", "Note: bury"]
)
def test_talk_is_no_order(folder: Folder, toy: Adjudicator, talk: str) -> None:
    assert mailed(folder, talk, bury(toy), talk).accepted


# ---- orders without a heading


@pytest.mark.parametrize(
    "line",
    quick_first(
        [
            "bury: {card: CARD}",
            "- bury: {card: CARD}",
            "Bury: {card: CARD}",
            "*bury*: {card: CARD}",
            "1) bury {card: CARD}",
            "- {bury: {card: CARD}}",
            "bury:\n  card: CARD",
            "- bury:\n    card: CARD",
            "bury:\ncard: CARD",
            "orders:\n- bury: {card: CARD}",
            "side: red\nadjudication: 1\norders:\n- bury: {card: CARD}",
            "orders: punica red 1 bury {card: CARD}",
            "orders: punica red 1 bury: {card: CARD}",
            "> orders:\n> - bury: {card: CARD}",
            "[code]bury: {card: CARD}[/code]",
            "```\nbury: {card: CARD}\n```",
        ],
        5,
    ),
)
def test_bare_order_belongs_to_the_report_that_is_answered(folder: Folder, toy: Adjudicator, line: str) -> None:
    handled = mailed(folder, "" if line.startswith(">") else "My move:", line.replace("CARD", str(cards(toy)[1])), "")
    assert handled.accepted, said(handled)
    with folder.open() as game:
        assert game.ledger.sheet("red", 1).startswith(b"game: punica\nside: red\nadjudication: 1\n")
    assert buried(folder) == cards(toy)[1]


@pytest.mark.parametrize(
    "more",
    [
        "In-Reply-To: <punica.red.1.sheet-1@example.org>\n",
        f"In-Reply-To: <faults.punica.red.1.{'a' * 24}@example.org>\n",
        f"In-Reply-To: <report.punica.red.1.{'a' * 24}@example.org>\n",
        f"References: <punica.red.1@example.org>\nIn-Reply-To: <faults.punica.{'a' * 24}@example.org>\n",
        "References: <punica.red.0@example.org> <punica.red.1@example.org>\n",
        "References: <punica.red.0@example.org>\nIn-Reply-To: <punica.red.1@example.org>\n",
        "",
    ],
)
def test_letter_that_is_answered_tells_the_report(folder: Folder, toy: Adjudicator, more: str) -> None:
    """So do letters of earlier versions; and the subject, where only one game asks."""
    handled = mailed(folder, f"bury: {{card: {cards(toy)[1]}}}", more=more)
    assert handled.accepted, said(handled)


def test_every_letter_with_a_form_tells_what_it_asks(folder: Folder, toy: Adjudicator) -> None:
    """An answer to any letter of ours that has a form may leave the heading out."""
    told = [
        *mailed(folder, bury(toy).replace("card", "cart")).letters,
        *mailed(folder, "FORM").letters,
        *mailed(folder, "REPORT").letters,
        *mailed(folder, "FORECAST", bury(toy)).letters,
    ]
    assert len(told) == 4
    for number, out in enumerate(told, 10):
        handled = mailed(
            folder,
            f"bury: {{card: {cards(toy)[0]}}}",
            more=f"In-Reply-To: {read(out).message['Message-ID']}\n",
            subject="My move",
            number=number,
        )
        assert handled.accepted, read(out).message["Message-ID"]


@pytest.mark.parametrize("more", ["In-Reply-To: <punica.red.1@example.org>\n", ""])
def test_bare_order_to_an_earlier_report_is_not_moved_on(folder: Folder, toy: Adjudicator, more: str) -> None:
    for side in ("red", "blue"):
        give(toy, side, order("bury", card=cards(toy, side)[0]))
    with folder.open() as game:
        assert game.adjudication == 2
        old, before = form(toy).replace("adjudication: 2", "adjudication: 1"), head(folder)
    handled = mailed(folder, "bid: {card: lowest}", "pbem wrote:", quoted(old).decode(), more=more)
    assert not handled.accepted
    (out,) = handled.letters
    got = read(out)
    assert "that of adjudication 1. The last one is 2" in " ".join(got.text.split())
    assert got.parts["orders.yaml"].decode() == form(toy)
    assert re.search(r"----- BEGIN ORDERS -----\n[^-]*game: punica", got.text)
    assert head(folder) == before


def test_subject_tells_nothing_if_two_games_ask(folder: Folder, toy: Adjudicator) -> None:
    folder.create(name="gallia", secrets=OTHERS).close()
    handled = mailed(folder, f"bury: {{card: {cards(toy)[1]}}}", more="")
    assert not handled.accepted
    assert "does not show which report it answers" in said(handled)
    assert f"| bury: {{card: {cards(toy)[1]}}}" in said(handled)


def test_letter_to_the_other_side_is_no_report_of_ours(folder: Folder, toy: Adjudicator) -> None:
    more = "In-Reply-To: <punica.blue.1@example.org>\n"
    assert not mailed(folder, f"bury: {{card: {cards(toy)[1]}}}", more=more, subject="Hello").accepted


def test_bare_order_above_the_quoted_form_counts(folder: Folder, toy: Adjudicator) -> None:
    text = quoted(side_report(toy, "red", 0).text).decode()
    assert mailed(folder, f"bury: {{card: {cards(toy)[1]}}}", "pbem wrote:", text).accepted
    assert buried(folder) == cards(toy)[1]


def test_bare_order_in_a_letter_without_an_id_counts_once(folder: Folder, toy: Adjudicator) -> None:
    raw = letter("red", f"bury: {{card: {cards(toy)[1]}}}".encode(), more=ANSWERED)
    raw = re.sub(rb"Message-ID: .*\n", b"", raw)
    assert take_in(raw, folder.office).accepted
    assert "punica: sheet 1 of red was carried out before" in take_in(raw, folder.office).notes
    other = raw.replace(b"%d" % cards(toy)[1], b"%d" % cards(toy)[0])
    assert "punica: sheet 2 of red accepted" in take_in(other, folder.office).notes


@pytest.mark.parametrize("gap", ["", "\n", "\nI shall risk it.\n"])
def test_line_with_the_game_goes_with_a_bare_order(folder: Folder, toy: Adjudicator, gap: str) -> None:
    folder.create(name="gallia", secrets=OTHERS).close()
    handled = mailed(folder, f"game: punica\n{gap}bury: {{card: {cards(toy)[1]}}}")
    assert handled.accepted, said(handled)


def test_bare_order_beside_a_sheet_for_another_game_is_for_none(folder: Folder, toy: Adjudicator) -> None:
    with folder.create(name="gallia", secrets=OTHERS) as game:
        other = sheet(game, "red", order("bury", card=cards(game)[0])).decode()
    handled = mailed(folder, f"bury: {{card: {cards(toy)[1]}}}", other)
    assert not handled.accepted
    with folder.open() as game:
        assert game.sheets("red") == 0


def test_commands_are_carried_out_although_orders_are_not(folder: Folder, toy: Adjudicator) -> None:
    handled = mailed(folder, "STATUS", bury(toy), bury(toy, 1))
    assert not handled.accepted
    assert "After adjudication 1." in said(handled)
    assert "Which of the two counts?" in said(handled)


def test_words_of_a_sheet_are_put_together_again() -> None:
    lines = ["Standing: default", "2) Battle Card: {card: probe}", "link: abc", "• bid:", "    card: 3"]
    assert sheet_of_bare(bare_orders(lines, KINDS), Answering("punica", "rome", 7)) == (
        "game: punica\nside: rome\nadjudication: 7\nlink: abc\norders:\n- battle_card: {card: probe}\n- bid:\n"
        "    card: 3\nstanding: default\n"
    )


def test_what_is_written_in_other_words_says_the_same(folder: Folder, toy: Adjudicator) -> None:
    """Whether two sheets differ is told by how they are read, not by how they are written."""
    shouted = bury(toy).replace("- bury: {card", "1) BURY {Card")
    handled = mailed(folder, bury(toy), "that is", shouted)
    assert handled.accepted, said(handled)
    assert mailed(folder, f"Bury {{Card: {cards(toy)[0]}}}", "that is", bury(toy), number=2).accepted
    assert buried(folder) == cards(toy)[0]


@pytest.mark.parametrize("missing", ["side: red\n", "adjudication: 1\n"])
def test_heading_cut_short_is_that_of_the_report(folder: Folder, toy: Adjudicator, missing: str) -> None:
    handled = mailed(folder, bury(toy).replace(missing, ""), more="In-Reply-To: <punica.red.0@example.org>\n")
    assert handled.accepted == (missing == "side: red\n")
    assert handled.accepted or "adjudication 1 came after 0" in said(handled)
    assert mailed(folder, bury(toy).replace(missing, ""), number=2).accepted


def test_orders_of_another_game_are_told_apart(toy: Adjudicator, folder: Folder) -> None:
    """Two games, one mailbox: an order of one in answer to a letter of the other names the game that it is for."""
    toy.close()
    players = {side: "red@example.org" if side == "oak" else f"{side}@example.org" for side in SIDES["five"]}
    folder.create("five", "gaul", addresses=players).close()
    handled = mailed(folder, "march: {hold: true}")
    assert not handled.accepted
    assert "Its orders look like those of your game gaul" in said(handled)
    assert "| march: {hold: true} Answer the last report of gaul" in said(handled)
    assert "no line that looks like an order" in said(mailed(folder, "marsh: {hold: true}"))
