"""A game in a forum: one turn played by posts alone, some of the orders sealed, and what goes wrong with posts."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import Result

from pbem.cli.runtime import DONE, FAULTS, USAGE, WORLD
from pbem.crypto.seal import new_identity, recipient_of
from pbem.referee.game.home_check import take_home
from tests.support.command_line import pbem
from tests.support.live import Folder, git, give, letter, order, sheet

pytestmark = pytest.mark.usefixtures("in_the_folder")
PARTS = re.compile(r"\[code\]\n(.*?)\n\[/code\]", re.DOTALL)


@pytest.fixture
def game(folder: Folder) -> Folder:
    """Return a folder with a game whose players have no address."""
    folder.create(addresses={}).close()
    return folder


def said(code: int, *words: object, stdin: str = "") -> str:
    """Run the command line, which must end with a code, and return what it printed."""
    result = pbem(*words, stdin=stdin.encode())
    assert result.exit_code == code, result.output
    return result.stdout


def quoted(post: str) -> str:
    """Return a post as another quotes it and somebody copies it from the page."""
    blanks = post.replace("  ", "\u00a0\u00a0").replace("'", "\u2019")
    return f'[quote="Ann, post:4, topic:12"]\n{blanks}[/quote]\n'


def card(folder: Folder, side: str) -> int:
    with folder.open() as found:
        first: int = found.view(side).hands[side][0]
        return first


def written(folder: Folder, side: str, name: str = "orders.yaml") -> Path:
    """Return the file of a sheet that a player wrote."""
    with folder.open() as found:
        path = folder.path / name
        path.write_bytes(sheet(found, side, order("bury", card=card(folder, side))))
        return path


def clone(folder: Folder) -> Path:
    """Return a clone of the game as a player has it at home, who has no key of the referee."""
    path = folder.path / "home" / "punica"
    git(folder.repo("punica"), "clone", "-q", str(folder.repo("punica")), str(path))
    return path


def away(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line run at a player's home."""
    monkeypatch.setenv("PBEM_GAMES", str(folder.path / "nothing"))
    monkeypatch.setenv("PBEM_KEYS", str(folder.path / "no keys"))


def position(folder: Folder, side: str) -> Path:
    """Return the file that came with the report of a side."""
    with folder.open() as found:
        path = folder.path / "position.json"
        path.write_text(json.dumps(take_home(found, side)))
        return path


def sealed(folder: Folder, side: str) -> str:
    return said(DONE, "seal-orders", position(folder, side), written(folder, side))


