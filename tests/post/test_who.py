"""Who wrote a letter: what proves it, and what becomes of a letter that proves nothing, or something that is wrong."""

from __future__ import annotations

import subprocess
import sys
from email.utils import formatdate
from pathlib import Path
from time import time

import pytest

from pbem.crypto.seal import recipient_of
from pbem.mail.inbox import open_letter
from pbem.mail.intake import take_in
from pbem.mail.read.token import ACQUAINTANCES
from pbem.mail.tasks import Handled
from pbem.mail.write.welcome import welcome_letter
from pbem.post.settings import WhoConfig
from pbem.post.who.who import LetterDoor
from tests.support.live import OTHERS, SECRETS, SIDES, Folder, order, sheet
from tests.support.posted import at, bury, kinds, report_id, sheets, shown, take, text_of, token_of, written
from tests.support.soak import quick_first

RED = "red@example.org"
ADDRESS_ONLY = WhoConfig(proofs=("address",))
PROVIDER = WhoConfig(authentication_results=("mx.example.com",))
RESULT = "Authentication-Results: mx.example.com; dkim=pass header.d=example.org\n"
SIGNED = "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s; h=From:To:Date; bh=x; b=y\n"
VOUCHED = f"{RESULT}{SIGNED}Date: {formatdate()}\n"


@pytest.fixture
def game(folder: Folder) -> Folder:
    folder.create().close()
    return folder


@pytest.fixture
def two(game: Folder) -> Folder:
    game.create(name="gallia", secrets=OTHERS).close()
    return game


def refused(handled: Handled, why: str) -> bool:
    return not handled.accepted and any("refused: " in line and why in line for line in handled.log)


# ---- what proves it


def test_answer_to_a_report_is_its_players(game: Folder) -> None:
    assert take(game, written(bury(game), answers=report_id(game, "red"))).accepted
    assert sheets(game) == 1


def test_earlier_letters_of_the_thread_prove_it_too(game: Folder) -> None:
    more = f"References: {report_id(game, 'red')} <x@mail.example.com>\nIn-Reply-To: <x@mail.example.com>\n"
    assert take(game, written(bury(game), more=more)).accepted
    assert sheets(game) == 1


def test_key_in_the_sheet_proves_it(game: Folder) -> None:
    text = bury(game).replace("orders:", f"key: {token_of(game, 'red')}\norders:")
    assert take(game, written(text)).accepted
    assert sheets(game) == 1


def test_key_in_an_attached_sheet_proves_it(game: Folder) -> None:
    text = bury(game).replace("orders:", f"key: {token_of(game, 'red').upper()} # mine\norders:")
    raw = (
        f"From: {RED}\nTo: pbem@example.org\nSubject: orders\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nHello\n'
        f'--b\nContent-Type: application/yaml\nContent-Disposition: attachment; filename="o.yaml"\n\n{text}\n--b--\n'
    ).encode()
    assert take(game, raw).accepted
    assert sheets(game) == 1


def test_quoted_form_proves_it(game: Folder) -> None:
    quoted = "".join(
        f"> {line}\n" for line in ("game: punica", "side: red", f"key: {token_of(game, 'red')}", "orders:")
    )
    assert take(game, written(f"{bury(game)}\n\n{quoted}")).accepted


@pytest.mark.parametrize("header", ["To", "Delivered-To", "X-Original-To", "Envelope-To", "Cc"])
def test_address_with_a_token_proves_it(game: Folder, header: str) -> None:
    to = f"Referee <pbem+{token_of(game, 'red').upper()}@example.org>"
    raw = written(bury(game), to=to) if header == "To" else written(bury(game), more=f"{header}: {to}\n")
    assert take(game, raw).accepted
    assert sheets(game) == 1


def test_provider_proves_it(game: Folder) -> None:
    raw = VOUCHED.encode() + written(bury(game))
    assert take(game, raw, PROVIDER).accepted
    assert sheets(game) == 1


def test_provider_is_believed_only_if_named(game: Folder) -> None:
    assert not take(game, VOUCHED.encode() + written(bury(game))).accepted
    assert sheets(game) == 0


@pytest.mark.parametrize(
    ("domain", "proven"), [("example.org", True), ("evil.org", False), ("mail.example.org", False)]
)
def test_dkim_proves_it_where_it_is_checked_here(
    game: Folder, monkeypatch: pytest.MonkeyPatch, domain: str, proven: bool
) -> None:
    monkeypatch.setattr("pbem.post.who.who.signed_by", lambda raw: iter([domain]))
    raw = f"{SIGNED}Date: {formatdate()}\n".encode() + written(bury(game))
    assert not take(game, raw).accepted
    assert take(game, raw, WhoConfig(proofs=("dkim",))).accepted is proven


