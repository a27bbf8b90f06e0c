"""What the words in a letter do: PHRASE, KEY and CHAIN, with which a player joins; CONSENT and REFUSE; STATUS and FORM.

Each word stands on a line of its own, alone or with more behind it, and is answered by a paragraph. A word that is
refused does not keep the others from being carried out. What a word changes is committed together with the note that
its letter was carried out; of a letter that was carried out before, only the answers are given again.

A phrase may be replaced until the first shuffle. Who writes last sees the other phrases, but neither the dice chain nor
the hidden secret: without them no phrase is better than another, and one that was tried by mail stands in the
history of the repo. Were he to conspire with the adjudicator, who knows both, he would need one letter and not two:
what stops that is that the game begins with the last phrase that was waited for. An honest player who writes last
has the last word; and there is a chain of one's own, and the beacon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pbem.crypto.seal import BadRecipient, check_recipient
from pbem.mail.consent_letters import outcome
from pbem.mail.outgoing import called, side_report
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay, OtherRules
from pbem.referee.rollback import consent, refuse
from pbem.repo.charter import ChainPromise
from pbem.repo.requests import OPEN

FORECAST: Final = "FORECAST"
FORM: Final = "FORM"
HELP: Final = "HELP"
REPORT: Final = "REPORT"
STATUS: Final = "STATUS"
MOST_OF_A_PHRASE: Final = 300
_SAMPLE: Final = "any words of yours"


Value = TypeVar("Value")


@dataclass(slots=True)
class Said:
    """What the words of a letter came to: paragraphs for the answer, and whether all were carried out."""

    paragraphs: list[str] = field(default_factory=list)
    good: bool = True
    done: list[str] = field(default_factory=list)
    """The words that changed something."""
    questions: list[str] = field(default_factory=list)
    """The words that only ask."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One word of a letter: the game, the side, what stands behind the word, and the letter it came in.

    `letter` is the digest to be noted; None: the letter was carried out before, and nothing is to change.
    """

    game: Adjudicator
    side: Side
    more: str
    letter: str | None


def carry_out(
    game: Adjudicator, side: Side, words: Sequence[str], letter: str, done: Mapping[str, Any] | None
) -> Said:  # fmt: skip
    """Carry out the words of a letter that change something, and say what they came to.

    `letter` is its digest, `done` the note that it was carried out before; None: it was not.
    """
    said, seen = Said(), set[str]()
    for whole in words:
        word, _, more = whole.partition(" ")
        if word not in _CHANGES:
            said.questions.append(word)
            continue
        try:
            if word in seen:
                raise CannotPlay("a letter may say it once; only the first counts")
            seen.add(word)
            said.paragraphs.append(_CHANGES[word](_Asked(game, side, more.strip(), None if done else letter)))
            said.done.append(word)
        except OtherRules:  # the letter waits until the game master has seen to it
            raise
        except CannotPlay as refusal:
            said.paragraphs.append(f"{word} was not carried out: {refusal}".rstrip(".") + ".")
            said.good = False
    return said


# ---------------------------------------------------------------------------------------------- joining


def _phrase(asked: _Asked) -> str:
    """Put a phrase on record (until the first shuffle, in place of an earlier one)."""
    game, side = asked.game, asked.side
    if asked.letter is not None:
        # The other players read it, so it holds nothing that could play tricks on their screens.
        phrase = " ".join("".join(each if each.isprintable() else " " for each in asked.more).split())
        if phrase.strip(".…") in ("", _SAMPLE):
            raise CannotPlay("write any words of your own behind it, on the same line.")
        if len(phrase) > MOST_OF_A_PHRASE:
            raise CannotPlay(f"a phrase has at most {MOST_OF_A_PHRASE} characters; this one has {len(phrase)}.")
        game.join(side, phrase=phrase, letter=asked.letter)
    return f"PHRASE: on record for {called(game, side)}: {_on_record(game.ledger.joined(side).phrase)}"


def _key(asked: _Asked) -> str:
    """Put on record the key to which what a side may know is sealed."""
    game, side = asked.game, asked.side
    if asked.letter is not None:
        try:
            check_recipient(asked.more)
        except BadRecipient:
            raise CannotPlay(_why_no_key(asked.more)) from None
        game.join(side, key=asked.more, letter=asked.letter)
    kind, _, rest = _on_record(game.ledger.joined(side).key).partition(" ")
    return (
        f"KEY: on record for {called(game, side)}:\n  {kind}" + (f"\n  {rest}" if rest else "") + "\n"
        f"From the next adjudication on, what you may know also lies in the game's repo, sealed to this key. "
        f"Who has the repo and your secret key reads it with\n  pbem open known/{side}.age --identity KEYFILE"
    )


def _on_record(found: Value | None) -> Value:
    """Return what a side has on record. Raises CannotPlay if that is nothing: its letter was refused before."""
    if found is None:
        raise CannotPlay("nothing of it is on record.")
    return found


def _why_no_key(text: str) -> str:
    """Return what is wrong with a key, and what a right one looks like. A secret key is never repeated."""
    right = "A right one is `age1` and 58 letters and digits more (age-keygen makes it), or `ssh-ed25519 AAAA...`."
    kind, _, rest = text.partition(" ")
    if "SECRET" in text.upper() or "PRIVATE" in text.upper():
        return (
            "this is a secret key, and a secret key is never mailed: whoever reads your letter can now open what is "
            f"sealed to it. Make another, and send its public half. {right}"
        )
    if not text:
        return f"the key is missing behind it, on the same line. {right}"
    if kind == "ssh-ed25519":
        return f"what stands behind `ssh-ed25519` is not the whole key, which has 68 characters. {right}"
    if kind.startswith("ssh-") or kind.startswith("ecdsa-"):
        return f"a key of the kind {kind[:30]} cannot be used, of those of ssh only ssh-ed25519. {right}"
    if kind.startswith("age1") and not rest:
        count = f"it has {len(kind)} characters instead of 62" if len(kind) != 62 else "a character in it is wrong"
        return f"this key of age was not copied whole: {count}. {right}"
    return f"this is no public key. {right}"


def _chain(asked: _Asked) -> str:
    """Put the promise of a side's own dice chain on record (until the first shuffle, in place of an earlier one)."""
    game, side = asked.game, asked.side
    if asked.letter is not None:
        match asked.more.split():
            case [tip, length] if length.isascii() and length.isdigit() and len(length) < 10:
                game.join(side, chain=ChainPromise(tip.lower(), int(length)), letter=asked.letter)
            case _:
                raise CannotPlay("write the tip and the length behind it, as `pbem my-chain new` prints them.")
    chain = _on_record(game.ledger.joined(side).chain)
    return (
        f"CHAIN: on record for {called(game, side)}, with {chain.length} links and the tip\n  {chain.tip}\n"
        "Each of your sheets opens one: a line `link: ...`, which `pbem my-chain next` prints."
    )


