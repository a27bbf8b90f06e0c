"""The inbox: opens the bytes of any letter, to find the order sheets in it or a polite reason why there are none.

Which text is read: the text/plain parts (of alternatives the plain one), the text of HTML parts that have no plain text
beside them, and attached files that are YAML by name or type, or plain text with a sheet in it. A letter attached to a
letter is not opened: it may be somebody else's, and orders must be the sender's own words. Signatures (PGP, S/MIME)
are not looked at here.

Sealed orders, in a letter or in a forum post that somebody copied: a block is opened only for its own side, so that
nobody learns what another side has sealed by pasting it. One that does not open sends the letter back as a whole: what
its sender meant cannot be told without it. A file that is a sheet and nothing else is left as it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Final

from pbem.crypto.keys import BadKeys, Keys
from pbem.crypto.sealed_orders import BadBlock, SealedBlock, find_blocks, open_block
from pbem.game.wording import listing
from pbem.mail.answer.every_command import WORDS
from pbem.mail.choose.routing import games_of, sides_of
from pbem.mail.notes.address import MESSAGE_ID, mailbox, pretends
from pbem.mail.read.commands import commands_in, is_command
from pbem.mail.read.forum_tags import untagged
from pbem.mail.read.html_text import text_of
from pbem.mail.read.letter import Enclosure, Letter, Where
from pbem.mail.read.mime import Headers, MailPart, TangledLetter, header_text, legible, take_apart, tidy_text
from pbem.mail.read.own_text import without_marks, without_receipts
from pbem.mail.read.press import press_in
from pbem.mail.read.sheet_finder import BlocksOpened, FoundSheet, Unseal, bare_orders, outside, sheets, with_sheets
from pbem.mail.read.token import tokens_in_addresses
from pbem.mail.write.outgoing import MailSettings
from pbem.orders.said.english import without_courtesies
from pbem.orders.sheet import keys_in, without_keys
from pbem.protocol import Side
from pbem.referee.game.open_game import CannotPlay, OpenGame

_MOST: Final = 20
_YAML_KINDS: Final = {"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "text/vnd.yaml"}
_CAME_TO: Final = ("to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to")
"""The headers with the addresses that a letter came to."""
_MAILTO: Final = re.compile(
    r"([^\s<>@\[\]]+@[^\s<>@\[\]]+)\s?<mailto:\1>|[<\[]mailto:([^\s<>@\[\]]+@[^\s<>@\[\]]+)[>\]]", re.IGNORECASE
)
"""What programs make of an address in a text: a link beside it, or in its place."""
_ATTACHED_TEXT: Final = re.compile(r"ATT\d{3,6}\.(?:txt|html?)", re.IGNORECASE)
"""The name that Exchange gives to a text below a picture."""
_SECRET_KINDS: Final = {"application/pgp-encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"}
_POST_HEAD: Final = b"From: post@localhost\nContent-Type: text/plain; charset=utf-8\n\n"
_PAGE: Final = re.compile(r"\s*<(?:!doctype|html|article|blockquote|div|p|pre|ul|ol|span|br)\b", re.IGNORECASE)
_SEALED: Final = re.compile(rb"AGE.{0,12}ENCRYPTED.{0,12}FILE", re.IGNORECASE | re.DOTALL)
_SHUT: Final = "Its orders are sealed: only the referee of the game opens them."
_HOW: Final = "Please write the sheet as plain text, or attach it as a file that ends in .yaml."
_WHO: Final = "The letter does not say plainly who sent it: it needs one From line with one address."
_TOO_MANY: Final = f"Your letter holds more than {_MOST} order sheets. Please send those that count, and no others."
_HTML: Final = (
    "Your letter came as HTML only, and no text could be taken out of it. Please switch your mail program to "
    '"plain text" for this letter, or attach the sheet as a file that ends in .yaml.'
)
_CHARSET: Final = (
    "Your letter says that its text is in the charset {charset}, which is not known here. Please use UTF-8."
)
_ENCRYPTED: Final = (
    "Your letter is encrypted, and there is no key here to open it. Please send the order sheet unencrypted; "
    "you may sign it."
)
_NO_SHEET: Final = (
    "There is no order sheet in your letter, and no line that looks like an order. In the answer to a report one line "
    "is enough: what you do, in the words of the game, an order of its form without the # in front, or AGREED alone, "
    "which takes what counts without an answer. A sheet begins with the line `game: NAME`."
)
_WINMAIL: Final = (
    "Your letter came as winmail.dat, a format that only Outlook can read. Please send it as plain text "
    "(in Outlook: Format Text, Plain Text), or attach the sheet as a file that ends in .yaml."
)
_LETTER_IN_LETTER: Final = (
    "Your letter only has another letter attached. Orders in an attached letter are not read, since it may not be "
    f"yours. {_HOW}"
)
_PICTURE: Final = f"There is only a picture in your letter, and orders cannot be read from a picture. {_HOW}"
_OTHER_FILES: Final = f"There is no text in your letter, only files of a kind that is not read. {_HOW}"
_EMPTY: Final = f"Your letter is empty. {_HOW}"


def open_letter(raw: bytes, unseal: Unseal | None = None) -> Letter:
    """Open a letter and return what is in it. Never raises, whatever the bytes.

    `unseal` opens the sealed orders in it; without it, they stay shut and count for nothing.
    """
    letter = _left_shut(raw)
    if unseal is None or not letter.shut:
        return letter
    letter = _read_whole(Headers(raw), raw, unseal)
    return replace(letter, digest=_digest(letter))


@lru_cache(maxsize=1)
def _left_shut(raw: bytes) -> Letter:
    """Return a letter in which sealed orders stay shut; who wrote it is asked before it is carried out."""
    letter = _read_whole(Headers(raw), raw, None)
    return replace(letter, digest=_digest(letter))


def with_orders(letter: Letter, lines: Sequence[str]) -> Letter:
    """Return a letter with a digest that also covers lines of it that are orders without a sheet."""
    return replace(letter, digest=_digest(letter, lines))


def _read_whole(headers: Headers, raw: bytes, unseal: Unseal | None) -> Letter:
    letter = _envelope(headers, raw)
    if letter.automatic:
        return letter
    if not letter.sender:
        return replace(letter, refusal=_WHO)
    try:
        parts = take_apart(raw)
    except TangledLetter as reason:
        return replace(letter, refusal=str(reason))
    parts, shut = _with_blocks_opened(parts, letter.sender, unseal)
    letter = replace(letter, sealed=shut.games, shut=shut.quoted == _SHUT)
    if shut.refused:
        return replace(letter, refusal=shut.refused)
    letter = replace(letter, tokens=tuple(dict.fromkeys([*letter.tokens, *_keys_written(parts)])))
    # a program that sets a picture between two lines makes two parts of one text
    texts = [text for part in parts if _is_body(part) and (text := _body(part)) is not None]
    whole = ["\n".join(text.rstrip("\n") + "\n" for text in texts)] if texts else []
    talk = [press_in(text, WORDS) for text in whole]
    spoken = [each for said in talk for each in said.instructions]
    bodies = [said.rest for said in talk]
    found = [sheets(text, WORDS) for text in bodies]
    rest = [outside(text, each) for text, each in zip(bodies, found, strict=True)]
    loose = tuple(line for own, _ in rest for line in (*own, ""))
    quoted_lines = tuple(line for _, others in rest for line in (*others, ""))
    said = commands_in(WORDS, letter.subject, loose, quoted_lines, sheets=any(found) or bool(spoken))
    commands = (*spoken, *said.instructions)[:_MOST]
    enclosures, beside = _enclosures([sheet for each in found for sheet in each], parts)
    passed_over: tuple[Enclosure, ...] = ()
    # A player who answers a report with the one word STATUS has not ordered what the form quoted below happens to say.
    quoted = any(sheet.where == "quoted" for sheet in enclosures)
    if quoted and not all(each.word.is_about_sheet for each in commands):
        enclosures, passed_over = (), enclosures
    if len(enclosures) > _MOST:
        return replace(letter, refusal=_TOO_MANY)
    refusal = None if enclosures or commands else shut.quoted or _why_nothing(parts, bodies)
    return replace(
        letter,
        commands=commands,
        enclosures=enclosures,
        passed_over=passed_over,
        beside=beside,
        loose=loose,
        said=tuple(without_courtesies(_talk(loose, quoted_lines))),
        quoted_lines=quoted_lines,
        unclear=said.unclear,
        refusal=refusal,
        only_words=refusal == _NO_SHEET,
    )


def _talk(own: Sequence[str], quoted: Sequence[str]) -> list[str]:
    """Return the sender's own lines, blank where they are a command, quoted, or say who wrote what is quoted below."""
    talk = list(own)
    quotes_below = False
    for at in range(len(own) - 1, -1, -1):
        line = own[at]
        introduces = quotes_below and line.rstrip().endswith(":")
        if introduces or line.lstrip().startswith(">") or is_command(WORDS, line):
            talk[at] = ""
        if line.strip() or quoted[at].strip():
            quotes_below = bool(quoted[at].strip())
    return talk


