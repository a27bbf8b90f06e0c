"""Letters that go out: the same bytes each time, nothing mangled, nothing smuggled in, never half of one."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.inbox import open_letter
from pbem.mail.notes.outboxes import mark_read, read_maildir, write_to_maildir
from pbem.mail.write.draft import LARGEST, Attachments, Draft, compose, content_id, slimmed
from pbem.render.map.pictures import Picture
from tests.support.chance import examples

SHEET = "game: punica\nside: rome\nadjudication: 41\norders:\n- intercept:\n    with: [{general: fabius, cu: 8}]\n"
TEXT = f"Hannibal marches from Arpi to Beneventum.\n\n  intercept: 3 +1 = 4 (needs <= 3)\n\n{SHEET}"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
LETTER: dict[str, Any] = {
    "sender": "Referee <referee@pbem.example>",
    "to": "ann@example.org",
    "subject": "punica, turn 3: Hannibal enters Beneventum",
    "text": TEXT,
    "pictures": (Picture("map.png", PICTURE, "The map"),),
    "sheet": SHEET,
    "in_reply_to": "<a.1@example.org>",
    "references": ("<punica.40@pbem.example>", "<a.1@example.org>"),
    "message_id": "<punica.41.rome@pbem.example>",
    "date": datetime(2026, 11, 22, 17, 0, tzinfo=UTC),
}


def letter(**changes: Any) -> bytes:
    words = {**LETTER, **changes}
    files = {name: words.pop(name) for name in ("pictures", "sheet", "position", "own_sheet") if name in words}
    return compose(Draft(attached=Attachments(**files), **words))


def read(raw: bytes) -> EmailMessage:
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def text_of(raw: bytes) -> str:
    (part,) = (part for part in read(raw).walk() if part.get_content_type() == "text/plain")
    content: str = part.get_content()
    return content.replace("\r\n", "\n")


def test_a_letter_carries_text_picture_and_form() -> None:
    message = read(letter())
    text, picture, form = message.iter_parts()
    assert text.get_content() == TEXT.replace("\n", "\r\n")
    assert text.get_param("format") == "fixed"
    assert (picture.get_content_type(), picture.get_filename()) == ("image/png", "map.png")
    assert (picture.get_content_disposition(), picture.get_content()) == ("inline", PICTURE)
    assert (form.get_content_type(), form.get_filename()) == ("application/yaml", "orders.yaml")
    assert (form.get_content_disposition(), form.get_content()) == ("attachment", SHEET.encode())
    assert [part.defects for part in message.walk()] == [[]] * 4


def test_a_page_stands_beside_the_text_with_its_pictures() -> None:
    page = '<p>Hannibal <img src="cid:map.png.punica.41.rome@pbem.example"></p>'
    message = read(letter(html=page))
    assert message.get_content_type() == "multipart/mixed"
    body, form = message.iter_parts()
    assert (body.get_content_type(), form.get_filename()) == ("multipart/alternative", "orders.yaml")
    text, related = body.iter_parts()
    assert text.get_content() == TEXT.replace("\n", "\r\n")
    shown, picture = related.iter_parts()
    assert (related.get_content_type(), shown.get_content_type()) == ("multipart/related", "text/html")
    assert shown.get_content().strip() == page
    assert picture["Content-ID"] == f"<{content_id(str(message['Message-ID']), 'map.png')}>"
    assert f"cid:{picture['Content-ID'].strip('<>')}" in page
    assert picture.get_content() == PICTURE
    assert [part.defects for part in message.walk()] == [[]] * 7
    bare = read(letter(html=page, pictures=(), sheet=None))
    assert [part.get_content_type() for part in bare.iter_parts()] == ["text/plain", "text/html"]


def test_pictures_are_left_out_where_a_letter_grows_too_large() -> None:
    several = [Picture(f"{n}.png", bytes(90_000), "") for n in range(3)]
    draft = Draft(
        sender="referee@pbem.example",
        to="ann@example.org",
        subject="punica",
        text=TEXT,
        message_id="<punica.41.rome@pbem.example>",
        date=LETTER["date"],
        html="x" * 20_000,
        attached=Attachments(pictures=several),
    )
    slim = slimmed(draft)
    assert list(slim.attached.pictures) == several[:2]
    assert len(compose(slim)) <= LARGEST < len(compose(draft))
    both = Attachments(of="oak", pictures=several[:2], more=[Attachments(of="elm", pictures=several[:2], sheet=SHEET)])
    slim = slimmed(replace(draft, attached=both))
    assert slim.attached.names == ["0-oak.png", "0-elm.png", "orders-elm.yaml"]
    assert len(compose(slim)) <= LARGEST


def test_its_headers_are_those_of_a_thread() -> None:
    message = read(letter())
    assert message["From"] == "Referee <referee@pbem.example>"
    assert message["To"] == "ann@example.org"
    assert message["Subject"] == "punica, turn 3: Hannibal enters Beneventum"
    assert message["Date"] == "Sun, 22 Nov 2026 17:00:00 +0000"
    assert message["Message-ID"] == "<punica.41.rome@pbem.example>"
    assert message["In-Reply-To"] == "<a.1@example.org>"
    assert message["References"] == "<punica.40@pbem.example> <a.1@example.org>"
    assert message["Auto-Submitted"] == "auto-replied"
    assert open_letter(letter()).automatic  # so that two referees never write to each other for ever


def test_a_first_letter_has_no_thread() -> None:
    message = read(letter(in_reply_to=None, references=()))
    assert "In-Reply-To" not in message
    assert "References" not in message


def test_a_letter_of_text_alone_is_one_part() -> None:
    message = read(letter(pictures=(), sheet=None))
    assert not message.is_multipart()
    assert text_of(letter(pictures=(), sheet=None)) == TEXT
    assert message["MIME-Version"] == "1.0"


def test_the_same_things_make_the_same_bytes() -> None:
    assert letter() == letter()
    bounds = {read(letter(text=text)).get_boundary() for text in ("a", "b", "a")}
    assert len(bounds) == 2


@settings(max_examples=examples(150))
@given(text=st.text(max_size=400), subject=st.text(max_size=250), name=st.text(max_size=60))
def test_any_text_arrives_as_it_is_and_any_header_stays_one(text: str, subject: str, name: str) -> None:
    text = re.sub(r"\r\n?", "\n", text.encode("utf-8", "replace").decode())
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    raw = letter(text=text, subject=subject, sender=f'"{quoted}" <referee@pbem.example>')
    assert raw.isascii()
    assert not re.search(rb"\r(?!\n)|(?<!\r)\n", raw)
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert text_of(raw) == text.rstrip() + "\n"
    head = read(raw)
    assert sorted(head.keys()) == sorted(read(letter()).keys())
    assert head["From"].addresses[0].addr_spec == "referee@pbem.example"
    said = " ".join("".join(c if c.isprintable() else " " for c in subject).split())
    assert re.sub(r"\s", "", open_letter(raw).subject) == re.sub(r"\s", "", said[:200])


@pytest.mark.parametrize(
    "text",
    [
        "a" * 5000,
        "trailing blanks  \n\t\nend",
        "From Arpi to Capua\n.\n..\n-- \n",
        "soft = hard\n=20\n",
        "Ганнибал идёт " * 40,
        "à\n" + "é" * 90 + "\n" + "b" * 200,
    ],
)
def test_awkward_lines_are_not_mangled(text: str) -> None:
    raw = letter(text=text)
    assert text_of(raw) == text.rstrip() + "\n"
    lines = raw.split(b"\r\n")
    assert not any(line.startswith(b"From ") or line == b"." for line in lines)
    assert max(map(len, lines)) <= 120


def test_other_scripts_in_headers() -> None:
    raw = letter(subject="пуника – " * 15, sender="Судья <referee@pbem.example>", to='"Smit, Ann" <Ann@Example.org>')
    head = read(raw)
    assert head["Subject"] == ("пуника – " * 15).strip()
    assert head["From"].addresses[0].display_name == "Судья"
    assert head["To"] == '"Smit, Ann" <ann@example.org>'
    assert max(map(len, raw.partition(b"\r\n\r\n")[0].split(b"\r\n"))) <= 80


def test_headers_are_folded_as_the_library_folds_them() -> None:
    """Those that fit on a line are written without it."""
    for length in range(50, 120):
        for filler in ("word ", "words;", "x"):
            subject = (filler * length)[:length].strip()
            head = letter(subject=subject).partition(b"\r\n\r\n")[0] + b"\r\n"
            assert policy.compat32.clone(linesep="\r\n").fold_binary("Subject", subject) in head


def test_files_have_the_names_that_the_letter_gives_them() -> None:
    attached = Attachments(
        pictures=LETTER["pictures"],
        sheet=SHEET,
        standing="Rome",
        position="{}",
        own_sheet=("own.yaml", b"-"),
        calendar="BEGIN",
        receipt="Keep this",
        of="rome",
    )
    words = {name: value for name, value in LETTER.items() if name not in ("pictures", "sheet")}
    message = read(compose(Draft(attached=attached, **words)))
    assert attached.names == [part.get_filename() for part in message.walk() if part.get_filename()]
    assert len(attached.names) == 7


def test_nothing_is_smuggled_into_the_headers() -> None:
    evil = "x\r\nBcc: victim@example.org\r\n\r\nbody"
    raw = letter(subject=evil, in_reply_to=evil, references=[evil, "<a@b>\r\nBcc: c@d"])
    assert "Bcc" not in read(raw)
    assert read(raw)["Subject"] == "x Bcc: victim@example.org body"
    assert "References" not in read(raw)
    for wrong in (
        {"to": "ann@example.org, victim@example.org"},
        {"to": "ann@example.org\r\nBcc: victim@example.org"},
        {"sender": "nobody"},
        {"message_id": "punica.41"},
        {"message_id": "<a@b>\r\nBcc: c@d"},
    ):
        with pytest.raises(ValueError, match="not "):
            letter(**wrong)


def test_message_ids_are_not_encoded_and_a_long_thread_is_cut() -> None:
    """Message-IDs are never encoded, and a long thread is cut in its middle."""
    long_id = f"<{'x' * 150}@example.org>"
    ids = [f"<punica.{n}@pbem.example>" for n in range(60)]
    raw = letter(in_reply_to=long_id, references=ids)
    kept = open_letter(raw).references
    assert kept == (ids[0], *ids[42:], long_id)
    assert long_id.encode() in raw


def quoted_reply(raw: bytes, answer: str) -> bytes:
    """Return what a player's mail program sends back: their words above the letter, quoted."""
    quote = "".join(f"> {line}\n" for line in text_of(raw).splitlines())
    head = f"From: Ann <ann@example.org>\nIn-Reply-To: {read(raw)['Message-ID']}\n"
    return f"{head}Content-Type: text/plain; charset=utf-8\n\n{answer}Referee wrote:\n{quote}".encode()


