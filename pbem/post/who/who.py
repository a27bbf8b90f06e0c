"""Who wrote a letter: whether it is its sender's own, by what proves it, and what happens to it where nothing does.

The address on file is needed, and does not suffice, for anybody can write any address into a letter. Any one of the
proofs that the config names for the game is enough:

    token      the letter brings back a word that only its side was sent
    provider   the own mail provider says so in Authentication-Results, by DKIM or SPF for the sender's domain
    dkim       the same, checked here; for providers that write no such header. A signature speaks for a letter that it
               names: written to the referee, no earlier than the report that it answers. Otherwise a letter to another
               player could be passed on as orders
    signature  an SSH signature of the sheet by the key on record; it proves the sheet, and no command beside it
    address    nothing more: whoever can write the address may order

A letter with a wrong token, and one that proves nothing else, is refused, and the side is told. A letter that only
lacks a proof waits for its player to confirm it (`pbem.post.who.confirm`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import getaddresses, parseaddr
from enum import StrEnum
from functools import cached_property
from typing import Final

from pbem.mail.choose.sheet_choice import orders_outside
from pbem.mail.read.letter import Letter
from pbem.mail.read.mime import Headers
from pbem.mail.read.token import earlier_tokens, is_deputy, note_heard, note_signed, token, tokens_for, tokens_of
from pbem.mail.write.answer_letters import refusal_letter
from pbem.mail.write.outgoing import About, MailSettings, NewLetter, Turned, build_letter, folded_paragraphs
from pbem.post.settings import WhoConfig
from pbem.post.who import bounces, confirm
from pbem.post.who.signatures import Signed, aligned, same_sheet, signed_by, signed_headers, signed_sheets, vouched_for
from pbem.protocol import Side
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.report import mail
from pbem.repo.files.note_store import record_note

TELL_AGAIN: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Refused:
    """What is noted of letters in a side's name that were refused."""

    told: str = ""
    """When the side was told last."""
    since: int = 0
    """How many were refused since, without a word to it."""
    letters: tuple[str, ...] = ()
    """The digests of those that it was told of."""

    def __post_init__(self) -> None:
        """Raise ValueError if it was told at no time."""
        if self.told:
            datetime.fromisoformat(self.told)


_REFUSED: Final = record_note("pbem.refused.", _Refused())


def refusal(game: Adjudicator, side: Side, refused: Letter, reason: str, settings: MailSettings) -> Turned:
    """Return what becomes of a letter in a side's name that is refused. The game is locked.

    The log says so, and the side is told, at most once a day.
    """
    log = f"letter from {refused.sender} in the name of {side} refused: {reason}"
    more = _note_refused(game, side, refused, settings.letter_time)
    if more is None:
        return Turned(log)
    words = mail(
        "in_your_name",
        game=game.name,
        reason="\n".join(folded_paragraphs([f"A letter in your name was refused: {reason}."])),
        when=f"{settings.letter_time:%Y-%m-%d %H:%M} UTC",
        sender=refused.sender,
        subject=refused.subject[:100],
        more=more,
    )
    stamp = f"refused.{game.name}.{side}.{game.adjudication}.{refused.digest[:24]}"
    about = About(game, side, shared=False)
    return Turned(log, [build_letter(settings, NewLetter(game.ledger.addresses[side], stamp, words, about=about))])


def _note_refused(game: Adjudicator, side: Side, refused: Letter, at: datetime) -> int | None:
    """Note a refused letter, and return how many others its side is told of with it; None: it is not told today."""
    note = _REFUSED.read(game.path, side)
    if refused.digest in note.letters:  # it is taken in again
        return 0
    if note.told and abs(at - datetime.fromisoformat(note.told)) < TELL_AGAIN:  # it may have come before that
        _REFUSED.write(game.path, replace(note, since=note.since + 1), side)
        return None
    _REFUSED.write(game.path, _Refused(at.isoformat(), 0, (*note.letters, refused.digest)[-10:]), side)
    return note.since


