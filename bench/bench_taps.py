"""How many questions a letter lets its reader answer by one tap, in games between bots.

All questions count that a side is asked: not those with only one answer, which the referee gives, nor those that nobody
waits for. Where a box lets players be asked what they may do beside the ordinary play, they are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any, Final

from bench import AT_LEAST, Figure
from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.boxes import shelf
from pbem.game.boxes.shelf import Loaded
from pbem.game.table import Table
from pbem.pages.taps import MOST, taps
from pbem.protocol import Decision
from pbem.render.text.contents import ReportRequest

GAMES: Final = range(1, 4)
QUESTIONS: Final = 500
"""So many questions of a game are looked at, at most."""
BARS: Final[Mapping[str, float]] = {"rome_carthage": 51, "hannibal_italy": 24}
"""The share of all questions, in percent."""
KEY: Final = "abcdefghij234567abcd"
ANY: Final = 0.1
"""The share of answers that a bot does not give: they are any."""


def figures() -> Iterator[Figure]:
    """Yield for each game the share of its questions that can be answered by a tap, of all and of the small ones."""
    for id in shelf.ids():
        asked = small = tapped = longest = 0
        for answers, links in questions(asking(id)):
            asked += 1
            small += answers <= MOST
            tapped += bool(links)
            longest = max([longest, *map(len, links)])
        yield Figure(f"taps: {id}, of all questions", 100 * tapped / asked, "%", BARS.get(id), AT_LEAST)
        yield Figure(f"taps: {id}, of those with {MOST} or fewer", 100 * tapped / small, "%", 100, AT_LEAST)
        yield Figure(f"taps: {id}, longest link", longest, "characters", 1800)


def asking(id: str) -> Loaded:
    """Return a game in which players are asked for what they may do beside the ordinary play."""
    options = shelf.load(id).box.table("game").get("options", {})
    return shelf.load(id, options={"windows": "ask"} if "windows" in options else None)


def questions(loaded: Loaded) -> Iterator[tuple[int, list[str]]]:
    """Yield how many answers each question of some games has, one more than links stand for at most, and its links."""
    for seed in GAMES:
        random, rules = Random(seed), loaded.rules
        session = Session(rules, rules.setup(loaded.scenarios[0], Table(SeededDice(seed))), SeededDice(seed))
        count = 0
        while session.result is None and count < QUESTIONS:
            if session.at_checkpoint:
                session.go_on()
                continue
            count += len(session.open_decisions)
            for each in session.open_decisions:
                if each.waits and session.only_answer(each) is None:
                    yield one(loaded, session, each)
            session.answer([answer(session, each, random) for each in session.open_decisions])


def one(loaded: Loaded, session: Session[Any], decision: Decision) -> tuple[int, list[str]]:
    """Return how many answers a question has, and the links in a letter that asks it alone."""
    rules = loaded.rules
    view = rules.view(session.position, decision.side)
    request = ReportRequest("punica", 7, decision.side, view, waiting=[decision], others=[decision.side], key=KEY)
    found = taps(rules, loaded.box, request, f"pbem+{KEY}@example.org", must_sign=False)
    return len(list(islice(rules.legal_orders(view, decision), MOST + 1))), [each.link for each in found.answers]


def answer(session: Session[Any], decision: Decision, random: Random) -> Any:
    """Return the answer of the bot, or any."""
    rules = session.rules
    view = rules.view(session.position, decision.side)
    if rules.has_bot and random.random() >= ANY:
        return replace(rules.bot_order(view, decision), about=decision.about)
    order = rules.legal_orders(view, decision).pick(random.random)
    assert order is not None
    return replace(order, about=decision.about)