def test_the_form_of_a_letter_comes_back_in_the_reply() -> None:
    (enclosure,) = open_letter(quoted_reply(letter(), "As above.\n\n")).enclosures
    assert (enclosure.where, enclosure.text.decode()) == ("quoted", SHEET)
    answer = SHEET.replace("cu: 8", "cu: 3")
    (enclosure,) = open_letter(quoted_reply(letter(), f"{answer}\nAnn\n\n")).enclosures
    assert (enclosure.where, enclosure.text.decode()) == ("body", answer)


def test_the_attached_form_comes_back_in_a_forward() -> None:
    raw = letter(text="The report.").replace(b"Auto-Submitted: auto-replied\r\n", b"")
    (enclosure,) = open_letter(raw).enclosures
    assert (enclosure.name, enclosure.where, enclosure.text.decode()) == ("orders.yaml", "attachment", SHEET)


def test_a_reply_answers_the_letter_it_came_with() -> None:
    came = open_letter(b"From: ann@example.org\nMessage-ID: <b.2@example.org>\nReferences: <a.1@x.org>\n\nSTATUS\n")
    raw = letter(to=came.sender, in_reply_to=came.message_id, references=came.references)
    assert open_letter(raw).references == ("<a.1@x.org>", "<b.2@example.org>")
    anonymous = replace(came, message_id="", references=())
    assert "References" not in read(letter(in_reply_to=anonymous.message_id, references=anonymous.references))


