"""The script of the sample game *allia*: five players, one turn of The Sword of Rome, and a draw.

The players' words and the orders of the story are written here; the bots order everything else. Each part of the story
is a wish: it is ordered whenever it is legal, until it has come true. So the script still tells its story when cards,
numbers or bots change. Where luck is against it, the game is dealt anew from another seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pbem.protocol import Decision, Order, Side
from pbem.referee.acts import consents, talk
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import happened
from pbem.repo.files.layout import turn_path
from pbem.rules.sword_of_rome.battle.odds import Army, automatic_winner
from pbem.rules.sword_of_rome.events.card_play import playable
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX, WALLED
from pbem.rules.sword_of_rome.position.state import Game
from tests.support.live import sheet

PLAYERS: Final = {
    "gauls": "Bot of the Gauls",
    "etruscans_samnites": "Bot of the Etruscans and Samnites",
    "greeks": "Bot of the Greeks",
    "carthage": "Bot of Carthage",
    "romans": "Bot of Rome",
}
ALL: Final = tuple(PLAYERS)
STANDING: Final[Mapping[Side, str]] = {
    "gauls": "- desperate_times: {announce: true}\n  when: {round: 3, next: romans}\n",
    "greeks": "- desperate_times: {announce: false, contest: [gauls]}\n  when: {round: 3}\n",
}
"""Standing orders before those of the game: the Gauls announce a Desperate Times, and the Greeks contest it (7.4.2)."""
TALK: Final[Mapping[tuple[int, Side], tuple[tuple[Side, tuple[Side, ...], str], ...]]] = {
    (1, "romans"): (
        (
            "romans",
            ("etruscans_samnites",),
            "Your cities and mine have one enemy, and he lives beyond the Apennines.\n"
            "I propose an alliance as soon as I am active. Will you accept?",
        ),
        ("etruscans_samnites", ("romans",), "We will. But our silver buys no legion that stands south of Capua."),
        ("greeks", ("gauls", "carthage"), "Rome and Clusium whisper. Let us not be the last to notice."),
    ),
    (2, "carthage"): (
        ("gauls", ("carthage",), "Your mercenaries have not been paid, we hear. Our best wishes to their captains."),
    ),
    (3, "romans"): (
        (
            "carthage",
            ALL,
            "To everybody: whoever lands in Sicily this year will not sail home again.",
        ),
    ),
}
"""What is said before the first action of a side in a round: by whom, to whom."""
SHOWN: Final = ("carthage", ("romans",))
"""Who shows the first card of their hand to whom, before the first action of the game."""
DRAW: Final = "one turn was to be shown, and all of it was: we leave the war to others"


ALLIANCE: Final = "alliance of the Romans and the Etruscans"
CONTEST: Final = "desperate_kept"
"""Where two announce a Desperate Times, one keeps theirs (7.4.2)."""
FLANK: Final = "battle with a flank"
UNREST: Final = "unrest_attacked"
WANTED: Final = frozenset({ALLIANCE, CONTEST, FLANK, UNREST, "scored"})
"""The parts of the story."""


class Unlucky(Exception):
    """The story did not come true with this seed."""


def play(game: Adjudicator) -> None:
    """Play the game from its first question to its end. Raises Unlucky."""
    Story(game).play()


class Story:
    """One game of the script under way."""

    def __init__(self, game: Adjudicator) -> None:
        self.game, self.rules = game, game.rules
        self.told: set[str] = set()
        """The parts of the story that have come true, and the kinds of all other events."""
        self.seen = 0
        self.said: set[tuple[int, Side]] = set()

    def play(self) -> None:
        """Play the game from its first question to its end. Raises Unlucky."""
        for side in sorted(self.rules.sides):  # as the turn file lists them
            head = sheet(self.game, side).replace(b"orders:\n", f"standing:\n{STANDING.get(side, '')}".encode())
            self._hand_in(side, head + b"- default\n")
        self.game.adjudicate()
        while self._view(None).turn == 1:
            if self.game.result is not None:
                raise Unlucky("the game is over before the turn is")
            self._talk()
            side = self.game.open_decisions[0].side
            asked = [each for each in self.game.open_decisions if each.side == side]
            self._hand_in(side, sheet(self.game, side, *[self._order(each) for each in asked]))
            self.game.adjudicate()
            self._listen()
        if missing := WANTED - self.told:
            raise Unlucky(f"the turn is over without {', '.join(sorted(missing))}")
        proposed = consents.propose(self.game, "greeks", Proposal("draw"), DRAW)
        for side in proposed.needed:
            if self.game.result is None and side != "greeks":
                consents.consent(self.game, side, proposed.request)

    def _view(self, side: Side | None) -> Game:
        found: Game = self.game.view(side)
        return found

    def _hand_in(self, side: Side, raw: bytes) -> None:
        receipt = self.game.receive(side, raw)
        assert receipt.number is not None, str(receipt)

    def _listen(self) -> None:
        """Note what has happened."""
        for number in range(self.seen + 1, self.game.adjudication + 1):
            for event in self.game.ledger.public_turn(number).get("events", ()):
                self.told.add(part_of_story(event))
        self.seen = self.game.adjudication

    def _talk(self) -> None:
        """Let the players say what they say now."""
        asked = self.game.open_decisions[0]
        at = (self._view(None).round, asked.side)
        if asked.kind != "act" or at in self.said:
            return
        if not self.said:
            shows, sees = SHOWN
            talk.show_to(self.game, shows, sees, self._view(shows).hands[shows][0], self._letter("show"))
        self.said.add(at)
        for number, (by, to, words) in enumerate(TALK.get(at, ())):
            others = [side for side in to if side != by]
            talk.speak(self.game, by, others, words, self._letter(f"{at} {number}"))

    def _letter(self, name: str) -> str:
        """Return the digest of a letter with talk."""
        return self.game.ledger.talk_digest(f"{self.game.name} {name}")

    def _order(self, decision: Decision) -> Order:
        """Return the first wish for a decision that is legal, else what the bot orders."""
        view = self._view(decision.side)
        for order in self._wishes(view, decision):
            if not list(self.rules.check(view, decision, order)):
                return order
        order = self.rules.bot_order(view, decision)
        if _takes_off(view, order) and UNREST not in self.told:
            return Order("act", {"do": "end"})
        return order

    def _wishes(self, view: Game, decision: Decision) -> Iterator[Order]:
        """Yield what a side would order to make the story come true."""
        kind, side = decision.kind, decision.side
        if kind == "act" and not view.the_activation.desperate:
            yield from self._acts(view, side)
        elif kind == "alliance" and {decision.facts["power"], decision.facts["to"]} == {"romans", "etruscans"}:
            yield Order("alliance", {"accept": True})
        elif kind == "march" and view.the_march.power == CARTHAGE and UNREST not in self.told and view.unrest:
            yield from _voyages(view)
        elif kind == "march" and view.the_march.force.empty and FLANK not in self.told and _campaigns(view):
            yield from (
                Order("march", {"path": [{"to": to} for to in path], "then": "stop"})
                for leader, path in flanked(view, side)
                if leader == view.the_march.leader
            )

    def _acts(self, view: Game, side: Side) -> Iterator[Order]:
        if side == "romans" and ALLIANCE not in self.told:
            yield Order("act", {"do": "propose", "to": "etruscans"})
        cards = playable(view, side)
        if side == CARTHAGE and UNREST not in self.told:
            if view.unrest >= min(2, view.round):
                for leader in view.board.leaders:
                    yield from (Order("act", {"do": "attack_unrest", "card": card, "leader": leader}) for card in cards)
                    if view.board.leaders[leader].power == CARTHAGE and view.where(leader) != GARRISON_BOX:
                        yield from (Order("act", {"do": "activate", "card": card, "leader": leader}) for card in cards)
        elif UNREST not in self.told and view.unrest < 3:
            yield from (Order("act", {"do": "nonplayer", "card": card, "then": "unrest"}) for card in view.hands[side])
        if FLANK not in self.told:
            for leader, _ in flanked(view, side):
                yield from (Order("act", {"do": "campaign", "card": card, "leader": leader}) for card in cards)


def part_of_story(event: Mapping[str, Any]) -> str:
    """Return which part of the story an event of a turn file is, or its kind."""
    kind: str = event["kind"]
    if kind == "battle_begins" and event.get("flank"):
        return FLANK
    if kind == "allied" and {event["power"], event["ally"]} == {"romans", "etruscans"}:
        return ALLIANCE
    return kind


def _takes_off(view: Game, order: Order) -> bool:
    """Tell whether an order takes an army of Carthage away that is to attack the unrest."""
    leader = order.get("leader")
    return leader in view.board.leaders and view.where(leader) == "carthago" and order.get("do") != "attack_unrest"


def _campaigns(view: Game) -> bool:
    return view.card is not None and view.card.use == "campaign"


def _voyages(view: Game) -> Iterator[Order]:
    """Yield the ways into the Garrison box and against the unrest, those with dice to throw first (S 20.3)."""
    march, board = view.the_march, view.board
    there, tactics = view.force(march.power, march.at), board.leaders[march.leader].tactics
    most = range(min(there.cu, board.tables["movement"]["cu"]), 0, -1)
    rolled = [cu for cu in most if automatic_winner(board, Army(cu, tactics), Army(view.unrest)) is None]
    for cu in [*rolled, *most]:
        body = {"cu": cu, "path": [{"to": GARRISON_BOX, "by": "sea"}], "then": "attack_unrest", "against": cu}
        yield Order("march", body)


def flanked(view: Game, side: Side) -> list[tuple[str, list[str]]]:
    """Return who could begin a Campaign with a battle to whose flank another can come, and his path to it.

    Those come first whose enemy is strongest and who are stronger, but not by so much that nobody fights.
    """
    found: list[tuple[float, str, list[str]]] = []
    for power in view.board.powers_of[side]:
        armies = {leader: space for space, force in view.everywhere(power) for leader in force.leaders if force.cu}
        for leader, start in armies.items():
            own = view.force(power, start).cu
            others = [at for other, at in armies.items() if other != leader and at != start]
            for path in _paths(view, power, start):
                enemy = _outside(view, power, path[-1])
                came_from = [start, *path][-2]
                if (
                    not enemy
                    or own >= 4 * enemy
                    or not any(_flanks(view, power, at, path[-1], came_from) for at in others)
                ):
                    continue
                found.append((enemy - 2.0 * max(0, enemy - own) - 0.1 * len(path), leader, path))
    return [(leader, path) for _, leader, path in sorted(found, key=lambda each: -each[0])]


def _outside(view: Game, power: str, space: str) -> int:
    """Return the enemy CU that would fight in a space, once those are inside the city who can be (9.3.1)."""
    cu = 0
    for enemy in view.enemies_in(power, space):
        goes_in = view.kind(space) == WALLED and view.control.get(space) == enemy
        cu += view.outside(enemy, space) - (view.board.tables["city"]["cu"] if goes_in else 0)
    return max(0, cu)


def _paths(view: Game, power: str, start: str, points: int = 4) -> Iterator[list[str]]:
    """Yield the ways by land to spaces with enemies, past no enemy, within movement points."""
    costs = view.board.tables["movement"]["cost"]
    rim: list[tuple[int, list[str]]] = [(0, [start])]
    seen = {start}
    while rim:
        rim.sort(key=lambda each: each[0])
        spent, trail = rim.pop(0)
        for to in view.board.neighbours[trail[-1]]:
            kind = view.board.path(power, trail[-1], to)
            cost = spent + costs[kind] if kind is not None else points + 1
            if cost > points or to in seen:
                continue
            seen.add(to)
            if view.enemies_in(power, to):
                yield [*trail[1:], to]
            else:
                rim.append((cost, [*trail, to]))


def _flanks(view: Game, power: str, start: str, battle: str, came_from: str) -> bool:
    """Tell whether an army can come to the flank of a battle by another path than the first one (9.5.6)."""
    costs = view.board.tables["movement"]["cost"]
    far, rim = {start: 0}, [start]
    while rim:
        here = rim.pop()
        for to in view.board.neighbours[here]:
            kind = view.board.path(power, here, to)
            if kind is None or view.enemies_in(power, to) or to == battle:
                continue
            spent = far[here] + costs[kind]
            if spent <= 4 and spent < far.get(to, 99):
                far[to] = spent
                rim.append(to)
    free = [at for at in far if at == start or not any(view.cu(other, at) for other in view.board.powers)]
    return any(battle in view.board.neighbours[at] and at != came_from for at in free)


# ---- what to look at

PARTS: Final = {
    ALLIANCE: "An alliance (15.1)",
    FLANK: "A battle with a flank (9.5.6)",
    UNREST: "An attack on the unrest (S 20.3)",
    CONTEST: "A contest about a Desperate Times (7.4.2)",
    "scored": "The scoring (5.8)",
}

BEGINS: Final = {ALLIANCE: frozenset({"proposed"}), **dict.fromkeys((FLANK, UNREST), frozenset({"card_played"}))}
"""The kinds of events with which a part begins, if it took several adjudications."""


def readme(game: Adjudicator) -> str:
    """Write what happens in the game and what to look at; the tests make it again and compare."""
    told = game.told(None, 0)
    events = {n: game.ledger.public_turn(n).get("events", ()) for n in range(1, game.adjudication + 1)}
    numbers: dict[str, int] = {}
    for number in events:
        for event in events[number]:
            numbers.setdefault(part_of_story(event), number)
    lines = [HEAD.strip(), ""]
    for part in sorted(PARTS, key=lambda each: numbers[each]):
        number = numbers[part]
        begins = next(n for n in range(number, 0, -1) if _kinds(events[n]) & BEGINS.get(part, frozenset({part})))
        lines += [f"## {PARTS[part]}", "", f"In [adjudication {number}]({turn_path(number)}):", "", "```"]
        lines += [
            line
            for n in range(begins, number + 1)
            for line in happened(game.box, [each for each in told if each.adjudication == n])
        ]
        lines += ["```", ""]
    return "\n".join([*lines, TAIL.strip(), ""])


def _kinds(events: Iterable[Mapping[str, Any]]) -> set[str]:
    return {event["kind"] for event in events}


HEAD: Final = """
# allia: five players, one turn, and a draw

A sample game of *The Sword of Rome*, edition `five`, as `pbem reveal --open` writes a finished game: every turn file
with its dice, the sealed record beside it (`.whole.yaml`), every sheet and every standing order, and what the players
said to each other. Bots order whatever the story leaves open. After the turn the five agree to a draw.

This page is made with the game. It quotes what observers were told.

## Table talk

[press](press) has what was said and shown, by whom and to whom, each with the number of the adjudication after which it
was said (`after`). While the game ran, nobody but those it was said to could read it. It is opened because the charter
says so ([game.yaml](game.yaml), `press_opened`).

## Orders in advance

[standing/gauls](standing/gauls) and [standing/greeks](standing/greeks) hold what decides the contest below: the Gauls
announce a Desperate Times in round 3, before the Romans are active, and the Greeks announce theirs if the Gauls do.
"""
TAIL: Final = """
## The end

[report.txt](report.txt) is the last report to observers, with all that happened. ![The map at the end](map.png)

## Check it

`python3 pbem/verify_one.py games/allia` checks every die with nothing but Python. `python -m tests.support.samples
allia` makes the game anew, and the tests play its sheets again and compare every file.
"""
