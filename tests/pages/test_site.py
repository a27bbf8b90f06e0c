"""The site: the same bytes from the same games, nothing that a page loads, and dice that are checked in the page.

Without a browser: the page's modules run in node, if it is installed. `make browser` looks at the pages themselves.
"""

from __future__ import annotations

import hmac
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from selectolax.lexbor import LexborHTMLParser
from typer.testing import CliRunner

from pbem import verify_one
from pbem.cli.verbs import app
from pbem.game.board.scene import named
from pbem.pages import game_page
from pbem.pages.game_page import GameRecord, read_record
from pbem.pages.site import build
from pbem.pages.svg import Symbols, frame
from pbem.repo.files.layout import turn_path
from tests.support.kept import BUNDLES
from tests.support.live import Folder, play
from tests.support.samples import GAMES
from tests.support.walks import FOLDERS

BROWSER = Path(game_page.__file__).parent / "browser"
MOST_LINES = 400
"""So many lines all browser code of ours has at most."""
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: no check of dice in it")


@pytest.fixture(scope="module")
def zama(tmp_path_factory: pytest.TempPathFactory) -> GameRecord:
    """Return the record of a kept game, as a clone has it."""
    path = tmp_path_factory.mktemp("clone") / "zama.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(BUNDLES / "zama.bundle"), str(path)], check=True)
    return read_record(path)