# ---- maildirs ----


def test_a_letter_is_written_once(tmp_path: Path) -> None:
    path = write_to_maildir(tmp_path, b"one", "punica-41-rome")
    assert path.parent == tmp_path / "new"
    assert path.name.startswith("punica-41-rome.")
    assert path.read_bytes() == b"one"
    assert write_to_maildir(tmp_path, b"one", "punica-41-rome") == path
    assert write_to_maildir(tmp_path, b"two", "punica-41-rome") != path
    assert [content for _, content in read_maildir(tmp_path)] in ([b"one", b"two"], [b"two", b"one"])
    assert list((tmp_path / "tmp").iterdir()) == []


def test_nobody_else_reads_the_letters_of_a_maildir(tmp_path: Path) -> None:
    write_to_maildir(tmp_path / "out", b"one", "a")
    assert {stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "out", *(tmp_path / "out").iterdir())} == {0o700}


def test_a_letter_that_was_read_is_not_written_again(tmp_path: Path) -> None:
    read_path = mark_read(write_to_maildir(tmp_path, b"one", "a"))
    assert (read_path.parent, read_path.name[-4:]) == (tmp_path / "cur", ":2,S")
    assert list(read_maildir(tmp_path)) == []
    assert write_to_maildir(tmp_path, b"one", "a") == read_path
    assert list(read_maildir(tmp_path)) == []


