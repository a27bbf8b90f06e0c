"""YAML in: plain values, exact places, every trap refused. YAML out: the same bytes, read alike by everybody."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from pbem import protocol
from pbem.game.yaml import LETTER, OWN, Document, Mark, Unreadable, dump, read, reader
from tests.support.chance import examples

SHEET = """\
# a comment
game: punica
side: rome
orders:
- intercept: {with: [{general: fabius_maximus, cu: 8}]}
- play:
    card: 33
    path: [emporiae, 'narbo']
    note: "a \\"word\\""
  empty:
- |
  two
  lines
"""


@pytest.fixture(params=["fast", "pure"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read with libyaml's parser, then with the pure one."""
    if request.param == "fast" and not reader.HAS_LIBYAML:
        pytest.skip("libyaml's parser is not installed")
    monkeypatch.setattr(reader, "_events", getattr(reader, f"_{request.param}_events"))
    return str(request.param)


def faults(text: bytes | str, limits: Any = LETTER) -> list[tuple[int, int, int, str]]:
    with pytest.raises(Unreadable) as caught:
        read(text, name="orders.yaml", limits=limits)
    assert all(placed.fault.kind == "malformed" for placed in caught.value.faults)
    return [
        (placed.mark.line, placed.mark.column, placed.mark.width, placed.fault.reason) for placed in caught.value.faults
    ]


def only(text: bytes | str, limits: Any = LETTER) -> tuple[int, int, int, str]:
    (fault,) = faults(text, limits)
    return fault


# ---- values and places


@pytest.mark.usefixtures("parser")
def test_a_sheet_is_read() -> None:
    assert read(SHEET, name="x").value == {
        "game": "punica",
        "side": "rome",
        "orders": [
            {"intercept": {"with": [{"general": "fabius_maximus", "cu": 8}]}},
            {"play": {"card": 33, "path": ["emporiae", "narbo"], "note": 'a "word"'}, "empty": None},
            "two\nlines\n",
        ],
    }


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("path", "key", "mark"),
    [
        ((), False, Mark(2, 1, 4)),
        (("side",), False, Mark(3, 7, 4)),
        (("side",), True, Mark(3, 1, 4)),
        (("orders",), True, Mark(4, 1, 6)),
        (("orders",), False, Mark(5, 1, 1)),
        (("orders", 0), False, Mark(5, 3, 9)),
        (("orders", 0), True, Mark(5, 3, 9)),
        (("orders", 0, "intercept"), False, Mark(5, 14, 42)),
        (("orders", 0, "intercept", "with", 0, "cu"), False, Mark(5, 52, 1)),
        (("orders", 0, "intercept", "with", 0, "cu"), True, Mark(5, 48, 2)),
        (("orders", 1, "play", "path"), False, Mark(8, 11, 19)),
        (("orders", 1, "play", "path", 1), False, Mark(8, 22, 7)),
        (("orders", 1, "play", "note"), False, Mark(9, 11, 12)),
        (("orders", 1, "empty"), False, Mark(10, 3, 5)),
        (("orders", 2), False, Mark(11, 3, 1)),
    ],
)
def test_every_value_and_key_has_its_place(path: tuple[str | int, ...], key: bool, mark: Mark) -> None:
    assert read(SHEET, name="x").mark(path, key=key) == mark


