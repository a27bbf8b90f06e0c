"""Targets of events, and the shape that most events share: a condition, a target, an effect (7.4).

Choices and checks are both derived from these, so that they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pbem.game import NONE, NOTHING, AllOf, OneOf, Part, Refusal, Share, Some, Table, Value, did_you_mean, some
from pbem.protocol import Fault, Flow, Order, Side
from pbem.rules.rome_carthage.events.playing import CardEvent
from pbem.rules.rome_carthage.orders import EventOrder
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.naming import no_such_general, no_such_space
from pbem.rules.rome_carthage.position.state import Game

Does: TypeAlias = Callable[[Game, Table, Side, EventOrder, StrategyCard], Flow[None] | None]
"""Carries out an event; one without decisions returns None."""
Condition: TypeAlias = Callable[[Game, Side, StrategyCard], Refusal | None]
"""Says why an event cannot take place now; None: it can."""
Among: TypeAlias = Callable[[Game, Side, StrategyCard], Sequence[str]]
"""Lists the candidates for a target."""
WhyNot: TypeAlias = Callable[[Game, Side, StrategyCard, str], Refusal | None]
"""Says why a candidate cannot be the target; None: it can."""

ALWAYS: Final = ("card", "as")
SPACE: Final = "space"
SPACES: Final = "spaces"
GENERAL: Final = "general"
PROVINCE: Final = "province"
CU: Final = "cu"
MOST_WORDS: Final = 12


def always(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    """Allow an event at any time: it has no condition."""
    return None


@dataclass(frozen=True, slots=True)
class Aim:
    """The target of an event: the word of the order that names it, and what it can name.

    Where it is `counted` the order may say by `cu` with how many units; without it they are all that the card has.
    """

    word: str
    among: Among
    why_not: WhyNot
    counted: bool = False

    def able(self, game: Game, side: Side, card: StrategyCard) -> list[str]:
        """List what the event can be aimed at."""
        return [id for id in self.among(game, side, card) if self.why_not(game, side, card, id) is None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Several(Aim):
    """An aim at several spaces at once; `split` puts them into groups of which one order takes one (card 24)."""

    fewest: Callable[[StrategyCard], int]
    split: Callable[[Game, list[str]], list[list[str]]]

    def groups(self, game: Game, side: Side, card: StrategyCard) -> list[list[str]]:
        """List the groups of spaces from which an order chooses."""
        return [group for group in self.split(game, self.able(game, side, card)) if group]

    def counts(self, card: StrategyCard, group: Sequence[str]) -> tuple[int, int]:
        """Return the fewest and the most spaces of a group that an order names; a small group may be named whole."""
        return min(self.fewest(card), len(group)), min(card.about["markers"], len(group))


def in_one(game: Game, spaces: list[str]) -> list[list[str]]:
    """Put all spaces into one group: any of them can be named together."""
    return [spaces]


@dataclass(frozen=True, slots=True)
class _Aimed:
    """What an event does, its condition, and what it is aimed at, if it is aimed at anything."""

    does: Does
    condition: Condition
    aim: Aim | None

    def play(self, game: Game, table: Table, side: Side, order: Order, card: StrategyCard) -> Flow[None]:
        table.tell("event_played", side=side, card=card.number, rule="7.4")
        flow = self.does(game, table, side, EventOrder.read(order), card)
        if flow is not None:
            yield from flow

    def why_not(self, game: Game, side: Side, card: StrategyCard) -> Refusal | None:
        """Say why it cannot take place now; None: it can (7.4)."""
        why, aim = self.condition(game, side, card), self.aim
        if why is None and aim is not None and not aim.able(game, side, card):
            return refusal(card, f"there is no {aim.word.removesuffix('s')} for it now")
        return why

    def choices(self, game: Game, side: Side, card: StrategyCard) -> Part:
        aim = self.aim
        if self.condition(game, side, card) is not None:
            return NONE
        if aim is None:
            return NOTHING
        of = SPACE if aim.word == SPACES else aim.word
        if isinstance(aim, Several):
            groups = []
            for group in aim.groups(game, side, card):
                least, most = aim.counts(card, group)
                spaces = Some(SPACES, [Value(space, at=space) for space in group], least, most, of=of)
                groups.append(Value("", spaces))
            return OneOf(None, groups, inferred=True) if len(groups) != 1 else groups[0].then
        target = OneOf(
            aim.word, [Value(each, at=_place_of(game, of, each)) for each in aim.able(game, side, card)], of=of
        )
        most = card.about["cu"] if aim.counted else 0
        return AllOf(target, Share((CU, None), most, 0, range(1, most + 1), most)) if aim.counted else target

    def check(self, game: Game, side: Side, order: Order, card: StrategyCard) -> Iterator[Fault]:
        aim = self.aim
        yield from stray_words(order, card, () if aim is None else (aim.word, CU) if aim.counted else (aim.word,))
        why = self.why_not(game, side, card)
        if why is not None:
            reason = f"{card.name} ({card.number}): {why.reason}; play it for operations or lay it off"
            yield order.fault(("as",), reason, rule=why.rule)
        elif aim is not None:
            yield from _check_aim(aim, game, side, order, card)

    def needs(self, game: Game, side: Side, card: StrategyCard) -> str | None:
        aim = self.aim
        if self.why_not(game, side, card) is not None:
            return None
        if aim is None:
            return ""
        if not isinstance(aim, Several):
            return f"{aim.word}: {some(aim.able(game, side, card), MOST_WORDS)}"
        texts = []
        for group in aim.groups(game, side, card):
            least, most = aim.counts(card, group)
            many = f"{least}" if least == most else f"{least} to {most}"
            texts.append(f"{many} of {some(group, MOST_WORDS)}")
        return f"spaces: {'; or '.join(texts)}"


def _place_of(game: Game, of: str, target: str) -> str:
    """Return where on the map a target is; empty: nowhere, or in a whole province."""
    return target if of == SPACE else (game.whereabouts(target)[0] if of == GENERAL and game.where(target) else "")


def event(does: Does, condition: Condition = always, aim: Aim | None = None) -> CardEvent:
    """Return the event that does something to what it is aimed at, if its condition is met."""
    aimed = _Aimed(does, condition, aim)
    return CardEvent(aimed.play, aimed.choices, aimed.check, aimed.needs)


def whichever(of: Callable[[Game, StrategyCard], CardEvent]) -> CardEvent:
    """Return an event that is one of several, depending on the edition or the card."""
    return CardEvent(
        play=lambda game, table, side, order, card: of(game, card).play(game, table, side, order, card),
        choices=lambda game, side, card: of(game, card).choices(game, side, card),
        check=lambda game, side, order, card: of(game, card).check(game, side, order, card),
        needs=lambda game, side, card: of(game, card).needs(game, side, card),
    )


def rule_of(card: StrategyCard) -> str:
    """Return the rule that a card is itself."""
    return f"card {card.number}"


def refusal(card: StrategyCard, reason: str) -> Refusal:
    """Return why an event cannot be played, with the card itself for the rule."""
    return Refusal(reason, rule_of(card))


def stray_words(order: Order, card: StrategyCard, used: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each word of an order that its event has no use for (7.4)."""
    for word in order.body:
        if word not in ALWAYS and word not in used:
            needs = f"; it takes {', '.join(used)}" if used else ""
            reason = f"the event of {card.name} ({card.number}) has no use for {word}{needs}"
            yield order.fault((word,), reason, rule=rule_of(card))


