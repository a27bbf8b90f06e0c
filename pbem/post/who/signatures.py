"""Proofs of who sent a letter: what the own mail provider says (RFC 8601), DKIM, SSH signatures of a sheet.

A provider writes a header `Authentication-Results` above those that a letter came with. Whoever writes a letter can
write such headers, too, in the provider's name. They stand below the provider's own. So only the topmost one in the
name of a trusted host counts. It counts as a whole or not at all: one that cannot be read says nothing.

An SSH signature is made by `ssh-keygen -Y sign -n pbem -f KEY orders.yaml`, with the key that the player has on record
by KEY, and sent along with the sheet. It covers the bytes of an attached file, or the sheet in the letter's own text as
it stands above the signature. It says who wrote that sheet, and nothing of the rest of the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from pbem.crypto.signing import verifies
from pbem.mail.read.mime import Headers, MailPart, TangledLetter, take_apart, tidy_text
from pbem.orders.sheet import without_keys

_LONGEST_RESULTS: Final = 10_000
_TOKENS: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|([;()])|(\s+)|([^\s;()"]+)')
_VERSION_WORD: Final = re.compile(r"[0-9]+")
_DOMAIN_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_MOST_DKIM: Final = 5
_NOT_RFC_8601: Final = "not of the form that RFC 8601 gives"
PURPOSE: Final = "pbem"
"""The namespace that a signature is made for: one made for git or mail does not count."""
_SSH_SIGNATURE: Final = re.compile(
    rb"-----BEGIN SSH SIGNATURE-----\s[A-Za-z0-9+/=\s]{1,2000}-----END SSH SIGNATURE-----"
)
_MOST_ARMOURS: Final = 5
_SHEET: Final = re.compile(rb"(?m)^[ \t]*game[ \t]*:")
_SHEET_HEADING: Final = tuple(
    re.compile(rb"(?m)^%b[ \t]*:[ \t]*\S" % key) for key in (b"game", b"side", b"adjudication")
)


class MethodResult(NamedTuple):
    """What one method found: its name, its verdict, and the properties that it looked at, such as `header.d`."""

    method: str
    verdict: str
    properties: dict[str, str]


def vouched_for(headers: Headers, hosts: Collection[str], sender: str) -> str:
    """Return the method by which the provider vouches for a sender's address: spf, dkim or dmarc; empty: by none.

    `hosts` are the names that the own provider writes in its headers, in small letters. What was looked at must belong
    to the domain of the sender.
    """
    domain = sender.rpartition("@")[2]
    said = [
        result.method
        for result in provider_says(headers, hosts)
        if result.verdict == "pass" and any(aligned(each, domain) for each in _domains(result))
    ]
    return "spf" if "spf" in said else next(iter(said), "")


def provider_says(headers: Headers, hosts: Collection[str]) -> list[MethodResult]:
    """Return the results in the topmost header of a trusted host; none if there is no such header."""
    for text in headers.every("authentication-results"):
        try:
            host, results = read_results(text)
        except ValueError:
            if any(host in text.lower() for host in hosts):  # it may be the provider's own: what stands below is not
                return []
            continue
        if host in hosts:
            return results
    return []


def read_results(text: str) -> tuple[str, list[MethodResult]]:
    """Return the host that a header speaks for, and what it says. Raises ValueError if it cannot be read.

    >>> host, results = read_results("mx.example.org; dkim=pass (good; spf=pass) header.d=example.com")
    >>> host, results[0].method, results[0].properties
    ('mx.example.org', 'dkim', {'header.d': 'example.com'})
    """
    if len(text) > _LONGEST_RESULTS:
        raise ValueError(_NOT_RFC_8601)
    first, *rest = _header_sections(text)
    if len(first) not in (1, 2) or (len(first) == 2 and not _VERSION_WORD.fullmatch(first[1])) or "=" in "".join(first):
        raise ValueError(_NOT_RFC_8601)
    results = [_result(words) for words in rest if words and words != ["none"]]
    return first[0].lower(), results


def aligned(said: str, domain: str) -> bool:
    """Tell whether what a domain says counts for another: for itself, and for those below it.

    >>> aligned("example.org", "mail.example.org"), aligned("mail.example.org", "example.org"), aligned("org", "x.org")
    (True, False, False)
    """
    said, domain = said.lower().rstrip("."), domain.lower()
    return "." in said and _DOMAIN_NAME.fullmatch(said) is not None and f".{domain}".endswith(f".{said}")


def signed_by(raw: bytes, lookup: Callable[..., bytes | None] | None = None) -> Iterator[str]:
    """Yield the domains whose DKIM signature of a letter is good. Needs dkimpy, and asks the DNS for their keys.

    A signature of a part of the letter counts for nothing, for more could be written below that. `lookup` answers in
    place of the DNS. Raises ImportError without dkimpy.
    """
    import dkim

    count = len(Headers(raw).every("dkim-signature"))
    for at in range(min(count, _MOST_DKIM)):
        checked = dkim.DKIM(raw)
        try:
            good = checked.verify(at, **({} if lookup is None else {"dnsfunc": lookup}))
        except Exception:  # whatever is wrong with a signature, or with the DNS, it proves nothing
            continue
        if good and b"l" not in checked.signature_fields:
            yield checked.domain.decode("ascii", "replace").lower()


def signed_headers(headers: Headers, domain: str) -> set[str]:
    """Return the headers that DKIM signatures for a domain cover, in small letters, of those that a letter has once.

    Whether a signature is good is for others to say.
    """
    found: set[str] = set()
    for text in headers.every("dkim-signature")[:_MOST_DKIM]:
        tags = {name.strip(): said.strip() for name, _, said in (each.partition("=") for each in text.split(";"))}
        if aligned(tags.get("d", ""), domain):
            found |= {each.strip().lower() for each in tags.get("h", "").split(":")}
    return {name for name in found if len(headers.every(name)) == 1}


def _domains(result: MethodResult) -> Iterator[str]:
    """Yield the domains that a result is about."""
    said = result.properties
    if result.method == "dkim":
        yield said.get("header.d") or said.get("header.i", "").rpartition("@")[2]
    elif result.method == "spf":
        yield said.get("smtp.mailfrom", "").rpartition("@")[2]
    elif result.method == "dmarc":
        yield said.get("header.from", "").rpartition("@")[2]


def _result(words: list[str]) -> MethodResult:
    """Return one result, such as `dkim=pass reason="..." header.d=...`."""
    pairs = [word.partition("=") for word in words if "=" in word]  # `action none` of some providers says nothing
    if not pairs or "=" not in words[0]:
        raise ValueError(_NOT_RFC_8601)
    (method, _, verdict), *others = pairs
    properties: dict[str, str] = {}
    for name, _, value in others:
        if properties.setdefault(name.lower(), value) != value:
            raise ValueError(_NOT_RFC_8601)
    return MethodResult(method.lower().partition("/")[0], verdict.lower(), properties)


def _header_sections(text: str) -> list[list[str]]:
    """Return the words of a header between its semicolons, without comments. A quoted text is one word."""
    sections: list[list[str]] = [[]]
    depth, at, glued = 0, 0, False
    while at < len(text):
        if depth and text[at] not in "()\\":
            at += 1
            continue
        if depth and text[at] == "\\":
            at += 2
            continue
        found = _TOKENS.match(text, at)
        if found is None:  # a quotation mark without its like
            raise ValueError(_NOT_RFC_8601)
        quoted, sign, blank, word = found.groups()
        at = found.end()
        if sign in ("(", ")"):
            depth += 1 if sign == "(" else -1
            if depth < 0:
                raise ValueError(_NOT_RFC_8601)
            glued = False
        elif sign == ";":
            sections.append([])
            glued = False
        elif blank is not None:
            glued = False
        else:
            piece = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else str(word)
            if glued:  # as in "ann b"@example.org
                sections[-1][-1] += piece
            else:
                sections[-1].append(piece)
            glued = True
    if depth:
        raise ValueError(_NOT_RFC_8601)
    return [_joined_pairs(section) for section in sections]


def _joined_pairs(words: list[str]) -> list[str]:
    """Return words in which what stands around an equals sign is one word: `dkim = pass` as `dkim=pass`."""
    pairs: list[str] = []
    for word in words:
        if pairs and (word.startswith("=") or pairs[-1] == "=" or pairs[-1].find("=") == len(pairs[-1]) - 1):
            pairs[-1] += word
        else:
            pairs.append(word)
    return pairs


class Signed(NamedTuple):
    """A text that the holder of a key has signed."""

    text: str
    """As the inbox reads it, so that it can be compared with a sheet that was found there."""
    digest: str


def signed_sheets(raw: bytes, public: str) -> list[Signed]:
    """Return the sheets in a letter that are signed with a key; those alone that say which report they answer."""
    try:
        parts = take_apart(raw)
    except TangledLetter:
        return []
    armours = [found[0] for part in parts for found in _SSH_SIGNATURE.finditer(part.content)][:_MOST_ARMOURS]
    if not armours:
        return []
    messages = dict.fromkeys(message for part in parts for message in _messages(part))
    return [
        Signed(_as_read(message), sha256(message).hexdigest())
        for message in messages
        if all(key.search(message) for key in _SHEET_HEADING)
        and any(verifies(public, message, armour, PURPOSE) for armour in armours)
    ]


def same_sheet(sheet: str, signed: Signed) -> bool:
    """Tell whether a sheet as the inbox found it is one that was signed."""
    return _lines_of(sheet) == _lines_of(signed.text)


def _lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _as_read(message: bytes) -> str:
    return without_keys(tidy_text(message.decode("utf-8", "replace")))


def _messages(part: MailPart) -> Iterator[bytes]:
    """Yield what may have been signed: a part of a letter, and the sheet above a signature in it.

    Mail programs change line ends, and take or add the last one.
    """
    if part.kind.startswith(("image/", "audio/", "video/")):
        return
    plain = part.content.replace(b"\r\n", b"\n")
    above = plain[: found.start()] if (found := _SSH_SIGNATURE.search(plain)) is not None else None
    sheet = None
    if above is not None and (start := _SHEET.search(above)) is not None:
        sheet = above[start.start() :]
    for text in (part.content, plain, above, sheet):
        if text is not None:
            yield from (text, text.rstrip() + b"\n", text.rstrip())