YESTERWEEK = formatdate(time() - 7 * 86400)
PASSED_ON = {
    "to another player": {"to": "blue@example.com"},
    "to another player, with a copy that is not signed": {"to": "blue@example.com", "more": "Cc: pbem@example.org\n"},
    "to us beside another line": {"more": "To: blue@example.com\n"},
    "without a signed address": {"signed": SIGNED.replace("From:To:Date", "From:Date")},
    "without a signed date": {"signed": SIGNED.replace("From:To:Date", "From:To")},
    "signed for another domain": {"signed": SIGNED.replace("d=example.org", "d=example.com")},
    "before the report": {"date": YESTERWEEK},
}


@pytest.mark.parametrize("text", ["orders", "RESIGN"])
@pytest.mark.parametrize("how", PASSED_ON)
@pytest.mark.parametrize("by", quick_first([PROVIDER, WhoConfig(proofs=("dkim",))]), ids=["provider", "dkim"])
def test_a_signed_letter_to_somebody_else_is_no_order(
    game: Folder, by: WhoConfig, how: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Red has written it, and blue passes it on: a signature proves a letter for whom it names, and from when on."""
    monkeypatch.setattr("pbem.post.who.who.signed_by", lambda raw: iter(["example.org"]))
    given = PASSED_ON[how]
    head = RESULT + given.get("signed", SIGNED) + f"Date: {given.get('date', formatdate())}\n"
    body = bury(game) if text == "orders" else "RESIGN punica"
    raw = head.encode() + written(body, to=given.get("to", "pbem@example.org"), more=given.get("more", ""))
    assert not take(game, raw, by).accepted
    assert sheets(game) == 0


@pytest.mark.parametrize("to", ["pbem+abc123@example.org", "Referee <PBEM@example.org>, blue@example.com"])
def test_a_signed_letter_to_us_is(game: Folder, to: str) -> None:
    assert take(game, VOUCHED.encode() + written(bury(game), to=to), PROVIDER).accepted


def test_spf_needs_no_signed_header(game: Folder) -> None:
    """It vouches for the server that hands the letter over to us, and nobody else's server passes one on."""
    said = f"{RESULT.strip()}; spf=pass smtp.mailfrom=red@example.org\n"
    assert take(game, said.encode() + written(bury(game)), PROVIDER).accepted


def test_dkim_without_its_library_proves_nothing(
    game: Folder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "dkim", None)
    assert not take(game, written(bury(game)), WhoConfig(proofs=("dkim",))).accepted
    assert "dkimpy is not installed" in caplog.text


def test_address_is_enough_where_the_config_says_so(game: Folder) -> None:
    assert take(game, written(bury(game)), ADDRESS_ONLY).accepted


def test_letter_by_hand_needs_no_proof(game: Folder) -> None:
    assert take_in(written(bury(game)), game.office).accepted


def test_games_have_policies_of_their_own(two: Folder) -> None:
    who = WhoConfig(proofs=("token",), games={"gallia": ("address",)})
    assert not take(two, written(bury(two)), who).accepted
    assert take(two, written(bury(two, name="gallia")), who).accepted
    assert (sheets(two), sheets(two, name="gallia")) == (0, 1)


def test_token_counts_for_all_sides_of_its_player(folder: Folder) -> None:
    ann = "ann@example.org"
    addresses = {side: ann if side in ("oak", "elm") else f"{side}@example.org" for side in SIDES["five"]}
    folder.create("five", "gaul", addresses=addresses).close()
    with folder.open("gaul") as game:
        texts = [
            sheet(game, side, order("bid", card=game.view(side).hands[side][0])).decode() for side in ("oak", "elm")
        ]
    id = f"<gaul.oak+elm.1~{token_of(folder, 'oak', 'gaul')}@example.org>"
    assert take(folder, written("\n\n".join(texts), sender=ann, answers=id)).accepted
    assert (sheets(folder, "oak", "gaul"), sheets(folder, "elm", "gaul")) == (1, 1)
    with folder.open("gaul") as game:
        assert all(ACQUAINTANCES.read(game.path, side).heard for side in ("oak", "elm"))
        assert not ACQUAINTANCES.read(game.path, "ash").heard


def test_letter_that_comes_twice_is_carried_out_once(game: Folder) -> None:
    raw = written(bury(game), answers=report_id(game, "red"))
    assert take(game, raw).accepted
    again = take(game, raw)
    assert sheets(game) == 1
    assert not any("refused" in line for line in again.log)


def test_who_was_heard_from_is_noted(game: Folder) -> None:
    assert not ACQUAINTANCES.read(game.repo("punica"), "red").heard
    take(game, written(bury(game), answers=report_id(game, "red")), settings=at(game, hours=2))
    noted = ACQUAINTANCES.read(game.repo("punica"), "red")
    assert (noted.heard, noted.by) == ("2026-11-22 14:00", "token")
    assert not ACQUAINTANCES.read(game.repo("punica"), "blue").heard


def test_first_answer_proves_both_ways(folder: Folder) -> None:
    """The answer to the letter that asks for a phrase brings back its token; the game begins when all have come."""
    with folder.create(begin=False) as game:
        letters = {side: shown(welcome_letter(game, side, folder.office))["Message-ID"] for side in ("red", "blue")}
    assert not take(folder, written("PHRASE alea", subject="hello", answers="")).accepted
    assert take(folder, written("PHRASE alea", answers=letters["red"])).accepted
    with folder.open() as game:
        assert (game.begun, game.awaited) == (False, ("blue",))
    assert take(folder, written("PHRASE iacta", answers=letters["blue"], sender="blue@example.org")).accepted
    with folder.open() as game:
        assert game.begun
        assert all(ACQUAINTANCES.read(game.path, side).by == "token" for side in ("red", "blue"))


# ---- what is wrong


def test_made_up_key_is_refused_and_its_side_told(game: Folder) -> None:
    text = bury(game).replace("orders:", "key: abcdefghij234567abcd\norders:")
    handled = take(game, written(text))
    assert refused(handled, "its key is not one of punica")
    assert sheets(game) == 0
    assert kinds(handled) == [f"refused {RED}"]
    told = text_of(handled.letters[0])
    assert "2026-11-22 12:00 UTC, from red@example.org" in told
    assert "RENEW" in told
    assert "abcdefghij234567abcd" not in told


@pytest.mark.parametrize("subject", ["orders: punica red 1 bury {card: 18}", f"KEY {recipient_of(SECRETS.office)}"])
def test_subject_of_a_refused_letter_is_nothing_when_quoted(game: Folder, subject: str) -> None:
    """Its writer is a stranger; its side answers `That was not me` and quotes all of it."""
    forged = bury(game).replace("orders:", f"key: {'a' * 20}\norders:")
    (out,) = take(game, written(forged, subject=subject)).letters
    assert subject[:20] in text_of(out)
    quoted = "".join(f"> {line}\n" for line in text_of(out).splitlines())
    take(game, written(f"That was not me!\n\n{quoted}", answers=str(shown(out)["Message-ID"])))
    with game.open() as found:
        assert found.sheets("red") == 0
        assert found.ledger.joined("red").key is None


@pytest.mark.parametrize("where", ["id", "key", "address"])
def test_key_of_another_game_is_refused(two: Folder, where: str) -> None:
    other = token_of(two, "red", "gallia")
    text, answers, to = bury(two), "", "pbem@example.org"
    if where == "id":
        answers = report_id(two, "red", "gallia")
    elif where == "key":
        text = text.replace("orders:", f"key: {other}\norders:")
    else:
        to = f"pbem+{other}@example.org"
    handled = take(two, written(text, answers=answers, to=to))
    assert refused(handled, "its key is not one of punica")
    assert sheets(two) == 0


def test_key_of_another_side_is_refused(game: Folder) -> None:
    handled = take(game, written(bury(game), answers=report_id(game, "blue")))
    assert refused(handled, "its key is that of another side")
    assert kinds(handled) == [f"refused {RED}"]
    assert sheets(game) == 0


def test_right_key_from_another_address_is_refused(game: Folder) -> None:
    handled = take(game, written(bury(game), answers=report_id(game, "red"), sender="mallory@example.com"))
    assert refused(handled, "came from mallory@example.com")
    assert kinds(handled) == [f"refused {RED}"]
    assert sheets(game) == 0


def test_stranger_without_a_key_is_told_of_no_game(game: Folder) -> None:
    handled = take(game, written(bury(game), sender="mallory@example.com"))
    assert kinds(handled) == ["refusal mallory@example.com"]
    assert "There is no game called punica here" in text_of(handled.letters[0])


def test_key_of_one_game_proves_nothing_for_another(two: Folder) -> None:
    text = f"{bury(two)}\n\n{bury(two, name='gallia')}"
    take(two, written(text, answers=report_id(two, "red")))
    assert (sheets(two), sheets(two, name="gallia")) == (1, 0)


def test_provider_proves_it_in_spite_of_a_wrong_key(two: Folder) -> None:
    raw = VOUCHED.encode() + written(bury(two), answers=report_id(two, "red", "gallia"))
    assert take(two, raw, PROVIDER).accepted


FORGED = [
    "Authentication-Results: mx.example.com; dkim=fail header.d=example.org\n" + VOUCHED,
    "Authentication-Results: mx.example.com; none\n" + VOUCHED,
    VOUCHED.replace("mx.example.com", "mx.example.com.evil.org"),
    VOUCHED.replace("header.d=example.org", "header.d=evil.org"),
    VOUCHED.replace("Authentication-Results", "X-Authentication-Results"),
    VOUCHED.replace("Authentication-Results", "ARC-Authentication-Results"),
    "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s; h=from; bh=x; b=y\n",
    "Received-SPF: pass (mx.example.com: domain of red@example.org)\n",
    "Sender: red@example.org\nX-Original-From: red@example.org\n",
    "In-Reply-To: <punica.red.1@example.org>\nReferences: <punica.red.1@example.org>\n",
    "In-Reply-To: <punica.red.1~@example.org>\n",
    "In-Reply-To: <punica.red.1~TOKEN@evil.org>\n",
    "In-Reply-To: <punica.red.1~TOKEN@example.org.evil.org>\n",
    "X-Token: TOKEN\nKey: TOKEN\n",
    "To: pbem+TOKE@example.org\n",
]


@pytest.mark.parametrize("headers", quick_first(FORGED, 5))
def test_forged_headers_prove_nothing(game: Folder, headers: str) -> None:
    raw = headers.replace("TOKEN", token_of(game, "red")).encode() + written(bury(game))
    handled = take(game, raw, PROVIDER)
    assert not handled.accepted
    assert sheets(game) == 0
    assert [each.split()[1] for each in kinds(handled)] == [RED]


@pytest.mark.parametrize(
    "sender",
    [
        f"mallory@example.com, {RED}",
        f'"{RED}" <mallory@example.com>',
        f"mallory@example.com\nFrom: {RED}",
        f"{RED}\nFrom: mallory@example.com",
        "=?utf-8?q?red=40example.org?= <mallory@example.com>",
        f"{RED} <mallory@example.com>",
    ],
)
def test_address_that_can_be_read_in_two_ways_is_nobodys(game: Folder, sender: str) -> None:
    for more in ("", VOUCHED):
        handled = take(
            game, more.encode() + written(bury(game), sender=sender, answers=report_id(game, "red")), PROVIDER
        )
        assert sheets(game) == 0
        assert not handled.accepted


def test_side_is_told_once_a_day(game: Folder) -> None:
    def forged(hours: float) -> Handled:
        text = bury(game).replace("orders:", "key: abcdefghij234567abcd\norders:")
        return take(game, written(text), settings=at(game, hours=hours))

    assert kinds(forged(0)) == [f"refused {RED}"]
    assert [kinds(forged(hours)) for hours in (1, 2, 23, -1)] == [[], [], [], []]  # the last one had to wait
    told = forged(25)
    assert kinds(told) == [f"refused {RED}"]
    assert "4 more were refused since you were last told" in text_of(told.letters[0])


def test_refused_letter_that_is_taken_in_again_tells_the_same(game: Folder) -> None:
    raw = written(bury(game).replace("orders:", "key: abcdefghij234567abcd\norders:"))
    first, second = take(game, raw), take(game, raw)
    assert [out.content for out in first.letters] == [out.content for out in second.letters]


# ---- a new key


def test_renewed_key_replaces_the_earlier_one(game: Folder) -> None:
    before, old = token_of(game, "red"), report_id(game, "red")
    raw = written("RENEW", answers=old)
    handled = take(game, raw)
    assert handled.accepted
    now = token_of(game, "red")
    assert now != before
    assert f"~{now}@" in shown(handled.letters[0])["Message-ID"]
    assert refused(take(game, written(bury(game), answers=old)), "replaced by a newer one")
    assert sheets(game) == 0
    assert take(game, written(bury(game), answers=shown(handled.letters[0])["Message-ID"])).accepted
    take(game, raw)
    assert token_of(game, "red") == now
    assert token_of(game, "blue") != now


def test_renew_takes_the_name_of_its_game_and_no_other_words(game: Folder) -> None:
    before = token_of(game, "red")
    assert not take(game, written("RENEW the treaty", answers=report_id(game, "red"))).accepted
    assert token_of(game, "red") == before
    assert take(game, written("RENEW punica", answers=report_id(game, "red"))).accepted
    assert token_of(game, "red") != before


def test_new_address_has_a_new_key(game: Folder) -> None:
    before = token_of(game, "red")
    with game.open() as found:
        found.change_player("red", found.player("red"), "red@example.net", replaced=False)
    assert token_of(game, "red") != before
    assert token_of(game, "red") != token_of(game, "blue")


# ---- signatures


def ssh_key(folder: Path) -> tuple[Path, str]:
    file = folder / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)
    return file, " ".join((folder / "id_ed25519.pub").read_text().split()[:2])


