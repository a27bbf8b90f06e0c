"""The letters that are sent, put together from templates, the report, the map and the form; and who may send one.

The post asks (`pbem.post.who.who`). The answer is given while the game is open and locked, for one letter and one game.

Nothing here changes a game. Each letter has a name, which is also the first half of its Message-ID. The same letter
written twice is therefore one letter in the outbox, and an answer to it shows which game it is about. The name of a
letter with a form also has the side and the last adjudication, so that the answer shows what it answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol

from pbem.game import yaml as yamlio
from pbem.game.wording import on_one_line
from pbem.mail.notes.correspondence import CORRESPONDENCES, Correspondence, SentNote, note_sent
from pbem.mail.notes.outboxes import Outbox, ToKeep
from pbem.mail.notes.reader_time import deadline_line
from pbem.mail.read.letter import Letter
from pbem.mail.read.token import address_with_token, deputy_token, is_deputy, message_id, token, with_token
from pbem.mail.write.draft import POSITION, POSITION_DATA, Attachments, Draft, Framed, compose, html_of, slimmed
from pbem.orders.sheet import STANDING, STANDING_ADD, shortened
from pbem.protocol import Decision, Event, Side
from pbem.referee.game.open_game import OpenGame, Told, deputy_of
from pbem.referee.game.time_ledger import ledger_line
from pbem.referee.opening import open_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.form import standing_text
from pbem.render.text.report import NO_WORDS, Mail, Report, Titled, Written
from pbem.render.text.text_lines import WIDTH, folded
from pbem.repo.git import GameRepo, KeptRepos

_LONGEST: Final = 100
"""Of a standing order as it is named in a report."""
_FILED: Final = re.compile(r"standing ([0-9]+) of (?:sheet ([0-9]+)|the default set)")
_ANSWERED: Final = "standing_fired"
"""The kind of the event which says that standing orders answered."""
_FIRED: Final = re.compile(r"(\w+) \(([0-9]+ of (?:sheet [0-9]+|the default set))(, [0-9]+ times)?\)")
"""How the record says that a standing order answered."""
_INDENT: Final = "  "
_BULLET: Final = re.compile(r" *\* ")
COPY: Final = "copy."
"""How the names of copies for deputies begin: the clock of a side starts when its player has the letter."""
TALK_MARK: Final = "  : "
"""In front of a player's own words; nothing that is read in a letter begins so."""
NOTHING_ATTACHED: Final = Attachments()


@dataclass(frozen=True, slots=True)
class Turned:
    """A letter that is not carried out in a game: a line for the log, and the letters that tell of it."""

    log: str
    letters: Sequence[Outgoing] = ()


class Door(Protocol):
    """Says whether a letter is carried out in a game."""

    def turned(self, game: Adjudicator, letter: Letter, sides: Sequence[Side]) -> Turned | None:
        """Return why a letter is not carried out; None: it is. `sides` are those of its sender, perhaps none."""
        ...


def standing_list(game: OpenGame, side: Side) -> Iterator[str]:
    """Yield the standing orders of a side in force, numbered, as the player wrote them."""
    filed = game.standing(side)
    for number, each in enumerate(filed, 1):
        yield f"  {number}. {standing_text(each.written())}"
    if not filed:
        yield "  none"


def as_written(game: OpenGame, side: Side | None, told: Sequence[Told]) -> list[Told]:
    """Return what a side is told, with its standing orders as it wrote them in place of their names on record."""
    if side is None or not any(each.event.to is not None and _names_standing(each.event) for each in told):
        return list(told)
    names = _Names(game, side)
    return [replace(each, event=names.named(each.event)) for each in told]


def _names_standing(event: Event) -> bool:
    """Tell whether an event may name a standing order."""
    return event.kind == _ANSWERED or "standing" in str(event.facts)