def _with_blocks_opened(
    parts: Sequence[MailPart], sender: str, unseal: Unseal | None
) -> tuple[list[MailPart], BlocksOpened]:
    """Return the parts of a letter with the sheets that are sealed in them, and why blocks do not open."""
    done: list[MailPart] = []
    refused = quoted = ""
    games: list[str] = []
    for part in parts:
        text = part.whole if _SEALED.search(part.content) and not part.covered else None
        if text is None:
            done.append(part)
            continue
        games += [block.game for block in islice(find_blocks(untagged(text)), _MOST)]
        if unseal is None:
            opened = BlocksOpened(text, quoted=_SHUT)
        else:
            opened = with_sheets(untagged(text), sender, unseal)
            part = replace(part, kind="text/plain", content=opened.text.encode(), charset="utf-8", flowed=False)
        done.append(part)
        refused, quoted = refused or opened.refused, quoted or opened.quoted
    return done, BlocksOpened("", refused, quoted, tuple(dict.fromkeys(games)))


def _envelope(headers: Headers, raw: bytes) -> Letter:
    references = MESSAGE_ID.findall(headers.one("references")[-20_000:])
    answered = MESSAGE_ID.match(headers.one("in-reply-to"))
    if answered is not None:  # some programs write no references (RFC 5322, 3.6.4)
        references = [*(each for each in references if each != answered[0]), answered[0]]
    message_id = MESSAGE_ID.match(headers.one("message-id"))
    return Letter(
        sender=_sender_of(headers),
        subject=header_text(headers.one("subject"))[:500],
        message_id=message_id[0] if message_id else "",
        date_text=headers.one("date")[:100],
        digest="",
        raw=hashlib.sha256(raw).hexdigest(),
        references=tuple(references),
        automatic=is_automatic(headers),
        tokens=tuple(tokens_in_addresses(" ".join(value for name in _CAME_TO for value in headers.every(name)))),
    )