def test_what_a_crash_left_behind_is_no_letter(tmp_path: Path) -> None:
    path = write_to_maildir(tmp_path, b"whole", "a")
    half = path.rename(tmp_path / "tmp" / path.name)
    half.write_bytes(b"ha")
    assert list(read_maildir(tmp_path)) == []
    assert write_to_maildir(tmp_path, b"whole", "a").read_bytes() == b"whole"
    assert not half.exists()


def test_new_letters_come_by_name_and_others_not_at_all(tmp_path: Path) -> None:
    assert list(read_maildir(tmp_path / "nowhere")) == []
    for name in ("2", "1", "3", ".hidden"):
        (tmp_path / "new").mkdir(exist_ok=True)
        (tmp_path / "new" / name).write_bytes(name.encode())
    (tmp_path / "new" / "folder").mkdir()
    assert [(path.name, content) for path, content in read_maildir(tmp_path)] == [("1", b"1"), ("2", b"2"), ("3", b"3")]
    mark_read(tmp_path / "new" / "2")
    assert [path.name for path, _ in read_maildir(tmp_path)] == ["1", "3"]


@pytest.mark.parametrize("name", ["", ".a", "a/b", "a:2,S", "a\nb", "a" * 161, "é"])
def test_a_name_must_be_fit_for_a_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a name"):
        write_to_maildir(tmp_path, b"one", name)
    assert list(tmp_path.iterdir()) == []


def test_letter_written_again_at_another_time_is_the_same_letter(tmp_path: Path) -> None:
    """A letter that is written again at another time is the same letter."""
    first = write_to_maildir(tmp_path, letter(), "a")
    upon = {"in_reply_to": "<b@x.org>", "references": [f"<{n}@{'long' * 9}.org>" for n in range(9)]}
    again = letter(date=datetime(2031, 1, 1, tzinfo=UTC), **upon)
    assert again != letter()
    assert write_to_maildir(tmp_path, again, "a") == first
    assert first.read_bytes() == letter()
    quoted = letter(text="Date: today\n\nIn-Reply-To: you")
    assert write_to_maildir(tmp_path, quoted, "a") != first
    assert write_to_maildir(tmp_path, letter(text="Date: tomorrow\n\nIn-Reply-To: you"), "a") not in (first, quoted)
    assert len(list(read_maildir(tmp_path))) == 3


def test_a_letter_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_to_maildir(tmp_path / "outbox", b"one", "a")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert write_to_maildir(tmp_path / "outbox", b"one", "a").read_bytes() == b"one"
