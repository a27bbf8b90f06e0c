"""The tables of the post, in a file and in a database: order, what is known, limits, clocks that jump, a full disk."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Thread

import pytest

from pbem.post.tables.sqlite_tables import SCHEMA, SqliteTables
from pbem.post.tables.tables import (
    LONGEST_DELAY,
    NEVER,
    NO_GAME,
    NewLetter,
    Tables,
    TablesDamaged,
    TakenIn,
    ToSend,
    Urgency,
)
from tests.support.postgres import Server

NOON = 1_000_000.0


@pytest.fixture
def sqlite_tables(tmp_path: Path) -> Iterator[SqliteTables]:
    made = SqliteTables(tmp_path / "post.sqlite", lambda: NOON)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgres"])
def another(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Tables]]:
    """Return what opens the same tables once more."""
    opened: list[Tables] = []
    url = ""
    if request.param == "postgres":
        server: Server = request.getfixturevalue("server")
        url = server.database()

    def open_tables() -> Tables:
        opened.append(tables_at(url, tmp_path / "t.sqlite"))
        return opened[-1]

    yield open_tables
    for each in opened:
        each.close()


def tables_at(url: str, file: Path) -> Tables:
    if not url:
        return SqliteTables(file, lambda: NOON)
    from pbem.post.tables.postgres_tables import PostgresTables

    return PostgresTables(url, lambda: NOON)


@pytest.fixture
def tables(another: Callable[[], Tables]) -> Tables:
    return another()


def new(content: bytes, *games: str, sender: str = "ann@example.org") -> NewLetter:
    return NewLetter(sha256(content).hexdigest(), sender, NOON, content, games)


def out(name: str, urgency: Urgency = Urgency.ANSWER, to: str = "ann@example.org", thread: str = "punica") -> ToSend:
    return ToSend(name, to, name.encode(), urgency, thread, 0, NOON)


def test_letters_of_a_game_come_in_order_of_arrival(tables: Tables) -> None:
    for at in range(5):
        assert tables.add("box", str(at), new(b"%d" % at, "punica"), {})
    for at in range(5):
        found = tables.next_letter("punica", NOON)
        assert found is not None
        assert (found.content, found.games, found.tries) == (b"%d" % at, ["punica"], 0)
        tables.done(found.id, "punica")
    assert tables.next_letter("punica", NOON) is None
    assert tables.next_games(NOON, 9) == []


def test_game_that_has_waited_longest_comes_first(tables: Tables) -> None:
    for at, game in enumerate(["zama", "cannae", "zama", "trebia"]):
        tables.add("box", str(at), new(b"%d" % at, game), {})
    assert tables.next_games(NOON, 9) == ["zama", "cannae", "trebia"]
    found = tables.next_letter("zama", NOON)
    assert found is not None
    tables.done(found.id, "zama")
    assert tables.next_games(NOON, 9) == ["cannae", "zama", "trebia"]
    assert tables.next_games(NOON, 1) == ["cannae"]


def test_letter_of_the_same_bytes_is_one_letter(tables: Tables) -> None:
    assert tables.add("box/7", "1", new(b"same", "punica"), {})
    assert not tables.add("box/8", "4", new(b"same", "punica"), {})
    assert tables.known("box/7", "1")
    assert tables.known("box/8", "4")
    found = tables.next_letter("punica", NOON)
    assert found is not None
    assert tables.to_mark(lambda source: True) == []
    tables.done(found.id, "punica")
    assert tables.next_letter("punica", NOON) is None
    assert sorted(tables.to_mark(lambda source: True)) == [("box/7", "1"), ("box/8", "4")]
    assert tables.to_mark(lambda source: source == "box/8") == [("box/8", "4")]
    tables.marked("box/7", "1")
    assert tables.to_mark(lambda source: True) == [("box/8", "4")]


def test_letter_for_two_games_is_done_after_both(tables: Tables) -> None:
    tables.add("box", "1", new(b"both", "punica", "zama"), {})
    found = tables.next_letter("punica", NOON)
    assert found is not None
    assert sorted(found.games) == ["punica", "zama"]
    tables.done(found.id, "punica")
    assert tables.to_mark(lambda source: True) == []
    tables.begun(found.id)
    again = tables.next_letter("zama", NOON)
    assert again is not None
    assert (again.id, again.games, again.tries) == (found.id, ["zama"], 1)
    tables.done(found.id, "zama")
    assert tables.to_mark(lambda source: True) == [("box", "1")]


def test_letter_about_no_game_stands_in_a_queue(tables: Tables) -> None:
    tables.add("box", "1", new(b"HELP"), {})
    assert tables.next_games(NOON, 9) == [NO_GAME]
    assert tables.next_letter(NO_GAME, NOON) is not None


def test_what_is_not_ours_is_known_and_nothing_more(tables: Tables) -> None:
    assert not tables.known("box", "1")
    tables.passed("box", "1")
    assert tables.known("box", "1")
    assert tables.to_mark(lambda source: True) == []
    assert tables.counts().passed == 1


def test_letter_that_is_not_due_lets_the_next_one_pass(tables: Tables) -> None:
    tables.add("box", "1", new(b"late", "punica"), {"punica": NOON + 60})
    assert tables.next_games(NOON, 9) == []
    tables.add("box", "2", new(b"now", "punica", sender="bob@example.org"), {})
    assert tables.next_games(NOON, 9) == ["punica"]
    found = tables.next_letter("punica", NOON)
    assert found is not None
    assert found.content == b"now"
    tables.done(found.id, "punica")
    assert tables.next_games(NOON, 9) == []
    assert tables.next_games(NOON + 60, 9) == ["punica"]


def test_slots_are_when_letters_came_or_are_due(tables: Tables) -> None:
    tables.add("box", "1", new(b"1", "punica", "zama"), {"punica": NOON + 60, "zama": NOON + 60})
    tables.add("box", "2", new(b"2", "punica"), {})
    assert tables.last_slots("ann@example.org", 9) == [NOON + 60, NOON]
    assert tables.last_slots("ann@example.org", 1) == [NOON + 60]
    assert tables.slots_between("punica", NOON - 1, NOON + 60) == [NOON, NOON + 60]
    assert tables.slots_between("zama", NOON - 1, NOON + 59) == []


def test_postponed_game_waits_and_says_why(tables: Tables) -> None:
    tables.add("box", "1", new(b"1", "punica"), {})
    assert tables.postpone("punica", NOON + 60, "other rules")
    assert not tables.postpone("punica", NOON + 90, "other rules")
    assert tables.next_games(NOON + 89, 9) == []
    assert [(each.game, each.reason, each.letters) for each in tables.stuck()] == [("punica", "other rules", 1)]
    assert tables.next_games(NOON + 90, 9) == ["punica"]
    assert tables.resume("punica")
    assert not tables.resume("punica")
    assert tables.next_games(NOON, 9) == ["punica"]
    assert tables.stuck() == []


@pytest.mark.parametrize("jump", [-400 * 86400.0, 400 * 86400.0])
def test_clock_that_jumps_leaves_nothing_waiting(tables: Tables, jump: float) -> None:
    tables.add("box", "1", new(b"1", "punica"), {"punica": NOON + 60})
    tables.postpone("punica", NOON + 60, "busy")
    tables.put([out("a")])
    tables.later("a", NOON + 60, "451")
    assert tables.next_games(NOON + jump, 9) == ["punica"]
    assert tables.next_letter("punica", NOON + jump) is not None
    assert [each.name for each in tables.to_send(NOON + jump, 9)] == ["a"]


def test_nothing_is_put_off_so_long_that_it_counts_as_past(tables: Tables) -> None:
    tables.add("box", "1", new(b"1", "punica"), {"punica": NOON + LONGEST_DELAY})
    assert tables.next_games(NOON, 9) == []


def test_asked_players_are_sent_to_first_then_in_order(tables: Tables) -> None:
    for name, urgency in [("n", Urgency.NEWS), ("b", Urgency.ANSWER), ("c", Urgency.ASKED), ("d", Urgency.ASKED)]:
        assert tables.put([out(name, urgency)])
    assert [each.name for each in tables.to_send(NOON, 9)] == ["c", "d", "b", "n"]
    assert [each.name for each in tables.to_send(NOON, 2)] == ["c", "d"]


def test_letter_is_sent_once_whatever_is_put_again(tables: Tables) -> None:
    assert tables.put([out("a")])
    assert not tables.put([out("a")])
    tables.sent("a", NOON)
    assert not tables.put([out("a")])
    assert tables.to_send(NOON, 9) == []
    assert tables.sent_between(NOON - 3600, NOON) == 1
    assert tables.sent_between(NOON, NOON + 3600) == 0


def test_answer_to_a_letter_that_is_done_is_not_kept(tables: Tables) -> None:
    tables.add("box", "1", new(b"both", "punica", "zama"), {})
    asleep = tables.next_letter("punica", NOON)
    assert asleep is not None
    assert tables.put([out("a")], asleep)
    tables.done(asleep.id, "punica")
    with pytest.raises(TakenIn, match="was taken in by another worker"):
        tables.put([out("b")], asleep)
    rest = tables.next_letter("zama", NOON)
    assert rest is not None
    assert tables.put([out("c")], rest)
    assert [each.name for each in tables.to_send(NOON, 9)] == ["a", "c"]


def test_letter_put_off_keeps_its_content_and_counts_tries(tables: Tables) -> None:
    tables.put([out("a")])
    tables.later("a", NOON + 60, "451 try again")
    assert tables.to_send(NOON + 59, 9) == []
    (found,) = tables.to_send(NOON + 60, 9)
    assert (found.content, found.tries) == (b"a", 1)
    tables.refused("a", NOON, "550 no such user")
    assert tables.to_send(NOON + 60, 9) == []
    assert tables.counts().refused == 1


def test_bundled_news_are_one_letter(tables: Tables) -> None:
    for name in "abc":
        tables.put([out(name, Urgency.NEWS)])
    tables.put([out("other", Urgency.NEWS, thread="zama")])
    tables.put([out("asked", Urgency.ASKED)])
    assert [each.name for each in tables.waiting_for("ann@example.org", "punica", Urgency.NEWS)] == ["a", "b", "c"]
    tables.bundle("c", b"all of it", ["a", "b"])
    sent = {each.name: each.content for each in tables.to_send(NOON, 9)}
    assert sent == {"asked": b"asked", "c": b"all of it", "other": b"other"}
    assert not tables.put([out("a", Urgency.NEWS)])


def test_letters_written_to_an_address_are_found(tables: Tables) -> None:
    tables.put([out("a")])
    tables.put([out("b", to="bob@example.org")])
    tables.sent("a", NOON)
    assert tables.written_to("ann@example.org", NOON - 1) == ["a"]
    assert tables.written_to("ann@example.org", NOON) == []


def test_notes_are_kept_and_found_by_prefix(tables: Tables) -> None:
    tables.note("seen imap", "well", NOON)
    tables.note("seen imap", "badly", NOON + 1)
    tables.note("other", "x", NOON)
    assert tables.noted("seen imap") == ("badly", NOON + 1)
    assert list(tables.notes("seen ")) == [("seen imap", "badly", NOON + 1)]
    tables.forget("seen imap")
    assert tables.noted("seen imap") is None


def test_counts_tell_what_lies_there(tables: Tables) -> None:
    assert tables.counts() == (0, None, 0, 0, 0, 0)
    tables.add("box", "1", new(b"1", "punica"), {})
    tables.add("box", "2", new(b"2", "punica"), {})
    tables.put([out("a")])
    found = tables.next_letter("punica", NOON)
    assert found is not None
    tables.done(found.id, "punica")
    assert tables.counts() == (1, NOON, 1, 0, 0, 1)


def test_threads_lose_and_double_nothing(tables: Tables) -> None:
    def put(start: int) -> None:
        for at in range(start, start + 25):
            tables.add("box", str(at), new(b"%d" % (at % 50), "punica"), {})

    threads = [Thread(target=put, args=(start,)) for start in (0, 25, 50, 75)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert tables.counts().waiting == 50
    assert all(tables.known("box", str(at)) for at in range(100))


def test_tick_over_ten_thousand_idle_games_finds_nothing(sqlite_tables: SqliteTables) -> None:
    with sqlite3.connect(sqlite_tables.file) as direct:
        direct.executemany("INSERT INTO games (game) VALUES (?)", ((f"game-{at}",) for at in range(10_000)))
        rows = ((f"{at:064x}", f"game-{at % 10_000}") for at in range(20_000))
        direct.executemany("INSERT INTO letters (digest, sender, at, since) VALUES (?, ?, 0, 0)", rows)
    direct.close()
    assert sqlite_tables.next_games(NOON, 32) == []
    assert sqlite_tables.to_mark(lambda source: True) == []
    assert sqlite_tables.to_send(NOON, 8) == []


def test_second_process_finds_what_the_first_has_put(tables: Tables, another: Callable[[], Tables]) -> None:
    tables.add("box", "1", new(b"1", "punica"), {})
    tables.put([out("a")])
    other = another()
    assert other.next_games(NOON, 9) == ["punica"]
    assert [each.name for each in other.to_send(NOON, 9)] == ["a"]


def test_tables_are_for_their_owner_alone(sqlite_tables: SqliteTables) -> None:
    assert sqlite_tables.put([out("a")])
    files = list(sqlite_tables.file.parent.glob(f"{sqlite_tables.file.name}*"))
    assert len(files) == 3
    assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}


def test_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "post.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(TablesDamaged, match=r"post\.sqlite"):
        SqliteTables(tmp_path / "post.sqlite")


def test_file_of_another_version_is_left_alone(sqlite_tables: SqliteTables) -> None:
    with sqlite3.connect(sqlite_tables.file) as direct:
        direct.execute("PRAGMA user_version = 99")
    direct.close()
    with pytest.raises(TablesDamaged, match="another version"):
        SqliteTables(sqlite_tables.file)


def test_full_disk_is_an_error_of_the_disk_and_loses_nothing(sqlite_tables: SqliteTables) -> None:
    sqlite_tables.add("box", "1", new(b"1", "punica"), {})
    (pages,) = sqlite_tables._rows("PRAGMA page_count")[0]
    sqlite_tables._rows(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(OSError, match="full"):
        sqlite_tables.add("box", "2", new(b"x" * 100_000, "punica"), {})
    assert not sqlite_tables.known("box", "2")
    sqlite_tables._rows("PRAGMA max_page_count = 100000")
    assert sqlite_tables.add("box", "2", new(b"x" * 100_000, "punica"), {})
    assert sqlite_tables.counts().waiting == 2


def test_copy_is_whole_and_takes_letters_to_send_of_another(sqlite_tables: SqliteTables, tmp_path: Path) -> None:
    sqlite_tables.add("box", "1", new(b"1", "punica"), {})
    sqlite_tables.put([out("a")])
    sqlite_tables.copy(tmp_path / "copy.sqlite")
    sqlite_tables.put([out("b")])
    sqlite_tables.sent("a", NOON)
    copied = SqliteTables(tmp_path / "copy.sqlite")
    assert [each.name for each in copied.to_send(NOON, 9)] == ["a"]
    copied.add_letters_to_send_of(sqlite_tables.file)
    assert [each.name for each in copied.to_send(NOON, 9)] == ["b"]
    assert not copied.put([out("a")])
    assert copied.next_games(NOON, 9) == ["punica"]
    assert copied.damage() is None
    copied.close()


def test_a_game_comes_when_something_has_fallen_due(tables: Tables) -> None:
    """Only what was due before the mailboxes were last looked through, and behind games with letters."""
    tables.falls_due("zama", NOON - 5, "aa")
    tables.falls_due("cannae", NOON - 9, "bb")
    tables.falls_due("trebia", None, "cc")
    assert tables.next_games(NOON, 9) == []
    tables.note_looked(NOON - 6, NOON)
    assert tables.next_games(NOON, 9) == ["cannae"]
    tables.note_looked(NOON - 1, NOON)
    tables.add("box", "1", new(b"1", "punica"), {})
    assert tables.next_games(NOON, 9) == ["punica", "cannae", "zama"]
    tables.postpone("zama", NOON + 60, "other rules")
    tables.falls_due("cannae", NOON + 60, "dd")
    assert tables.next_games(NOON, 9) == ["punica"]
    assert tables.next_games(NOON + 61, 9) == ["punica", "zama"]
    assert tables.tips() == {"zama": "aa", "cannae": "dd", "trebia": "cc"}
    assert [tables.has_clock(name) for name in ("zama", "trebia", "punica")] == [True, False, False]


def test_a_letter_that_was_sent_lets_its_game_be_looked_at(tables: Tables) -> None:
    tables.note_looked(NOON, NOON)
    tables.falls_due("zama", NEVER, "aa")
    tables.falls_due("trebia", None, "cc")
    for name in ("zama", "trebia"):
        tables.note_handed(name, "red", NOON - 5)
    assert tables.next_games(NOON, 9) == ["zama"]
    handed = tables.handed("zama")
    assert handed == {"red": NOON - 5}
    tables.note_handed("zama", "red", NOON - 2)
    tables.forget_handed("zama", handed)
    assert tables.handed("zama") == {"red": NOON - 2}
    tables.forget_handed("zama", tables.handed("zama"))
    assert tables.handed("zama") == {}


def test_the_first_letter_that_waits_is_told_due_or_not(tables: Tables) -> None:
    assert tables.first_waiting("punica") is None
    tables.add("box", "1", replace(new(b"1", "punica"), at=NOON - 9), {"punica": NOON + 99})
    tables.add("box", "2", replace(new(b"2", "punica"), at=NOON - 7), {})
    assert tables.first_waiting("punica") == NOON - 9
    found = tables.next_letter("punica", NOON)
    assert found is not None
    assert tables.first_waiting("punica", found.id) == NOON - 9
    tables.done(found.id, "punica")
    assert tables.first_waiting("punica") == NOON - 9


def test_tables_of_the_first_version_are_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "post.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(f"{SCHEMA}; PRAGMA user_version = 1;")
    connection.execute("INSERT INTO games (game, reason) VALUES ('zama', 'other rules')")
    connection.commit()
    connection.close()
    tables = SqliteTables(file, lambda: NOON)
    tables.note_looked(NOON, NOON)
    tables.falls_due("zama", NOON - 5, "aa")
    assert tables.next_games(NOON, 9) == ["zama"]
    tables.close()