def _digest(letter: Letter, orders: Sequence[str] = ()) -> str:
    """Return the digest of sender, Message-ID and content; of a letter in which nothing is found, its bytes count."""
    sheets = ["\n".join(map(str.rstrip, each.text.decode().rstrip().split("\n"))) for each in letter.enclosures]
    content = [*map(str, letter.commands), *sheets, *map(str.strip, orders)] or [letter.raw]
    whole = json.dumps([letter.sender, letter.message_id, *content])
    return hashlib.sha256(whole.encode()).hexdigest()


def _sender_of(headers: Headers) -> str:
    """Return the address of the one From header, or nothing if it could be read in two ways."""
    named = [mailbox(value) for value in headers.every("from")]
    if len(named) != 1 or named[0] is None or pretends(header_text(named[0].name), named[0].address):
        return ""
    return named[0].address


def is_automatic(headers: Headers) -> bool:
    """Return whether a machine sent the letter by itself; a mailing list that passes on a player's is none."""
    kind = headers.one("content-type").lower()
    precedence = headers.one("precedence").lower()
    return (
        headers.one("auto-submitted").lower().partition(";")[0].strip() not in ("", "no")
        or (precedence in ("bulk", "junk", "auto_reply") and not headers.every("list-id"))
        or any(headers.every(name) for name in ("x-autoreply", "x-autorespond", "x-autoresponder"))
        or kind.startswith(("multipart/report", "message/delivery-status"))
        or headers.one("return-path") == "<>"
    )


def _is_body(part: MailPart) -> bool:
    readable = part.kind == "text/plain" or (part.kind == "text/html" and not part.covered)
    return readable and (not part.attached or _ATTACHED_TEXT.fullmatch(part.name) is not None)


def _is_yaml(part: MailPart) -> bool:
    return part.kind in _YAML_KINDS or part.name.lower().endswith((".yaml", ".yml"))


