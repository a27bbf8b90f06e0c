"""Tokens: where they stand in our letters, and that nothing of them gets into the record of a game."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from pbem.audit.verify import verify
from pbem.mail.archive_reader import read_letter
from pbem.mail.read.token import TOKEN, address_with_token, message_id, tokens_in_addresses, without_token
from pbem.mail.write.draft import Draft, compose
from pbem.mail.write.report_letters import first_letters
from pbem.orders.sheet import keys_in, with_keys_blank, without_keys
from pbem.referee.play import sheet_check
from tests.support.blank import blank_pictures
from tests.support.live import NOON, OTHERS, SECRETS, Folder, opened
from tests.support.posted import bury, form_of, report_id, take, text_of, token_of, written
from tests.support.walks import FOLDERS

KEY = "abcdefghij234567abcd"


@pytest.fixture
def game(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)
    folder.create().close()
    return folder


# ---- what they are


def test_tokens_differ_by_side_game_address_and_secret(folder: Folder) -> None:
    folder.create().close()
    folder.create(name="gallia", secrets=OTHERS).close()  # the same key of the office
    folder.create(name="iberia", addresses={"red": "ann@example.net", "blue": "blue@example.org"}).close()
    tokens = [token_of(folder, side, name) for name in ("punica", "gallia", "iberia") for side in ("red", "blue")]
    assert len(set(tokens)) == 6
    with folder.open() as game:
        assert all(len(each) == 20 and each.isalnum() and each.islower() for each in tokens)
        assert not any(each in game.ledger.keys.text().decode() for each in tokens)


def test_side_without_an_address_has_none(folder: Folder) -> None:
    folder.create(addresses={"blue": "blue@example.org"}).close()
    assert token_of(folder, "red") == ""
    assert "key:" not in form_of(folder)


# ---- where they stand


def test_letters_have_them_in_id_and_form(game: Folder) -> None:
    with game.open() as found:
        letters = {out.to: out for out in first_letters(found, game.office)}
    for side in ("red", "blue"):
        message = message_from_bytes(letters[f"{side}@example.org"].content, policy=policy.default)
        own, other = token_of(game, side), token_of(game, "blue" if side == "red" else "red")
        assert message["Message-ID"] == f"<punica.{side}.1~{own}@example.org>"
        assert f"\nkey: {own}\norders:\n" in text_of(letters[f"{side}@example.org"])
        assert message["Reply-To"] is None
        assert other.encode() not in letters[f"{side}@example.org"].content


@pytest.mark.parametrize("sender", ["pbem@example.org", "Referee <pbem@example.org>", '"a, b" <pbem@example.org>'])
def test_address_to_answer_to_has_the_token(sender: str) -> None:
    draft = Draft(
        sender=sender,
        to="red@example.org",
        subject="x",
        text="x",
        message_id=message_id("punica.red.1", KEY, "example.org"),
        date=NOON,
        reply_to=address_with_token(sender, KEY),
    )
    message = message_from_bytes(compose(draft), policy=policy.default)
    assert tokens_in_addresses(message["Reply-To"]) == [KEY]
    assert message["Reply-To"].addresses[0].addr_spec == f"pbem+{KEY}@example.org"


def test_long_ids_are_not_folded() -> None:
    id = message_id(f"confirm.{'g' * 64}.carthage.1234.{'a' * 24}", KEY, "a-rather-long-name.example.org")
    draft = Draft(sender="a@b.org", to="c@d.org", subject="x", text="x", message_id=id, date=NOON, in_reply_to=id)
    raw = compose(draft)
    assert f"\r\nMessage-ID: {id}\r\n".encode() in raw
    assert f"\r\nIn-Reply-To: {id}\r\n".encode() in raw


def test_ids_of_earlier_versions_stay_as_they_are() -> None:
    for id in ("<punica.rome.12@example.org>", "<faults.a.b.3.0123456789abcdef01234567@example.org>", "<a~b@c.org>"):
        assert without_token(id) == id
    assert without_token(f"<punica.rome.12~{KEY}@example.org>") == "<punica.rome.12@example.org>"


def test_letter_that_a_player_shows_around_tells_no_token(game: Folder) -> None:
    with game.open() as found:
        (out, _) = first_letters(found, game.office)
    kept = read_letter("1.eml", out.content)
    assert token_of(game, "red") not in str(kept)


# ---- the line in a sheet

LINES = [
    f"key: {KEY}",
    f"Key:{KEY}",
    f"KEY : {KEY.upper()}",
    f'key: "{KEY}"',
    f"*key*: {KEY}",
    f"> key: {KEY}",
    f"> > key: {KEY}",
    f">key: {KEY}  # do not change",
    f"key：{KEY}",
    f"key: {KEY}\r",
]


@pytest.mark.parametrize("line", LINES)
def test_line_with_a_key_is_found_and_taken_out(line: str) -> None:
    text = f"game: punica\n{line}\norders:\n"
    assert keys_in(text) == [KEY]
    assert without_keys(text) == "game: punica\norders:\n"
    assert with_keys_blank(text) == "game: punica\n\norders:\n"


@pytest.mark.parametrize(
    "line",
    [
        f"  key: {KEY}",
        "key:",
        "key: short",
        f"key: {{{KEY}}}",
        f"- key: {KEY}",
        f"keys: {KEY}",
        f"monkey: {KEY}",
        f"# key: {KEY}",
        "KEY: age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq",
        "Key: ssh-ed25519",
        "key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA",
        f"key: {KEY} and more",
    ],
)
def test_line_with_anything_else_stays(line: str) -> None:
    assert keys_in(line) == []
    assert without_keys(line) == line


@pytest.mark.parametrize("at", range(5))
def test_sheet_is_read_alike_wherever_the_key_stands(game: Folder, at: int) -> None:
    lines = bury(game).splitlines()
    text = "\n".join([*lines[:at], f"key: {token_of(game, 'red')}", *lines[at:]]) + "\n"
    with game.open() as found:
        receipt, sheet = sheet_check.check_sheet_of(found, "red", text.encode())
    assert receipt.complaints == ()
    assert sheet is not None
    assert receipt.canonical.decode() == bury(game)
    assert receipt.changes == ()


def test_faults_below_a_key_keep_their_lines(game: Folder) -> None:
    text = bury(game).replace("orders:", f"key: {KEY}\norders:").replace("bury: {card", "bury: {crad")
    with game.open() as found:
        receipt, _ = sheet_check.check_sheet_of(found, "red", text.encode())
    assert [each.mark.line for each in receipt.complaints] == [6]
    assert f"key: {KEY}" in receipt.lines


def test_sheet_that_is_put_right_is_kept_without_its_key(game: Folder) -> None:
    text = bury(game).replace("orders:", f"KEY: {token_of(game, 'red')}\norders:").replace("- bury", "* Bury")
    with game.open() as found:
        receipt, _ = sheet_check.check_sheet_of(found, "red", text.encode())
        assert receipt.complaints == ()
        assert token_of(game, "red").encode() not in receipt.canonical
        assert b"# |   * Bury" in receipt.canonical or b"# | * Bury" in receipt.canonical
        found.receive("red", text.encode())
    with game.open() as found:
        assert token_of(game, "red").encode() not in found.ledger.sheet("red", 1)


def test_nothing_of_a_token_gets_into_the_record(game: Folder) -> None:
    """A game that is played by letters with all three is verified, and no file of it has a token."""
    tokens = [token_of(game, side) for side in ("red", "blue")]
    for side, own in zip(("red", "blue"), tokens, strict=True):
        text = bury(game, side).replace("orders:", f"key: {own}\norders:")
        quoted = "".join(f"> {line}\n" for line in form_of(game, side).splitlines())
        raw = written(
            f"{text}\n\n{quoted}",
            sender=f"{side}@example.org",
            to=f"pbem+{own}@example.org",
            answers=report_id(game, side),
        )
        assert take(game, raw).accepted
    tokens += [token_of(game, side) for side in ("red", "blue")]
    with game.open() as found:
        assert found.adjudication > 1
        whole, keys = opened(found.ledger.repo, secrets=SECRETS), found.ledger.keys
    assert not [path for path, content in whole.items() if any(each.encode() in content for each in tokens)]
    verdict = verify(game.repo("punica"), folders=FOLDERS, keys=lambda _: keys)
    assert verdict.adjudications > 1
    assert verdict.findings.sorted == []


def test_pattern_of_a_token_is_that_of_its_shape() -> None:
    assert re.fullmatch(TOKEN, KEY)
    assert not re.fullmatch(TOKEN, KEY[:-1])
    assert not re.fullmatch(TOKEN, KEY[:-1] + "1")


def test_damaged_note_is_as_good_as_none(game: Folder) -> None:
    before = token_of(game, "red")
    note: Path = game.repo("punica") / "pbem.who.red"
    for text in ("", "null", "{}", '{"renewed": "x"}', "\x00"):
        note.write_text(text)
        assert token_of(game, "red") == before
