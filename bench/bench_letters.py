"""How many letters a game takes: each time somebody must be asked, one of their sheets answers all that they are asked.

Games are played out in memory, by random answers and by the bot, without standing orders and with the set that comes
with the game. The steps of one march count as ordered in one sheet, as a player orders them, unless the enemy had to
write in between; so do the actions of one activation, up to its end. For a game with a bot the questions that made a
side write are listed by kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bench import Figure
from pbem.crypto.dice import SeededDice
from pbem.engine.answers import Sources
from pbem.engine.session import Session
from pbem.game.boxes import shelf
from pbem.game.boxes.shelf import Loaded
from pbem.game.table import Table
from pbem.orders.standing import FiledOrder, InForce, file_standing
from pbem.protocol import Decision, Order, Side

GAMES = 100
ADVISED = 20
"""So many games by the rules' advice, which takes longer to think."""
DAY = "2026-01-01"


@dataclass(frozen=True, slots=True)
class Course:
    """How a game goes: the kind of question and of event that letters are counted by, with what each is called.

    `goes_on` are the orders that may stand in the same sheet as the one that led to them. `played` is the event by
    which card plays are counted, if not every question of the kind is one; `most` is how many letters a play may take
    when the bot plays with the default set.
    """

    play: tuple[str, str]
    turn: tuple[str, str]
    goes_on: frozenset[str]
    played: str = ""
    most: float | None = None


PLAYED: Mapping[str, Course] = {
    "rome_carthage": Course(("play", "a card play"), ("turn_begins", "a turn"), frozenset({"march"})),
    "sword_of_rome": Course(
        ("act", "a card play"), ("turn_begins", "a turn"), frozenset({"act", "march"}), "card_played", 2.0
    ),
    "hannibal_italy": Course(("", ""), ("segment_begins", "a segment"), frozenset({"move"})),
}


@dataclass(slots=True)
class Post:
    """The letters of some games, by the questions that made a side write, and what the games came to."""

    letters: Counter[str] = field(default_factory=Counter)
    plays: int = 0
    turns: int = 0

    def add(self, other: Post) -> None:
        """Add what other games came to."""
        self.letters += other.letters
        self.plays += other.plays
        self.turns += other.turns


def figures() -> Iterator[Figure]:
    """Yield letters per card play and per game turn of each game; in every edition where that has a bar of its own."""
    for game, course in PLAYED.items():
        usual = shelf.load(game)
        for advised in (False, True) if usual.rules.has_bot else (False,):
            for with_set in (False, True):
                yield from _figures(usual, game, course, advised=advised, with_set=with_set)
        for edition in usual.box.editions if course.most is not None else ():
            if edition != usual.box.edition:
                other = shelf.load(game, edition=edition)
                yield from _figures(other, f"{game} {edition}", course, advised=True, with_set=True)


def _figures(loaded: Loaded, game: str, course: Course, *, advised: bool, with_set: bool) -> Iterator[Figure]:
    filed = {side: usual_orders(loaded, side) for side in loaded.rules.sides} if with_set else {}
    post = Post()
    for seed in range(ADVISED if advised else GAMES):
        post.add(play(loaded, course, seed, filed, advised))
    answered, standing = "advised" if advised else "random", "the default set" if with_set else "no standing orders"
    name, total = f"{game}, {answered} play, {standing}", sum(post.letters.values())
    bar = course.most if advised else None if course.played else 2.2
    if post.plays:
        yield Figure(f"letters {course.play[1]}, {name}", total / post.plays, "letters", bar if with_set else None)
    yield Figure(f"letters {course.turn[1]}, {name}", total / post.turns, "letters")
    if course.most is not None and advised:
        for kind, count in post.letters.most_common():
            yield Figure(f"letters {course.play[1]}, {name}: {kind}", count / post.plays, "letters")


def usual_orders(loaded: Loaded, side: Side) -> Sequence[FiledOrder]:
    """Return the standing orders that come with a game for a side, as filed before it begins."""
    return list(file_standing(["default"], loaded.box.standing_of(side), sheet=1, after=0, periods={}))


def play(loaded: Loaded, course: Course, seed: int, filed: Mapping[Side, Sequence[FiledOrder]], advised: bool) -> Post:
    """Play a game to its end and count the letters."""
    rules: Any = loaded.rules
    post, rng, dice = Post(), Random(seed), SeededDice(seed)
    session = Session(rules, rules.setup(loaded.box.scenarios[0], Table(SeededDice(f"setup {seed}"))), dice)
    wrote: Side | None = None
    while session.result is None:
        if session.at_checkpoint:
            session.go_on()
            continue
        force = InForce(filed, today=DAY)
        sources = Sources(standing=force)
        found = [sources.find(session, decision) for decision in session.open_decisions]
        asked = [each for each, answer in zip(session.open_decisions, found, strict=True) if answer is None]
        for side in {decision.side for decision in asked}:
            kinds = sorted({decision.kind for decision in asked if decision.side == side})
            if not (wrote == side and course.goes_on.issuperset(kinds)):
                post.letters["+".join(kinds)] += 1
        wrote = asked[0].side if len(asked) == 1 else None if asked else wrote
        orders = [
            answer[0] if answer is not None else order_of(rules, session, decision, rng, advised)
            for decision, answer in zip(session.open_decisions, found, strict=True)
        ]
        if course.played:
            if any(rules.ends(order) for order in orders):
                wrote = None
        else:
            post.plays += sum(decision.kind == course.play[0] for decision in session.open_decisions)
        session.answer(orders)
    if course.played:
        post.plays = sum(event.kind == course.played for event in session.table.events)
    post.turns = sum(event.kind == course.turn[0] for event in session.table.events)
    return post


def order_of(rules: Any, session: Session[Any], decision: Decision, rng: Random, advised: bool) -> Order:
    """Return what the player of a side orders."""
    view = rules.view(session.position, decision.side)
    order: Order = rules.bot_order(view, decision) if advised else rules.legal_orders(view, decision).pick(rng.random)
    return order