def _body(part: MailPart) -> str | None:
    """Return the tidied text of a part without flowed line ends, tags, clear signatures, receipts and keys of ours."""
    text = part.whole
    return None if text is None else without_keys(without_receipts(_plain_addresses(untagged(text))))


def _plain_addresses(text: str) -> str:
    return _MAILTO.sub(lambda found: found[1] or f"<{found[2]}>", text) if "mailto:" in text.lower() else text


def _keys_written(parts: Iterable[MailPart]) -> Iterator[str]:
    """Yield the keys in the text and the attached sheets of a letter."""
    for part in parts:
        if (_is_body(part) or _is_yaml(part) or part.kind == "text/plain") and (text := part.whole) is not None:
            yield from keys_in(untagged(text))


def _enclosures(
    found: list[FoundSheet], parts: Iterable[MailPart]
) -> tuple[tuple[Enclosure, ...], tuple[Enclosure, ...]]:
    """Return the sheets of a letter, best first, each text once, and the one quoted beside them.

    A quoted sheet is one of the sheets only where there is no other.
    """
    own = [sheet.text for sheet in found if sheet.depth == 0]
    enclosures = [_enclosure(_sheet_name("letter", i), text, "body") for i, text in enumerate(own)]
    enclosures += _attached(parts)
    quoted = [sheet for sheet in found if sheet.depth]
    beside: list[Enclosure] = []
    if quoted:
        beside = [_enclosure(_sheet_name("letter", i), text, "quoted") for i, text in enumerate(_youngest(quoted))]
    if not enclosures:
        enclosures, beside = beside, []
    return tuple({enclosure.text: enclosure for enclosure in reversed(enclosures)}.values())[::-1], tuple(beside)


def _youngest(quoted: Sequence[FoundSheet]) -> Iterator[str]:
    """Yield the topmost sheet of the youngest letter quoted, and the topmost ones for other sides in the same game.

    A letter of ours to a player of several sides has a form for each of them.
    """
    nearest = min(quoted, key=lambda sheet: sheet.depth)
    sides: set[str] = set()
    for sheet in quoted:
        game, side = (_heading_value(sheet.text, name) for name in ("game", "side"))
        if sheet is nearest or (
            sheet.depth == nearest.depth and game == _heading_value(nearest.text, "game") and sides and side
        ):
            if side not in sides:
                yield sheet.text
            sides.add(side)


def _heading_value(sheet: str, name: str) -> str:
    """Return what a key of a sheet's heading says."""
    found = re.search(rf"(?im)^(?:[^\w\n]|_)*+{name}[^\w:]*:\W*([\w.-]+)", sheet)
    return found[1].lower() if found else ""


def _attached(parts: Iterable[MailPart]) -> Iterator[Enclosure]:
    for part in parts:
        if _is_body(part) or not (_is_yaml(part) or part.kind == "text/plain"):
            continue
        text = _body(part)
        if text is None or not text.strip():
            continue
        texts = [text] if _is_yaml(part) else [sheet.text for sheet in sheets(text, WORDS) if sheet.depth == 0]
        name = _file_name(part.name)
        yield from (_enclosure(_sheet_name(name, i), sheet, "attachment") for i, sheet in enumerate(texts))


def _enclosure(name: str, text: str, where: Where) -> Enclosure:
    return Enclosure(name, without_marks(text).encode(), where)


def _sheet_name(name: str, index: int) -> str:
    return f"{name}-{index + 1}" if index else name


def _file_name(name: str) -> str:
    """Return an attached file's name without its folders and without what a message should not print."""
    name = re.split(r"[/\\]", name)[-1]
    return re.sub(r"[^\w.() -]+", "_", name)[-60:].strip(" .") or "orders.yaml"


def _why_nothing(parts: list[MailPart], bodies: list[str]) -> str:
    """Return what to tell the sender of a letter without sheets and commands: the most helpful reason first."""
    kinds = {part.kind for part in parts}
    unknown = [part for part in parts if (_is_body(part) or _is_yaml(part)) and not part.is_legible]
    if unknown:
        return _CHARSET.format(charset=re.sub(r"[^\w.:-]+", "_", unknown[0].charset)[:40])
    if kinds & _SECRET_KINDS or any("-----BEGIN PGP MESSAGE-----" in text for text in bodies):
        return _ENCRYPTED
    if any(text.strip() for text in bodies):
        return _NO_SHEET
    if "text/html" in kinds:
        return _HTML
    if any(part.kind == "application/ms-tnef" or part.name.lower() == "winmail.dat" for part in parts):
        return _WINMAIL
    if "message/rfc822" in kinds:
        return _LETTER_IN_LETTER
    if any(kind.startswith("image/") for kind in kinds):
        return _PICTURE
    return _OTHER_FILES if any(part.content.strip() for part in parts) else _EMPTY