# ---------------------------------------------------------------------------------------------- consent


def _consent(asked: _Asked) -> str:
    """Put on record that a side consents to what was asked of all, and do it if all have."""
    number = _number(asked)
    if asked.letter is not None:
        consent(asked.game, asked.side, number, asked.letter)
    return f"CONSENT: on record for {called(asked.game, asked.side)}. {outcome(asked.game, number)}"


def _refusal(asked: _Asked) -> str:
    """Put on record that a side does not consent, which ends the request."""
    number = _number(asked)
    if asked.letter is not None:
        refuse(asked.game, asked.side, number, asked.letter)
    return f"REFUSE: on record for {called(asked.game, asked.side)}. {outcome(asked.game, number)}"


def _number(asked: _Asked) -> int:
    """Return the number of the request that a word is about: it stands behind it, after the name of the game."""
    *game, number = asked.more.split() or [""]
    if game not in ([], [asked.game.name]) or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise CannotPlay(f"write the game and the number of the request behind it, such as: {asked.game.name} 1")
    return int(number)


# ---------------------------------------------------------------------------------------------- questions


def answers(game: Adjudicator, side: Side, questions: Sequence[str]) -> Iterator[str]:
    """Yield a paragraph for each word that only asks."""
    if STATUS in questions:
        yield "\n".join(standing_lines(game, side))
    if game.begun:
        if FORM in questions:
            yield "FORM: it stands below." if game.asked(side) else "FORM: nothing is asked of you now."
    elif STATUS not in questions and not {FORM, REPORT}.isdisjoint(questions):
        yield "There is no report yet."


def standing_lines(game: Adjudicator, side: Side) -> Iterator[str]:
    """Yield where a game stands, as everybody may know it, for a side to read."""
    yield f"{game.name}: {game.box.title} ({game.charter.preset})."
    if not game.begun:
        yield from before_the_beginning(game, side)
        return
    report = side_report(game, side, game.adjudication)
    yield f"After adjudication {game.adjudication}." + (f" {report.summary}." if report.summary else "")
    if game.result is not None:
        yield "The game is over."
    elif game.closed is not None:
        yield f"The sheets are closed until round {game.closed.round} of the beacon has come."
    elif report.asked:
        yield f"You are asked: {report.asked}"
    else:
        names = dict.fromkeys(called(game, each.side) for each in game.open_decisions if each.side != side)
        yield f"It waits for {' and '.join(names)}." if names else "It waits for nobody."
    if number := game.requests.get(OPEN, 0):
        yield outcome(game, number)


def before_the_beginning(game: Adjudicator, side: Side | None = None) -> Iterator[str]:
    """Yield whom a game waits for that has not begun."""
    awaited = game.awaited
    if game.closed is not None:
        yield f"It has not begun: its first shuffle waits for round {game.closed.round} of the beacon."
    elif awaited:
        names = ["you" if each == side else called(game, each) for each in awaited]
        yield f"It has not begun: it waits for a phrase from {' and '.join(names)}."
    else:
        yield "It has not begun."


def last_told(game: Adjudicator) -> int:
    """Return the adjudication before those that the last round of letters told of: where sheets were last used."""
    n = game.adjudication
    while n > 1 and not game.ledger.public_turn(n).get("sheets"):
        n -= 1
    return n - 1


_CHANGES: Final[Mapping[str, Callable[[_Asked], str]]] = {
    "PHRASE": _phrase,
    "KEY": _key,
    "CHAIN": _chain,
    "CONSENT": _consent,
    "REFUSE": _refusal,
}