def test_one_turn_is_played_by_posts_alone(game: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread asks; one side answers in the open, the other with a block; the thread tells what came of it."""
    asked = said(DONE, "thread", "punica")
    assert "Red" in asked
    assert "Blue" in asked
    heading = next(box for box in PARTS.findall(asked) if box.startswith("game:"))
    assert heading.startswith("game: punica\nside: red\nadjudication: 1\norders:\n- bury: {...}")
    home = clone(game)
    red, blue = card(game, "red"), card(game, "blue")
    for side, held in (("red", red), ("blue", blue)):
        with game.open() as found:
            others = [each for each in found.view(side).hands[side] if each != held]
        assert all(f"card: {each}" not in asked for each in [held, *others])
    open_post = f"My orders:\n[code]\n{heading.replace('{...}', f'{{card: {red}}}')}\n[/code]\nGood luck :)"
    assert "is accepted" in said(DONE, "submit", "punica", "--side", "red", "-", stdin=quoted(open_post))
    with monkeypatch.context() as at_home:
        away(game, at_home)
        shutil.move(game.path / "orders.yaml", home) if (game.path / "orders.yaml").exists() else None
        (home / "orders.yaml").write_text(
            heading.replace("side: red", "side: blue").replace("{...}", f"{{card: {blue}}}")
        )
        block = said(DONE, "seal-orders", home, home / "orders.yaml", "--side", "blue")
    assert f"card: {blue}" not in block
    block_post = f"Mine are sealed.\n\n[code]\n{block}[/code]\n"
    told = said(DONE, "submit", "punica", "--side", "blue", "-", stdin=quoted(block_post))
    assert "Adjudicated: 2" in told
    after = said(DONE, "thread", "punica", "--format", "markdown")
    assert "## punica, report 2" in after
    for side in ("red", "blue"):
        private = said(DONE, "report", "punica", "--side", side, "--format", "bbcode")
        assert f"[b]punica, report 2 to {side.capitalize()}[/b]" in private
    assert said(DONE, "verify", home)
    git(home / ".git", "fetch", "-q", str(game.repo("punica")), "main")
    with game.open() as found:
        assert found.ledger.repo.head in after
        assert found.ledger.sheet("blue", 1).decode().splitlines()[1] == "side: blue"


@pytest.mark.parametrize("format", ["bbcode", "markdown", "html"])
def test_a_post_and_its_map_are_written_to_a_folder(game: Folder, format: str) -> None:
    files = said(DONE, "thread", "punica", "--format", format, "-o", game.path / "posts").split()
    assert [Path(each).name for each in files] == [
        f"punica-1.{ {'bbcode': 'txt', 'markdown': 'md', 'html': 'html'}[format] }",
        "punica-1.png",
    ]
    assert "punica-1.png" in Path(files[0]).read_text()
    assert Path(files[1]).read_bytes().startswith(b"\x89PNG")
    linked = said(DONE, "thread", "punica", "--format", format, "--map", "https://example.org/map.png")
    assert "https://example.org/map.png" in linked


def test_wrong_formats_and_links_are_refused(game: Folder) -> None:
    assert pbem("thread", "punica", "--format", "text").exit_code == USAGE
    assert "text, bbcode, markdown, html" in pbem("report", "punica", "--format", "rtf").output
    for link in ("javascript:alert(1)", "https://example.org/x]y", "https://example.org/(x", 'https://example.org/"'):
        assert pbem("thread", "punica", "--map", link).exit_code == USAGE


def test_sealing_checks_the_sheet_first(game: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """With position.json or the referee's keys all is checked; in a clone without a key, the form."""
    file, home = position(game, "red"), clone(game)
    path = written(game, "red")
    path.write_text(path.read_text().replace(f"card: {card(game, 'red')}", f"card: {card(game, 'blue')}"))
    for words in ([file], ["punica", "--side", "red"]):
        result = pbem("seal-orders", *words[:1], path, *words[1:])
        assert result.exit_code == FAULTS
        assert "BEGIN AGE" not in result.output
        assert f"{card(game, 'blue')}" in result.output
    away(game, monkeypatch)
    result = pbem("seal-orders", home, path, "--side", "red")
    assert result.exit_code == DONE
    assert "Only the form of the sheet was checked" in result.stderr
    assert "Only the form" not in result.stdout
    path.write_text(path.read_text().replace("bury", "burry").replace("side: red", "side: blue"))
    result = pbem("seal-orders", home, path, "--side", "red")
    assert result.exit_code == FAULTS
    assert "bury" in result.output


def test_the_key_of_a_player_opens_their_view(game: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = new_identity()
    (game.path / "my.key").write_text(f"{identity}\n")
    with game.open() as found:
        found.join_side("red", key=recipient_of(identity))
        for side in ("blue", "red"):
            give(found, side, order("bury", card=found.view(side).hands[side][0]))
        asked = [each.side for each in found.open_decisions]
    home = clone(game)
    away(game, monkeypatch)
    (game.path / "no.yaml").write_text("game: punica\nside: red\nadjudication: 2\norders:\n- nonsense: {}\n")
    result = pbem("seal-orders", home, game.path / "no.yaml", "--side", "red", "-i", game.path / "my.key")
    assert result.exit_code == FAULTS, asked
    assert "nonsense" in result.output
    other = pbem("seal-orders", home, game.path / "no.yaml", "--side", "blue", "-i", game.path / "my.key")
    assert other.exit_code == WORLD
    assert "has mailed no KEY" in other.stderr


def test_what_is_printed_shows_nothing_of_the_orders(game: Folder) -> None:
    result: Result = pbem("seal-orders", position(game, "red"), written(game, "red"))
    assert f"card: {card(game, 'red')}" in result.stderr
    assert f"card: {card(game, 'red')}" not in result.stdout
    assert result.stdout.startswith("sealed orders: punica red ")
    said(DONE, "seal-orders", game.path / "position.json", game.path / "orders.yaml", "-o", game.path / "block.txt")
    assert (game.path / "block.txt").read_text().startswith("sealed orders: punica red ")


def test_who_seals_for_another_side_or_game_is_told(game: Folder) -> None:
    file = position(game, "red")
    assert pbem("seal-orders", file, written(game, "red"), "--side", "blue").exit_code == USAGE
    assert pbem("seal-orders", "punica", written(game, "red")).exit_code == USAGE
    assert pbem("seal-orders", "punica", written(game, "red"), "--side", "green").exit_code == USAGE
    older = {key: value for key, value in json.loads(file.read_text()).items() if key != "sealed_to"}
    file.write_text(json.dumps(older))
    assert "does not say to which key" in pbem("seal-orders", file, written(game, "red")).stderr


def test_a_damaged_block_changes_nothing_and_says_why(game: Folder) -> None:
    block = sealed(game, "red")
    lines = block.splitlines()
    cut = "\n".join([*lines[:4], *lines[5:]])
    for verb in ("submit", "check"):
        for more in ([], ["--json"]):
            ran = pbem(verb, "punica", "-", "--side", "red", *more, stdin=cut.encode())
            assert (ran.exit_code, ran.stdout) == (FAULTS, "")
            assert "64 of its " in ran.stderr
    ran = pbem("submit", "punica", "--side", "blue", "-", stdin=block.encode())
    assert ran.exit_code == FAULTS
    assert "is for the side red of punica, not for blue" in ran.stderr
    with game.open() as found:
        assert (found.sheets("red"), found.sheets("blue")) == (0, 0)
    assert "no faults" in said(DONE, "check", "punica", "-", "--side", "red", stdin=quoted(block))
    assert "is accepted" in said(DONE, "submit", "punica", "--side", "red", "-", stdin=quoted(block))


def test_two_sheets_or_stray_orders_in_a_post_are_a_question(game: Folder) -> None:
    text = written(game, "red").read_text()
    two = f"[code]\n{text}[/code]\nor\n[code]\n{text.replace('card: ', 'card: 9')}[/code]\n"
    assert "two order sheets in the post" in pbem("submit", "punica", "--side", "red", "-", stdin=two.encode()).stderr
    stray = f"[code]\n{text}[/code]\nbury: {{card: 7}}\n"
    assert "stands outside" in pbem("submit", "punica", "--side", "red", "-", stdin=stray.encode()).stderr


def test_no_post_has_the_key_of_a_letter(folder: Folder) -> None:
    """A player copies the form of a private message into the thread."""
    folder.create().close()
    assert "\nkey: " in said(DONE, "report", "punica", "--side", "red")
    for format in ("bbcode", "markdown", "html"):
        private = said(DONE, "report", "punica", "--side", "red", "--format", format)
        assert "game: punica" in private
        assert "key: " not in private
        assert "key: " not in said(DONE, "thread", "punica", "--format", format)


def test_a_sealed_sheet_may_have_its_key(folder: Folder) -> None:
    folder.create().close()
    key = next(line for line in said(DONE, "form", "punica", "--side", "red").splitlines() if line.startswith("key: "))
    path = written(folder, "red")
    path.write_text(path.read_text().replace("orders:", f"{key}\norders:"))
    block = said(DONE, "seal-orders", position(folder, "red"), path)
    assert "is accepted" in said(DONE, "submit", "punica", "--side", "red", "-", stdin=block)
    with folder.open() as found:
        assert b"key:" not in found.ledger.sheet("red", 1)


def test_a_block_goes_by_letter_as_well(folder: Folder) -> None:
    folder.create().close()
    (folder.path / "letter.eml").write_bytes(letter("red", sealed(folder, "red").encode()))
    assert "sheet 1" in said(DONE, "letter", folder.path / "letter.eml")