class Proof(StrEnum):
    """What shows who wrote a letter."""

    TOKEN = "token"
    PROVIDER = "provider"
    DKIM = "dkim"
    SIGNATURE = "signature"
    ADDRESS = "address"
    CONFIRMED = "confirmed"
    """The player has answered a letter that asked for it."""
    BEFORE = "before"
    """The same letter was carried out before: nothing is carried out now, and only what it still owes is written."""


@dataclass(frozen=True, slots=True)
class Proven:
    """The letter is its sender's own."""

    by: Proof


@dataclass(frozen=True, slots=True)
class Unproven:
    """The letter comes from the right address, and nothing in it shows that its owner wrote it."""


@dataclass(frozen=True, slots=True)
class Forged:
    """The letter shows something that is wrong: it is not carried out. `side` is told why."""

    reason: str
    side: Side


@dataclass(frozen=True, slots=True)
class Stranger:
    """The letter comes from an address that plays no side, and shows nothing else."""


@dataclass
class LetterDoor:
    """The door for one letter: says for each game that it is for whether it is carried out there."""

    raw: bytes
    config: WhoConfig
    settings: MailSettings
    confirmed: str = ""
    """The game for which its player has confirmed it; empty: they have not."""

    def turned(self, game: Adjudicator, letter: Letter, sides: Sequence[Side]) -> Turned | None:
        """Return why a letter is not carried out; None: it is."""
        verdict = self.verdict(game, letter, sides)
        match verdict:
            case Stranger():
                return None  # the intake refuses it
            case Proven(by):
                for side in game.sides_of(letter.sender) if by is not Proof.BEFORE else ():
                    if by is not Proof.ADDRESS:
                        note_heard(game, side, self.settings.letter_time, by)
                    bounces.heard_again(game, side, self.settings)  # whoever may order for it may start its clock
                return None
            case Forged(reason, side):
                return refusal(game, side, letter, reason, self.settings)
            case _ if is_deputy(game, sides[0], letter.sender):
                return _not_proven(game, sides[0], letter, self.settings)
            case _:
                return confirm.hold_and_ask(game, sides[0], letter, self.raw, self.settings)

    def verdict(
        self, game: Adjudicator, letter: Letter, sides: Sequence[Side]
    ) -> Proven | Unproven | Forged | Stranger:
        """Return who wrote a letter, as far as that shows. `sides` are those of its sender in the game."""
        shown = tokens_of(letter, self.settings.host)
        if not sides:
            return self._from_elsewhere(game, letter, shown)
        if self.confirmed == game.name:
            return Proven(Proof.CONFIRMED)
        if self._was_carried_out(game, letter, sides):
            return Proven(Proof.BEFORE)
        proofs = self.config.of(game.name)
        own = {each for side in sides for each in tokens_for(game, side, letter.sender)}
        if Proof.TOKEN in proofs and not shown.isdisjoint(own):
            return Proven(Proof.TOKEN)
        if Proof.PROVIDER in proofs and self._vouched_for(game, letter):
            return Proven(Proof.PROVIDER)
        if Proof.DKIM in proofs and self._signed(letter) and self._signed_for_us(game, letter):
            return Proven(Proof.DKIM)
        if Proof.SIGNATURE in proofs and (found := self._signed_sheet(game, letter, sides)) is not None:
            return found
        if Proof.ADDRESS in proofs:
            return Proven(Proof.ADDRESS)
        if Proof.TOKEN in proofs and (wrong := _wrong(game, shown, sides)):
            return Forged(wrong, sides[0])
        return Unproven()

    def _from_elsewhere(self, game: Adjudicator, letter: Letter, shown: set[str]) -> Forged | Stranger:
        """Return what a letter is that comes from an address that is not on file."""
        for side in game.ledger.addresses:
            if token(game, side) in shown:
                return Forged(f"it has your key, but came from {letter.sender}, which is not your address here", side)
        return Stranger()

    def _was_carried_out(self, game: Adjudicator, letter: Letter, sides: Sequence[Side]) -> bool:
        """Tell whether a letter was carried out before: then nothing is, and what it still owes is written."""
        shares = [letter, *(replace(letter, seat=side) for side in sides)]
        return any(
            game.ledger.letter(each.identity) is not None and game.ledger.letter(each.digest) is not None
            for each in shares
        )

    def _vouched_for(self, game: Adjudicator, letter: Letter) -> bool:
        hosts = self.config.authentication_results
        method = vouched_for(Headers(self.raw), hosts, letter.sender) if hosts else ""
        return method == "spf" or (bool(method) and self._signed_for_us(game, letter))

    def _signed_for_us(self, game: Adjudicator, letter: Letter) -> bool:
        """Tell whether a signature, if it is good, says that the letter was written to us, and after its report."""
        headers = Headers(self.raw)
        signed = signed_headers(headers, _domain(letter))
        to = getaddresses([headers.one(name) for name in ("to", "cc") if name in signed])
        written = headers.time("date") if "date" in signed else None
        return written is not None and any(map(self._is_ours, to)) and written >= _day_of_report(game, letter)

    def _is_ours(self, named: tuple[str, str]) -> bool:
        """Tell whether a name with its address is the referee's, also with a key behind a plus sign."""
        local, _, host = named[1].lower().rpartition("@")
        return f"{local.partition('+')[0]}@{host}" == parseaddr(self.settings.sender)[1].lower()

    def _signed(self, letter: Letter) -> bool:
        """Tell whether a good DKIM signature is of the sender's domain."""
        return any(aligned(each, _domain(letter)) for each in self._signers)

    @cached_property
    def _signers(self) -> list[str]:
        try:
            return list(signed_by(self.raw))
        except ImportError:
            logging.getLogger(__name__).warning(
                "dkim is named as a proof, but dkimpy is not installed: pip install 'pbem[dkim]'"
            )
            return []

    def _signed_sheet(self, game: Adjudicator, letter: Letter, sides: Sequence[Side]) -> Proven | Forged | None:
        """Return what the signatures in a letter show; None: nothing, or not of all that it asks for."""
        for side in sides:
            key = game.ledger.joined(side).key or ""
            signed = signed_sheets(self.raw, key) if key.startswith("ssh-ed25519 ") else []
            covers = [each for each in signed if _covers(each, letter, game)]
            if covers and not note_signed(game, side, covers[0].digest, letter.identity):
                return Forged("the signed sheet in it had come before, in another letter", side)
            if covers:
                return Proven(Proof.SIGNATURE)
        return None


