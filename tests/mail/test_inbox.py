"""Letters as mail programs write them, and as nobody should: the sheets found in them, or the polite refusal."""

from __future__ import annotations

import time
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.answer.questions import STATUS
from pbem.mail.inbox import open_letter
from pbem.mail.notes.address import mailbox
from pbem.mail.read.commands import Instruction
from pbem.mail.read.letter import Enclosure, Letter
from pbem.mail.read.mime import LARGEST, legible, tidy_text
from pbem.mail.read.quoting import letter_lines, unflowed, unsigned
from pbem.mail.read.sheet_finder import sheets
from pbem.mail.shared_letter import _SIDE
from tests.support.chance import examples
from tests.support.mail_programs import (
    AUTOMATIC,
    BY_HAND,
    FABIUS,
    FORM,
    FOUND,
    GAUL,
    LETTERS,
    PLAY,
    REFUSED,
    SPACED,
    plain,
)
from tests.support.soak import quick_first


def posted(name: str) -> bytes:
    return (LETTERS / f"{name}.eml").read_bytes()


def attached(*parts: str) -> bytes:
    """Return a letter of several parts, each with its headers."""
    return (
        'From: ann@example.org\nContent-Type: multipart/mixed; boundary="+"\n\n'
        + "".join(f"--+\n{part}\n" for part in parts)
        + "--+--\n"
    ).encode()


def found(letter: Letter) -> list[tuple[str, str]]:
    return [(enclosure.where, enclosure.text.decode()) for enclosure in letter.enclosures]


def own_sheets(text: str) -> list[str]:
    return [sheet.text for sheet in sheets(tidy_text(text)) if sheet.depth == 0]


# ---- whole letters ----


@pytest.mark.parametrize("wire", [False, True], ids=["as stored", "as mailed"])
@pytest.mark.parametrize("name", FOUND)
def test_the_sheet_of_every_mail_program_is_found(name: str, wire: bool) -> None:
    raw = posted(name)
    letter = open_letter(raw.replace(b"\n", b"\r\n") if wire else raw)
    assert found(letter) == FOUND[name]
    assert (letter.refusal, letter.automatic) == (None, False)
    assert letter.sender in ("ann@example.org", "bob@example.net")


@pytest.mark.parametrize("name", REFUSED)
def test_letter_with_nothing_to_read_is_refused_with_the_reason(name: str) -> None:
    """A letter with nothing to read is refused with the reason."""
    letter = open_letter(posted(name))
    assert letter.refusal is not None
    assert REFUSED[name] in letter.refusal
    assert (letter.enclosures, letter.commands) == ((), ())


@pytest.mark.parametrize("name", AUTOMATIC)
def test_automatic_letter_that_quotes_a_form_gives_no_orders(name: str) -> None:
    """An automatic letter gives no orders, although it quotes a form."""
    letter = open_letter(posted(name))
    assert letter.automatic
    assert (letter.enclosures, letter.commands, letter.refusal) == ((), (), None)


def test_every_fixture_is_used() -> None:
    assert {path.stem for path in LETTERS.glob("*.eml")} == {*FOUND, *REFUSED, *AUTOMATIC, "commands"}


@pytest.mark.parametrize(
    ("header", "automatic"),
    [
        ("Auto-Submitted: auto-generated", True),
        ("Auto-Submitted: no", False),
        ("Precedence: junk", True),
        ("Precedence: bulk", True),
        ("Precedence: bulk\nList-Id: <punica.lists.example>", False),
        ("Precedence: list", False),
        ("X-Autoreply: yes", True),
        ("Return-Path: <>", True),
        ("Return-Path: <ann@example.org>", False),
    ],
)
def test_machines_are_told_from_players(header: str, automatic: bool) -> None:
    letter = open_letter(plain(PLAY, header + "\n"))
    assert letter.automatic is automatic
    assert bool(letter.enclosures) is not automatic


