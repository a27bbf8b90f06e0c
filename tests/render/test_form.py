"""The form: sent back unchanged it orders nothing, every choice in it is legal, and mail programs leave it whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.game import Kind, LegalOrders, by_name, one_of
from pbem.game.boxes import shelf
from pbem.game.boxes.box import Box
from pbem.game.decision_kinds import does_nothing
from pbem.mail.read.sheet_finder import sheets
from pbem.orders.sheet import Sheet, check_heading, read_sheet
from pbem.protocol import Decision
from pbem.render.text.form import FEW_SHOWN, ORDER_WIDTH, WIDTH, WITHOUT, SheetHead, choices, form, order_lines
from pbem.rules.rome_carthage.views.hints import odds
from tests.support.campaigns import Campaign, campaign, invasion
from tests.support.chance import seed_of
from tests.support.no_game import NoGame
from tests.support.soak import quick_first
from tests.support.walks import loaded, start, walk
from tests.support.words_of_games import choices_in

SEEDS = range(6)
QUESTIONS = 120


def form_of(rules: Any, box: Box, view: Any, decisions: list[Decision]) -> str:
    side = decisions[0].side
    return form([choices(rules, box, view, each) for each in decisions], SheetHead("punica", side, 7), ["Turn 1"])


def read(text: str, box: Box) -> Sheet:
    return read_sheet(text, forms=box.forms)


def turns(seed: int) -> Iterator[tuple[Campaign, list[Decision]]]:
    """Yield a random campaign at each question, with the open questions of each side that is asked."""
    rules = loaded("rome_carthage").rules
    for at in campaign(rules, invasion(start(rules, "standard", seed)), seed, QUESTIONS):
        for side in rules.sides:
            if own := [decision for decision in at.open_decisions if decision.side == side]:
                yield at, own


@pytest.mark.parametrize("seed", quick_first(SEEDS, 2))
def test_sent_back_unchanged_it_orders_nothing(seed: int) -> None:
    game = loaded("rome_carthage")
    for at, own in turns(seed_of(seed)):
        sheet = read(form_of(game.rules, game.box, at.view(own[0].side), own), game.box)
        assert not check_heading(sheet, game="punica", side=own[0].side, adjudication=7, sides=game.rules.sides)
        assert sheet.orders == ()


@pytest.mark.parametrize("seed", quick_first(SEEDS, 2))
def test_every_choice_offered_is_legal_and_the_default_is_last(seed: int) -> None:
    """The real choices come first, then what does nothing, and last, marked, what counts without an answer."""
    game = loaded("rome_carthage")
    for at, own in turns(seed_of(seed)):
        view = at.view(own[0].side)
        text = form_of(game.rules, game.box, view, own)
        bare = text[: text.index("orders:") + len("orders:\n")]
        offered = [read(bare + choice + "\n", game.box).orders[0] for choice in choices_in(text)]
        for decision in own:
            orders = [order for order in offered if order.kind == decision.kind]
            for order in orders:
                assert list(game.rules.check(view, decision, order)) == [], order
            bodies = [order.body for order in orders]
            assert all(body not in bodies[:at_body] for at_body, body in enumerate(bodies))
            assert bodies
            if decision.default is not None:
                assert bodies.pop() == decision.default
                marked = f"{WITHOUT} this counts (or write AGREED): - {decision.kind}:"
                assert marked in " ".join(text.replace("#", " ").split())
            assert sorted(bodies, key=does_nothing) == bodies


@pytest.mark.parametrize("seed", quick_first(SEEDS, 2))
def test_no_line_is_longer_than_mail_can_bear(seed: int) -> None:
    game = loaded("rome_carthage")
    for at, own in turns(seed_of(seed)):
        for line in form_of(game.rules, game.box, at.view(own[0].side), own).splitlines():
            order = re.match(r"(# )?(- |    )\w+:", line)
            assert len(line) <= (ORDER_WIDTH if order else WIDTH), line


@pytest.mark.slow
def test_the_random_campaigns_ask_nearly_everything() -> None:
    asked = {decision.kind for seed in SEEDS for _, own in turns(seed) for decision in own}
    rare = {"change_command", "clear_marker", "withdraw_to", "cancel_withdrawal", "take_initiative", "besiege"}
    rare |= {"pursue", "sortie", "hostile_tribes", "elephant_fright", "maharbal", "give_back"}
    assert loaded("rome_carthage").box.forms.keys() - asked <= rare


def test_a_game_without_hints_lists_its_choices() -> None:
    game = loaded("toy")
    for at in walk(game.rules, game.box.scenarios[0], 1, 30):
        for side in game.rules.sides:
            own = [decision for decision in at.open_decisions if decision.side == side]
            if not own:
                continue
            text = form_of(game.rules, game.box, at.view(side), own)
            choices = game.rules.legal_orders(at.view(side), own[0])
            offered = choices_in(text)
            assert offered or len(choices) == 1
            for choice in offered:
                order = read(f"game: g\nside: {side}\nadjudication: 1\norders:\n{choice}\n", game.box).orders[0]
                (decision,) = (decision for decision in own if decision.kind == order.kind)
                assert list(game.rules.check(at.view(side), decision, order)) == []


class Numbers(NoGame):
    """A game whose only question has a thousand answers."""

    kinds = by_name(Kind("first_player", *one_of("side", [f"side_{n}" for n in range(1000)])))

    def legal_orders(self, view: Any, decision: Decision) -> LegalOrders:
        return self.kinds[decision.kind].legal_orders(view, decision)


def test_many_choices_are_shown_from_one_end_to_the_other() -> None:
    decision = Decision("first_player", "rome", "5.3", {}, {"side": "side_0"})
    text = form_of(Numbers(), shelf.load("rome_carthage").box, None, [decision])
    offered = choices_in(text)
    assert len(offered) == FEW_SHOWN  # the default is one of those picked
    assert offered[-2:] == ["- first_player: {side: side_999}", "- first_player: {side: side_0}"]
    assert f"# ... and {1000 - FEW_SHOWN} more" in text


@pytest.mark.parametrize("quoted", ["", "> ", "> > "])
def test_the_inbox_finds_it_in_a_reply(quoted: str) -> None:
    game = loaded("rome_carthage")
    at, own = next(turns(1))
    text = form_of(game.rules, game.box, at.view(own[0].side), own)
    letter = f"I agree.\n\n----- BEGIN ORDERS -----\n{text}----- END ORDERS -----\n\nAnn\n"
    (found,) = sheets("".join(f"{quoted}{line}\n" for line in letter.splitlines()))
    assert found.text == text


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ({}, ["- play: {}"]),
        ({"card": 5, "as": "discard"}, ["- play: {card: 5, as: discard}"]),
        (
            {"with": [{"general": "no", "cu": 0}], "stop": True},
            ["- play: {with: [{general: 'no', cu: 0}], stop: true}"],
        ),
        (
            {"card": 5, "path": [f"space_number_{n}" for n in range(9)]},
            ["- play:", "    card: 5", "    path:", *(f"    - space_number_{n}" for n in range(9))],
        ),
        (
            {"units": {f"unit_number_{n}": n for n in range(9)}},
            ["- play:", "    units:", *(f"      unit_number_{n}: {n}" for n in range(9))],
        ),
    ],
)
def test_an_order_stands_on_one_line_if_it_fits(body: dict[str, Any], lines: list[str]) -> None:
    written = order_lines("play", body)
    if "'no'" in lines[0]:  # how a word is quoted is the writer's business
        written = [line.replace('"no"', "'no'") for line in written]
    assert written == lines


@pytest.mark.parametrize(
    ("at_most", "modifier", "chance"), [(3, 1, "33 %"), (6, 0, "100 %"), (1, 2, "0 %"), (4, 0, "67 %")]
)
def test_odds(at_most: int, modifier: int, chance: str) -> None:
    assert odds(at_most, modifier) == chance