def _check_aim(aim: Aim, game: Game, side: Side, order: Order, card: StrategyCard) -> Iterator[Fault]:
    if aim.word not in order.body:
        able = some(aim.able(game, side, card), MOST_WORDS)
        yield order.fault(("as",), f"add {aim.word}: {able}", rule=rule_of(card))
    elif isinstance(aim, Several):
        yield from _check_several(aim, game, side, order, card)
    else:
        if (why := why_not_at(aim, game, side, card, order[aim.word])) is not None:
            yield why.at((aim.word,))
        if aim.counted and not 1 <= order.get(CU, 1) <= (most := card.about["cu"]):
            yield order.fault((CU,), f"the event brings 1 to {most} CU, not {order[CU]}", rule=rule_of(card))


def why_not_at(aim: Aim, game: Game, side: Side, card: StrategyCard, target: str) -> Refusal | None:
    """Say why an event cannot be aimed at a name, which may not exist; None: it can (7.4)."""
    board = game.board
    if aim.word == GENERAL and target not in board.generals:
        return refusal(card, no_such_general(game, target))
    if aim.word == PROVINCE and target not in board.provinces:
        return refusal(card, f"no province is called {target}" + did_you_mean(target, board.provinces))
    if aim.word in (SPACE, SPACES) and target not in board.spaces:
        return refusal(card, no_such_space(game, target))
    why = aim.why_not(game, side, card, target)
    if why is None and target not in aim.among(game, side, card):
        able = some(aim.able(game, side, card), MOST_WORDS)
        return refusal(card, f"{target} is out of reach of {card.name}; it can be: {able}")
    return why


def _check_several(aim: Several, game: Game, side: Side, order: Order, card: StrategyCard) -> Iterator[Fault]:
    spaces: list[str] = order[SPACES]
    wrong = False
    for at, space in enumerate(spaces):
        why = why_not_at(aim, game, side, card, space)
        if why is None and space in spaces[:at]:
            why = refusal(card, f"{game.board.spaces[space].name} is named twice")
        if why is not None:
            wrong = True
            yield why.at((SPACES, at))
    if wrong:
        return
    groups = aim.groups(game, side, card)
    here = next((group for group in groups if not spaces or spaces[0] in group), groups[0])
    if any(space not in here for space in spaces):
        reason = f"the spaces must lie in one province: {some(here, MOST_WORDS)}"
        yield order.fault((SPACES,), reason, rule=rule_of(card))
        return
    least, most = aim.counts(card, here)
    if not least <= len(spaces) <= most:
        many = f"{least}" if least == most else f"{least} to {most}"
        reason = f"the event takes {many} space{'' if most == 1 else 's'}; you name {len(spaces)}"
        yield order.fault((SPACES,), reason, rule=rule_of(card))
