"""The posting of letters: bundled for one reader, put into the outbox, and noted.

A process may die at any point. Then the notes say less than was told, and what they say is owed is written again: it
lies in the outbox already, and is kept there once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import Final, NamedTuple, TypeVar

from pbem.game.wording import listing
from pbem.mail.notes.correspondence import CLOSED, reported_note, sent_notes
from pbem.mail.write.draft import Draft, slimmed
from pbem.mail.write.observers import write_to_observers
from pbem.mail.write.outgoing import MailSettings, Outgoing, enclosed_line, put_all, shown_names
from pbem.protocol import Side
from pbem.referee.acts.timekeeping import hand_over
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import SectionKind, TextSection, Written
from pbem.repo.files.note_store import write_notes

_LINE: Final = "=" * 72
_ASKS: Final = "Your move "
"""How the subject of a report begins that asks something."""
_AS_ABOVE: Final = "As told above"
_Part = TypeVar("_Part")


def bundled(letters: Iterable[Outgoing]) -> list[Outgoing]:
    """Return letters so that each reader gets one for all their sides in a game; two for one side stay two."""
    bundles: list[list[Outgoing]] = []
    for out in letters:
        into = next((bundle for bundle in bundles if _goes_with(out, bundle)), None)
        if into is None:
            bundles.append([out])
        else:
            into.append(out)
    return [bundle[0] if len(bundle) == 1 else _one_for_all(bundle) for bundle in bundles]


def _goes_with(out: Outgoing, bundle: Sequence[Outgoing]) -> bool:
    """Tell whether a letter goes with others: the same reader, the same game, and a side that they are not about."""
    if not out.sent or not all(each.sent and each.file is None for each in bundle):
        return False
    first, own = bundle[0], out.sent[0]
    same = (first.to.lower(), first.sent[0].repo) == (out.to.lower(), own.repo)
    return same and all(each.sent[0].side != own.side for each in bundle)


def _one_for_all(bundle: Sequence[Outgoing]) -> Outgoing:
    """Return one letter in place of several."""
    first = bundle[0]
    sides = [each.sent[0].side for each in bundle]
    name = _of_all(first.name, sides)
    message_id = _of_all(first.draft.message_id, sides)
    sent = tuple(replace(each.sent[0], message_id=message_id) for each in bundle)
    drafts = [each.draft for each in bundle]
    asking = [draft.subject for draft in drafts if draft.subject.startswith(_ASKS)]
    news = {each.draft.subject for each in bundle if asking and each.sent[0].told is not None}.difference(asking)
    subjects = [draft.subject for draft in drafts if draft.subject not in news]
    draft = _draft(drafts, subjects, message_id)
    slim = slimmed(draft)
    left_out = set(draft.attached.names) - set(slim.attached.names)
    files = [name for each in drafts for name in shown_names(each.attached) if name not in left_out]
    text = _joined_text([each.whose for each in bundle], [_paragraphs(each.words) for each in bundle])
    slim = replace(slim, text=text, enclosed=f"\n\n{enclosed_line(files)}")
    telling = " ".join(each.telling for each in bundle) if all(each.telling for each in bundle) else ""
    copies = tuple(copy for each in bundle for copy in each.copies)
    words = Written((TextSection(SectionKind.MORE, text),))
    return Outgoing(first.to, name, slim, sent, telling=telling, copies=copies, words=words)


class _Paragraph(NamedTuple):
    """A paragraph of a letter, of which kind its section is, and whether that begins with it."""

    text: str
    kind: SectionKind = SectionKind.MORE
    begins: bool = False


def _paragraphs(words: Written) -> list[_Paragraph]:
    """Return a letter by paragraphs; a section that begins within one begins with the next."""
    begun, at = list[tuple[int, SectionKind]](), 0
    for section in words.sections:
        if section.kind is not SectionKind.MORE:
            begun.append((at, section.kind))
        at += len(section.text)
    found, kind, at = list[_Paragraph](), SectionKind.MORE, 0
    for text in words.text.rstrip("\n").split("\n\n"):
        begins = bool(begun) and begun[0][0] <= at
        while begun and begun[0][0] <= at:
            _, kind = begun.pop(0)
        found.append(_Paragraph(text, kind, begins))
        at += len(text) + len("\n\n")
    return found


def _joined_text(names: Sequence[str], letters: Sequence[Sequence[_Paragraph]]) -> str:
    """Return one text in place of several letters, a part for each side.

    What letters with a greeting begin with alike stands once above the parts, and what they end with alike once below
    them.
    """
    above = _shared_beginning(letters, _is_of_form) if letters[0][0].text.startswith("Dear ") else 0
    whole, parts = letters[0], [each[above:] for each in letters]
    below = _shared_beginning([each[::-1] for each in parts], _is_of_form) if above else 0
    tail = [each.text for each in whole[len(whole) - below :]]
    joined = [each.text for each in whole[:above]]
    if any(len(each) > below for each in parts):
        told = list(zip(names, _told_once([each[: len(each) - below] for each in parts]), strict=True))
        told += [(listing(names, "and"), tail)] if tail else []
        joined += [f"{_LINE}\n{name}\n{_LINE}\n\n" + "\n\n".join(own) for name, own in told]
    else:
        joined += tail
    return "\n\n".join(joined)


def _is_of_form(paragraph: _Paragraph) -> bool:
    return paragraph.kind is SectionKind.FORM


def _told_once(letters: Iterable[Sequence[_Paragraph]]) -> list[list[str]]:
    """Return the paragraphs of several letters without what one above has told already: events and whole sections.

    What happened is told event by event, as often as it happened: what only one side knows stands with that side.
    """
    told: Counter[str] = Counter()
    above: set[tuple[str, ...]] = set()
    left: list[list[str]] = []
    for paragraphs in letters:
        own: list[str] = []
        news: Counter[str] = Counter()
        sections = [(kind, tuple(texts)) for kind, texts in _by_section(paragraphs)]
        for kind, texts in sections:
            if kind is SectionKind.EVENTS:
                events = [_events(each) for each in texts]
                news.update(each for some in events for each in some)
                own += _without_told(events, told)
            elif kind is SectionKind.TITLED and texts in above:
                heading, _, _ = texts[0].partition("\n")
                own.append(f"{heading}\n{_AS_ABOVE}.")
            else:
                own += texts
        told |= news
        above |= {texts for _, texts in sections}
        left.append(own)
    return left


def _by_section(paragraphs: Iterable[_Paragraph]) -> list[tuple[SectionKind, list[str]]]:
    """Return paragraphs by section, each with its kind; those that lack the beginning of theirs are of no kind."""
    found: list[tuple[SectionKind, list[str]]] = []
    for each in paragraphs:
        if each.begins or not found:
            found.append((each.kind if each.begins else SectionKind.MORE, []))
        found[-1][1].append(each.text)
    return found


def _events(paragraph: str) -> list[str]:
    """Return what happened event by event: what belongs to one is indented below it."""
    found: list[str] = []
    for line in paragraph.split("\n"):
        if found and not line[:1].strip():
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found


def _without_told(paragraphs: Sequence[Sequence[str]], told: Counter[str]) -> list[str]:
    """Return the paragraphs of what happened, the heading first, without the events that were told."""
    known, left = Counter(told), list[list[str]]()
    heading = paragraphs[0][0]
    for events in paragraphs:
        left.append([])
        for event in events:
            if known[event] and event != heading:
                known[event] -= 1
            else:
                left[-1].append(event)
    if sum(map(len, left)) < sum(map(len, paragraphs)):
        rest = sum(map(len, left)) > 1
        left[0].insert(1, f"{_AS_ABOVE}, and:" if rest else f"{_AS_ABOVE}.")
    return ["\n".join(each) for each in left if each]


def _shared_beginning(letters: Sequence[Sequence[_Part]], stops: Callable[[_Part], bool]) -> int:
    """Return how many parts several letters or lines begin with alike; what `stops` is none of them."""
    pairs = takewhile(lambda each: len(set(each)) == 1 and not stops(each[0]), zip(*letters, strict=False))
    return len(list(pairs))


def _draft(drafts: Sequence[Draft], subjects: Sequence[str], message_id: str) -> Draft:
    """Return the draft of one letter in place of several, with the texts of all."""
    first = drafts[0]
    attached = replace(first.attached, more=[each.attached for each in drafts[1:]])
    return replace(
        first,
        subject=_joined_subject(subjects),
        text="\n".join(each.text + each.enclosed for each in drafts),
        enclosed="",
        html="",
        message_id=message_id,
        references=list(dict.fromkeys(known for each in drafts for known in each.references)),
        unasked=all(each.unasked for each in drafts),
        attached=attached,
    )


def _joined_subject(subjects: Sequence[str]) -> str:
    """Return one subject in place of several: what they begin and end with alike stands in it once.

    >>> _joined_subject(["gaul: you play Oak. Please send a phrase", "gaul: you play Elm. Please send a phrase"])
    'gaul: you play Oak and Elm. Please send a phrase'
    >>> _joined_subject(["Your move in gaul: Which card?", "Your move in gaul: Which valley?"])
    'Your move in gaul: Which card?; Which valley?'
    """
    words = [each.split(" ") for each in dict.fromkeys(subjects)]
    begin = _shared_beginning(words, _asks)
    if any("?" in word for each in words for word in each):  # a question stays whole, up to its colon
        begin = max([at for at, word in enumerate(words[0][:begin], 1) if word.endswith(":")], default=0)
    ends = [each[begin:] for each in words]
    end = _shared_beginning([each[::-1] for each in ends], _asks)
    middles = [" ".join(each[: len(each) - end]) for each in ends]
    if len(middles) > 1 and all(each and " " not in each for each in middles) and "?" not in middles[0]:
        stop = "." if middles[0].endswith(".") else ""
        middles = [f"{listing([each.removesuffix('.') for each in middles], 'and')}{stop}"]
    shared, closing = words[0][:begin], words[0][len(words[0]) - end :]
    return " ".join([*shared, "; ".join(filter(None, middles)), *closing]).strip()


def _asks(word: str) -> bool:
    return "?" in word


def _of_all(name: str, sides: Sequence[Side]) -> str:
    """Return the name of a letter to one side as that of a letter to several: `punica.oak+elm.12`."""
    return name.replace(f".{sides[0]}", f".{'+'.join(sides)}", 1)


def note_handed_over(game: Adjudicator, letters: Iterable[Outgoing], at: datetime) -> None:
    """Note that letters of a game were handed over to what sends them, if they ask anything."""
    if game.clock.terms is not None and (asked := {side: at for out in letters for side in _sides_asked(out)}):
        hand_over(game, asked)


def _sides_asked(out: Outgoing) -> Iterator[Side]:
    """Yield the sides that a letter has a form for; none for a deputy's, since the clock waits for the player's own."""
    attached = out.draft.attached
    if not out.sent:
        return
    if len(out.sent) == 1:
        if attached.sheet is not None:
            yield out.sent[0].side
        return
    yield from (each.of for each in (attached, *attached.more) if each.sheet is not None)


class Tells(NamedTuple):
    """What letters tell every side: everything that has happened, and a closing of the sheets as well."""

    everything: bool = True
    closing: bool = True


_EVERYTHING: Final = Tells()


def post_letters(
    game: Adjudicator, letters: Sequence[Outgoing], settings: MailSettings, at: datetime, tells: Tells = _EVERYTHING
) -> None:
    """Put letters of a game into the outbox, if there is one, write to its observers, and note what was told.

    The game's lock is held: no report is written twice, or in the wrong order. Observers are told what they may know
    by the time `at`.
    """
    outbox = settings.outbox
    if outbox is None:
        return
    sent = put_all(letters, outbox)
    if outbox.hands_over:
        note_handed_over(game, letters, settings.now)
    write_to_observers(game, settings, outbox, at)
    notes = sent_notes(game.path, sent)
    if tells.everything:
        notes |= reported_note(game.path, game.adjudication)
        if tells.closing and (closed := game.closed) is not None:
            notes |= reported_note(game.path, closed.round, CLOSED)
    write_notes(game.path, notes, lasting=False)