def test_the_envelope_is_read() -> None:
    letter = open_letter(posted("outlook"))
    assert letter.sender == "ann@example.org"
    assert letter.subject == "RE: punica, turn 3: Hannibal enters Beneventum"
    assert letter.message_id == "<AM9PR04MB8212F00@AM9PR04MB8212.eurprd04.prod.outlook.com>"
    assert letter.references == ("<punica.40.rome@pbem.example>", "<punica.41.rome@pbem.example>")
    assert letter.date_text == "Sun, 22 Nov 2026 19:04:11 +0100"
    assert letter.digest != open_letter(posted("gmail")).digest
    assert len(letter.digest) == 64


def test_subjects_in_other_scripts_are_read() -> None:
    assert open_letter(posted("koi8_r")).subject == "Приказ"
    assert open_letter(posted("iso_2022_jp")).subject == "命令"
    assert open_letter(plain("", "Subject: =?utf-8?q?a=0D=0ABcc:_x?=\n")).subject == "a Bcc: x"


def test_commands_stand_alone_on_a_line() -> None:
    commands = open_letter(posted("commands")).commands
    assert [str(each) for each in commands] == ["STATUS", "FORECAST", "PHRASE the die is not yet cast"]


def test_a_command_above_a_quoted_form_is_no_order() -> None:
    quoted = "".join(f"> {line}\n" for line in FORM.splitlines())
    letter = open_letter(plain(f"STATUS\n\n{quoted}"))
    assert (letter.commands, letter.enclosures, letter.refusal) == ((Instruction(STATUS.word),), (), None)
    assert found(open_letter(plain(f"FORECAST\n\n{quoted}"))) == [("quoted", FORM)]


# ---- who sent it ----


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("ann@example.org", "ann@example.org"),
        ("<Ann@Example.ORG>", "ann@example.org"),
        ("Ann Smit <ann@example.org>", "ann@example.org"),
        ('"Smit, Ann (home)" <ann@example.org>', "ann@example.org"),
        ("ann@example.org (Ann Smit)", "ann@example.org"),
        ("ann@example.org <ann@example.org>", "ann@example.org"),
        ('"ann@example.org" <Ann@example.org>', "ann@example.org"),
        ("Änn <ann@example.org>", "ann@example.org"),
        ("=?utf-8?q?=C3=84nn?= <ann@example.org>", "ann@example.org"),
        ("ann@example.org <evil@x.org>", ""),
        ('"ann@example.org" <evil@x.org>', ""),
        ("=?utf-8?q?ann=40example.org?= <evil@x.org>", ""),
        ("ann@example.org, evil@x.org", ""),
        ("Players: ann@example.org, evil@x.org;", ""),
        ("Ann (<ann@example.org>) <evil@x.org>", ""),
        ("Ann <ann@example.org> <evil@x.org>", ""),
        ("Ann <ann@example.org>>", ""),
        ("<ann@example.org", ""),
        ("Ann <ann@exa mple.org>", ""),
        ("Ann", ""),
        ("", ""),
        ("(" * 400 + "ann@example.org", ""),
    ],
)
def test_one_from_with_one_address(value: str, address: str) -> None:
    letter = open_letter(f"From: {value}\n\n{PLAY}".encode())
    assert letter.sender == address
    assert bool(letter.enclosures) is bool(address)


def test_two_from_headers_are_nobody() -> None:
    letter = open_letter(b"From: ann@example.org\nFrom: evil@x.org\n\n" + PLAY.encode())
    assert letter.sender == ""
    assert letter.refusal is not None
    assert "one From line" in letter.refusal


def test_a_mailbox_keeps_its_name() -> None:
    assert mailbox('"O\\"Neil, Ann" <a@b.org>') == ('O"Neil, Ann', "a@b.org")


# ---- where a sheet begins and ends ----


@pytest.mark.parametrize(
    "after",
    [
        "Thanks, Ann\n",
        "\nThanks,\nAnn\n",
        "\n  Best wishes,\n  Ann\n",
        "-- \nAnn\n  tel: 0123\n",
        "\nSent from my phone\n",
        "\nPS: well played. Note: I am away on Sunday.\n",
        "\n- see you on Sunday\n- or on Monday\n",
        "\n_______________\nlist footer\nhttps://lists.example/punica\n",
        "\nOn Sunday, Referee wrote:\n> thanks\n",
        "\n> game: punica\n> side: rome\n",
        "```\n- play: {card: 1}\n",
    ],
)
def test_what_follows_a_sheet_is_not_of_it(after: str) -> None:
    assert own_sheets(f"Hello,\n\n{PLAY}{after}") == [PLAY]