class _Names:
    """The standing orders of a side by their names on record."""

    def __init__(self, game: OpenGame, side: Side) -> None:
        self._game = game
        self._side = side
        self._in_force = {(each.by, each.kind): n for n, each in enumerate(game.standing(side), 1)}

    def named(self, event: Event) -> Event:
        """Return an event of the side with each standing order in it as it was written."""
        facts = event.facts
        if event.kind == _ANSWERED:
            answered = [_FIRED.sub(self._fired, str(each)) for each in facts["answered"]]
            return Event(event.kind, {**facts, "answered": answered}, event.rule, event.to)
        if _FILED.fullmatch(str(facts.get("by"))):
            order, by = self._of(str(facts["order"]), str(facts["by"]))
            return Event(event.kind, {**facts, "order": order, "by": by}, event.rule, event.to)
        return event

    def _fired(self, found: re.Match[str]) -> str:
        order, by = self._of(found[1], f"standing {found[2]}")
        return f"{order} ({by}{found[3] or ''})"

    def _of(self, kind: str, by: str) -> tuple[str, str]:
        """Return a standing order as it was written, and where it is found."""
        written = self._written(kind, by)
        number = self._in_force.get((by, kind))
        where = by if number is None else f"standing order {number}"
        return (kind if written is None else shortened(standing_text(written), _LONGEST)), where

    def _written(self, kind: str, by: str) -> Mapping[str, Any] | None:
        """Return a standing order as its sheet has it; None: that cannot be told."""
        for each in self._game.standing(self._side):
            if (each.by, each.kind) == (by, kind):
                return each.written()
        found = _FILED.fullmatch(by)
        if found is None:
            return None
        if not found[2]:
            lists: list[Any] = [self._game.box.standing_of(self._side)]
        else:
            sheet = yamlio.read(self._game.ledger.sheet(self._side, int(found[2])), name="sheet").value
            lists = [sheet.get(key) for key in (STANDING_ADD, STANDING)]
        at = int(found[1]) - 1
        items = [each[at] for each in lists if isinstance(each, (list, tuple)) and at < len(each)]
        fitting = [item for item in items if isinstance(item, Mapping) and kind in item]
        return fitting[0] if len(fitting) == 1 else None


@dataclass(frozen=True, slots=True)
class MailSettings:
    """The settings for one round of mail: where games, keys and boxes are, the address to write from, the time."""

    games: Path
    keys: Path
    sender: str
    now: datetime
    boxes: Sequence[Path] = ()
    drawings: Path | None = None
    """Folder where drawn maps are kept between letters."""
    outbox: Outbox | None = None
    """Where answers are put while the game is locked; None: they are returned only."""
    came: datetime | None = None
    """When the letter came that is taken in; None: now."""
    plus: bool = False
    """Whether the provider delivers `pbem+TOKEN@...` to the mailbox of `pbem@...`: letters are then answered there."""
    looked: datetime | None = None
    """Until when nothing else waits to be taken in that came for the game: so long it can go on by itself. None: the
    time is that of the letter."""
    door: Door | None = None
    """Who says whether a letter is carried out; None: whatever comes from an address on file is."""
    must_sign: Callable[[str], bool] = lambda game: False
    """Tells of a game whether only signed sheets count in it."""
    repos: KeptRepos | None = None
    """What was read of the games is kept here; None: they are opened for one round of mail only."""

    def open(self, name: str) -> Adjudicator:
        """Open a game by its name. Raises NoSuchGame, BadKeys, BrokenBox."""
        return open_game(self.games, self.keys, name, folders=self.boxes, repos=self.repos)

    def open_repo(self, name: str) -> GameRepo:
        """Open the repo of a game by its name. Raises NoSuchGame."""
        return (GameRepo if self.repos is None else self.repos).open(self.games / f"{name}.git")

    @property
    def letter_time(self) -> datetime:
        """The time of the letter that is taken in: when the mailbox got it."""
        return self.came or self.now

    @property
    def host(self) -> str:
        """The host in the Message-IDs of its letters."""
        return self.sender.rpartition("@")[2].rstrip(">") or "localhost"


