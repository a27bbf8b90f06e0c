"""What a side cannot know reaches it nowhere, tried on random positions of every game, edition and scenario.

What a viewer cannot know is replaced by something else that it could not tell apart (`Rules.resample_hidden`). All that
the viewer can see, ask for or be told must stay the same to the byte: by a position alone, and by all that follows when
both positions are played on with the same orders. Letters and the files of a repo: `test_leaks_by_letter`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random
from typing import Any, NamedTuple

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.faults import every_fault
from pbem.engine.forecast import of_sheet
from pbem.engine.session import Session
from pbem.game.choices.legal_orders import Answers
from pbem.game.contract import Rules
from pbem.game.prospects import prospect_record
from pbem.game.table import Table
from pbem.orders.check import OpenDecisions, check_sheet
from pbem.pages.letter_page import Envelope, letter_page
from pbem.pages.svg import Symbols, board, frame
from pbem.protocol import Decision, Event, Side
from pbem.render.map.pictures import pictures
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.report import Report
from pbem.repo.files.records import decision_record
from tests.support.chance import seed_of
from tests.support.garbled import garbled_sheets
from tests.support.soak import quick_first, scaled
from tests.support.twins import SEES_ALL, lays_open, played, resampled, same_orders, viewers
from tests.support.walks import GAMES, Walk, by_viewers, edition_params, loaded, plain, sharing, walk

FEW, MANY = 13, scaled(1_500, 30)
"""How many random positions of each edition, or of editions with the same options, `make test` looks at; how many of
each game `make soak`."""
SOME, SHEETS, OF_ALL_KINDS = 10, 20, 50
"""How many garbled sheets are tried at each position by a side that is asked something: so many are of all kinds."""
CLOSE, APART = 0.3, 0.15
"""The share of the positions of a game that is looked at, by `make test` and by `make soak`."""
PICTURES = 0.03
"""The share of positions that are drawn; of the others the scenes are compared."""
EVERY = 3
"""Of one position in so many the page of a letter and the map of the site are made."""
ENVELOPE = Envelope("punica", "", "", "pbem@example.org")
SPAN = 40
"""So many questions two twins are played on together at most."""

each_edition = pytest.mark.parametrize(("game", "edition", "scenario"), edition_params(dear=True))


@pytest.fixture(params=[pytest.param(False, id="quick"), pytest.param(True, id="long", marks=pytest.mark.soak)])
def most(request: pytest.FixtureRequest) -> int:
    """Return how many positions of one edition and scenario are looked at."""
    game, edition = request.getfixturevalue("game"), request.getfixturevalue("edition")
    box, scenarios = loaded(game).box, loaded(game, edition).scenarios
    if not request.param:
        return by_viewers(FEW // (len(scenarios) * sharing(game, edition)), loaded(game, edition).rules)
    return -(-MANY // (len(box.editions) * len(scenarios)))


def positions(
    rules: Rules[Any], scenario: str, most: int, patch: pytest.MonkeyPatch, share: float = APART
) -> Iterator[Walk]:
    """Yield a share of the positions of random games, one game after another."""
    patch.setattr(Walk, "pick", played)
    rng, left = Random(f"{seed_of()} {rules.id} {scenario}"), most
    for seed in count(seed_of()):
        for at in walk(rules, scenario, seed):
            if left and rng.random() < share:
                left -= 1
                yield at
            if not left:
                return


# ---- a position


@each_edition
def test_nobody_can_tell_what_is_hidden_from_him(
    game: str, edition: str, scenario: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, veiled, changed, asked = loaded(game, edition).rules, set(), set(), 0
    for at in positions(rules, scenario, most, monkeypatch, APART if most > FEW else CLOSE):
        for viewer in viewers(rules):
            if rules.encode(rules.view(at.position, viewer)) != rules.encode(at.position):
                veiled.add(viewer)
            other = rules.resample_hidden(at.position, viewer, Table(SeededDice(at.count)))
            assert list(rules.audit(other)) == []
            if rules.encode(other) != rules.encode(at.position):
                changed.add(viewer)
            asked += any(decision.side == viewer for decision in at.open_decisions)
            draws, sheets = Random(at.count).random() < PICTURES, SHEETS if most > FEW else SOME
            seeing = [Eyes(at, viewer, edition, position) for position in (at.position, other)]
            for one, also in zip(*(eyes.see(sheets, draws) for eyes in seeing), strict=True):
                assert one == also, f"game {at.seed}, question {at.count}, seen by {viewer}"
    assert veiled == {*viewers(rules)} - SEES_ALL.get(game, set()), "somebody is shown what they may not see"
    assert changed == veiled, "a resampling that changes nothing proves nothing"
    assert asked > most / 4


class Told(NamedTuple):
    """An event as a report is given it, with the number of its roll."""

    adjudication: int
    event: Event
    roll: int | None


class Eyes:
    """One viewer before a position: all that it can see of it, and all that it is told when it tries orders."""

    def __init__(self, at: Walk, viewer: Side | None, edition: str, position: Any) -> None:
        self.at, self.viewer, self.position = at, viewer, position
        self.rules: Any = at.rules
        self.box = loaded(self.rules.id, edition).box
        self.view = self.rules.view(position, viewer)
        self.mine = [decision for decision in at.open_decisions if decision.side == viewer]
        self.pages = at.count % EVERY == 0
        rolled, self.told = 0, []
        for event in at.session.table.events:
            rolled += event.roll is not None
            if event.to is None or viewer in event.to:
                self.told.append(Told(7, event, rolled if event.roll is not None else None))

    def see(self, sheets: int, draws: bool) -> Iterator[Any]:
        """Yield one thing after another, in a fixed order; with `draws` the picture as well."""
        rules, view, waiting = self.rules, self.view, self.at.open_decisions
        yield view
        yield json.dumps(rules.encode(view))
        scene = rules.scene(view, [told.event for told in self.told])
        yield scene
        yield [place for each in self.mine for place in rules.places(view, each)]
        if draws:
            yield pictures(replace(scene, reader=self.viewer or ""))
        others, result = [each.side for each in waiting], self.at.session.result
        request = ReportRequest("punica", 7, self.viewer, view, self.told, waiting, others, result=result)
        report = Report(Contents(rules, self.box, request))
        yield report.text, report.sheet, report.summary, report.asked, report.position
        if self.pages:
            yield letter_page(Contents(rules, self.box, replace(request, key="k" * 20)), ENVELOPE)
            symbols = Symbols()
            lies = frame(scene, symbols, [place for each in self.mine for place in rules.places(view, each)])
            yield board(scene, lies, symbols)
        yield rules.summary(view)
        yield rules.periods(self.position)
        for decision in self.at.open_decisions:
            yield from self.ponder(decision)
        if self.viewer is not None:
            yield from self.try_sheets(self.viewer, sheets if self.mine else sheets // 5)

    def ponder(self, decision: Decision) -> Iterator[Any]:
        """Yield what a question tells its own side, or what others could list of its answers."""
        rules, view = self.rules, self.view
        choices, rng = rules.legal_orders(view, decision), Random(self.at.count)
        yield choices.certain, len(choices)
        if len(choices):
            yield [choices[at] for at in (0, len(choices) - 1, *(rng.randrange(len(choices)) for _ in range(10)))]
        if decision.side == self.viewer:
            if self.pages and isinstance(choices, Answers):
                yield json.dumps(choices.tree())
            yield json.dumps(decision_record(decision))
            yield list(rules.hints(view, decision))
            yield list(rules.close_up(view, decision))
            yield rules.facts(view, decision)
            yield rules.bot_order(view, decision)

    def try_sheets(self, side: Side, count: int) -> Iterator[Any]:
        """Yield the complaints about each of some sheets, and what the good ones are forecast to lead to."""
        rng = Random(f"{self.at.seed} {self.at.count} {side}")
        # What is written in a sheet follows from the first position alone: it is the same for both.
        view = self.rules.view(self.at.position, side)
        at = OpenDecisions(
            box=self.box,
            game="punica",
            sides=self.rules.sides,
            side=side,
            adjudication=7,
            decisions=self.mine,
            faults=partial(every_fault, self.rules, self.view),
            periods=tuple(self.rules.periods(self.position)),
            today="2026-11-22",
        )
        for raw in garbled_sheets(self.rules, self.box, view, side, self.mine, rng, count):
            receipt, sheet = check_sheet(at, raw)
            yield str(receipt)
            if sheet is not None and rng.random() < 0.2:
                yield [prospect_record(each) for each in of_sheet(self.rules, self.view, self.mine, sheet.orders)]


@pytest.mark.parametrize("game", quick_first(GAMES, 2))
def test_the_sheets_that_are_tried_are_of_all_kinds(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are good, some cannot be read, some break rules: faults that are never found leak nothing."""
    loads = loaded(game)
    complaints: list[str] = []
    for at in positions(loads.rules, loads.box.scenarios[0], 3, monkeypatch, CLOSE):
        for decision in at.open_decisions[:1]:
            eyes = Eyes(at, decision.side, loads.box.editions[0], at.position)
            complaints += [each for each in eyes.try_sheets(decision.side, OF_ALL_KINDS) if isinstance(each, str)]
    found = " ".join(complaints)
    assert "" in complaints
    assert all(word in found for word in ("malformed", "illegal", "rule "))
    assert len(set(complaints)) > 20