@pytest.mark.parametrize(
    "sheet",
    [
        PLAY + "\n- intercept: {with: []}\n",
        PLAY + "and then\n- intercept: {with: []}\n",
        PLAY + "and then\n\n– intercept: {with: []}\n",
        PLAY + "and then\n- {intercept: {with: []}}\n",
        PLAY + "---\n- Intercept:\n    with: []\n",
        PLAY + "\nstanding:\n- intercept:\n    with: []\n",
        PLAY + "and then\n\nstanding_add: default\n",
        PLAY.replace("general: hannibal, ", "general: hannibal,\n"),
        PLAY.replace("general: hannibal, ", "general: hannibal,\n\n      "),
        PLAY.replace("orders:", "ordres:"),
        PLAY.replace("orders:", "orders"),
        PLAY.replace("side: ", "side "),
        PLAY.replace("orders:", "# my orders, which took me a good deal longer\nto write than I thought:\norders:"),
        FABIUS.replace("    with", "\twith"),
        FABIUS.replace("- intercept", "* intercept"),
        SPACED,
    ],
)
def test_no_order_is_cut_off_in_silence(sheet: str) -> None:
    assert own_sheets(f"Hello,\n\n{sheet}\nThanks,\nAnn\n") == [sheet]


def test_between_fences_all_is_sheet() -> None:
    odd = PLAY + "\nI hope that this is right\n"
    for before, after in [("```", "```"), ("~~~ yaml", "~~~"), ("== BEGIN ORDERS ==", "== END ORDERS ==")]:
        assert own_sheets(f"Hello\n{before}\n\n{odd}{after}\n- play: {{card: 1}}\n") == [odd]


def test_an_open_fence_is_only_a_line() -> None:
    assert own_sheets(f"```\n{PLAY}\nThanks, Ann\n") == [PLAY]


def test_a_rule_ends_what_a_rule_began() -> None:
    assert own_sheets(f"---\n{PLAY}---\n- play: that was it\n") == [PLAY]


def test_keys_and_remarks_above_the_name_belong_to_the_sheet() -> None:
    sheet = "# mine\nside: rome\nadjudication: 41\ngame: punica\norders:\n- intercept: {with: []}\n"
    assert own_sheets(f"Hi\n{sheet}") == [sheet]
    assert own_sheets(f"# one\n{PLAY}# two\n{GAUL}") == [f"# one\n{PLAY}", f"# two\n{GAUL}"]


@pytest.mark.parametrize("text", ["The game: it was fun.\n", "game:\n", "> nothing\n", "Game: on and on\n", "\n"])
def test_talk_of_a_game_is_no_sheet(text: str) -> None:
    assert sheets(text) == []


def test_what_the_eye_cannot_see_is_tidied() -> None:
    seen = (
        PLAY.replace("game: ", "\ufeffgame：\u3000").replace("side: ", "side:\u00a0").replace("orders", "or\u200bders")
    )
    assert own_sheets(seen.replace("\n", "\u2028")) == [PLAY]
    assert "“fabius”" in own_sheets(PLAY.replace("hannibal", "“fabius”"))[0]  # for the check to point at


@pytest.mark.parametrize(
    ("mark", "depth"), [("> ", 1), (">", 1), ("> > ", 2), (">> ", 2), (">>", 2), (" > ", 1), (">> >", 3)]
)
def test_quote_marks_are_taken_off(mark: str, depth: int) -> None:
    quoted = "".join(f"{mark}{line}\n" if line else ">\n" for line in [*FABIUS.splitlines(), "", "Ann"])
    (sheet,) = sheets(quoted)
    assert (sheet.text, sheet.depth) == (FABIUS, depth)


