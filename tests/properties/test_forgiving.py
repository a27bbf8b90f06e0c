"""Forgiveness in every game: what is right stays, what is dressed up is read, nothing is lost or raised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbem.orders.forgive import Answering, Forgiven, Known, forgive, looks_like_order
from pbem.orders.sheet import BadSheet, read_sheet
from pbem.protocol import Order
from pbem.render.text.form import order_lines
from tests.support.chance import seed_of
from tests.support.samples import GAMES as KEPT
from tests.support.samples import SAMPLES
from tests.support.soak import quick_first, scaled
from tests.support.walks import GAMES, edition_params, loaded, walk

FEW = 25
"""How many questions of a random game are looked at."""
HEAD = "game: punica\nside: {side}\nadjudication: 15\norders:\n"


@cache
def known(game: str) -> Known:
    return Known(loaded(game).box, ("turn",), Answering("punica", loaded(game).rules.sides[-1], 15))


@cache
def legal(game: str, edition: str, scenario: str) -> tuple[Order, ...]:
    """Return legal orders of a random game, of as many kinds as it asks for."""
    found = []
    for at in walk(loaded(game, edition).rules, scenario, seed_of(), FEW):
        for decision in at.open_decisions:
            for order in (at.pick(decision), at.pick(decision), Order(decision.kind, decision.default or {})):
                if not list(loaded(game).box.forms[order.kind].misfits(order.body)):
                    found.append(order)
    return tuple(found)


def sheet_of(game: str, lines: list[str]) -> str:
    return HEAD.format(side=loaded(game).rules.sides[0]) + "\n".join(lines) + "\n"


def same(found: Forgiven, orders: tuple[Order, ...]) -> None:
    assert [(order.kind, order.body) for order in found.sheet.orders] == [(each.kind, each.body) for each in orders]


@pytest.mark.parametrize("name", quick_first(SAMPLES))
def test_the_sheets_of_the_samples_stay_as_they_are(name: str) -> None:
    game = known(SAMPLES[name].rules)
    for file in sorted(path for path in Path(KEPT / name / "sheets").rglob("*") if path.is_file()):
        found = forgive(file.read_bytes(), game)
        assert (found.text, found.changes) == (file.read_bytes(), ())


@pytest.mark.parametrize(("game", "edition", "scenario"), edition_params())
def test_a_legal_order_stays_as_it_is(game: str, edition: str, scenario: str) -> None:
    orders = legal(game, edition, scenario)
    for width in (20, 76):
        text = sheet_of(game, [line for order in orders for line in order_lines(order.kind, order.written, width)])[
            :16_000
        ]
        text = text[: text.rfind("\n- ") + 1]
        found = forgive(text.encode(), known(game))
        assert (found.text, found.changes) == (text.encode(), ())
        same(found, orders[: len(found.sheet.orders)])


BULLETS = ("- ", "", "+ ", "* ", "• ", "2. ", "1) ", "(3) ", "> ", "> - ", "-- ", "then - ", "– ", "\t- ", "  ")
TALK = ("", "I play Hannibal: he was great", "[a smile]", "Good luck", "# march: {}", "```", "Cheers, Ann")


def dressed(order: Order, rng: Random) -> str:
    """Return an order as people write it: with any bullet, capitals, blanks for underscores, lines wrapped anywhere."""
    (line,) = order_lines(order.kind, order.written, 100_000)
    text = line.removeprefix("- ")
    text = re.sub("_", lambda _: rng.choice("_ -"), text)
    text = re.sub(r"[a-z]", lambda found: found[0].upper() if rng.random() < 0.1 else found[0], text)
    text = re.sub(r"(?<=[{,\[]) ?(?=[\w\[{\"])", lambda found: rng.choice(["\n", "\n  ", " ", found[0]]), text)
    text = re.sub(r": ", lambda found: rng.choice([": ", ":", ":  ", "： "]), text)
    if rng.random() < 0.3:
        text = text.replace('"', rng.choice("“”")) if text.count('"') else text
    if rng.random() < 0.2 and re.match(r"[\w -]+:\s*\{", text):
        text = re.sub(r":\s*\{", " {", text, count=1)
    return rng.choice(BULLETS) + text


@pytest.mark.parametrize(("game", "edition", "scenario"), edition_params())
def test_a_dressed_order_is_read_as_it_was_meant(game: str, edition: str, scenario: str) -> None:
    rng, orders = Random(f"{seed_of()} {game} {scenario}"), legal(game, edition, scenario)
    for _ in range(scaled(40)):
        chosen = tuple(rng.choices(orders, k=rng.randint(1, 3)))
        lines = [line for order in chosen for line in (dressed(order, rng), rng.choice(TALK))]
        text = rng.choice([sheet_of(game, lines), "\n".join([*lines, ""])])
        try:
            found = forgive(text.encode(), known(game))
        except BadSheet as bad:
            pytest.fail(f"{text}\n{bad}")
        same(found, chosen)
        _settled(found, game)


def _settled(found: Forgiven, game: str) -> None:
    """Check that the strict reader reads the canonical sheet alike, and that nothing is left to put right in it."""
    assert read_sheet(found.text, forms=known(game).box.forms).says_the_same(found.sheet)
    again = forgive(found.text, known(game))
    assert (again.text, again.changes) == (found.text, ())


PIECES = st.sampled_from(
    [
        *"{}[]:,\n\t #'\"“—：\u200b\x00\x85\r\\|~\ud7ff\U0001f600",
        *("- ", "* ", "2. ", "> ", "? ", "- - -", "---", "...", "```", "[code]", "{{{{{", "&a", "*a", "!x", "<<"),
        *("game: x", "side: rome", "orders:", "adjudication: 9", "link: lost", "rome: ", "a: b", "any", "none"),
        *(
            "standing: default",
            "standing:- default",
            "- default",
            "when: {at: [rome]}",
            "until: x",
            "0227",
            "1e3",
            "No",
        ),
    ]
)


@st.composite
def broken(draw: st.DrawFn, text: str) -> str:
    """Draw a sheet with pieces put in, taken out, moved, repeated and written in capitals."""
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 20)))
        how = draw(st.integers(0, 4))
        piece = [draw(PIECES), "", text[start:end].upper(), text[start:end] * 2, text[end : end + 12] + text[start:end]]
        text = text[:start] + piece[how] + text[start if how == 0 else end :]
    return text


@pytest.mark.parametrize("game", GAMES)
@given(data=st.data())
def test_a_broken_sheet_is_read_or_sent_back(game: str, data: st.DataObject) -> None:
    box = loaded(game).box
    orders = legal(game, box.edition, box.scenarios[0])
    chosen = data.draw(st.lists(st.sampled_from(orders), min_size=1, max_size=3))
    text = data.draw(broken(sheet_of(game, [line for each in chosen for line in order_lines(each.kind, each.written)])))
    _holds(text.encode("utf-8", "surrogatepass"), game)


@given(raw=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b"\xef\xbb\xbf")
def test_any_bytes_are_read_or_sent_back(raw: bytes) -> None:
    _holds(raw, "rome_carthage")


def _holds(raw: bytes, game: str) -> None:
    """Check what holds for any bytes: a fault with a place, or a sheet in which no order is missing."""
    try:
        found = forgive(raw, known(game))
    except BadSheet as sent_back:
        _placed(sent_back)
        return
    _settled(found, game)
    for number, order in enumerate(found.sheet.orders):
        assert found.sheet.place(number, tuple(order.body)).line <= len(found.sheet.document.lines)
    passed_over = [change for change in found.changes if "was passed over" in change]
    assert not [line for line in passed_over if looks_like_order(line.partition(": ")[2], known(game))]
    firm = sum(map(_begins_an_order(game), raw.decode().split("\n")))
    filed = [*(found.sheet.standing or ()), *found.sheet.standing_add]
    assert len(found.sheet.orders) + len(filed) >= firm


def _placed(bad: BadSheet) -> None:
    """Check that every fault of a sheet has a place, and that they can be shown."""
    assert bad.complaints
    assert all(each.mark.line >= 1 and each.mark.column >= 1 for each in bad.complaints)
    assert str(bad)


def _begins_an_order(game: str) -> Any:
    """Return a test for lines that can be nothing but an order: a hyphen, a kind and a body in brackets."""
    kinds = "|".join(loaded(game).box.forms)
    return lambda line: bool(re.match(rf"\s*- (?:{kinds}): \{{", line))


def test_the_test_for_lost_orders_sees_one() -> None:
    begins: Iterator[bool] = map(
        _begins_an_order("rome_carthage"), ["- march: {", "march", "# - march: {", " - match: {x"]
    )
    assert list(begins) == [True, False, False, True]