@dataclass
class Outgoing:
    """A letter to be sent: its content, and the name under which it is written to the outbox, once."""

    to: str
    name: str
    draft: Draft
    sent: tuple[SentNote, ...] = ()
    """What is noted of the sides that it is for, once it lies in the outbox; nothing if it is about no game."""
    whose: str = ""
    """The side that it is for, as players write it."""
    file: str | None = None
    """Where it lies in the outbox, once it does."""
    telling: str = ""
    """What it tells, by which the outbox knows it again; empty: by its content. See `ToKeep`."""
    copies: tuple[Outgoing, ...] = ()
    """The copies that deputies get: they go into the outbox with it."""
    words: Written = NO_WORDS
    """What it says, in sections, of which one letter is made with those to other sides of its reader."""

    @cached_property
    def content(self) -> bytes:
        """The letter as bytes."""
        return compose(self.draft)

    @property
    def to_keep(self) -> ToKeep:
        """The letter as an outbox keeps it."""
        return ToKeep(self.name, self.to, self.content, f"{self.to} {self.telling}" if self.telling else "")

    def put_into(self, outbox: Outbox) -> str:
        """Put it into the outbox, unless it lies there, and note that; return where it lies."""
        for sent in put_all([self], outbox):
            note_sent(sent)
        assert self.file is not None
        return self.file


def put_all(letters: Iterable[Outgoing], outbox: Outbox) -> list[SentNote]:
    """Put letters and their copies into the outbox, but those that lie there; return what is then to be noted."""
    new = [each for each in letters if each.file is None]
    new = [copy for each in new for copy in each.copies if copy.file is None] + new
    if not new:
        return []
    for out, file in zip(new, outbox.put([each.to_keep for each in new]), strict=True):
        out.file = file
    return [sent for out in new for sent in out.sent]


@dataclass(frozen=True, slots=True)
class Answered:
    """A letter that is answered: the answers to its commands, and which of its sheets was accepted, if one was."""

    letter: Letter
    paragraphs: Sequence[str] = ()
    sheet: int | None = None
    after: int = 0
    """The last adjudication before that sheet."""
    side: Side = ""
    """The side that it came from."""
    refused: bool = False
    """Whether a command in it was refused."""


@dataclass(frozen=True, slots=True)
class About:
    """What a letter is about: a game and the side that it is for, and what is noted of that side once it is sent."""

    game: OpenGame
    side: Side
    told: int | None = None
    """The last adjudication that it tells of; None: it tells of none."""
    picture: str = ""
    """The digest of what its picture shows; empty: it has none."""
    telling: str = ""
    """What it tells, the same whichever letter it is written upon; empty: its words alone are what it tells."""
    shared: bool = True
    """Whether a deputy of the side gets it, too: it answers nobody's letter alone."""


@dataclass(frozen=True, slots=True)
class ReportScope:
    """What a report tells.

    With the view that its reader had `before`, it says what has changed; else how all things stand.
    """

    since: int
    """The adjudication after which things happened that it tells of."""
    waiting: Sequence[Decision]
    """The questions in it."""
    before: object | None = None
    filed: bool = False
    """Whether it lists the standing orders of its side, as it does where it tells of no adjudication."""
    sheets: tuple[int, int] = (0, 0)
    """The sheets of its reader to be told of, as `unanswered_sheets` counts them."""


def side_report(game: OpenGame, side: Side | None, since: int) -> Report:
    """Return the report of a game for a side or an observer, of what happened after an adjudication."""
    return report_of(game, side, ReportScope(since, game.open_decisions))


def report_of(game: OpenGame, side: Side | None, scope: ReportScope) -> Report:
    """Return the report of a game for a side or an observer."""
    return Report(report_contents(game, side, scope))


def report_contents(game: OpenGame, side: Side | None, scope: ReportScope) -> Contents[Any]:
    """Return what the text and the page of a report are written from."""
    return Contents(game.rules, game.box, report_request(game, side, scope))