@pytest.mark.parametrize(
    "head",
    [
        "-----Original Message-----\nFrom: Referee\nSent: Sunday\nTo: Ann\nSubject: punica\n",
        "________________________________\nFrom: Referee\nSent: Sunday\nTo: Ann\nSubject: punica\n",
        "*Von:* Referee <referee@pbem.example>\n*Gesendet:* Sonntag\n*An:* Ann\n*Betreff:* punica\n",
        "От: Referee\nОтправлено: 22 ноября 2026 г.\nКому: Ann\nТема: punica\n",
        "-------- Weitergeleitete Nachricht --------\nBetreff: punica\n",
        "Le dim. 22 nov. 2026 à 18:00, Referee <referee@pbem.example> a écrit :\n",
        "On Sunday, November 22, 2026, Referee\n<referee@pbem.example> wrote:\n",
    ],
)
def test_below_an_old_letters_head_is_quoted_without_marks(head: str) -> None:
    assert [(sheet.text, sheet.depth) for sheet in sheets(f"{PLAY}\nBob\n\n{head}\n{FORM}")] == [(PLAY, 0), (FORM, 1)]


def test_an_attribution_before_marks_is_no_head() -> None:
    assert [line.depth for line in letter_lines("Ann wrote:\n> so\n\nI say")] == [0, 1, 0, 0]


def test_of_several_quoted_sheets_the_youngest_counts() -> None:
    older = "".join(f"> > {line}\n" for line in GAUL.splitlines())
    newer = "".join(f"> {line}\n" for line in FABIUS.splitlines())
    assert found(open_letter(plain(f"{older}> so I wrote, and:\n{newer}"))) == [("quoted", FABIUS)]


def test_answers_written_between_quoted_lines_are_kept() -> None:
    text = (
        "> game: punica\n> side: rome\n> orders:\n> - intercept:\n    with: [{general: fabius, cu: 8}]\n\nGood luck!\n"
    )
    (sheet,) = sheets(text)
    assert sheet.text == "game: punica\nside: rome\norders:\n- intercept:\n    with: [{general: fabius, cu: 8}]\n"


# ---- how a text is packed ----


def test_flowed_lines_are_joined_again() -> None:
    flowed = "# a remark that \nthe program broke \nin three\n    with: []\n> > quoted\n>> deeper \n>> still\n-- \nAnn"
    assert unflowed(flowed.replace("\n    with", "\n     with"), delsp=False) == (
        "# a remark that the program broke in three\n    with: []\n> > quoted\n>> deeper still\n-- \nAnn"
    )
    assert unflowed("ope \nrations \n> no", delsp=True) == "operations\n> no"


def test_flowed_sheets_survive() -> None:
    stuffed = FABIUS.replace("\n ", "\n  ").replace("enters\n# Beneventum", "enters \nBeneventum")
    letter = open_letter(f"From: a@b.org\nContent-Type: text/plain; format=Flowed\n\n{stuffed}\nAnn".encode())
    assert found(letter) == [("body", FABIUS.replace("enters\n# Beneventum", "enters Beneventum"))]


def test_a_clear_signature_is_taken_off() -> None:
    signed = "a\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: X\n\n- - b\n-----BEGIN PGP SIGNATURE-----\nc\n"
    assert unsigned(signed + "-----END PGP SIGNATURE-----\n- d") == "a\n- b\n- d"


@pytest.mark.parametrize(
    ("content", "label", "text"),
    [
        ("à".encode("latin-1"), "iso-8859-1", "à"),
        ("€ ’".encode("cp1252"), "iso-8859-1", "€ ’"),
        ("à".encode(), "iso-8859-1", "à"),
        ("à".encode(), "", "à"),
        ("à".encode("latin-1"), "utf-8", "à"),
        ("à".encode("utf-8-sig"), "koi8-r", "à"),
        ("Привет".encode("koi8-r"), "KOI8-R", "Привет"),
        ("命令".encode("iso2022_jp"), "iso-2022-jp", "命令"),
        ("命令".encode("iso2022_jp"), "us-ascii", "命令"),
        ("命令".encode("cp932"), "shift_jis", "命令"),
        ("game".encode("utf-16-be"), "utf-16", "game"),
        ("game".encode("utf-16-le"), "utf-16", "game"),
        ("game".encode("utf-16"), "", "game"),
        ("à".encode(), "x-punic", "à"),
        (b"\xe0", "x-punic", None),
        (b"abc", "punycode", "abc"),
        (b"\xe0", "zlib", None),
        (b"+2AA-", "utf-7", "?"),
        (b"\x81", "cp1252", "\ufffd"),
    ],
)
def test_charsets_as_they_are_and_as_they_are_labelled(content: bytes, label: str, text: str | None) -> None:
    assert legible(content, label) == text


