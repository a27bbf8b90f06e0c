"""Sheets: good ones become orders, bad ones a list of complaints with the line and a caret, all at once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbem.game.order_form import OrderForm
from pbem.game.yaml import Mark, Placed, read
from pbem.orders.sheet import BadSheet, Sheet, as_rows, check_heading, complain, read_sheet
from pbem.protocol import ILLEGAL, MALFORMED, Fault, Order, Path
from tests.support.chance import examples

DEFS = {"general": {"enum": ["hannibal", "mago", "fabius_maximus"]}, "space": {"type": "string", "maxLength": 20}}


def form(kind: str, properties: Mapping[str, Any], required: list[str]) -> OrderForm:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return OrderForm(kind, f"{kind}?", {}, schema, DEFS)


ATTEMPT = {
    "type": "object",
    "properties": {"general": {"$ref": "#/$defs/general"}, "cu": {"type": "integer", "minimum": 1, "maximum": 20}},
    "required": ["general", "cu"],
    "additionalProperties": False,
}
STEP = {
    "if": {"type": "object"},
    "then": {"properties": {"to": {"$ref": "#/$defs/space"}}, "required": ["to"], "additionalProperties": False},
    "else": {"$ref": "#/$defs/space"},
}
CARD = {"type": "integer", "minimum": 1, "maximum": 64}
FORMS = {
    "intercept": form("intercept", {"with": {"type": "array", "maxItems": 2, "items": ATTEMPT}}, ["with"]),
    "play": form(
        "play",
        {
            "card": CARD,
            "as": {"enum": ["operations", "event", "discard"]},
            "general": {"$ref": "#/$defs/general"},
            "path": {"type": "array", "minItems": 1, "maxItems": 8, "items": STEP},
            "reserve": {"oneOf": [CARD, {"const": "none"}]},
            "raise": {"anyOf": [{"type": "boolean"}, {"enum": ["cu", "elephants"]}]},
            "word": {"type": "string", "minLength": 2, "pattern": "^[a-z]+$", "description": "a word of small letters"},
            "code": {"type": "string", "pattern": "^x"},
            "pairs": {"type": "array", "uniqueItems": True, "items": {"type": "string"}, "minItems": 2},
            "losses": {
                "type": "object",
                "maxProperties": 1,
                "additionalProperties": {"type": "integer", "multipleOf": 2},
            },
            "named": {"type": "object", "propertyNames": {"$ref": "#/$defs/general"}, "minProperties": 1},
            "odds": {"exclusiveMinimum": 0, "exclusiveMaximum": 6},
        },
        ["card", "as"],
    ),
    "pass": form("pass", {}, []),
}

GOOD = """\
game: punica            # the game's name
side: rome
adjudication: 41
orders:
- intercept: {with: [{general: fabius_maximus, cu: 8}]}
- play: {card: 33, as: operations, general: hannibal, path: [beneventum, {to: arpi}]}
- pass:
standing:
- intercept: {with: []}
  when: {at: [capua], enemy_cu: "<= 10"}
  until: end_of_turn
