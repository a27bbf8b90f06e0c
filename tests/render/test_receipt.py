"""The receipt in a letter: written in one way, read as mail programs leave it, and refused where it is not whole."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest

from pbem.render.text.receipt import (
    ClosedSheets,
    LetterReceipt,
    ReceiptBlock,
    ReceiptedSheet,
    receipt_block,
    receipt_blocks,
)

RECEIPT = LetterReceipt(
    game="punica-2.b",
    side="rome",
    tip="a1" * 32,
    rules="5d" * 32,
    commit="b2" * 20,
    told=(11, 13),
    turns=((12, "c3" * 32), (13, "d4" * 32)),
    sheets=(
        ReceiptedSheet(9, "sheets/rome/000/0009.age", "e5" * 32, "f6" * 32),
        ReceiptedSheet(10, "sheets/rome/000/0010.age", "07" * 32, "18" * 32),
    ),
    closed=ClosedSheets(14, 12040883, "29" * 32),
)
BARE = LetterReceipt("punica", "rome", "a1" * 32, "5d" * 32, "b2" * 20)
WHOLE = receipt_block(RECEIPT)


def found(text: str) -> list[ReceiptBlock]:
    return list(receipt_blocks(text.split("\n")))


@pytest.mark.parametrize("receipt", [RECEIPT, BARE, replace(RECEIPT, told=None, closed=None)])
def test_what_is_written_is_read_again(receipt: LetterReceipt) -> None:
    (block,) = found(f"Dear Ann,\n\n{receipt_block(receipt)}\nGood luck\n")
    assert block == ReceiptBlock(2, 2 + receipt_block(receipt).count("\n"), receipt)


def test_lines_fit_into_a_letter() -> None:
    assert max(map(len, WHOLE.splitlines())) <= 72


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.replace("\n", "\n\n"),
        WHOLE.replace("\n  ", "\n"),
        WHOLE.replace("\n  ", " "),
        "".join(f"  {line}  \n" for line in WHOLE.splitlines()),
        WHOLE.replace("-----", "*—–*"),
        "\n".join(part for line in WHOLE.splitlines() for part in textwrap.wrap(line, 40)),
        "\n".join(part for line in WHOLE.splitlines() for part in textwrap.wrap(line, 76, initial_indent="  ")),
    ],
    ids=["blank lines", "no indents", "one line", "blanks", "dashes", "wrapped hard", "indented"],
)
def test_block_that_a_mail_program_has_set_otherwise_is_read(text: str) -> None:
    assert [block.receipt for block in found(text)] == [RECEIPT]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("----- END RECEIPT -----", "", "its end is missing"),
        ("told: 11-13", "hello", "its end is missing"),
        ("a1a1", "a1a", "`tip: a1a"),
        ("receipt: punica-2.b rome\n", "", "it has 0 lines `receipt:`"),
        ("told: 11-13", "told: 11-13\ntold: 11-13", "it has 2 lines `told:`"),
        ("told: 11-13", "told: 13-11", "names no adjudications"),
        ("told: 11-13", "told: x-13", "names no adjudications"),
        ("told: 11-13", "told: 11-999999999999", "names no adjudications"),
        ("turn: 12\n", "turn: 13\n", "do not stand in their order"),
        ("turn: 12\n", "turn: 012\n", "has no number"),
        ("receipt: punica-2.b rome", "receipt: Punica rome", "names no game and side"),
        ("receipt: punica-2.b rome", "receipt: punica-2.b", "is not complete"),
        ("receipt:", "recipe:", "its end is missing"),
        ("receipt: punica-2.b rome", "deadbeef\nreceipt: punica-2.b rome", "it cannot have the line 'deadbeef'"),
        (("29" * 32), ("29" * 31), "`closed: 14 12040883"),
    ],
)
def test_block_that_is_not_whole_is_refused_with_a_reason(old: str, new: str, reason: str) -> None:
    (block,) = found(WHOLE.replace(old, new, 1))
    assert block.receipt is None
    assert reason in block.reason


def test_a_block_without_its_end_stops_where_others_speak() -> None:
    text = WHOLE.replace("----- END RECEIPT -----\n", "") + "\ngame: punica\nside: rome\n" + receipt_block(BARE)
    first, second = found(text)
    assert text.split("\n")[first.end] == "game: punica"
    assert second.receipt == BARE