# ---- attached files ----

YAML_FILE = 'Content-Type: application/octet-stream; name="orders.yaml"\n\n' + PLAY


def test_senders_text_goes_before_the_file_and_that_before_quote() -> None:
    """The sender's text goes before the file, and the file before the quotation."""
    quoted = "".join(f"> {line}\n" for line in FORM.splitlines())
    assert found(open_letter(attached(f"\n{GAUL}", YAML_FILE))) == [("body", GAUL), ("attachment", PLAY)]
    assert found(open_letter(attached(f"\nSee file.\n\n{quoted}", YAML_FILE))) == [("attachment", PLAY)]
    assert found(open_letter(attached(f"\n{PLAY}", YAML_FILE))) == [("body", PLAY)]


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ("Content-Type: text/yaml", "orders.yaml"),
        ("Content-Type: application/yaml; name=x.txt", "x.txt"),
        ("Content-Type: text/plain; name=orders.YML", "orders.YML"),
        ("Content-Type: text/plain\nContent-Disposition: attachment; filename=orders.yaml.txt", "orders.yaml.txt"),
        ('Content-Type: text/yaml; name="../..\\\\a\n  b.yaml"', "a b.yaml"),
        ("Content-Type: x/y\nContent-Disposition: attachment; filename*=utf-8''%C3%A9.yaml", "é.yaml"),
    ],
)
def test_files_are_known_by_name_or_type(headers: str, name: str) -> None:
    (enclosure,) = open_letter(attached(f"{headers}\n\n{PLAY}", "Content-Type: text/html\n\n<p>Hi</p>")).enclosures
    assert (enclosure.name, enclosure.where, enclosure.text.decode().rstrip()) == (name, "attachment", PLAY.rstrip())


def test_yaml_file_is_taken_whole_and_another_only_with_a_sheet() -> None:
    """A YAML file is taken whole, and another file only if it holds a sheet."""
    odd = "orders: 1\nI forgot\n"
    assert found(open_letter(attached(f"Content-Type: text/yaml\n\n{odd}"))) == [("attachment", odd)]
    assert open_letter(attached(f"Content-Type: text/plain; name=a.txt\n\n{odd}")).enclosures == ()
    assert open_letter(attached(f"Content-Type: text/csv; name=a.csv\n\n{PLAY}")).enclosures == ()


# ---- letters made to hurt ----

HEAD = b"From: ann@example.org\n"
MANY = b"To: " + b",\n ".join(b"player%d@example.org" % n for n in range(20_000)) + b"\n"
NESTED = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(2000))

HURTFUL = {
    "20,000 recipients": MANY + HEAD + b"\n",
    "2,000 parts in each other": HEAD + NESTED,
    "19 parts in each other": HEAD + NESTED[:950] + b"\n" * 19_000,
    "letters in letters": HEAD + b"Content-Type: message/rfc822\n\n" * 5000,
    "30,000 parts": HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\n" * 30_000,
    "21 parts": attached(*["\nx"] * 21),
    "a header of quotes": HEAD + b"Content-Type: text/plain" + b';"' * 100_000 + b"\n\n",
    "a subject of encoded words": HEAD + b"Subject: " + b"=?utf-8?q?a?= " * 15_000 + b"\n\n",
    "80,000 headers": HEAD + b"a:\n" * 80_000 + b"\n",
    "only line ends": HEAD + b"\n" + b"\r" * 250_000,
    "10 MB": HEAD + b"\n" + b"x" * 10_000_000,
}


@pytest.mark.parametrize("name", HURTFUL)
def test_a_hurtful_letter_costs_little_and_is_answered(name: str) -> None:
    start = time.process_time()
    letter = open_letter(HURTFUL[name])
    assert time.process_time() - start < 10
    assert letter.sender == "ann@example.org"
    assert letter.refusal
    assert letter.enclosures == ()


LONG_RUNS = {
    "a quoted sheet of hyphens": "> game: punica\n> orders:\n" + "> - {\n" * 19_000,
    "a quoted game of colons": "> game: punica\n> game" + ":" * 200_000 + "\n",
    "a side of blanks": "game: punica\nside: a" + " " * 200_000 + "!\norders:\n- a: {}",
}