def test_a_path_that_is_not_there_has_no_mark_but_a_nearest_one() -> None:
    document = read(SHEET, name="x")
    wanting: list[protocol.Path] = [("orders", 9), ("orders", -1), ("orders", "play"), ("side", "x"), (0,)]
    for path in wanting:
        with pytest.raises(KeyError):
            document.mark(path)
    assert document.nearest(("orders", 1, "play", "path", 7)) == document.mark(("orders", 1, "play", "path"), key=True)
    assert document.nearest(("orders", 1, "play", "path", 1, "to")) == Mark(8, 22, 7)
    assert document.nearest(("no", "such", "thing")) == Mark(2, 1, 4)
    assert read("", name="x").nearest(("game",)) == Mark(1, 1, 1)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("word", "value"),
    [
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((str(number), number) for number in (0, 7, 10, -3, 10**18 - 1, 1 - 10**18)),
        ("+5", 5),
        ("-0", 0),
        *(
            (word, word)
            for word in (
                *("yes", "no", "on", "off", "y", "n", "nUll", "-1a", "٣", "1:30", "2001-01-01", "2024-99-99"),
                *("012", "00", "1_000", "0o17", "0x1f", "0b1", "3.5", "1e3", ".inf", ".nan", "1000000000000000000"),
            )
        ),
        ("9" * 10_000, "9" * 10_000),
        ("'5'", "5"),
        ('"null"', "null"),
        ("'<<'", "<<"),
    ],
)
def test_what_a_word_means(word: str, value: Any) -> None:
    read_value = read(f"a: {word}\n", name="x").value["a"]
    assert (type(read_value), read_value) == (type(value), value)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfa: 1\r\nb: [x,\r\n  y]\r\n",
        "\ufeffa: 1\rb: [x,\r  y]",
        "a: 1\nb: [x,\n  y]",
        "---\na:\t1\nb:\t[x,\ty]\t\n \t\n",
    ],
)
def test_byte_order_mark_line_ends_and_tabs_do_no_harm(text: bytes | str) -> None:
    """Byte order marks, line ends of any kind and tabs between words do no harm."""
    document = read(text, name="x", limits=LETTER)
    assert document.value == {"a": 1, "b": ["x", "y"]}
    assert document.mark(("b",), key=True).column == 1


# ---- what is refused


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("a: &x 1", (1, 4, 2), "the anchor &x is not used"),
        ("a: [&x 1]", (1, 5, 2), "the anchor &x is not used"),
        ("a: !!str 1", (1, 4, 5), "the tag !!str is not used"),
        ("a: ! 1", (1, 4, 1), "the tag ! is not used"),
        ("a: !python/object:os.system {}", (1, 4, 24), "the tag !python/object:os.system is not used"),
        ("a: *x", (1, 4, 2), "the alias *x is not used"),
        ("<<: {a: 1}", (1, 1, 2), "merging with '<<'"),
        ("a: 1\nb: 2\na: 3", (3, 1, 1), "'a' stands here twice; the first is in line 1"),
        ("33: x", (1, 1, 2), 'the key 33 must be text; write "33"'),
        ("true: x", (1, 1, 4), "the key true must be text"),
        ("{[a]: b}", (1, 2, 1), "a list or mapping cannot be a key"),
        ("{{a: b}: c}", (1, 2, 1), "a list or mapping cannot be a key"),
        ("a: 1\n--- \nb: 1", (2, 1, 3), "a second document"),
        ("%YAML 1.1\n---\na: 1", (1, 1, 5), "a line cannot begin with '%YAML'"),
        ("a: 1\n...\n", (2, 1, 3), "a line cannot begin with '...'"),
        ("{a:1}", (1, 3, 1), "a blank is missing after ':'"),
        ("{a: what?}", (1, 9, 1), "a '?' between brackets needs quotes"),
        ("a: [x, y", (1, 4, 1), "the list that opens here with '[' is not closed"),
        ("a: {x: 1\nb: 2", (1, 4, 1), "the mapping that opens here with '{' is not closed"),
        ("a: 'x", (1, 4, 2), "the quote that opens here is never closed"),
        ("a: b: c", (1, 5, 1), "a ':' cannot stand here"),
        ("a: - b", (1, 4, 1), "a list item '- ' cannot stand here"),
        ("a: @x", (1, 4, 2), "a word cannot begin with '@'"),
        ("a: [1,,2]", (1, 7, 1), "a value is missing here"),
        ("- a: 1\n b: 2", (2, 2, 1), "this does not fit"),
        ("a: |x\n  y", (1, 5, 1), "behind '|' or '>' nothing may stand"),
        ("|\n  text", (1, 1, 1), "a file holds a mapping or a list"),
        ("a: b\0c", (1, 5, 1), "the NUL character U+0000"),
        ("a: b\x1b[31m", (1, 5, 1), "the control character U+001B"),
        ("a: b\x85c", (1, 5, 1), "the control character U+0085"),
        ("a: b\u2028c", (1, 5, 1), "the control character U+2028"),
        ("a: b\ufeff", (1, 5, 1), "the byte order mark U+FEFF"),
        ("a: b\ud800", (1, 5, 1), "the control character U+D800"),
        ('a: "b\\0"', (1, 4, 5), "the NUL character U+0000"),
        (
            b"a: 1\nb: caf\xe9",
            (2, 7, 1),
            "byte 0xe9 at offset 11 is not UTF-8; in Latin-1, the likely encoding, it is 'é'",
        ),
        (b"\xef\xbb\xbf\xc3\xa9: \xff", (1, 4, 1), "byte 0xff at offset 7 is not UTF-8"),
        (b"a: \x80", (1, 4, 1), "byte 0x80 at offset 3 is not UTF-8; send"),
        ("a: b".encode("utf-16"), (1, 1, 1), "the text is written in UTF-16"),
        ("x" * 16_385, (1, 1, 1), "the text has 16,385 characters; at most 16,384 are read"),
        ("[" * 33 + "]" * 33, (1, 1, 1), "more than 32 lists or mappings inside one another"),
        ("{a: " * 33 + "1" + "}" * 33, (1, 129, 1), "more than 32 lists or mappings inside one another"),
        ("- " * 33 + "a", (1, 65, 1), "more than 32 lists or mappings inside one another"),
        ("[" + "a," * 5_000 + "]", (1, 10_000, 1), "more than 5,000 values"),
    ],
)
def test_what_is_refused_and_where(text: bytes | str, place: tuple[int, int, int] | None, reason: str) -> None:
    *where, why = faults(text)[-1]
    assert why.startswith(reason)
    assert place in (None, tuple(where))