def signature(file: Path, text: str, purpose: str = "pbem") -> str:
    command = ["ssh-keygen", "-Y", "sign", "-n", purpose, "-f", str(file)]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout.decode()


def enclosing(sheet: str, armour: str, *, body: str = "", id: str = "1") -> bytes:
    def part(name: str, content: str) -> str:
        return f'--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="{name}"\n\n{content}\n'

    return (
        f"From: {RED}\nTo: pbem@example.org\nSubject: orders\nMessage-ID: <{id}@mail.example.com>\n"
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
        f"--b\nContent-Type: text/plain\n\n{body}\n{part('orders.yaml', sheet)}{part('orders.yaml.sig', armour)}--b--\n"
    ).encode()


@pytest.fixture
def signing(game: Folder, tmp_path: Path) -> tuple[Folder, Path]:
    file, public = ssh_key(tmp_path)
    assert take(game, written(f"KEY {public}", answers=report_id(game, "red"))).accepted
    return game, file


def test_signed_sheet_is_its_players(signing: tuple[Folder, Path]) -> None:
    game, key = signing
    text = bury(game)
    assert take(game, enclosing(text, signature(key, text))).accepted
    assert sheets(game) == 1


def test_sheet_signed_in_the_text_is_its_players(signing: tuple[Folder, Path]) -> None:
    game, key = signing
    text = bury(game)
    assert take(game, written(f"Hello,\n\n{text}\n{signature(key, text)}")).accepted
    assert sheets(game) == 1