@pytest.mark.parametrize("name", quick_first(LONG_RUNS))
def test_sheet_with_a_long_run_costs_little(name: str) -> None:
    start = time.process_time()
    letter = open_letter(plain(LONG_RUNS[name]))
    for each in letter.enclosures:
        assert (each.game, each.side, each.report) is not None
        _SIDE.search(each.text.decode())
    for text in ("\n" * 20_000, "{\n" * 20_000, "-\n" * 20_000):
        sheet = Enclosure("orders.yaml", text.encode() + b"x", "attachment")
        assert (sheet.game, sheet.side, sheet.report) == ("", "", None)
        assert _SIDE.search(text + "x") is None
    assert time.process_time() - start < 10


@pytest.mark.parametrize("digits", ["\N{SUPERSCRIPT TWO}", "1" * 5000, "\N{CIRCLED DIGIT ONE}"])
def test_digits_that_are_no_number_do_no_harm(digits: str) -> None:
    """A code box may set the number of a line above it; these are none."""
    assert [each.where for each in open_letter(plain(f"{digits}\n{BY_HAND}")).enclosures] == ["body"]


def test_a_letter_just_small_enough_is_read() -> None:
    raw = plain(PLAY + "\n" + "x" * 70 + "\n")
    raw += b"y" * (LARGEST - len(raw))
    assert found(open_letter(raw)) == [("body", PLAY)]
    refusal = open_letter(raw + b"z").refusal
    assert refusal is not None
    assert "256 kB" in refusal


def test_thousands_of_sheets_are_refused() -> None:
    refusal = open_letter(plain("".join(f"game: g{n}\n" for n in range(5000)))).refusal
    assert refusal is not None
    assert "more than 20 order sheets" in refusal


PIECES = [b"\n", b"\r", b"\r\n", b"\n\n", b"> ", b"--", b";", b'"', b"=?utf-8?q?", b"?=", b"=", b"\0", b"\xff", b"'"]
PIECES += [b"game: x\n", b"```\n", b"Content-Type: ", b"multipart/mixed;", b"message/rfc822", b"charset=", b"boundary="]
PIECES += [b"From: ", b"<", b"(", b"*0*=", b"''", b"utf-7", b"+2AA-", b"format=flowed", b"base64", b"wrote:\n", b"- x:"]
ALL_LETTERS = [path.read_bytes() for path in sorted(LETTERS.glob("*.eml"))]


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """Draw a real letter with pieces cut out of it and put into it."""
    raw = draw(st.sampled_from(ALL_LETTERS))
    for _ in range(draw(st.integers(1, 12))):
        at = draw(st.integers(0, len(raw)))
        cut = draw(st.sampled_from([0, 0, 1, 5, 80]))
        raw = raw[:at] + draw(st.sampled_from(PIECES) | st.binary(max_size=4)) + raw[at + cut :]
    return raw


@settings(max_examples=examples(300))
@given(mangled() | st.binary(max_size=300) | st.lists(st.sampled_from(PIECES)).map(b"".join))
def test_no_bytes_make_it_raise(raw: bytes) -> None:
    letter = open_letter(raw)
    assert not (letter.enclosures and letter.refusal)
    assert letter.automatic or letter.refusal or letter.enclosures or letter.commands
    assert letter.sender or not letter.enclosures
    assert open_letter(raw) == letter
    for enclosure in letter.enclosures:
        assert enclosure.text.decode().strip()
        assert enclosure.name.isprintable()
    assert (letter.subject + (letter.refusal or "") + letter.sender).encode().decode().isprintable()


@settings(max_examples=examples(100))
@given(st.text(max_size=200))
def test_prose_around_a_sheet_in_base64_is_left_out(prose: str) -> None:
    talk = "".join(c for c in prose if c.isalnum() or c == " ").strip()[:60]
    body = b64encode(f"{talk}\n\n{PLAY}\n{talk}\n".encode()).decode()
    letter = open_letter(plain(body, "Content-Transfer-Encoding: base64\n"))
    assert found(letter) == [("body", PLAY)]