# ---- what follows


def seen(session: Session[Any], viewer: Side | None) -> dict[str, Any]:
    """Return all that a viewer reads of a span: the position, events, rolls, draws, questions, facts of its own."""
    rules, table = session.rules, session.table
    return {
        "known": rules.encode(rules.view(session.position, viewer)),
        "told": [repr(event) for event in table.events if event.to is None or viewer in event.to],
        "rolls": [repr(roll) for roll in table.rolls],
        "draws": [(draw.name, len(draw.items)) for draw in table.draws],
        "waits": [(one.side, one.kind, one.rule, one.waits, one.secret) for one in session.open_decisions],
        "asked": [(dict(one.facts), one.default) for one in session.open_decisions if one.side == viewer],
        "only": [session.only_answer(one) for one in session.open_decisions],
        "rests": (session.checkpoint, session.result),
    }


@each_edition
def test_what_follows_tells_nothing_of_what_is_hidden(
    game: str, edition: str, scenario: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Play two positions on with the same orders that a viewer cannot tell apart, until a rule lays something open.

    What a rule itself lays open (a hand that is dealt, a card drawn from the enemy's) may differ, and what follows it.
    """
    rules, compared = loaded(game, edition).rules, 0
    for at in positions(rules, scenario, -(-most // 3), monkeypatch):
        for viewer in viewers(rules):
            rng = Random(f"{at.count} {viewer}")
            position = rules.decode(plain(at.checkpoint))
            other = resampled(rules, position, viewer, at.count, near=bool(at.count % 2))
            twins = [Session(rules, each, deepcopy(at.dice_then)) for each in (position, other)]
            for _ in range(SPAN):
                if any(lays_open(rules, twin.table.events, viewer) for twin in twins):
                    break
                views = [seen(twin, viewer) for twin in twins]
                assert views[0] == views[1], f"game {at.seed}, question {at.count}, seen by {viewer}"
                compared += 1
                if twins[0].result is not None:
                    break
                if twins[0].at_checkpoint:
                    for twin in twins:
                        twin.go_on()
                    continue
                orders = same_orders(twins, viewer, rng)
                if orders is None:
                    break
                for twin in twins:
                    twin.answer(orders)
    assert compared >= most