def sheet_in_post(raw: bytes, kinds: Collection[str], unseal: Unseal | None) -> bytes:
    """Return the sheet in a post; a text without one is returned as it is. `kinds` are the orders of the game.

    Raises BadBlock for sealed orders that do not open, and CannotPlay where it cannot be told which sheet counts.
    """
    text = legible(raw, "") or ""
    if _PAGE.match(text):
        text = text_of(text) or text
    text = tidy_text(text)
    if not (sealed := any(find_blocks(text))) and _is_sheet_alone(text):
        return raw if text == raw.decode("utf-8", "replace").replace("\r\n", "\n") else text.encode()
    letter = open_letter(_POST_HEAD + text.encode(), unseal)
    if letter.refusal is not None and sealed:
        raise BadBlock(letter.refusal)
    found = list(dict.fromkeys(each.text for each in letter.enclosures or letter.passed_over))
    if not found:
        return raw
    if len(found) > 1:
        raise CannotPlay("There are two order sheets in the post that differ. Hand in the one that counts alone.")
    _require_no_other(letter, kinds)
    return found[0]


def _is_sheet_alone(text: str) -> bool:
    """Tell whether there is nothing in a text but one sheet, or no sheet at all."""
    if untagged(text) != text:
        return False
    found = sheets(text, WORDS)
    own, quoted = outside(text, found)
    return not found or (len(found) == 1 and found[0].depth == 0 and not any(map(str.strip, [*own, *quoted])))


def _require_no_other(letter: Letter, kinds: Collection[str]) -> None:
    """Raise CannotPlay if orders stand outside the sheet of a post."""
    if stray := [line for each in bare_orders(letter.loose, kinds) for line in each.lines]:
        shown = "\n".join(f"  | {line.strip()[:100]}" for line in stray)
        raise CannotPlay(
            f"Something that looks like an order stands outside the order sheet of the post. Put it into the sheet, or "
            f"take it out:\n{shown}"
        )


def by_sender(settings: MailSettings) -> Unseal:
    """Return what opens the blocks of a letter: those of the sides that its sender plays."""

    def unseal(sender: str, block: SealedBlock) -> str:
        names = games_of(settings, sender)
        if block.game and block.game not in names:
            raise BadBlock(
                f"The block of sealed orders is for the game {block.game}, in which {sender} plays no side here. "
                f"Nothing of it was carried out."
            )
        return _sheet_in_block(block, list(_identities(settings, names)), lambda game: sides_of(settings, game, sender))

    return unseal


def for_side(game: OpenGame, side: Side) -> Unseal:
    """Return what opens the blocks in a post that the game master hands in for a side."""
    keys = [(game.name, game.ledger.keys.identity)]
    return lambda _, block: _sheet_in_block(block, keys, lambda _: [side])


def _sheet_in_block(block: SealedBlock, identities: list[tuple[str, str]], sides: Callable[[str], list[Side]]) -> str:
    """Return the sheet in a block; raise BadBlock unless it is for one of some sides of its game."""
    game, side, content = open_block(block, identities)
    own = sides(game)
    if side not in own:
        theirs = listing(own, "or") or "another"
        raise BadBlock(
            f"The block of sealed orders is for the side {side} of {game}, not for {theirs}. It was not read, and "
            "nothing of it was carried out."
        )
    sheet = Enclosure("sealed orders", content, "body")
    named = sheet.side
    if sheet.game != game or named not in ("", side):
        raise BadBlock(
            f"The block was sealed for {side} of {game}, but the sheet in it is for {named or side} of "
            f"{sheet.game or 'no game'}. Nothing of it was carried out. Make it again with `pbem seal-orders`."
        )
    text = content.decode("utf-8", "replace")
    return text if named else f"side: {side}\n{text}"


def _identities(settings: MailSettings, names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield games with their keys; one whose keys are damaged keeps no letter about another from being read."""
    for name in names:
        try:
            yield name, Keys.load(settings.keys, name).identity
        except (BadKeys, OSError):
            continue