@pytest.fixture(scope="module")
def site(zama: GameRecord, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    build([zama], out)
    return out


@cache
def sample(name: str) -> list[str]:
    """Return game.yaml and the turn files of a sample."""
    folder = GAMES / name
    count = len(list(folder.glob("turns/*/????.yaml")))
    return [
        (folder / "game.yaml").read_text("utf-8"),
        *((folder / turn_path(n)).read_text("utf-8") for n in range(1, count + 1)),
    ]


def dice_of(files: Sequence[str]) -> list[tuple[int, int]]:
    """Return every die, by adjudication and number, as `verify_one.py` reads the files."""
    return [(n, roll["number"]) for n in range(1, len(files)) for roll in parsed(files[n]).get("rolls", [])]


@cache
def parsed(text: str) -> Any:
    """Return a file as `verify_one.py` reads it."""
    if not text.endswith("\n"):
        raise ValueError("cut off")
    return verify_one.block(text.split("\n")[-2::-1])


def checked(*cases: tuple[Sequence[str], Sequence[tuple[int, int]], bool]) -> list[list[Any]]:
    """Return what the page says of dice, for each case of files, dice, and whether the browser's SHA-256 is there."""
    asked = [{"files": files, "dice": dice, "subtle": subtle} for files, dice, subtle in cases]
    script = str(Path(__file__).with_name("check_dice.mjs"))
    given = json.dumps({"modules": str(BROWSER), "cases": asked}).encode()
    ran = subprocess.run(["node", script], input=given, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
    found: list[list[Any]] = json.loads(ran.stdout)
    return found


@needs_node
@pytest.mark.parametrize("name", ["zama", pytest.param("cannae", marks=pytest.mark.soak)])
def test_every_die_gives_the_faces_and_keys_of_verify_one(name: str) -> None:
    files = sample(name)
    dice, charter = dice_of(files), parsed(files[0])
    for results in checked((files, dice, False), (files, dice, True)):
        for (n, number), result in zip(dice, results, strict=True):
            turn = parsed(files[n])
            label = verify_one.canonical([charter["dice"]["scheme"], charter["game"], n, turn["inputs"]])
            key = hmac.digest(bytes.fromhex(turn["link"]), label, "sha256").hex()
            values = {step["what"].split(" make the ")[-1]: step["value"] for step in result["steps"]}
            assert result["right"], result["steps"]
            assert values["key"] == key
            assert values["faces"] == ",".join(map(str, turn["rolls"][number - 1]["faces"]))


TURN = 21
"""A turn of the sample with two rolls."""
NOT_IT = f'"{"ab" * 32}"'
SPOILT = [
    (r"(?m)^(- number: 2\n(?:  .*\n)*?  faces:) \[.*\]", r"\1 [7]", {(TURN, 2)}),
    (r"(?m)^link: .*$", f"link: {NOT_IT}", None),
    (r"(?m)^previous: .*$", f"previous: {NOT_IT}", None),
    (r"(?m)^inputs: .*$", f"inputs: {NOT_IT}", None),
]
"""What is changed in turn file `TURN` of a sample, and which dice that spoils (None: all of that turn)."""


@needs_node
def test_a_changed_record_turns_the_right_dice_red() -> None:
    files = sample("zama")
    here = [die for die in dice_of(files) if die[0] <= TURN]
    ours = {die for die in here if die[0] == TURN}
    changed = [re.sub(pattern, instead, files[TURN], count=1) for pattern, instead, _ in SPOILT]
    assert files[TURN] not in changed
    broken = files[TURN - 1].replace("adjudication: ", "adjudication: [", 1)
    cases = [([*files[:TURN], text, *files[TURN + 1 :]], here, False) for text in changed]
    *spoilt, unread = checked(*cases, ([*files[: TURN - 1], broken, *files[TURN:]], sorted(ours), False))
    for (pattern, _, spoils), results in zip(SPOILT, spoilt, strict=True):
        wrong = {die for die, result in zip(here, results, strict=True) if not result["right"]}
        assert wrong == (spoils or ours), pattern
    assert not any(each["right"] for each in unread)


REFUSED = ["day: 2026\n", "a: 1\na: 2\n", "a: {b: 1, b: 2}\n", "a: yes\n", "a: 1 2\n", "a: [1\n", "a: 0x1\n", "a"]
READ = ['a: "\\u00e9\\x0a \\""\n', "a: |\n  b\n  c\n", "a: [x, {z: -3}, []]\n", "a:\n- - 1\n  - 2\n"]


@needs_node
def test_the_page_reads_what_verify_one_reads() -> None:
    """And refuses what it refuses: a key that comes twice, a number that others read otherwise, half a file."""
    files = sample("zama")[: TURN + 1]
    cases = [([*files[:TURN], files[TURN] + more], [(TURN, 1)], False) for more in (*REFUSED, *READ)]
    for more, (result,) in zip((*REFUSED, *READ), checked(*cases), strict=True):
        assert result["right"] is (more in READ), more
        if more in READ:
            assert parsed(files[TURN] + more)["a"]
        else:
            with pytest.raises((ValueError, AttributeError, IndexError)):
                parsed(files[TURN] + more)


def test_browser_code_is_short_and_its_names_do_not_clash() -> None:
    texts = {path.name: path.read_text("utf-8") for path in BROWSER.glob("*.mjs")}
    assert set(texts) == {"sha256.mjs", "turn_file.mjs", "dice.mjs", "replay.mjs"}
    assert sum(len(text.splitlines()) for text in texts.values()) <= MOST_LINES
    names = [
        name
        for text in texts.values()
        for found in re.findall(r"(?m)^(?:export )?(?:async )?(?:function|const|let) ([^=(;{]+)", text)
        for name in re.findall(r"\w+", found)
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    for text in [*texts.values(), game_page.style()]:
        assert not re.search(r"https?://|//cdn|@import|url\(|fetch\(|XMLHttp|eval\(", text)
    assert "</script" not in game_page.script().lower()


# ---- pages

HOSTILE = '</script><script>x()</script><img src=x onerror="x()">-->]]>'


@pytest.fixture
def live(folder: Folder) -> GameRecord:
    """Return the record of a game that goes on, whose players are called and say something hostile."""
    names = {"red": HOSTILE, "blue": f"{HOSTILE}'\""}
    with folder.create(players=names, begin=False) as game:
        game.join_side("red", phrase=HOSTILE)
        game.adjudicate()
        for _ in play(game, 3, 8):
            pass
        return read_record(game.path, FOLDERS)


def test_the_same_games_give_the_same_bytes(live: GameRecord, folder: Folder, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert build([live], one)
    assert build([live], one) == []
    assert build([read_record(folder.repo("punica"), FOLDERS)], one) == []
    build([live], other)
    files = [{path.relative_to(each): path.read_bytes() for path in each.rglob("*.*")} for each in (one, other)]
    assert files[0] == files[1]


def test_a_page_is_small_and_loads_nothing(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert {path.relative_to(site).as_posix() for path in pages} == {"index.html", "zama/index.html"}
    for path in pages:
        text = path.read_text("utf-8")
        assert len(text.encode()) <= game_page.LARGEST
        tree = LexborHTMLParser(text)
        (policy,) = tree.css("meta[http-equiv]")
        assert (policy.attributes["content"] or "").startswith("default-src 'none'; ")
        assert "unsafe" not in (policy.attributes["content"] or "")
        for node in tree.css("*"):
            assert not {name for name in node.attributes if name.startswith("on") or name in ("src", "style", "action")}
            link = node.attributes.get("href") or ""
            assert not re.match(r"\w+:|//", link), link
            file, _, within = link.partition("#")
            assert not file or (path.parent / file).is_file(), link
            if within and not file:
                assert tree.css(f'[id="{within}"]'), link


def test_the_turns_are_read_without_script(zama: GameRecord, site: Path) -> None:
    text = (site / "zama" / "index.html").read_text("utf-8")
    bare = LexborHTMLParser(re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    assert len(bare.css("article")) == len(zama.played) == 218
    assert "Tiberius Longus marches from Rhegium" in " ".join(node.text() for node in bare.css("#log"))
    assert len(bare.css("#places > g")) == 96
    assert len(bare.css("#pieces > g")) > 3
    assert len(bare.css("a.die")) == len(dice_of(sample("zama"))) > 20
    assert "is over" in bare.css("article")[-1].text()


def test_the_copied_files_are_those_of_the_game(site: Path) -> None:
    """`verify_one.py` proves the dice with them, without the page."""
    ran = subprocess.run(
        [sys.executable, verify_one.__file__, str(site / "zama")], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("zama: proven, 218 turns, 72 rolls.")


@pytest.mark.slow
def test_a_long_game_is_split_by_its_turns(zama: GameRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_page, "MOST", 60)
    pages = dict(game_page.game_pages(zama))
    assert len(pages) > 3
    assert list(pages)[-1] == "index.html"
    numbers = [int(n) for text in pages.values() for n in re.findall(r'<article id="n=(\d+)">', text)]
    assert numbers == list(range(1, 219))
    rules = zama.loaded.rules
    for text in list(pages.values())[:-1]:
        last = int(re.findall(r'<article id="n=(\d+)">', text)[-1])
        turns = [rules.periods(zama.played[n].view)[rules.turn] for n in (last - 1, last)]
        assert turns[0] != turns[1]
    for name, text in pages.items():
        assert all(f'href="{other}"' in text for other in pages if other != name)


def test_the_feed_is_atom(site: Path) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.parse(site / "feed.xml").getroot()
    entries = feed.findall(f"{atom}entry")
    ids = [entry.findtext(f"{atom}id") for entry in entries]
    assert len(set(ids)) == len(entries) == 50
    assert (entries[0].findtext(f"{atom}title") or "").startswith("zama 218: It is over.")
    link = entries[0].find(f"{atom}link")
    assert link is not None
    assert link.get("href") == "zama/index.html#n=218"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", feed.findtext(f"{atom}updated") or "")


def test_nothing_that_is_said_breaks_out_of_the_site(live: GameRecord, tmp_path: Path) -> None:
    build([live], tmp_path, "https://example.org/games/")
    for path in tmp_path.rglob("*.html"):
        tree = LexborHTMLParser(path.read_text("utf-8"))
        scripts = [node.attributes.get("type") for node in tree.css("script")]
        assert scripts in ([], ["application/json", "text/plain", "module"])
        assert not tree.css("img")
        assert HOSTILE in (tree.body.text() if tree.body else "")
    ElementTree.parse(tmp_path / "feed.xml")


def test_rules_that_cannot_draw_leave_a_page_without_a_board(
    live: GameRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("a slip in a drawing")

    monkeypatch.setattr(type(live.loaded.rules), "scene", broken)
    build([live], tmp_path)
    text = (tmp_path / "punica" / "index.html").read_text("utf-8")
    assert "draw no map" in text
    assert f'id="n={live.played[-1].n}"' in text
    assert "cannot be drawn" in caplog.text


def test_a_frame_shows_every_counter_on_the_board(zama: GameRecord) -> None:
    for each in zama.played[::40]:
        scene = zama.scene(each)
        assert scene is not None
        symbols = Symbols()
        lies = frame(scene, symbols)
        words = " ".join(symbols.markup)
        assert all(counter.label.replace("'", "&#x27;") in words for counter in scene.counters)
        assert len(lies["c"]) == len(scene.base.places)
        assert all(0 <= x < scene.base.width and 0 <= y < scene.base.height for _, x, y, _ in lies["p"])


def test_a_piece_keeps_its_number_where_it_goes(zama: GameRecord) -> None:
    """It is that of its first counter, so that a page can move what it has drawn before."""
    scene = next(scene for each in zama.played[::20] if (scene := zama.scene(each)) is not None and scene.counters)
    there = next(id for id in scene.base.places if id not in {counter.place for counter in scene.counters})
    first, *others = named(scene.counters)
    moved = replace(scene, counters=(replace(first, place=there), *others))
    symbols = Symbols()
    before, after = ({number: (x, y) for _, x, y, number in frame(each, symbols)["p"]} for each in (scene, moved))
    assert len(before) == len(frame(scene, symbols)["p"])
    number = symbols.identity(first.id)
    assert number in before
    assert before[number] != after[number]


def test_the_command_says_what_it_wrote(folder: Folder, live: GameRecord, tmp_path: Path) -> None:
    words = ["site", str(tmp_path / "out"), "--games", str(folder.games), "--rules-dir", FOLDERS[0]]
    first, second = (CliRunner().invoke(app, [*words, "--json"]) for _ in range(2))
    assert json.loads(first.stdout)["games"] == ["punica"]
    assert json.loads(first.stdout)["written"] > len(live.played)
    assert json.loads(second.stdout)["written"] == 0
    wrong = CliRunner().invoke(app, [*words, "--url", "javascript:x()"])
    assert wrong.exit_code != 0