- intercept: {when: {mover: [hannibal]}, with: []}
"""


def sheet(text: str = GOOD) -> Sheet:
    return read_sheet(text.encode(), forms=FORMS)


def complaints(text: str | bytes) -> list[str]:
    with pytest.raises(BadSheet) as caught:
        read_sheet(text, forms=FORMS)
    assert all(placed.fault.kind == MALFORMED and placed.fault.rule is None for placed in caught.value.complaints)
    return [f"{each.mark.line}:{each.mark.column} {each.fault.reason}" for each in caught.value.complaints]


def of_order(order: str) -> list[str]:
    """Return what is said of one order, without the line."""
    said = complaints(f"game: punica\nside: rome\nadjudication: 41\norders:\n- {order}\n")
    assert all(each.startswith("5:") for each in said)
    return [each.removeprefix("5:") for each in said]


# ---- good sheets


def test_a_good_sheet_becomes_orders() -> None:
    good = sheet()
    assert (good.game, good.side, good.adjudication) == ("punica", "rome", 41)
    assert good.orders == (
        Order("intercept", {"with": [{"general": "fabius_maximus", "cu": 8}]}),
        Order("play", {"card": 33, "as": "operations", "general": "hannibal", "path": ["beneventum", {"to": "arpi"}]}),
        Order("pass", {}),
    )
    assert good.standing == (
        {"intercept": {"with": []}, "when": {"at": ["capua"], "enemy_cu": "<= 10"}, "until": "end_of_turn"},
        {"intercept": {"when": {"mover": ["hannibal"]}, "with": []}},
    )


def test_a_sheet_may_hold_no_orders_or_only_standing_ones() -> None:
    head = "game: punica\nside: rome\nadjudication: 0\n"
    assert sheet(head + "orders: []\n").orders == ()
    only_standing = sheet(head + "standing:\n- pass:\n")
    assert (only_standing.orders, only_standing.standing) == ((), ({"pass": None},))


@pytest.mark.parametrize(
    ("order", "path", "mark"),
    [
        (0, ("with", 0, "general"), Mark(5, 32, 14)),
        (0, ("with", 0), Mark(5, 22, 32)),
        (0, (), Mark(5, 14, 42)),
        (1, ("path", 1, "to"), Mark(6, 79, 4)),
        (1, ("path", 7), Mark(6, 55, 4)),
        (1, ("cu",), Mark(6, 3, 4)),
        (1, ("path", 1, "drop"), Mark(6, 74, 10)),
        (2, ("general",), Mark(7, 3, 4)),
    ],
)
def test_a_fault_of_an_order_finds_its_place(order: int, path: Path, mark: Mark) -> None:
    fault = Fault(ILLEGAL, path, "no", "9.1")
    assert sheet().place(order, path) == mark
    assert sheet().placed(fault, order) == Placed(fault, mark)


def test_the_validator_is_made_once_and_not_before_it_is_needed() -> None:
    one = form("pass", {}, [])
    assert "validator" not in vars(one)
    assert one.validator is one.validator


# ---- bad sheets


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"", "1:1 this sheet is empty; a sheet has the keys game, side, adjudication, orders"),
        (b"I resign.", "1:1 this is the text 'I resign.'; a sheet has the keys game, side, adjudication, orders"),
        (b"- pass:\n", "1:1 this is a list; a sheet has the keys game, side, adjudication, orders"),
        (b"Dear all: my orders: none", "1:20 a ':' cannot stand here: 'key: value' begins on a line of its own, "),
        (b"game: punica\n\tside: rome\n", "2:1 a tab before the first word of a line; indent with blanks"),
        (b"game: a\ngame: b\n", "2:1 'game' stands here twice; the first is in line 1"),
        (b"game: &a punica\n", "1:7 the anchor &a is not used here; take it out"),
        (b"game: *a\n", "1:7 the alias *a is not used here; write the value again"),
        (b"game: !!str punica\n", "1:7 the tag !!str is not used here; take it out"),
        (b"<<: {game: punica}\n", "1:1 merging with '<<' is not used here; write the keys out"),
        (b"game: punica\n" * 800_000, "1:1 the text has 10,400,000 bytes; at most 16,384 are read"),
        (b"[" * 3_000, "1:1 more than 32 lists or mappings inside one another"),
        (b"[" * 16_000, "1:1 more than 32 lists or mappings inside one another"),
        (b"{orders: " * 1_800, "1:289 more than 32 lists or mappings inside one another"),
        (b"game: pun\0ica\n", "1:10 the NUL character U+0000 cannot stand in a text"),
        ("side: carthagène\n".encode("latin-1"), "1:14 byte 0xe8 at offset 13 is not UTF-8; in Latin-1, the likely "),
        ("сторона: рим\n".encode("koi8-r"), "1:1 byte 0xd3 at offset 0 is not UTF-8; in Latin-1, the likely encoding"),
        (b"orders: [" + b"{}," * 5_200 + b"]", "1:15001 more than 5,000 values"),
    ],
)  # fmt: skip
def test_what_is_no_sheet(raw: bytes, complaint: str) -> None:
    started = time.process_time()
    (said,) = complaints(raw)
    assert said.startswith(complaint)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("game: punica\n", [
            "1:1 side is missing: the side you play",
            "1:1 adjudication is missing: the number of the last adjudication, as your last report gives it",
            "1:1 orders is missing: a list of orders",
        ]),
        ("game: 5\nside: [rome]\nadjudication: next\norders: []\n", [
            "1:7 game must be a word, not the number 5",
            "2:7 side must be a word, not a list",
            "3:15 adjudication must be a whole number from 0, not the text 'next'",
        ]),
        ("game: punica\nside: rome\nadjudication: -1\norder: []\nsincerely: yours\n", [
            "3:15 adjudication must be a whole number from 0, not the number -1",
            "4:1 unknown word 'order'; did you mean orders? "
            "A sheet has game, side, adjudication, orders, standing and standing_add",
            "5:1 unknown word 'sincerely'; a sheet has game, side, adjudication, orders, standing and standing_add",
        ]),
        ("game: punica\nside: rome\nadjudication: true\norders:\nstanding: no\n", [
            "3:15 adjudication must be a whole number from 0, not true",
            "5:11 standing must be a list, not the text 'no'; begin each order with '- '",
        ]),
        ("game: punica\nside: rome\nadjudication: 1\norders:\n  pass:\n", [
            "5:3 orders must be a list, not {pass: null}; begin each order with '- '",
        ]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_heading(text: str, expected: list[str]) -> None:
    assert complaints(text) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("intercpt: {with: []}", [
            "3 there is no order 'intercpt'; did you mean intercept? There are intercept, play and pass"]),
        ("x: {}", ["3 there is no order 'x'; there are intercept, play and pass"]),
        ("pass", ["3 an order is written 'pass: {...}'; this is the text 'pass'"]),
        ("17", ["3 an order is written 'kind: {...}'; this is the number 17"]),
        ("{}", ["3 an order is written 'kind: {...}'; this is {}"]),
        ("pass: 3", ["9 pass needs braces, as in pass: {}; this is the number 3"]),
        ("{pass: {}, play: {}}", ["14 'play' stands in one item with 'pass'; begin each order with '- '"]),
        ("{pass: {}, cu: 3}", ["14 'cu' cannot stand beside 'pass'; it belongs into its body, or begins with '- '"]),
        ("{pass: , when: {}}", ["12 'when' must be indented further than 'pass', to whose order it belongs"]),
        ("play: {card: 33}", ["3 as is missing in play"]),
        ("play:", ["3 card is missing in play", "3 as is missing in play"]),
        ("intercept: {with: [{general: mago, cu: eight}]}", ["42 cu must be a whole number, not the text 'eight'"]),
        ("intercept: {with: [{general: mago, cu: 3.5}]}", ["42 cu must be a whole number, not the text '3.5'"]),
        ("intercept: {with: [{general: mago, cu: true}]}", ["42 cu must be a whole number, not true"]),
        ("intercept: {with: [{general: mago, cu: }]}", ["38 cu must be a whole number, not nothing"]),
        ("intercept: {with: [{general: mago, cu: 21}]}", ["42 cu must be at most 20, not 21"]),
        ("intercept: {with: [{general: mago, cu: 0}]}", ["42 cu must be at least 1, not 0"]),
        ("intercept: {with: [{general: mago}]}", ["22 cu is missing in item 1 of with"]),
        ("intercept: {with: [{genral: mago, cu: 1}]}", [
            "23 unknown word 'genral' in item 1 of with; did you mean general? Known are general and cu"]),
        ("intercept: {with: [{general: hanibal, cu: 1}]}", [
            "32 general cannot be 'hanibal'; did you mean hannibal? It can be hannibal, mago or fabius_maximus"]),
        ("intercept: {with: [{general: Fabius Maximus, cu: 1}]}", [
            "32 general cannot be 'Fabius Maximus'; did you mean fabius_maximus? "
            "It can be hannibal, mago or fabius_maximus"]),
        ("intercept: {with: [{general: 7, cu: 1}]}", [
            "32 general cannot be the number 7; it can be hannibal, mago or fabius_maximus"]),
        ("intercept: {with: mago}", ["21 with must be a list in brackets, not the text 'mago'"]),
        ("intercept: {with: [mago, 3, {general: mago, cu: 1}]}", [
            "21 with may have at most 2 items; it has 3 items",
            "22 item 1 of with must be words in braces, not the text 'mago'",
            "28 item 2 of with must be words in braces, not the number 3"]),
        ("play: {card: 1, as: event, path: []}", ["36 path needs at least 1 item; it has 0 items"]),
        ("play: {card: 1, as: event, path: [{form: arpi}, 3]}", [
            "37 to is missing in item 1 of path",
            "38 unknown word 'form' in item 1 of path; known are to",
            "51 item 2 of path must be a word, not the number 3"]),
        ("play: {card: 1, as: event, path: [aaaaaaaaaaaaaaaaaaaaaaaaa]}", [
            "37 item 1 of path may have at most 20 characters; it has 25"]),
        ("play: {card: 1, as: event, reserve: non}", ["39 reserve must be a whole number or none, not the text 'non'"]),
        ("play: {card: 1, as: event, reserve: 99}", ["39 reserve must be at most 64, not 99"]),
        (
            "play: {card: 1, as: event, raise: 3}",
            ["37 raise must be true or false, cu, or elephants, not the number 3"],
        ),
        ("play: {card: 1, as: event, word: ABC}", ["36 word must be a word of small letters, not the text 'ABC'"]),
        ("play: {card: 1, as: event, word: a}", ["36 word must have at least 2 characters; it has 1"]),
        ("play: {card: 1, as: event, code: y}", ["36 code cannot be the text 'y'"]),
        ("play: {card: 1, as: event, pairs: [a, b, a]}", ["37 pairs names a twice"]),
        ("play: {card: 1, as: event, losses: {a: 1, b: 2}}", [
            "38 losses may have at most 1 item; it has 2 items", "42 a must be a multiple of 2, not 1"]),
        ("play: {card: 1, as: event, named: {mago: 1, magi: 1}}", ["47 unknown word 'magi' in named"]),
        ("play: {card: 1, as: event, named: {}}", ["37 named needs at least 1 item; it has 0 items"]),
        ("play: {card: 1, as: event, odds: 6}", ["36 odds must be less than 6, not 6"]),
        ("play: {card: 1, as: event, odds: 0}", ["36 odds must be more than 0, not 0"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_order(order: str, expected: list[str]) -> None:
    assert of_order(order) == expected


def test_a_body_that_is_not_indented_is_told_so() -> None:
    text = "game: punica\nside: rome\nadjudication: 1\norders:\n- play:\n  card: 33\n  as: event\n"
    assert complaints(text) == [
        "6:3 'card' must be indented further than 'play', to whose order it belongs",
        "7:3 'as' must be indented further than 'play', to whose order it belongs",
    ]


def test_standing_orders_are_checked_for_their_shape_only() -> None:
    text = GOOD.split("standing:")[0] + "standing:\n- when: {}\n- pss: {}\n- pass: 1\n- pass\n- {pass: {}, play: {}}\n"
    assert [said.split(" ", 1)[1] for said in complaints(text)] == [
        "a standing order needs an order beside its conditions",
        "there is no order 'pss'; did you mean pass? There are intercept, play and pass",
        "pass needs braces, as in pass: {}, or one of the words default and ask; this is the number 1",
        "an order is written 'pass: {...}'; this is the text 'pass'",
        "'play' stands in one item with 'pass'; begin each order with '- '",
    ]


def test_everything_wrong_is_told_at_once_in_order_of_place() -> None:
    text = GOOD.replace("cu: 8", "cu: eight").replace("side", "seite").replace("card: 33", "card: 333")
    assert [said.split(" ")[0] for said in complaints(text)] == ["2:1", "5:52", "6:16"]


def test_no_reason_is_long() -> None:
    long = "x" * 20_000
    for text in [
        f"{long}: 1\n",
        f"- {long}\n",
        f"orders:\n- {long}: 1\n",
        f"orders:\n- play: {{as: {long}, {long}: 1}}\n",
    ]:
        for said in complaints(text):
            assert len(said) < 320
    many = "orders:\n" + f"- play: {{code: {'y' * 9_000}}}\n" * 3
    assert all(len(said) < 320 for said in complaints(many))


# ---- the heading against the game

SIDES = ("carthage", "rome")


@pytest.mark.parametrize(
    ("change", "path", "reason"),
    [
        (("punica", "punika"), ("game",), "this letter is about punica, but the sheet is for punika"),
        (("rome", "carthage"), ("side",), "you play rome; you cannot give orders to carthage"),
        (("rome", "rme"), ("side",), "there is no side rme; did you mean rome? The sides are carthage and rome"),
        (("41", "40"), ("adjudication",), "adjudication 41 came after 40; answer the last report"),
        (("41", "42"), ("adjudication",), "adjudication 42 has not taken place; the last was 41"),
    ],
)
def test_a_sheet_for_another_game_side_or_time(change: tuple[str, str], path: Path, reason: str) -> None:
    faults = check_heading(sheet(GOOD.replace(*change)), game="punica", side="rome", adjudication=41, sides=SIDES)
    assert faults == [Fault(ILLEGAL, path, reason)]


def test_a_sheet_for_this_game_is_taken() -> None:
    assert check_heading(sheet(), game="punica", side="rome", adjudication=41, sides=SIDES) == []


def test_faults_of_the_heading_are_placed_too() -> None:
    faults = check_heading(sheet(), game="other", side="rome", adjudication=50, sides=SIDES)
    assert [sheet().placed(fault).mark for fault in faults] == [Mark(1, 7, 6), Mark(3, 15, 2)]


# ---- complaints


def test_a_complaint_shows_the_line_and_a_caret() -> None:
    document = read("play:\n  path:\n    - emporiae\n    - {to: massilia}\n", name="orders.yaml")
    fault = Fault(ILLEGAL, (), "no path from emporiae to massilia; paths lead to ilerda, narbo, tarraco", rule="8.2")
    placed = [Placed(fault, document.mark(("play", "path", 1, "to")))]
    assert complain("orders.yaml", document.lines, placed) == (
        "orders.yaml:4:12: illegal: "
        "no path from emporiae to massilia; paths lead to ilerda, narbo, tarraco (rule 8.2)\n"
        "      - {to: massilia}\n"
        "             ^^^^^^^^\n"
    )
    assert as_rows("orders.yaml", placed) == [
        {
            "file": "orders.yaml",
            "line": 4,
            "column": 12,
            "width": 8,
            "kind": "illegal",
            "reason": "no path from emporiae to massilia; paths lead to ilerda, narbo, tarraco",
            "rule": "8.2",
        }
    ]


def test_a_bad_sheet_is_its_own_complaint() -> None:
    text = "game: punica\nside: rome\nadjudication: 41\norders:\n- intercept: {with: [{general: mago, cu: acht}]}\n"
    with pytest.raises(BadSheet) as caught:
        read_sheet(text, name="mine.yaml", forms=FORMS)
    assert str(caught.value) == (
        "mine.yaml:5:42: malformed: cu must be a whole number, not the text 'acht'\n"
        "  - intercept: {with: [{general: mago, cu: acht}]}\n"
        "                                           ^^^^\n"
    )


@pytest.mark.parametrize(
    ("line", "mark", "shown", "carets"),
    [
        ("a: b", Mark(1, 4, 1), "a: b", "   ^"),
        ("\ta:\tb", Mark(1, 5, 1), "    a:    b", "          ^"),
        ("漢字: カンナエ", Mark(1, 5, 4), "漢字: カンナエ", "      ^^^^^^^^"),
        ("e\u0301te\u0301: x", Mark(1, 8, 1), "e\u0301te\u0301: x", "     ^"),
        ("a: \x1b[31m", Mark(1, 4, 1), "a: ?[31m", "   ^"),
        ("a: \u202ered", Mark(1, 5, 3), "a: ?red", "    ^^^"),
        ("a:", Mark(1, 9, 3), "a:", "  ^"),
        ("x" * 300, Mark(1, 1, 300), "x" * 100 + "...", "^" * 50),
        (
            "x" * 150 + "here" + "y" * 150,
            Mark(1, 151, 4),
            "..." + "x" * 33 + "here" + "y" * 63 + "...",
            " " * 36 + "^^^^",
        ),
        ("x" * 150 + "here", Mark(1, 151, 4), "..." + "x" * 33 + "here", " " * 36 + "^^^^"),
    ],
)
def test_the_caret_stands_under_the_word(line: str, mark: Mark, shown: str, carets: str) -> None:
    placed = Placed(Fault(ILLEGAL, (), "no"), mark)
    head, *rest = complain("x", [line], [placed]).splitlines()
    assert head == f"x:1:{mark.column}: illegal: no"
    assert rest == [f"  {shown}", f"  {carets}"]


def test_where_there_is_no_line_none_is_shown() -> None:
    placed = [Placed(Fault(ILLEGAL, (), "no"), Mark(line, 1, 1)) for line in (1, 2, 9)]
    assert complain("x", ["", "  "], placed) == "x:1:1: illegal: no\nx:2:1: illegal: no\nx:9:1: illegal: no\n"


def test_a_reason_is_one_line_of_bearable_length() -> None:
    fault = Fault(ILLEGAL, (), "two\nlines\x1b[2J " + "x" * 1_000, "8.2")
    head = complain("x", [], [Placed(fault, Mark(1, 1, 1))]).rstrip("\n")
    assert head.startswith("x:1:1: illegal: two lines?[2J xxx")
    assert head.endswith("x... (rule 8.2)")
    assert len(head) == len("x:1:1: illegal: ") + 300 + len(" (rule 8.2)")


def test_hundreds_of_faults_make_no_endless_letter() -> None:
    placed = [Placed(Fault(ILLEGAL, (), "no"), Mark(1, 1, 1))] * 500
    said = complain("x", ["a"], placed)
    assert said.count("illegal") == 50
    assert said.endswith("... and 450 more\n")
    assert len(as_rows("x", placed)) == 500


# ---- anything at all


def taken_or_refused(raw: bytes) -> None:
    refused: BadSheet | None = None
    try:
        good = read_sheet(raw, forms=FORMS)
    except BadSheet as error:
        refused = error
    if refused is None:
        assert all(order.kind in FORMS for order in good.orders)
    else:
        assert refused.complaints
        assert str(refused).startswith("orders.yaml:")


@settings(max_examples=examples(300))
@given(st.binary(max_size=200))
@example(b"\xff\xfeg\0a\0")
@example(b"? - ?\n: {}")
def test_any_bytes_are_taken_or_refused(raw: bytes) -> None:
    taken_or_refused(raw)


PIECES = st.sampled_from(
    [
        *(b"%c" % byte for byte in b" \n\t:-?,[]{}&*!|>'\"%@`#0\0\xff"),
        b"",
        b"\n  ",
        b"- ",
        b": ",
        b"null",
        b"{}",
        b"card: ",
    ]
)


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), PIECES, st.integers(0, 12)), min_size=1, max_size=4))
def test_a_spoilt_sheet_is_taken_or_refused(spoils: list[tuple[int, bytes, int]]) -> None:
    raw = GOOD.encode()
    for at, piece, gone in spoils:
        raw = raw[:at] + piece + raw[at + gone :]
    taken_or_refused(raw)


ANY = st.recursive(
    st.sampled_from([None, True, 0, -1, 33, 10**9, "", "mago", "event", "none", "x" * 50]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["card", "as", "path", "with", "to", "general", "cu", "reserve", "x"]), inner)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(200))
@given(st.sampled_from([*FORMS]), ANY)
def test_a_body_of_any_shape_gives_sentences(kind: str, body: Any) -> None:
    fits = isinstance(body, dict) and FORMS[kind].validator.is_valid(body)
    misfits = list(FORMS[kind].misfits(body))
    assert (not misfits) == fits
    assert all(misfit.reason for misfit in misfits)


def test_fault_of_the_shape_brings_an_example() -> None:
    """Nobody has to know what a schema calls a list: the order is shown as it is written."""
    form = OrderForm("intercept", "", {"with": ["mago"]}, {"properties": {"with": {"type": "array"}}}, {})
    (misfit,) = form.misfits({"with": {"general": "mago"}})
    assert misfit.reason == (
        "with must be a list in brackets, not {general: mago}; an example: intercept: {with: [mago]}"
    )
