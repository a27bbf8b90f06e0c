"""The config of the post: what is read, and that each fault is told with its place."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from pbem import paths
from pbem.game import yaml as yamlio
from pbem.post import settings
from pbem.post.settings import (
    BadConfig,
    ImapIn,
    MaildirIn,
    MaildirOut,
    PostConfig,
    Secret,
    SendmailOut,
    SmtpOut,
    StdinIn,
    Tls,
)

WHOLE = """\
games: games
keys: /srv/keys
from: Punic Wars <pbem@example.org>
in:
  imap:
    host: imap.example.org
    user: pbem@example.org
    password: {env: PBEM_PASSWORD}
    folder: Games
    done: Games/Done
    since: 2026-11-01
out:
  smtp:
    host: smtp.example.org
    port: 587
    user: pbem@example.org
    password: {file: password}
send: {per_hour: 30}
who:
  authentication_results: [mx.Example.org]
  plus: true
  games:
    punica: {proofs: [signature]}
limits: {letter_bytes: 1000000}
workers: 3
"""
LEAST = "from: pbem@example.org\nin: {maildir: {folder: box}}\nout: {maildir: {folder: sent}}\n"


def read(text: str) -> PostConfig:
    return settings.parse_config(text, Path("/srv/pbem/pbem.yaml"))


def faults(text: str) -> list[str]:
    with pytest.raises(BadConfig) as caught:
        read(text)
    return [line.removeprefix("/srv/pbem/pbem.yaml:") for line in str(caught.value).splitlines()]


def test_whole_config_is_read() -> None:
    found = read(WHOLE)
    assert (found.games, found.keys) == (Path("/srv/pbem/games"), Path("/srv/keys"))
    assert (found.sender, found.address, found.game_master) == (
        "Punic Wars <pbem@example.org>",
        "pbem@example.org",
        "pbem@example.org",
    )
    assert found.sources == (
        ImapIn(
            "imap.example.org",
            993,
            "pbem@example.org",
            Secret(env="PBEM_PASSWORD"),
            Tls("implicit"),
            "Games",
            "Games/Done",
            date(2026, 11, 1),
        ),
    )
    secret = Secret(file=Path("/srv/pbem/password"))
    assert found.out == SmtpOut("smtp.example.org", 587, Tls("starttls"), "pbem@example.org", secret)
    assert (found.rates.per_hour, found.rates.per_day) == (30, 400)
    assert found.who.authentication_results == ("mx.example.org",)
    assert (found.who.of("punica"), found.who.of("gallia")) == (("signature",), ("token", "provider", "signature"))
    assert (found.who.plus, found.limits.letter_bytes, found.workers) == (True, 1_000_000, 3)


def test_least_config_has_defaults_for_the_rest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PBEM_GAMES", str(tmp_path))
    found = read(LEAST)
    assert found.sources == (MaildirIn(Path("/srv/pbem/box")),)
    assert found.out == MaildirOut(Path("/srv/pbem/sent"))
    assert found.games == tmp_path
    assert (found.rates.per_hour, found.rates.per_day, found.workers) == (60, 400, None)
    now = datetime(2026, 11, 23, tzinfo=UTC)
    assert found.mail_settings(now).sender == "pbem@example.org"


@pytest.mark.parametrize(
    ("said", "port", "tls"),
    [
        ("", 993, Tls("implicit")),
        ("port: 143", 143, Tls("starttls")),
        ("tls: starttls", 143, Tls("starttls")),
        ("port: 2993, tls: {ca: ca.pem}", 2993, Tls("implicit", Path("/srv/pbem/ca.pem"))),
        ("port: 2143, tls: {kind: starttls}", 2143, Tls("starttls")),
        ("port: 2143, tls: none", 2143, Tls("none")),
    ],
)
def test_port_and_tls_follow_from_each_other(said: str, port: int, tls: Tls) -> None:
    server = "{host: localhost, user: a, password: {env: A}" + (f", {said}" if said else "") + "}"
    (found,) = read(f"from: a@b.org\nin: {{imap: {server}}}\nout: {{sendmail: {{}}}}\n").sources
    assert isinstance(found, ImapIn)
    assert (found.port, found.tls) == (port, tls)


def test_standard_input_and_sendmail() -> None:
    found = read("from: a@b.org\nin: {stdin: true}\nout: {sendmail: {command: [/usr/sbin/sendmail, -oi]}}\n")
    assert found.sources == (StdinIn(),)
    assert found.out == SendmailOut(("/usr/sbin/sendmail", "-oi"))


@pytest.mark.parametrize(
    ("line", "instead", "expected"),
    [
        ("games: games", "gmaes: games", "1:1: gmaes does not belong here; did you mean games?"),
        (
            "    user: pbem@example.org\n    password: {env",
            "    usr: pbem@example.org\n    password: {env",
            "7:5: usr does not belong here; did you mean user?",
        ),
        ("send: {per_hour: 30}", "send: {per_huor: 30}", "18:8: per_huor does not belong here; did you mean per_hour?"),
        ("workers: 3", "workers: 0", "25:10: 0 is less than the minimum of 1"),
        ("from: Punic Wars <pbem@example.org>", "from: Punic Wars", "3:7: from is not a mail address"),
        ("since: 2026-11-01", "since: 2026-11-31", "11:12: there is no such day"),
        ("    port: 587", "    port: 587\n    tls: none", "16:10: without TLS the password could be read"),
        ("    port: 587", "    port: 587\n    tls: ssl", "16:10: 'ssl' is not one of ['implicit', 'starttls', 'none']"),
        (
            "[signature]",
            "[signatures]",
            "23:23: 'signatures' is not one of ['token', 'provider', 'dkim', 'signature', 'address']; "
            "did you mean signature?",
        ),
    ],
)
def test_fault_is_told_with_its_place(line: str, instead: str, expected: str) -> None:
    assert line in WHOLE
    assert any(each.startswith(expected) for each in faults(WHOLE.replace(line, instead, 1)))


def test_password_in_the_file_is_refused_and_not_repeated() -> None:
    (told,) = faults(WHOLE.replace("{file: password}", "hunter2hunter2"))
    assert told.startswith("17:15: a password does not stand in this file; write {env: NAME} or {file: FILE}")
    assert "hunter2" not in told


@pytest.mark.parametrize("url", ["postgresql://pbem:hunter2@db/pbem", "postgresql://db/pbem?password=hunter2"])
def test_password_of_the_database_is_refused_and_not_repeated(url: str) -> None:
    (told,) = faults(f"{LEAST}database: {url}\n")
    assert told.startswith("4:11: a password does not stand in this file; PostgreSQL looks for it in ~/.pgpass")
    assert "hunter2" not in told


def test_tables_lie_in_a_database_or_in_a_file() -> None:
    assert read(f"{LEAST}database: postgresql://pbem@db/pbem\n").database == "postgresql://pbem@db/pbem"
    assert read(LEAST).database is None
    (told,) = faults(f"{LEAST}database: postgresql://db/pbem\ntables: t\n")
    assert told == "5:1: the tables lie in the database or in a file; leave out one of the two"
    (told,) = faults(f"{LEAST}database: mysql://db/pbem\n")
    assert told.startswith("4:11: 'mysql://db/pbem' does not match")


def test_all_faults_are_told_at_once() -> None:
    told = faults(WHOLE.replace("games: games", "gmaes: games").replace("workers: 3", "workers: many"))
    assert [each.partition(":")[0] for each in told] == ["1", "25"]


def test_text_that_is_no_yaml_is_told_with_its_place() -> None:
    assert faults("from: [\n")[0].startswith("2:1:")


def test_missing_file_names_the_way_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"there is no such file; `pbem post --setup` makes one"):
        settings.load_config(tmp_path / "pbem.yaml")


def test_config_is_found_by_name_environment_or_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PBEM_CONFIG", raising=False)
    assert paths.find_config() == Path("pbem.yaml")
    monkeypatch.setenv("PBEM_CONFIG", "/srv/one.yaml")
    assert paths.find_config() == Path("/srv/one.yaml")
    assert paths.find_config(Path("other.yaml")) == Path("other.yaml")


def test_secret_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "hunter2")
    assert Secret(env="PBEM_TEST_PASSWORD").read() == "hunter2"
    monkeypatch.delenv("PBEM_TEST_PASSWORD")
    with pytest.raises(BadConfig, match="PBEM_TEST_PASSWORD of the environment; it is not set"):
        Secret(env="PBEM_TEST_PASSWORD").read()


def test_secret_comes_from_a_file_of_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("hunter 2\n", "utf-8")
    file.chmod(0o600)
    assert Secret(file=file).read() == "hunter 2"
    file.chmod(0o640)
    with pytest.raises(BadConfig, match="others may read it; give: chmod 600") as caught:
        Secret(file=file).read()
    assert "hunter" not in str(caught.value)
    with pytest.raises(BadConfig, match="No such file"):
        Secret(file=tmp_path / "none").read()


@pytest.mark.parametrize("text", ["", "\n", "one\ntwo\n"])
def test_file_of_a_secret_holds_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "password"
    file.write_text(text, "utf-8")
    file.chmod(0o600)
    with pytest.raises(BadConfig, match="must hold one line"):
        Secret(file=file).read()


PAGE = Path(__file__).resolve().parents[2] / "docs" / "mailbox.md"


def test_page_shows_a_config_that_can_be_read() -> None:
    """What the page shows is read, and names every key that there is."""
    blocks = re.findall(r"```\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    (whole,) = (block for block in blocks if block.startswith("from:"))
    (proxied,) = (block for block in blocks if block.startswith("in:"))
    assert read(whole).sources
    assert read(f"from: me@outlook.com\n{proxied}").out == SmtpOut(
        "localhost", 1587, Tls("none"), "me@outlook.com", Secret(file=Path("/srv/pbem/post.password"))
    )
    rows = re.findall(r"^\| `((?:in|out): \{.*?\})` \|", PAGE.read_text("utf-8"), re.M)
    assert len(rows) == 4
    for row in rows:
        rest = "out: {sendmail: {}}" if row.startswith("in") else "in: {stdin: true}"
        read(f"from: a@b.org\n{row}\n{rest}\n")
    schema = yamlio.read((Path(settings.__file__).parent / "schemas" / "pbem.yaml").read_bytes(), name="schema").value
    shown = PAGE.read_text("utf-8")
    keys = [*schema["properties"], *schema["properties"]["in"]["properties"]["imap"]["properties"]]
    assert [key for key in keys if not re.search(rf"\b{key}:", shown)] == []
