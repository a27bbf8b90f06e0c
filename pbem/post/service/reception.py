"""The reception: takes in a letter that is for the games, asks first who wrote it, and falls silent to robots.

Its letters are still carried out, and whoever it plays against is told: it may be a person who had a bad day. Only
what leads to nothing is not written to it any more.

How the sweep and the workers use what knows of senders:

    triage.judge_letter  in the sweep, for each new letter, with its headers and its size
    triage.has_sheet     for those of which the headers do not tell
    received             in a worker, for each letter of ours: in place of the intake, which it calls
    too_big              for one of ours that is too large to be fetched
    bounced              for a bounce, and `bounces.note` where a server refuses a letter when it is handed on
    confirm.due          by the service, for letters that came after their player had been asked that day

Letters that wait to be confirmed lie beside the repo of their game (`held`), so that a worker is done with one when it
is held there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pbem.mail.choose.sheet_choice import may_order_without_sheet
from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in_where_possible
from pbem.mail.notes.outboxes import Outbox, ToKeep
from pbem.mail.read.letter import Letter
from pbem.mail.read.mime import LARGEST, Headers
from pbem.mail.tasks import Handled
from pbem.mail.write.answer_letters import refusal_letter
from pbem.mail.write.outgoing import MailSettings
from pbem.post.settings import WhoConfig
from pbem.post.who import bounces, mailbox_notes
from pbem.post.who.confirm import code_in, side_confirmed
from pbem.post.who.who import LetterDoor

_IN_VAIN: Final = frozenset({"refusal", "faults", "chat", "form", "help", "words", "report", "confirm", "refused"})
"""How the names of letters begin that answer a letter which has changed nothing, or only asked."""
MOST_IN_VAIN: Final = 20
"""Such answers that go to one address within a day. People who learn a game get a few."""
SentTo = Callable[[str], Collection[str]]
"""Returns the names of the letters that were written to an address within a day."""


def falls_silent(names: Collection[str]) -> bool:
    """Tell whether an address gets no more such answers; `names` are those of the letters to it within a day."""
    return sum(map(in_vain, names)) >= MOST_IN_VAIN


def in_vain(name: str) -> bool:
    """Tell by its name whether a letter answers one that led to nothing."""
    return name.partition(".")[0] in _IN_VAIN


@dataclass(frozen=True, slots=True)
class Muted:
    """An outbox that takes no more letters to an address that answer what led to nothing."""

    outbox: Outbox
    address: str

    @property
    def hands_over(self) -> bool:
        """Whether letters count as handed over once they lie there."""
        return self.outbox.hands_over

    def put(self, letters: Sequence[ToKeep]) -> Sequence[str]:
        """Keep all letters but those; return where each lies, or an empty string for one that is not kept."""
        lie = iter(self.outbox.put([each for each in letters if not self._mutes(each)]))
        return ["" if self._mutes(each) else next(lie) for each in letters]

    def _mutes(self, letter: ToKeep) -> bool:
        return in_vain(letter.name) and letter.to.lower() == self.address.lower()


def _nothing(address: str) -> Collection[str]:
    """Return that nothing was written to an address."""
    return ()


def received(
    raw: bytes, config: WhoConfig, settings: MailSettings, by: str = "", sent_to: SentTo = _nothing
) -> Handled:
    """Carry out a letter, if its sender has written it, and write the answers, as `take_in_where_possible` does.

    `by` is what told that it is ours (`triage.Ours`); empty: it is not known any more. No answer goes to a robot.
    """
    letter = open_letter(raw)
    settings = replace(settings, plus=config.plus)
    if letter.sender and falls_silent(sent_to(letter.sender)):
        outbox = None if settings.outbox is None else Muted(settings.outbox, letter.sender)
        handled = _carried_out(raw, letter, config, replace(settings, outbox=outbox), by)
        handled.letters = [each for each in handled.letters if each.to != letter.sender or not in_vain(each.name)]
        handled.notes.append(
            f"{letter.sender} had {MOST_IN_VAIN} answers within a day that led to nothing: no more go out"
        )
        return handled
    return _carried_out(raw, letter, config, settings, by)


def _carried_out(raw: bytes, letter: Letter, config: WhoConfig, settings: MailSettings, by: str) -> Handled:
    """Carry out a letter, or what it confirms."""
    if by == "address" and is_private(letter):
        return _left(letter, "it has a player's address, and nothing for a game; it is left to the game master")
    if not letter.automatic and (code := code_in(letter, settings)):
        return _confirmed(letter, code, config, settings)
    return take_in_where_possible(raw, replace(settings, door=LetterDoor(raw, config, settings)))


def too_big(head: bytes, size: int, settings: MailSettings, sent_to: SentTo = _nothing) -> Handled:
    """Answer a letter for the games that is too large to be fetched, by its headers alone."""
    letter = open_letter(head)
    handled = Handled(accepted=False, notes=[f"letter {letter.digest[:12]} is not fetched: it has {size // 1024} kB"])
    robot = letter.automatic or Headers(head).every("list-id") or falls_silent(sent_to(letter.sender))
    if letter.sender and not robot:
        reason = (
            f"Your letter has {size // 1024} kB; at most {LARGEST // 1024} kB are read. Please send it again without "
            "pictures and other files: the order sheet alone is enough."
        )
        handled.letters.append(refusal_letter(reason, 0, letter, settings))
    return handled


def bounced(raw: bytes, settings: MailSettings, game_master: str) -> Handled:
    """Note what a bounce says, if it is about a letter of ours. It is never answered, and the game master is told."""
    found = bounces.read_bounce(raw, settings.host)
    if found is None:
        return Handled()
    letters = bounces.note(found, settings.letter_time, settings, game_master)
    what = "came back" if found.for_good else "is delayed"
    return Handled(letters=letters, notes=[f"{found.message_id} {what}: {found.reason}"])


def _left(letter: Letter, why: str) -> Handled:
    """Return the outcome of a letter that is left as it is."""
    return Handled(accepted=False, notes=[f"letter {letter.digest[:12]} is left unanswered: {why}"])


def is_private(letter: Letter) -> bool:
    """Tell whether nothing in a letter looks as if it were meant for a game."""
    found = letter.commands or letter.enclosures or letter.sealed or letter.tokens or letter.unclear
    return not found and not may_order_without_sheet(letter)


def _confirmed(letter: Letter, code: str, config: WhoConfig, settings: MailSettings) -> Handled:
    """Carry out the letters that a player confirms."""
    found = side_confirmed(letter, code, settings)
    if found is None:
        return _left(letter, "it confirms by a code that its sender was not sent")
    name, side = found
    repo = settings.games / f"{name}.git"
    mailbox_notes.drop_unconfirmed(repo, side, settings.letter_time)
    letters = list(mailbox_notes.confirmed(repo, side, code))
    if not letters:
        return _left(letter, "it confirms what does not wait any more")
    whole = Handled()
    for _, raw in letters:
        door = LetterDoor(raw, config, settings, confirmed=name)
        handled = take_in_where_possible(raw, replace(settings, door=door))
        whole.waits |= handled.waits
        whole.accepted &= handled.accepted
        whole.letters += handled.letters
        whole.notes += handled.notes
        whole.complaints += handled.complaints
        whole.log += handled.log
        whole.due |= handled.due
    if whole.waits:  # the letter that confirms them waits, too
        return whole
    with settings.open(name) as game, game.lock():
        mailbox_notes.release(repo, side, [waiting.digest for waiting, _ in letters])
    return whole
