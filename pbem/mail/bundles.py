"""The bundles of letters: what one person is written about several sides of theirs goes into one letter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from pbem.mail.outbox import Draft
from pbem.mail.outgoing import Outgoing
from pbem.protocol import Side

_LINE: Final = "=" * 72


def bundled(letters: Iterable[Outgoing]) -> list[Outgoing]:
    """Return letters so that each reader gets one for all their sides in a game; two for one side stay two."""
    bundles: list[list[Outgoing]] = []
    for out in letters:
        into = next((bundle for bundle in bundles if _belongs(out, bundle)), None)
        if into is None:
            bundles.append([out])
        else:
            into.append(out)
    return [bundle[0] if len(bundle) == 1 else _together(bundle) for bundle in bundles]


def _belongs(out: Outgoing, bundle: Sequence[Outgoing]) -> bool:
    """Tell whether a letter goes with others: the same reader, the same game, and a side that they are not about."""
    if not out.sent or not all(each.sent and each.file is None for each in bundle):
        return False
    first, own = bundle[0], out.sent[0]
    same = (first.to.lower(), first.sent[0].repo) == (out.to.lower(), own.repo)
    return same and all(each.sent[0].side != own.side for each in bundle)


def _together(bundle: Sequence[Outgoing]) -> Outgoing:
    """Return one letter in place of several."""
    first = bundle[0]
    sides = [each.sent[0].side for each in bundle]
    name = _of_all(first.name, sides)
    message_id = _of_all(first.draft.message_id, sides)
    sent = tuple(replace(each.sent[0], message_id=message_id) for each in bundle)
    texts = [f"{_LINE}\n{each.whose}\n{_LINE}\n\n{each.draft.text}" for each in bundle]
    return Outgoing(first.to, name, _draft([each.draft for each in bundle], texts, message_id), sent)


def _draft(drafts: Sequence[Draft], texts: Sequence[str], message_id: str) -> Draft:
    """Return the draft of one letter in place of several, with these texts."""
    first = drafts[0]
    attached = replace(first.attached, more=[each.attached for each in drafts[1:]])
    return replace(
        first,
        subject=_subject([each.subject for each in drafts]),
        text="\n".join(texts),
        message_id=message_id,
        references=list(dict.fromkeys(known for each in drafts for known in each.references)),
        unasked=all(each.unasked for each in drafts),
        attached=attached,
    )


def _subject(subjects: Sequence[str]) -> str:
    """Return one subject in place of several: what they begin with alike stands in it once.

    >>> _subject(["gaul: you play Oak", "gaul: you play Elm"])
    'gaul: you play Oak; Elm'
    """
    first, *others = [each.split(" ") for each in dict.fromkeys(subjects)]
    lengths = (len(list(takewhile(lambda pair: pair[0] == pair[1], zip(first, each, strict=False)))) for each in others)
    alike = min(lengths, default=0)
    return "; ".join(" ".join(words) for words in (first, *(each[alike:] for each in others)) if words)


def _of_all(name: str, sides: Sequence[Side]) -> str:
    """Return the name of a letter to one side as that of a letter to several: `punica.oak+elm.12`."""
    return name.replace(f".{sides[0]}", f".{'+'.join(sides)}", 1)