@pytest.mark.usefixtures("parser")
def test_tabs_are_all_named_and_explained() -> None:
    text = "orders:\n\t- a: 1\n  \t- b: 1\n\t\n- c:\t2\n"
    reason = "a tab before the first word of a line; indent with blanks"
    assert faults(text) == [(2, 1, 1, reason), (3, 3, 1, reason)]


@pytest.mark.usefixtures("parser")
def test_many_faults_are_told_at_once() -> None:
    text = "a: &x 1\nb: !t 2\na: 3\nc: *x\n<<: 4\n\td: 5\n7: 6\n"
    assert [(line, reason.split(" ")[1]) for line, _, _, reason in faults(text)] == [
        (1, "anchor"),
        (2, "tag"),
        (3, "stands"),
        (4, "alias"),
        (5, "with"),
        (6, "tab"),
    ]


def test_an_anchor_and_a_tag_before_one_value_are_two_faults() -> None:
    assert [(column, width) for _, column, width, _ in faults("a: &x !t b")] == [(4, 2), (7, 2)]


def test_controls_are_told_once_a_line() -> None:
    assert [line for line, *_ in faults("\0" * 5_000 + "\n\n\0\0")] == [1, 3]
    assert len(faults("\0\n" * 8_000)) == 100


def test_what_could_not_be_read_says_so() -> None:
    with pytest.raises(Unreadable) as caught:
        read("a: 1\na: &b 2\n", name="orders.yaml")
    assert str(caught.value).splitlines() == [
        "orders.yaml:2:1: 'a' stands here twice; the first is in line 1",
        "orders.yaml:2:4: the anchor &b is not used here; take it out",
    ]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text",
    [
        b"a: 1\n" * 2_000_000,
        "[" * 3_000,
        "[" * 30_000,
        "{a: " * 16_000,
        "- " * 32_000,
        "[\n" * 30_000,
        "? " * 30_000,
        "\0" * 60_000,
        "\t\n" * 30_000 + "\tx",
        "&a " * 20_000,
        "a: 'x" * 10_000,
        "{" * 32 + "}, {" * 15_000,
    ],
)
def test_hostile_texts_are_refused_in_no_time(text: bytes | str) -> None:
    gc.freeze()  # what other tests have left in memory is not to be searched through meanwhile
    try:
        started = time.process_time()
        assert faults(text)
        assert time.process_time() - started < 10
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("count", [3_000, 10_000, 16_000])
def test_open_brackets_do_not_bring_the_process_down(count: int) -> None:
    code = (
        "from pbem.game.yaml import LETTER, OWN, Unreadable, read\n"
        f"for text in ['[' * {count}, '[x, ' * {count // 4}, '{{a: ' * {count // 4}]:\n"
        "    for limits in (LETTER, OWN):\n"
        "        try: read(text, name='x', limits=limits)\n"
        "        except Unreadable as error: print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).resolve().parents[2]
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("inside one another") == 6


# ---- both parsers


def all_of(text: str, events: str) -> Any:
    """Return all that is to be known of a text: value and marks, or the lines of its faults."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_events", getattr(reader, f"_{events}_events"))
        try:
            document = read(text, name="x", limits=LETTER)
        except Unreadable:
            return "refused"
    return document.value, list(marks(document, (), document.value))


def marks(document: Document, path: tuple[str | int, ...], value: Any) -> Any:
    yield path, document.mark(path), document.mark(path, key=True)
    if isinstance(value, dict | list):
        for step, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from marks(document, (*path, step), below)


PIECES = [*" \n\t:-?,[]{}&*!|>'\"%@`ab1<=~\\é", "\n  ", "- ", ": ", "\n- ", " # ", "---\n", "...\n"]


@pytest.mark.skipif(not reader.HAS_LIBYAML, reason="libyaml's parser is not installed")
@settings(max_examples=examples(300))
@given(
    st.lists(st.sampled_from(PIECES), max_size=15).map("".join)
    | st.lists(st.tuples(st.integers(0, len(SHEET)), st.sampled_from([*PIECES, ""]), st.integers(0, 3)), max_size=3)
)
@example("[...\n?`]")
@example("- >#a")
@example("- |\n  \n   b\n- c")
@example("{a: b:c}")
def test_both_parsers_read_alike(made: Any) -> None:
    text = made if isinstance(made, str) else SHEET
    for at, piece, gone in [] if isinstance(made, str) else made:
        text = text[:at] + piece + text[at + gone :]
    assert all_of(text, "fast") == all_of(text, "pure")


# ---- writing

TRAPS = [
    *("yes", "No", "ON", "off", "y", "N", "null", "~", "true", "FALSE", "<<", "=", "-", "?", ":", "#", "---", "..."),
    *(
        "1",
        "012",
        "1_000",
        "0x1f",
        "0o7",
        "0b1",
        "3.5",
        "1e3",
        ".5",
        ".inf",
        ".nan",
        "-1",
        "+1",
        "1:30",
        "5f0c9a",
        "e5",
    ),
    *("2001-01-01", "2001-12-14t21:59:43.10-05:00", "33rd", "<= 3", "e\u0301", "漢字", "\U0001f600"),
    *(
        "-a",
        "?a",
        ":a",
        "a:",
        "a:b",
        "a#b",
        "{a}",
        "[a]",
        "a,b",
        "@a",
        "`a",
        "%a",
        "!a",
        "&a",
        "*a",
        "|a",
        ">a",
        "what?",
    ),
    *("'a", "a'b", '"a"', "\\", '"', "", " ", " a", "a ", "a: b", "a #b", "- a", "a  b", "a\tb", "a\r\nb"),
    *("\n", "a\nb", "a\nb\n", "a\n\nb\n\n", " a\nb", "a \nb", "a\n  b\n", "#a\n---\n", "a\n\tb"),
    *("\ufeff", "\x85", "\u2028", "\xa0", "\0", "\u200f"),
]
texts = st.text(max_size=30) | st.sampled_from(TRAPS)
keys = texts | st.sampled_from(["at", "cu", "with"])
plain = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 10**18, 10**18 - 1) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=25,
)


def same(a: Any, b: Any) -> bool:
    """Tell whether two plain values are the same, with the order of keys, and True is not 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and bool(a == b)


@settings(max_examples=examples(300))
@given(plain)
def test_what_is_written_is_read_back_by_everybody(value: Any) -> None:
    text = dump(value)
    assert text.endswith("\n")
    assert same(read(text, name="x").value, value)
    assert same(read(text.encode(), name="x").value, value)
    assert dump(read(text, name="x").value) == text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for version in (None, (1, 1)):
            yaml = YAML(typ="safe", pure=version is not None)
            yaml.version = version
            assert same(yaml.load(text), value), (version, text)


@settings(max_examples=examples(100))
@given(plain)
def test_the_pure_parser_reads_back_what_is_written(value: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_events", reader._pure_events)
        assert same(read(dump(value), name="x").value, value)


def test_a_position_is_written_for_people() -> None:
    assert (
        dump(
            {
                "turn": 3,
                "armies": {
                    "hannibal": {"at": "arpi", "cu": 10, "with": ["mago", "hasdrubal"]},
                    "fabius_maximus": {"at": "capua", "cu": 8},
                },
                "hand": [3, 17, 33],
                "control": {f"a_rather_long_name_{i}": "rome" for i in range(4)},
                "deck": [],
                "sealed": {},
                "orders": [
                    {"intercept": {"with": [{"general": "fabius_maximus", "cu": 8}]}},
                    {"play": {"card": 33, "path": ["beneventum"]}},
                ],
                "answers": [
                    {"side": "rome", "order": {"card": 33, "path": ["narbo"]}, "by": "standing 1"},
                    "pass",
                    None,
                ],
                "note": "First line.\n  Second: line #2.\n",
                "need": "<= 3",
                "rule": "9.2",
                "said": 'He said "no"',
            }
        )
        == """\
turn: 3
armies:
  hannibal: {at: arpi, cu: 10, with: [mago, hasdrubal]}
  fabius_maximus: {at: capua, cu: 8}
hand: [3, 17, 33]
control:
  a_rather_long_name_0: rome
  a_rather_long_name_1: rome
  a_rather_long_name_2: rome
  a_rather_long_name_3: rome
deck: []
sealed: {}
orders:
- intercept: {with: [{general: fabius_maximus, cu: 8}]}
- play: {card: 33, path: [beneventum]}
answers:
- {side: rome, order: {card: 33, path: [narbo]}, by: standing 1}
- pass
- null
note: |
  First line.
    Second: line #2.
need: <= 3
rule: "9.2"
said: "He said \\"no\\""
"""
    )


def test_no_line_with_a_collection_is_longer_than_100_columns() -> None:
    assert dump({"a": ["x" * 95]}) == f"a: [{'x' * 95}]\n"
    assert dump({"a": ["x" * 96]}) == f"a:\n- {'x' * 96}\n"


def test_a_tuple_is_written_as_a_list() -> None:
    assert dump({"a": (1, (2,)), "b": ()}) == dump({"a": [1, [2]], "b": []})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "value", [1.5, {1: "a"}, {"a": {None: 1}}, [b"x"], {"a": [{True: 1}]}, object(), {"a": {1, 2}}]
)
def test_what_is_not_plain_is_not_written(value: Any) -> None:
    with pytest.raises(TypeError):
        dump(value)


@pytest.mark.parametrize("value", [10**18, [-(10**18)], "\ud800", {"\udfff": 1}, {"k" * 1001: 1}])
def test_what_could_not_be_read_back_is_not_written(value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the sentence is the library's for surrogates
        dump(value)


def test_our_own_files_may_hold_what_letters_may_not() -> None:
    text = dump({"phrase": "a\0b\x1b"})
    assert read(text, name="x", limits=OWN).value == {"phrase": "a\0b\x1b"}
    assert only(text)[3].startswith("the NUL character")