def report_request(game: OpenGame, side: Side | None, scope: ReportScope) -> ReportRequest[Any]:
    """Return the request for a report: what it is written from."""
    since, waiting, before = scope.since, scope.waiting, scope.before
    return ReportRequest(
        game=game.name,
        adjudication=game.adjudication,
        side=side,
        view=game.view(side),
        events=as_written(game, side, game.told(side, since)),
        waiting=[*waiting, *(_unasked_answers(game, side, waiting) if side is not None else ())],
        others=[each.side for each in game.open_decisions],
        result=game.result,
        filed=[each.written() for each in game.standing(side)] if side is not None else (),
        list_filed=scope.filed or (before is None and since == game.adjudication),
        chain=None if side is None else game.player_chain(side),
        rulings=list(_rulings(game, side)),
        before=before,
        late=game.clock.terms.late if game.clock.terms is not None and game.clock.decides else "",
        ruled=side in game.defaults,
        sheets=scope.sheets,
        key="" if side is None else token(game, side),
        deadline="" if side is None else deadline_line(game, side),
        time=ledger_line(game, now=False),  # a report that is written again says the same
    )


def _unasked_answers(game: OpenGame, side: Side, waiting: Sequence[Decision]) -> Iterator[Decision]:
    """Yield what a side can answer beside questions of its own, though nobody waits for that."""
    if any(each.side == side for each in waiting):
        yield from (each for each in game.unanswered if each.side == side and each not in waiting)


def _rulings(game: OpenGame, side: Side | None) -> Iterator[str]:
    """Yield the rulings of the game master that are in force; the order itself only to the side that it is for."""
    for of, ruled in game.defaults.items():
        own = f": {ruled.order.kind} {on_one_line(ruled.order.body)}" if of == side else f" ({ruled.order.kind})"
        yield f"RULING in force: if the deadline of {side_name(game, of)} passes, the game master's answer counts{own}."


def side_name(game: OpenGame, side: Side) -> str:
    """Return a side's name as players write it."""
    return next(each["name"] for each in game.box.sides if each["id"] == side)


def all_names(game: OpenGame) -> dict[Side, list[str]]:
    """Return the names by which players may write each side, first the one that letters call it by."""
    return {side: game.box.names_of(side) for side in game.rules.sides}


def folded_paragraphs(texts: Iterable[str]) -> list[str]:
    """Return texts as folded lines with a blank line between them; indented lines are left, but for bullets."""
    lines: list[str] = []
    for text in texts:
        lines += [""] if lines else []
        for line in text.split("\n"):
            bullet = _BULLET.match(line)
            if isinstance(text, Titled) and line.isupper():
                lines.append(Titled(line))
            elif bullet is None and line[:1] in ("", " "):
                lines.append(line)
            else:
                lines += folded(line, WIDTH, later=" " * (bullet.end() if bullet else 0))
    return lines


def behind_marks(text: str) -> list[str]:
    """Return words as lines behind a mark: nothing in them is read as an order or a command when they are quoted."""
    return [
        part
        for line in text.split("\n")
        for part in (folded(line, WIDTH, TALK_MARK, TALK_MARK) or [TALK_MARK.rstrip()])
    ]


@dataclass(frozen=True, slots=True)
class NewLetter:
    """A letter that is to go out: to whom, under which name, what it says, which letter it answers, what it encloses.

    Its name is also the first half of its Message-ID, unless `id` is.
    """

    to: str
    stamp: str
    text: Mail | Framed
    answers: Letter | None = None
    attached: Attachments = NOTHING_ATTACHED
    about: About | None = None
    id: str = ""

    @property
    def words(self) -> Mail:
        """Its subject and its text."""
        return self.text.text if isinstance(self.text, Framed) else self.text