def _not_proven(game: Adjudicator, side: Side, letter: Letter, settings: MailSettings) -> Turned:
    """Return what becomes of a letter of a deputy that proves nothing: the player cannot confirm it."""
    reason = (
        f"Nothing in it shows that you have written it, and anybody can write your address. Answer one of the letters "
        f"of {game.name} to you: it brings a key of yours back."
    )
    log = f"letter of the deputy of {side}: nothing shows that they wrote it; it is refused"
    return Turned(log, [refusal_letter(reason, 0, letter, settings)])


def _covers(signed: Signed, letter: Letter, game: Adjudicator) -> bool:
    """Tell whether all that a letter asks for is the sheet that was signed."""
    own = [each for each in letter.enclosures if each.where != "quoted"]
    sheets = own and all(same_sheet(each.text.decode("utf-8", "replace"), signed) for each in own)
    return bool(sheets) and all(each.is_question for each in letter.commands) and not orders_outside(letter, game)


def _wrong(game: Adjudicator, shown: set[str], sides: Sequence[Side]) -> str:
    """Return what is wrong with the tokens in a letter; empty: it has none."""
    if not shown:
        return ""
    if any(not shown.isdisjoint(earlier_tokens(game, side)) for side in sides):
        return "its key has been replaced by a newer one"
    if any(token(game, side) in shown for side in game.ledger.addresses if side not in sides):
        return "its key is that of another side"
    return f"its key is not one of {game.name}"


def _day_of_report(game: Adjudicator, letter: Letter) -> datetime:
    """Return when the day of the report began that a letter answers, where it began first on earth."""
    reports = [each.report.adjudication for each in letter.enclosures if each.report is not None]
    n = min(max(reports, default=game.adjudication), game.adjudication)
    day = game.public_turn(n)["day"] if n > 0 else "1970-01-01"
    return datetime.fromisoformat(f"{day}T00:00:00+14:00")


def _domain(letter: Letter) -> str:
    return letter.sender.rpartition("@")[2]
