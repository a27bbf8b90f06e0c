"""The forum post of a game: what happened, the dice, what is asked, the map, how things stand, how to check it all.

It is made of the events and the sections that a report is made of, as blocks that each format writes in its own way:
BBCode, Markdown or HTML. What is long is folded away. Whatever a text says, it stays text: a name, a phrase or an order
that a player wrote can open no tag, close no box, end no fence, name no member and make no link. Each format has one
function through which every text goes, and one for what stands in a code box.
"""

from __future__ import annotations

import html
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pbem.game.board.summary import Line, Section
from pbem.game.boxes.box import Box
from pbem.game.boxes.printed import foot
from pbem.game.contract import Rules
from pbem.game.wording import listing
from pbem.protocol import S, Side
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.form import decision_title
from pbem.render.text.messages import ReportLine, Sentences
from pbem.render.text.report import form_for_reader, unanswered

_MOST_OPEN: Final = 14
"""So many lines of what happened stand open; what came before them is folded away."""
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)
"""Control characters, marks without a width, half characters, and what turns the direction of the text behind it."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `level` is 1 for the whole post."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph; its first words may stand out."""

    text: str
    strong: str = ""


@dataclass(frozen=True, slots=True)
class BulletList:
    """A list whose items stand so deep below each other."""

    items: Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Rows:
    """The lines of a summary: labels with columns, or prose."""

    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Code:
    """A text that is copied as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class PostedPicture:
    """A picture: where it can be seen, or else the name of the file that goes with the post."""

    what: str
    link: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that are shown when somebody asks for them."""

    title: str
    blocks: Sequence[Block]


Block: TypeAlias = Heading | Prose | BulletList | Rows | Code | PostedPicture | Fold
_APART: Final = "\u2060"
"""A word joiner: nobody sees it, and the intake of orders takes it out."""
_MENTION: Final = re.compile(r"@(?=\w)")
_LINKED: Final = re.compile(r"(?<=:)/(?=/)|(?<=www)\.|(?<=mailto):", re.IGNORECASE)
"""What a program makes a link of."""
_SMILEY: Final = re.compile(r"(?<=:)(?=[\w+-]+:)")
_DANGLING: Final = re.compile(r"\s+")


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


# ---- The formats: each writes the same blocks


def visible(text: str) -> str:
    r"""Return a text without what nobody sees.

    >>> visible("Han\u200bno\u202e")
    'Hanno'
    """
    return _UNSEEN.sub("", text)


class Format(ABC):
    """A way to write blocks."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Return a text so that it is read as nothing else."""

    @abstractmethod
    def written(self, block: Block) -> str:
        """Return a block, without the blank line after it."""

    def post(self, blocks: Sequence[Block]) -> str:
        """Return blocks as a post."""
        return "\n\n".join(filter(None, map(self.written, blocks))) + "\n"


class BBCode(Format):
    """BBCode, as phpBB and its like read it."""

    def text(self, text: str) -> str:
        """Return a text so that it is read as nothing else.

        >>> BBCode().text("[b]loud[/b]").replace("\u2060", "|")
        '[|b]loud[|/b]'
        """
        return _unlinked(text).replace("[", f"[{_APART}")

    def written(self, block: Block) -> str:
        match block:
            case Heading(text, level):
                return f"[size={150 if level == 1 else 120}][b]{self.text(text)}[/b][/size]"
            case Prose(text, strong):
                return _joined_blocks(f"[b]{self.text(strong)}[/b]" if strong else "", self.text(text))
            case BulletList(items):
                return self._list(items)
            case Rows(lines):
                return self._list([*_summary_items(lines)])
            case Code(text):
                return f"[code]\n{_visible_lines(text).replace('[/', f'[{_APART}/')}\n[/code]"
            case PostedPicture(what, link, file):
                return f"[img]{link}[/img]" if link else self.text(f"{what} is attached: {file}") if file else ""
            case Fold(title, blocks):
                inside = "\n\n".join(filter(None, map(self.written, blocks)))
                name = self.text(title).replace("]", f"{_APART})").replace('"', "'").replace("[", "(")
                return f"[spoiler={name}]\n{inside}\n[/spoiler]"

    def _list(self, items: Sequence[tuple[int, str]]) -> str:
        lines = list[str]()
        for opens, closes, text in _nested(items):
            lines += ["[/list]"] * closes
            lines += ["[list]"] * opens
            lines += [f"[*]{self.text(text)}"] if text is not None else []
        return "\n".join(lines)


class Markdown(Format):
    """Markdown, as Discourse and its like read it: CommonMark with `<details>`."""

    def text(self, text: str) -> str:
        r"""Return a text so that it is read as nothing else.

        >>> Markdown().text("# <b>`[x](y)`")
        '\\# &lt;b&gt;\\`\\[x\\](y)\\`'
        """
        plain = re.sub(r"[\\`*_\[\]~|$^]", r"\\\g<0>", _unlinked(text).replace("&", "&amp;"))
        plain = plain.replace("<", "&lt;").replace(">", "&gt;")
        plain = re.sub(r"^(\d{1,9})([.)])", r"\1\\\2", plain)
        return re.sub(r"^[#+=-]", r"\\\g<0>", plain)

    def written(self, block: Block) -> str:
        match block:
            case Heading(text, level):
                return f"{'#' * (level + 1)} {self.text(text)}"
            case Prose(text, strong):
                return _joined_blocks(f"**{self.text(strong)}**" if strong else "", self.text(text))
            case BulletList(items):
                return self._list(items)
            case Rows(lines):
                return self._list([*_summary_items(lines)])
            case Code(text):
                clean = _visible_lines(text)
                fence = "`" * max(3, 1 + max(map(len, re.findall("`+", clean)), default=0))
                return f"{fence}text\n{clean}\n{fence}"
            case PostedPicture(what, link, file):
                return (
                    f"![{self.text(what)}]({link})"
                    if link
                    else self.text(f"{what} is attached: {file}")
                    if file
                    else ""
                )
            case Fold(title, blocks):
                inside = "\n\n".join(filter(None, map(self.written, blocks)))
                return f"<details>\n<summary>{html.escape(_unlinked(title))}</summary>\n\n{inside}\n\n</details>"

    def _list(self, items: Sequence[tuple[int, str]]) -> str:
        return "\n".join(f"{'  ' * depth}- {self.text(text)}" for depth, text in _one_deeper_at_most(items))


