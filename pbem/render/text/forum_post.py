"""The forum post of a game: what happened, the dice, what is asked, the map, how things stand, how to check it all.

It is made of the events and the sections that a report is made of, as blocks that each format writes in its own way
(`pbem.render.text.forum_formats`). What is long is folded away.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.game.board.summary import Section
from pbem.game.boxes.box import Box
from pbem.game.boxes.printed import foot
from pbem.game.contract import Rules
from pbem.game.wording import listing
from pbem.protocol import S, Side
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.form import decision_title
from pbem.render.text.forum_formats import Block, BulletList, Code, Fold, Heading, PostedPicture, Prose, Rows
from pbem.render.text.messages import ReportLine, Sentences
from pbem.render.text.report import form_for_reader, unanswered

_MOST_OPEN: Final = 14
"""So many lines of what happened stand open; what came before them is folded away."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a post says beside its report: the players, the commit, the map."""

    players: Mapping[Side, str]
    commit: str
    map_link: str = ""
    map_file: str = ""


def forum_post(rules: Rules[S], box: Box, request: ReportRequest[S], around: Around) -> list[Block]:
    """Return the post of a report: for all to read if its reader is an observer, else a message to one side."""
    contents = Contents(rules, box, request)
    say, stands = contents.say, contents.stands
    reader = "" if request.side is None else f" to {say.name(request.side)}"
    blocks: list[Block] = [
        Heading(f"{request.game}, report {request.adjudication}{reader}", 1),
        Prose(". ".join(filter(None, [stands.headline.rstrip("."), box.title])) + "."),
        *_happened_sections(contents.said),
        PostedPicture("The map", around.map_link, around.map_file),
    ]
    if request.result is not None:
        blocks.append(Prose(say.result(request.result), "The game is over."))
    elif request.side is None:
        blocks += _asked_of_all(say, box, request, around)
    else:
        blocks += _asked_sections(contents, {each.title for each in stands.hand})
    blocks += [Prose(each) for each in (*request.rulings, request.time) if each]
    if request.side is not None and stands.hand:
        blocks.append(Fold("What you hold", [*_hand_sections(stands.hand)]))
    if stands.sections:
        blocks.append(Fold("Where things stand", [*_hand_sections(stands.sections)]))
    blocks += [Prose(each) for each in foot(rules, box)]
    return [*blocks, *_footer(request, around)]


def _happened_sections(said: Sequence[ReportLine]) -> Iterator[Block]:
    """Yield what happened: the last of it open, what came before it and the dice folded away."""
    told = [each for each in said if not each.tag]
    first = max(0, len(told) - _MOST_OPEN)
    first = next((at for at in range(first, len(told)) if told[at].depth == 0), first) if first else 0
    yield Heading("What happened")
    if first:
        yield Fold(
            f"What happened before ({first} lines)", [BulletList([(each.depth, each.text) for each in told[:first]])]
        )
    if told:
        yield BulletList([(each.depth, each.text) for each in told[first:]])
    else:
        yield Prose("Nothing new.")
    if dice := [(0, f"{each.text} {each.tag}") for each in said if each.tag]:
        yield Fold("1 roll" if len(dice) == 1 else f"{len(dice)} rolls", [BulletList(dice)])


def _asked_of_all(say: Sentences, box: Box, request: ReportRequest[S], around: Around) -> Iterator[Block]:
    """Yield what each side is asked, as far as everybody may know it, and how to answer in the forum.

    Turn files tell the side and the kind of what the game waits for, and no more.
    """
    asked: dict[Side, list[str]] = {}
    for each in [each for each in request.waiting if each.waits] or request.waiting:
        asked.setdefault(each.side, []).append(each.kind)
    yield Heading("What is asked")
    if not asked:
        yield Prose("Nothing is asked of anybody now.")
        return
    titles = {side: " ".join(dict.fromkeys(box.forms[kind].title for kind in kinds)) for side, kinds in asked.items()}
    yield BulletList([(0, f"{_named_sides(say, side, around)}: {text}") for side, text in titles.items()])
    side, kinds = next(iter(asked.items()))
    heading = [f"game: {request.game}", f"side: {side}", f"adjudication: {request.adjudication}", "orders:"]
    others = (
        f" ({listing([each for each in asked if each != side], 'or')} in place of {side})" if len(asked) > 1 else ""
    )
    yield Fold(
        "How to answer",
        [
            Prose(f"Answer with a sheet in a code box{others}:"),
            Code("\n".join([*heading, f"- {kinds[0]}: {{...}}"])),
            Prose("Orders that nobody else may see yet are sealed first. Paste the block that this command prints:"),
            Code(f"pbem seal-orders position.json orders.yaml\npbem seal-orders CLONE orders.yaml --side {side}"),
        ],
    )


def _named_sides(say: Sentences, side: Side, around: Around) -> str:
    player = around.players.get(side, "")
    return f"{say.name(side)} ({player})" if player else say.name(side)


def _asked_sections(contents: Contents[S], hand: Collection[str]) -> Iterator[Block]:
    """Yield what the reader is asked, with the form to fill in; the sections of their `hand` stand below it anyway."""
    box, request, say = contents.box, contents.request, contents.say
    yield Heading("What you are asked")
    if not request.own:
        others = [say.name(side) for side in dict.fromkeys(request.others) if side != request.side]
        waits = f"; the game waits for {listing(others)}" if others else ""
        yield Prose(f"Nothing is asked of you now{waits}.")
        return
    for decision in request.own:
        yield Prose(say.question(decision), f"{decision_title(box, decision)}.")
    yield from (Prose(line) for line in unanswered(box, request))
    if (sheet := form_for_reader(contents)) is not None:
        yield Fold("The form: copy it, and take a # off", [Code(sheet)])
    about = [each for each in contents.about if each.title not in hand]
    if about := list(dict.fromkeys(about)):
        yield Fold("What it is about", [*_hand_sections(about)])


def _hand_sections(sections: Sequence[Section]) -> Iterator[Block]:
    for section in sections:
        yield Heading(section.title, 3)
        yield Rows(section.lines)


def _footer(request: ReportRequest[S], around: Around) -> Iterator[Block]:
    """Yield the commit that the post tells of, and how to check it."""
    yield Prose(
        f"This post tells of commit {around.commit[:12]} of the game {request.game}. Nobody has to take its word: "
        f"in a clone of its repo, in the folder {request.game}, you check every die, digest and signature yourself."
    )
    yield Code(f"git -C {request.game} log -1 {around.commit}\npbem verify {request.game}")
