"""All mistakes of a sheet in one reply: within an order, beside a malformed one, behind a refused one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from pbem.orders.check import OpenDecisions, Receipt, check_sheet
from tests.support.walks import Walk, loaded, walk

HEAD = "game: punica\nside: carthage\nadjudication: 1\norders:\n"


@cache
def first_play() -> Walk:
    """Return a random game of Rome and Carthage at the first card play of Carthage."""
    loads = loaded("rome_carthage")
    for at in walk(loads.rules, loads.box.scenarios[0], 0):
        if any(decision.kind == "play" and decision.side == "carthage" for decision in at.open_decisions):
            return at
    raise AssertionError("no card is played")


def checked(text: str) -> Receipt:
    at = first_play()
    terms = OpenDecisions(
        box=loaded("rome_carthage").box,
        game="punica",
        sides=at.rules.sides,
        side="carthage",
        adjudication=1,
        decisions=at.open_decisions,
        faults=at.session.every_fault,
        further=at.session.further,
    )
    return check_sheet(terms, text.encode())[0]


def told(receipt: Receipt) -> list[tuple[int, str]]:
    """Return the faults by line, each with the word that it points at."""
    found = []
    for placed in receipt.complaints:
        line = receipt.lines[placed.mark.line - 1]
        found.append((placed.mark.line, line[placed.mark.column - 1 :][: placed.mark.width]))
    return found


def reasons(receipt: Receipt) -> str:
    return "\n".join(placed.fault.reason for placed in receipt.complaints)


def missing_card() -> int:
    hand: Sequence[int] = first_play().view("carthage").hands["carthage"]
    return next(card for card in range(1, 64) if card not in hand)


def held_card() -> int:
    return int(first_play().view("carthage").hands["carthage"][0])


def test_a_card_a_general_and_a_place_all_wrong_are_three_faults() -> None:
    card = missing_card()
    receipt = checked(f"{HEAD}- play: {{card: {card}, as: operations, general: hanibal, path: [sagontum]}}\n")
    assert told(receipt) == [(5, str(card)), (5, "hanibal"), (5, "sagontum")]
    assert "no general is called hanibal; did you mean hannibal?" in reasons(receipt)
    assert "no space is called sagontum; did you mean saguntum?" in reasons(receipt)


def test_what_can_be_read_is_judged_beside_what_cannot() -> None:
    """A card that is no number keeps nobody from hearing of the general and the place."""
    receipt = checked(f"{HEAD}- play: {{card: twelve, as: operations, general: hanibal, path: [sagontum], cu: 99}}\n")
    assert told(receipt) == [(5, "twelve"), (5, "hanibal"), (5, "sagontum"), (5, "99")]
    assert [placed.fault.kind for placed in receipt.complaints].count("malformed") == 2  # no army has 99 CU


def test_an_unknown_word_hides_no_other_fault() -> None:
    receipt = checked(f"{HEAD}- play: {{card: {held_card()}, as: operations, genral: hannibal, place: [sagontum]}}\n")
    assert told(receipt) == [(5, "genral"), (5, "sagontum")]


def test_a_sound_order_is_judged_beside_a_malformed_one() -> None:
    card = missing_card()
    receipt = checked(f"{HEAD}- losses: {{cart: 1}}\n- play: {{card: {card}, as: discard}}\n")
    assert told(receipt)[-1] == (6, str(card))
    assert {line for line, _ in told(receipt)} == {5, 6}


@pytest.mark.parametrize("more", ["standing: [intercept: {wth: []}]\n", "link: xyz\n"])
def test_orders_are_judged_beside_a_part_that_cannot_be_read(more: str) -> None:
    card = missing_card()
    receipt = checked(f"{HEAD}- play: {{card: {card}, as: discard}}\n{more}")
    assert (5, str(card)) in told(receipt)
    assert len(receipt.complaints) == 2


def test_standing_orders_are_judged_beside_an_unreadable_one() -> None:
    text = f"{HEAD}- play: {{card: {held_card()}, as: discard}}\n"
    receipt = checked(f"{text}standing:\n- intrcept: {{}}\n- intercept: {{wth: []}}\n")
    assert [line for line, _ in told(receipt)] == [7, 8]
    assert told(receipt)[0] == (7, "intrcept")


def test_an_order_behind_a_refused_one_says_so() -> None:
    card = missing_card()
    wrong = f"- play: {{card: {card}, as: discard}}\n"
    receipt = checked(HEAD + wrong * 2)
    first, second = receipt.complaints
    assert "judged again" not in first.fault.reason
    assert second.fault.reason.endswith("(as things stand; judged again once order 1 is mended)")


def test_an_order_behind_a_malformed_one_says_so() -> None:
    receipt = checked(f"{HEAD}- play: {{cart: 1}}\n- play: {{card: {missing_card()}, as: discard}}\n")
    assert receipt.complaints[-1].mark.line == 6
    assert "once order 1 is mended" in receipt.complaints[-1].fault.reason


def test_an_order_behind_two_refused_ones_names_both() -> None:
    receipt = checked(HEAD + f"- play: {{card: {missing_card()}, as: discard}}\n" * 3)
    assert receipt.complaints[-1].fault.reason.endswith("once orders 1 and 2 are mended)")


def test_a_good_order_behind_a_refused_one_has_no_fault() -> None:
    good = f"- play: {{card: {held_card()}, as: discard}}\n"
    receipt = checked(f"{HEAD}- play: {{card: {missing_card()}, as: discard}}\n{good}")
    assert [placed.mark.line for placed in receipt.complaints] == [5]


def test_nothing_is_judged_where_the_heading_is_wrong() -> None:
    text = HEAD.replace("adjudication: 1", "adjudication: 0")
    receipt = checked(f"{text}- play: {{card: twelve, as: operations, general: hanibal}}\n")
    assert "hanibal" not in reasons(receipt)