class Html(Format):
    """HTML to paste into any page, in plain ASCII."""

    def text(self, text: str) -> str:
        """Return a text so that it is read as nothing else.

        >>> Html().text('<b title="x">é')
        '&lt;b title=&quot;x&quot;&gt;&#233;'
        """
        return _ascii(html.escape(_visible_line(text)))

    def post(self, blocks: Sequence[Block]) -> str:
        return f"<article>\n{super().post(blocks).replace(_BREAK * 2, _BREAK)}</article>\n"

    def written(self, block: Block) -> str:
        match block:
            case Heading(text, level):
                return f"<h{level + 1}>{self.text(text)}</h{level + 1}>"
            case Prose(text, strong):
                head = f"<strong>{self.text(strong)}</strong>" if strong else ""
                return f"<p>{_joined_blocks(head, self.text(text))}</p>"
            case BulletList(items):
                return self._list(items)
            case Rows(lines):
                return f"<table>\n{_BREAK.join(self._rows(lines))}\n</table>" if lines else ""
            case Code(text):
                return f"<pre><code>{_ascii(html.escape(_visible_lines(text))).replace(_BREAK, '&#10;')}</code></pre>"
            case PostedPicture(what, link, file):
                source = self.text(link or file)
                return f'<p><img src="{source}" alt="{self.text(what)}"></p>' if source else ""
            case Fold(title, blocks):
                inside = _BREAK.join(filter(None, map(self.written, blocks)))
                return f"<details>\n<summary>{self.text(title)}</summary>\n{inside}\n</details>"

    def _list(self, items: Sequence[tuple[int, str]]) -> str:
        lines = list[str]()
        for opens, closes, text in _nested(items):
            lines += ["</li></ul>"] * closes
            lines += ["<ul>"] * opens
            if text is not None:
                lines += [f"{'' if opens else '</li>'}<li>{self.text(text)}"]
        return "\n".join(lines)

    def _rows(self, lines: Sequence[Line]) -> Iterator[str]:
        columns = max((len(line.cells) for line in lines), default=0)
        for line in lines:
            label = "&#160;&#160;" * line.depth + self.text(line.label)
            if line.cells:
                cells = "".join(f"<td>{self.text(cell)}</td>" for cell in line.cells)
                yield f"<tr><th>{label}</th>{cells}</tr>"
            else:
                yield f'<tr><td colspan="{columns + 1}">{label}</td></tr>'


FORMATS: Final[Mapping[str, Format]] = {"bbcode": BBCode(), "markdown": Markdown(), "html": Html()}
ENDINGS: Final[Mapping[str, str]] = {"bbcode": "txt", "markdown": "md", "html": "html"}
"""How the file of a post in each format ends."""
_BREAK: Final = "\n"


def _visible_line(text: str) -> str:
    """Return a text on one line, without what nobody sees."""
    return _DANGLING.sub(" ", visible(text)).strip()


def _unlinked(text: str) -> str:
    """Return a text on one line in which nothing becomes a mention, a link or a picture."""
    text = _MENTION.sub(f"@{_APART}", _visible_line(text))
    return _SMILEY.sub(_APART, _LINKED.sub(lambda found: f"{_APART}{found[0]}", text))


def _visible_lines(text: str) -> str:
    """Return lines as they stand, without what nobody sees."""
    return "\n".join(visible(line).rstrip() for line in text.strip("\n").split("\n"))


def _ascii(text: str) -> str:
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _joined_blocks(strong: str, text: str) -> str:
    return " ".join(filter(None, [strong, text]))


def _one_deeper_at_most(items: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield items, each at most one deeper than the one before it."""
    stack = list[int]()
    for depth, text in items:
        while stack and stack[-1] >= depth:
            stack.pop()
        stack.append(depth)
        yield len(stack) - 1, text


def _nested(items: Sequence[tuple[int, str]]) -> Iterator[tuple[int, int, str | None]]:
    """Yield items, each with how many lists begin and how many end before it; at the end all that are open."""
    level = -1
    for depth, text in _one_deeper_at_most(items):
        yield max(0, depth - level), max(0, level - depth), text
        level = depth
    yield 0, level + 1, None


def _summary_items(lines: Sequence[Line]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a summary as items, with the words at the head of their columns."""
    columns: Sequence[str] = ()
    for line in lines:
        if not line.label:
            columns = line.cells
            continue
        named = [f"{head} {cell}" if head else cell for head, cell in zip(columns, line.cells, strict=False) if cell]
        cells = named or list(filter(None, line.cells))
        yield line.depth, f"{line.label}: {', '.join(cells)}" if cells else line.label
