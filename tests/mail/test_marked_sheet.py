"""A sheet with faults comes back marked; its player mends it in the quote and sends it in again."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from pbem.game.yaml import Mark, Placed
from pbem.mail.intake import take_in
from pbem.mail.read.own_text import MARK, marked, without_marks
from pbem.orders.sheet import BadSheet, read_sheet
from pbem.protocol import ILLEGAL, Fault
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.blank import blank_pictures
from tests.support.live import Folder, letter, order, quoted, sheet
from tests.support.read_letters import cards, head, only
from tests.support.soak import quick_first

SHEET = "game: punica\nside: red\norders:\n- march: {leader: varro, path: [arpi,\n    cannae]}\n\n"
LINES = SHEET.split("\n")


def fault(line: int, column: int, width: int = 1, reason: str = "no", rule: str | None = None) -> Placed:
    return Placed(Fault(ILLEGAL, (), reason, rule), Mark(line, column, width))


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


# ---- how it looks


def test_each_fault_stands_below_its_place() -> None:
    faults = [fault(4, 19, 5, "he is dead", "7.1"), fault(1, 7, 6), fault(5, 5, 6, "full")]
    assert marked(LINES, faults) == (
        "game: punica\n#!    ^^^^^^\n#! no\nside: red\norders:\n"
        "- march: {leader: varro, path: [arpi,\n#!                ^^^^^\n#! he is dead (rule 7.1)\n"
        "    cannae]}\n#!  ^^^^^^\n#! full\n"
    )


def test_marks_can_be_taken_out_again_wherever_they_stand() -> None:
    faults = [fault(line, column, 3, "why " * 60) for line in range(1, 9) for column in range(1, 40, 3)]
    text = marked(LINES, faults)
    assert without_marks(text) == SHEET.rstrip("\n") + "\n"
    assert without_marks(text.replace(MARK, f"  {MARK}")) == SHEET.rstrip("\n") + "\n"
    assert max(map(len, text.splitlines())) <= 64


def test_two_faults_of_one_word_share_their_carets() -> None:
    text = marked(LINES, [fault(1, 7, 6, "one"), fault(1, 7, 6, "two")])
    assert text.startswith("game: punica\n#!    ^^^^^^\n#! one\n#! two\nside")


@pytest.mark.parametrize(
    ("line", "at"),
    [("\tx: y", 2), ("a", 1), ("x" * 200, 190), ("\u4e2d" * 40, 40), ("", 1)],
    ids=["a tab", "at the margin", "far to the right", "wide letters", "an empty line"],
)
def test_no_carets_where_they_would_not_stand_below_their_word(line: str, at: int) -> None:
    assert "^" not in marked([line, "game: punica"], [fault(1, at)])


def test_a_word_far_to_the_right_is_named_instead() -> None:
    line = f"- march: {{path: [{'arpi, ' * 10}cannae]}}"
    assert marked([line], [fault(1, line.index("cannae") + 1, 6)]) == f"{line}\n#! at cannae: no\n"


def test_carets_count_the_columns_of_wide_letters() -> None:
    assert marked(["x: \u4e2d\u4e2d y"], [fault(1, 4, 2)]) == "x: \u4e2d\u4e2d y\n#! ^^^^\n#! no\n"


def test_a_fault_behind_the_end_stands_at_the_end() -> None:
    assert marked(["game: x", ""], [fault(9, 1)]) == "game: x\n#! no\n"


def test_of_many_faults_the_first_fifty_are_shown() -> None:
    text = marked([f"line {n}" for n in range(1, 61)], [fault(n, 1) for n in range(1, 61)])
    assert text.count("#! no\n") == 50
    assert text.endswith("line 60\n#! 10 more faults not shown here\n")
    assert text.count("line") == 60


def test_where_there_is_no_text_nothing_is_shown() -> None:
    assert marked([], [fault(1, 1)]) == marked(["", "  "], [fault(1, 1)]) == ""


# ---- there and back

CLIENTS: dict[str, Callable[[bytes], bytes]] = {
    "marks and a blank": lambda text: b"On Sunday, pbem wrote:\n" + quoted(text),
    "marks without a blank": lambda text: quoted(text).replace(b"> ", b">"),
    "below a head": lambda text: (
        b"-----Original Message-----\nFrom: pbem\nSent: Sunday\nTo: Ann\nSubject: punica\n\n" + text
    ),
    "as it is": lambda text: text,
    "quoted twice": lambda text: quoted(quoted(text)),
    "broken at 72 columns": lambda text: b"".join(
        b"> " + piece + b"\n" for line in text.splitlines() for piece in re.findall(b".{1,70}", line) or [b""]
    ),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_sheet_is_mended_in_the_quote(folder: Folder, toy: Adjudicator, client: str) -> None:
    mine = cards(folder, "red")
    missing = next(card for card in range(1, 31) if card not in mine)
    back = only(take_in(letter("red", sheet(toy, "red", order("bury", card=missing))), folder.office))
    assert f"\n- bury: {{card: {missing}}}\n#!" in back.text
    mended = back.text.replace(f"bury: {{card: {missing}}}", f"bury: {{card: {mine[0]}}}")
    raw = letter("red", b"Sorry!\n\n" + CLIENTS[client](mended.encode()), number=2)
    handled = take_in(raw, folder.office)
    assert handled.accepted, only(handled).text
    with folder.open() as game:
        assert MARK.encode() not in game.ledger.sheet("red", 1)


@pytest.mark.parametrize("more", ["", "standing: bury: {{card: 7}\n"], ids=["alone", "beside standing orders"])
@pytest.mark.parametrize("client", quick_first(CLIENTS, 2))
def test_an_order_without_a_heading_is_mended_in_the_quote(
    folder: Folder, toy: Adjudicator, client: str, more: str
) -> None:
    mine = cards(folder, "red")
    missing = next(card for card in range(1, 31) if card not in mine)
    report = f"References: <punica.red.{toy.adjudication}@example.org>\n"
    asked = letter("red", f"bury: {{card: {missing}}}\n{more}".encode(), more=report)
    back = only(take_in(asked, folder.office))
    heading = f"\ngame: punica\nside: red\nadjudication: {toy.adjudication}\n"
    assert f"{heading}bury: {{card: {missing}}}\n#!" in back.text
    mended = back.text.replace(f"{{card: {missing}}}", f"{{card: {mine[0]}}}").replace("{{card: 7", "{card: 7")
    handled = take_in(letter("red", b"Sorry!\n\n" + CLIENTS[client](mended.encode()), number=2), folder.office)
    assert handled.accepted, only(handled).text


def test_a_faulty_sheet_tells_how_it_still_gets_its_forecast(folder: Folder, toy: Adjudicator) -> None:
    mine = cards(folder, "red")
    missing = next(card for card in range(1, 31) if card not in mine)
    wrong = b"FORECAST\n\n" + sheet(toy, "red", order("bury", card=missing))
    back = only(take_in(letter("red", wrong), folder.office))
    assert "There is no forecast for punica" in back.text
    assert "For the forecast write FORECAST above it again" in back.text
    mended = back.text.replace(f"{{card: {missing}}}", f"{{card: {mine[0]}}}")
    told = take_in(letter("red", b"FORECAST\n\n" + quoted(mended), number=2), folder.office)
    assert only(told).subject == "punica: forecast"
    with folder.open() as game:
        assert game.sheets("red") == 0


def test_the_answer_to_a_command_goes_with_the_faulty_sheet(folder: Folder, toy: Adjudicator) -> None:
    wrong = sheet(toy, "red", order("bury", card="three"))
    back = only(take_in(letter("red", b"NEWS asked\n\n" + wrong), folder.office))
    assert back.text.startswith("NEWS: you are told")
    assert "There is one fault in them." in back.text


@pytest.mark.parametrize("client", CLIENTS)
def test_a_sheet_that_is_not_yaml_is_mended_in_the_quote(folder: Folder, toy: Adjudicator, client: str) -> None:
    mine = cards(folder, "red")
    broken = sheet(toy, "red", order("bury", card=mine[0])).replace(b"{card:", b"{{crad:")
    back = only(take_in(letter("red", broken), folder.office))
    assert "\n- bury: {{crad:" in back.text
    assert "\n#! " in back.text
    raw = letter("red", CLIENTS[client](back.text.replace("{{crad:", "{card:").encode()), number=2)
    assert take_in(raw, folder.office).accepted


def test_a_sheet_still_wrong_comes_back_without_the_old_marks(folder: Folder, toy: Adjudicator) -> None:
    mine = cards(folder, "red")
    missing = [card for card in range(1, 31) if card not in mine]
    first = only(take_in(letter("red", sheet(toy, "red", order("bury", card=missing[0]))), folder.office))
    again = first.text.replace(f"{{card: {missing[0]}}}", f"{{card: {missing[1]}}}")
    second = only(take_in(letter("red", quoted(again), number=2), folder.office))
    assert f"\n#! card {missing[1]} is not in your hand" in second.text
    assert f"card {missing[0]} " not in second.text
    assert second.text.count(MARK) == first.text.count(MARK)


def test_marks_do_not_make_a_sheet_too_long(folder: Folder, toy: Adjudicator) -> None:
    """A sheet of the greatest length comes back longer than that, and is taken once it is mended."""
    mine = cards(folder, "red")
    text = sheet(toy, "red", order("bury", card=mine[0])).decode()
    text += "".join(f"# {number:04} {'x' * 50}\n" for number in range(250))
    wrong = text.replace("{card:", "{cart:")
    back = only(take_in(letter("red", wrong.encode()), folder.office))
    sent_back = re.sub("(?m)^# 0", f"{MARK} {'y' * 40}\n# 0", back.text)
    assert len(sent_back) > 20_000
    raw = letter("red", quoted(sent_back.replace("{cart:", "{card:")), number=2)
    assert take_in(raw, folder.office).accepted


def test_a_sheet_of_60_kilobytes_is_answered(folder: Folder, toy: Adjudicator) -> None:
    before = head(folder)
    text = sheet(toy, "red", *(order("bury", card=1) for _ in range(3_000)))
    assert len(text) > 50_000
    handled = take_in(letter("red", text), folder.office)
    assert not handled.accepted
    assert "at most 16,384 are read" in only(handled).text
    assert len(only(handled).text) < 5_000
    assert head(folder) == before


def test_a_sheet_with_a_hundred_faults_is_answered(folder: Folder, toy: Adjudicator) -> None:
    text = sheet(toy, "red", *(order("bury", cart=n) for n in range(100)))
    back = only(take_in(letter("red", text), folder.office))
    assert "There are 100 faults in them." in back.text
    assert "50 more faults not shown here" in back.text.replace("\n#!", "")


@pytest.mark.parametrize("indent", ["\t", "  \t", "\t\t"])
def test_a_sheet_with_tabs_comes_back_with_them(folder: Folder, toy: Adjudicator, indent: str) -> None:
    card = cards(folder, "red")[0]
    missing = next(each for each in range(1, 31) if each not in cards(folder, "red"))
    head = f"game: punica\nside: red\nadjudication: {toy.adjudication}\norders:\n"
    wrong = f"{head}- bury:\n{indent}card: {missing}\n"
    back = only(take_in(letter("red", wrong.encode()), folder.office))
    assert f"\n{indent}card: {missing}\n#!" in back.text
    raw = letter("red", quoted(back.text.replace(f"card: {missing}", f"card: {card}")), number=2)
    assert take_in(raw, folder.office).accepted


def test_the_line_numbers_for_programs_are_those_of_the_sheet() -> None:
    with pytest.raises(BadSheet) as caught:
        read_sheet(SHEET, forms={})
    assert [placed.mark.line for placed in caught.value.complaints] == [1, 4]