def build_letter(settings: MailSettings, new: NewLetter) -> Outgoing:
    """Return a letter that is to go out. Every letter of the referee is built here.

    A letter about a game belongs to the thread of its side, and says what is enclosed. One with a report also has a
    page.
    """
    about, answered, attached = new.about, new.answers, new.attached
    known = Correspondence() if about is None else CORRESPONDENCES.read(about.game.path, about.side)
    if about is not None and len(about.game.ledger.sides_of(new.to)) > 1:
        attached = replace(attached, of=about.side)  # the files of two sides in one letter need names of their own
    key = "" if about is None else token(about.game, about.side)
    thread = [each for each in (known.first, known.last) if each]
    draft = Draft(
        sender=settings.sender,
        to=new.to,
        subject=new.words.subject,
        text=new.words.text,
        message_id=message_id(new.id or new.stamp, key, settings.host),
        date=settings.now,
        reply_to=address_with_token(settings.sender, key) if key and settings.plus else "",
        in_reply_to=answered.message_id if answered else known.last or None,
        references=[*thread[:1], *(answered.references if answered else ()), *thread[1:]],
        list_id="" if about is None else _list_id(about, settings.host),
        unasked=answered is None,
        attached=attached,
    )
    draft = slimmed(draft)
    if about is not None and draft.attached.names:
        draft = replace(draft, enclosed=_gap_above(new.words, about) + enclosed_line(shown_names(draft.attached)))
    if isinstance(new.text, Framed):
        signs = settings.must_sign(new.text.game.name)
        draft = replace(draft, html=html_of(new.text, draft, must_sign=signs))
    out = Outgoing(new.to, new.stamp, draft) if about is None else _to_side(draft, new.stamp, about, settings.now)
    out.words = new.words.words
    return out


def _to_side(draft: Draft, stamp: str, about: About, now: datetime) -> Outgoing:
    """Return a letter to a side, with the copy for its deputy; or as a deputy gets it, if it is to one."""
    game, side, to, telling = about.game, about.side, draft.to, about.telling
    whose, deputy = side_name(game, side), deputy_of(game, side, f"{now:%Y-%m-%d}")
    if is_deputy(game, side, to):  # perhaps not any more: the letter that is answered came in time
        return Outgoing(to, stamp, _for_deputy(draft, game, side, to.lower()), whose=whose, telling=telling)
    copies: tuple[Outgoing, ...] = ()
    if deputy is not None and about.shared:
        copy = _for_deputy(draft, game, side, deputy.address)
        copies = (Outgoing(deputy.address, f"{COPY}{stamp}", copy, telling=telling),)
    sent = (SentNote(game.path, side, draft.message_id, about.told, about.picture),)
    return Outgoing(to, stamp, draft, sent, whose, telling=telling, copies=copies)


def _for_deputy(draft: Draft, game: OpenGame, side: Side, address: str) -> Draft:
    """Return a letter to a side as its deputy gets it: with their own key in place of the player's."""
    own, theirs = token(game, side), deputy_token(game, side, address)

    def exchanged(text: str) -> str:
        return text.replace(own, theirs) if own else text

    sheet = draft.attached.sheet
    return replace(
        draft,
        to=address,
        text=exchanged(draft.text),
        html=exchanged(draft.html),
        message_id=with_token(draft.message_id, theirs),
        reply_to=exchanged(draft.reply_to),
        in_reply_to=draft.in_reply_to and with_token(draft.in_reply_to, theirs),
        references=[with_token(each, theirs) for each in draft.references],
        attached=replace(draft.attached, sheet=None if sheet is None else exchanged(sheet)),
    )


def _gap_above(text: Mail, about: About) -> str:
    """Return the blank line above what is enclosed; a report that ends with a paragraph of one line needs none."""
    *_, above, last = ["", "", *text.text.splitlines()]
    return "" if about.told is not None and last and not above else "\n"


def shown_names(attached: Attachments) -> list[str]:
    """Return the names of files as a letter lists them."""
    names = attached.names
    if POSITION in names and POSITION_DATA in names:  # on one line, if that can be
        names.remove(POSITION_DATA)
        names[names.index(POSITION)] += "/json"
    return names


def enclosed_line(names: Sequence[str]) -> str:
    """Return the line that says what is enclosed."""
    return "\n".join(folded(f"Enclosed: {', '.join(names)}", WIDTH, later=_INDENT))


def _list_id(about: About, host: str) -> str:
    """Return what mail programs file the letters of a game to a side by."""
    name = about.game.name
    return f"{name} <{name}.{about.side}.{host}>"