@pytest.mark.parametrize(
    "how", quick_first(["changed", "namespace", "other key", "command", "other sheet", "no heading", "policy"], 2)
)
def test_signature_of_something_else_proves_nothing(signing: tuple[Folder, Path], tmp_path: Path, how: str) -> None:
    game, key = signing
    text, body, who = bury(game), "", WhoConfig()
    armour = signature(key, text)
    if how == "changed":
        text = bury(game, at=1)
    elif how == "namespace":
        armour = signature(key, text, "git")
    elif how == "other key":
        (tmp_path / "other").mkdir()
        armour = signature(ssh_key(tmp_path / "other")[0], text)
    elif how == "command":
        body = "RESIGN punica"
    elif how == "other sheet":
        body = bury(game, at=1)
    elif how == "no heading":
        text = "game: punica\n" + text.partition("\n")[2].replace("side: red\n", "")
        armour = signature(key, text)
    else:
        who = WhoConfig(proofs=("token", "provider"))
    handled = take(game, enclosing(text, armour, body=body), who)
    assert not handled.accepted
    assert sheets(game) == 0
    with game.open() as found:
        assert not found.out


def test_signed_sheet_that_was_replaced_cannot_be_sent_again(signing: tuple[Folder, Path]) -> None:
    game, key = signing
    first, second = bury(game), bury(game, at=1)
    for number, text in enumerate((first, second)):
        assert take(game, enclosing(text, signature(key, text), id=str(number))).accepted
    handled = take(game, enclosing(first, signature(key, first), id="3"))
    assert refused(handled, "had come before, in another letter")
    assert sheets(game) == 2
    assert kinds(handled) == [f"refused {RED}"]


def test_signed_letter_that_broke_off_is_taken_in_again(signing: tuple[Folder, Path]) -> None:
    game, key = signing
    raw = enclosing(bury(game), signature(key, bury(game)))
    with game.open() as found, found.lock():  # the note of the signature is written, and then the machine stops
        letter = open_letter(raw)
        assert LetterDoor(raw, WhoConfig(), game.office).turned(found, letter, ["red"]) is None
    assert take(game, raw).accepted
    assert sheets(game) == 1
