"""What the own provider says of a sender, and all that others write in its name."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from pbem.mail.read.mime import Headers
from pbem.post.who.signatures import read_results, signed_by, vouched_for

HOST = "mx.example.com"
ANN = "ann@example.org"


def vouched(*headers: str, sender: str = ANN, hosts: tuple[str, ...] = (HOST,)) -> str:
    lines = "".join(f"Authentication-Results: {each}\n" for each in headers)
    return vouched_for(Headers(f"Received: by mx\n{lines}From: {sender}\nSubject: x\n\nx".encode()), hosts, sender)


GOOD = {
    "dkim": [
        f"{HOST}; dkim=pass header.d=example.org",
        f"{HOST} 1; dkim=pass header.d=example.org",
        f"{HOST.upper()}; DKIM=Pass Header.D=Example.ORG",
        f"{HOST};\n\tdkim=pass (2048-bit key; unprotected) header.d=example.org \n\theader.b=Kb/x=",
        f"{HOST}; dkim = pass header.d = example.org",
        f"{HOST}; dkim/1=pass header.i=@example.org",
        f'{HOST}; dkim=pass reason="good; or is it (not)?" header.d=example.org',
        f"{HOST}; dkim=fail header.d=list.example.net; dkim=pass header.d=example.org",
        f"{HOST}; spf=softfail smtp.mailfrom=x@evil.org; dkim=pass header.d=example.org",
        f'"{HOST}"; dkim=pass header.d="example.org"',
    ],
    "spf": [
        f"{HOST}; spf=pass smtp.mailfrom=ann@example.org",
        f"{HOST}; spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=example.org",
        f"{HOST}; dkim=none; spf=pass (domain of ann@example.org designates 192.0.2.1) smtp.mailfrom=ann@example.org",
    ],
    "dmarc": [f"{HOST}; dmarc=pass (p=NONE sp=QUARANTINE dis=NONE) header.from=example.org"],
}


@pytest.mark.parametrize(("by", "header"), [(by, each) for by, some in GOOD.items() for each in some])
def test_provider_vouches_for_the_sender(by: str, header: str) -> None:
    assert vouched(header) == by


BAD = [
    # another domain
    f"{HOST}; dkim=pass header.d=evil.org",
    f"{HOST}; dkim=pass header.d=notexample.org",
    f"{HOST}; dkim=pass header.d=example.org.evil.org",
    f"{HOST}; dkim=pass header.d=mail.example.org",
    f"{HOST}; dkim=pass header.d=org",
    f"{HOST}; dkim=pass header.d=.org",
    f"{HOST}; dkim=pass header.d=",
    f"{HOST}; dkim=pass",
    f"{HOST}; spf=pass smtp.mailfrom=evil.org",
    f"{HOST}; spf=pass smtp.helo=example.org",
    f"{HOST}; spf=pass smtp.mailfrom=ann@example.org@evil.org",
    f"{HOST}; dkim=pass header.from=example.org header.d=evil.org",
    f"{HOST}; arc=pass header.d=example.org",
    f"{HOST}; auth=pass smtp.auth=ann@example.org",
    # another verdict
    f"{HOST}; dkim=fail header.d=example.org; spf=none smtp.mailfrom=example.org; dmarc=fail header.from=example.org",
    f"{HOST}; dkim=passed header.d=example.org",
    f"{HOST}; dkim=temperror header.d=example.org",
    f"{HOST}; none",
    HOST,
    f"{HOST};",
    # another host
    "evil.org; dkim=pass header.d=example.org",
    f"{HOST}.evil.org; dkim=pass header.d=example.org",
    f"not{HOST}; dkim=pass header.d=example.org",
    f"evil.org {HOST}; dkim=pass header.d=example.org",
    f"({HOST}) evil.org; dkim=pass header.d=example.org",
    "dkim=pass header.d=example.org",
    "; dkim=pass header.d=example.org",
    "",
    # what a sender can put into the provider's own header
    f"{HOST}; dkim=fail (header.d=evil.org; dkim=pass header.d=example.org) header.d=evil.org",
    f"{HOST}; dkim=fail (a (b) c; dkim=pass header.d=example.org) header.d=evil.org",
    f"{HOST}; dkim=fail (a \\) ; dkim=pass header.d=example.org) header.d=evil.org",
    f'{HOST}; spf=pass smtp.mailfrom="x; dkim=pass header.d=example.org"@evil.org',
    f'{HOST}; spf=pass smtp.mailfrom="x\\"; dkim=pass header.d=example.org"@evil.org',
    f"{HOST}; spf=pass smtp.mailfrom= header.from=example.org",
    f"{HOST}; dkim=pass header.d=evil.org header.d=example.org",
    f'{HOST}; dkim=fail reason="\\"; dkim=pass header.d=example.org',
    f"{HOST}; dkim=fail header.d=evil.org (never closed; dkim=pass header.d=example.org",
    f"{HOST}; dkim=fail) header.d=evil.org; dkim=pass header.d=example.org",
    f'{HOST}; dkim=fail " ; dkim=pass header.d=example.org',
    f"{HOST}; spf=fail; = dkim=pass header.d=example.org" + " x" * 6000,
]


@pytest.mark.parametrize("header", BAD)
def test_anything_else_vouches_for_nobody(header: str) -> None:
    assert vouched(header) == ""


def test_only_the_topmost_header_of_the_host_counts() -> None:
    good, bad = f"{HOST}; dkim=pass header.d=example.org", f"{HOST}; dkim=fail header.d=example.org"
    assert vouched(bad, good) == ""
    assert vouched(good, bad) == "dkim"
    assert vouched(f"{HOST}; none", good) == ""
    assert vouched("evil.org; dkim=pass header.d=example.org", bad, good) == ""
    assert vouched("elsewhere.example; dkim=fail header.d=example.org", good) == "dkim"


def test_damaged_header_of_the_host_hides_those_below() -> None:
    good = f"{HOST}; dkim=pass header.d=example.org"
    assert vouched(f"{HOST}; dkim=fail (", good) == ""
    assert vouched(f'"{HOST}; dkim=fail', good) == ""
    assert vouched("elsewhere.example; dkim=(", good) == "dkim"


def test_no_host_is_believed_that_is_not_named() -> None:
    assert vouched(f"{HOST}; dkim=pass header.d=example.org", hosts=()) == ""


def test_parent_domain_vouches_for_those_below_it() -> None:
    assert vouched(f"{HOST}; dkim=pass header.d=example.org", sender="ann@mail.example.org") == "dkim"


def test_no_text_makes_the_reader_raise_anything_else() -> None:
    pieces = [HOST, ";", "(", ")", '"', "\\", "=", " ", "dkim", "pass", "header.d", "example.org", "\t", "é", "\x00"]
    for number in range(4000):
        text = "".join(pieces[(number * 7919 + at * (number % 13 + 1)) % len(pieces)] for at in range(number % 25))
        try:
            read_results(text)
        except ValueError:
            continue


# ---- DKIM that is checked here


@pytest.fixture(scope="module")
def keys() -> Any:
    dkim = pytest.importorskip("dkim", reason="dkimpy is not installed")
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return dkim, pem, b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)


LETTER = b"From: Ann <ann@example.org>\r\nTo: pbem@example.net\r\nSubject: x\r\n\r\nSTATUS\r\n"


def test_dkim_signature_is_checked(keys: Any) -> None:
    dkim, pem, record = keys
    raw = dkim.sign(LETTER, b"s", b"example.org", pem) + LETTER

    def lookup(name: bytes, timeout: int = 5) -> bytes | None:
        return record if name.startswith(b"s._domainkey.example.org") else None

    assert list(signed_by(raw, lookup)) == ["example.org"]
    assert list(signed_by(raw.replace(b"STATUS", b"RESIGN"), lookup)) == []
    assert list(signed_by(raw.replace(b"Ann <ann", b"Bob <bob"), lookup)) == []
    assert list(signed_by(raw, lambda *_, **__: None)) == []
    assert list(signed_by(LETTER, lookup)) == []


def test_dkim_signature_of_a_part_of_the_letter_proves_nothing(keys: Any) -> None:
    dkim, pem, record = keys
    raw = dkim.sign(LETTER, b"s", b"example.org", pem, length=True) + LETTER
    assert list(signed_by(raw + b"RESIGN punica\r\n", lambda *_, **__: record)) == []
