"""The demonstration tells what README and docs/playing.md show: an event, a voyage, an interception and a battle."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.cli.demo import GAME, PHRASES, run
from pbem.referee.opening import open_game

ROOT = Path(__file__).resolve().parents[2]
VERIFY_ONE = ROOT / "pbem" / "verify_one.py"
PAGES = ("README.md", "docs/playing.md")


@pytest.mark.slow
def test_the_demonstration_is_the_story_of_the_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path / "demo")
    told = re.sub(r"(?m)^   \| ?", "", capsys.readouterr().out)
    for part in ("as: event", "Tiberius Longus sails from Agrigentum", "wins the Battle of Taurini"):
        assert part in re.sub(r"\s+", " ", told), part
    shown, played = (re.findall(r"```(?:yaml)?\n(.*?)```", (ROOT / page).read_text("utf-8"), re.S) for page in PAGES)
    (roll,) = (block for block in shown if "[die " in block)
    assert roll in told, "the README shows another roll"
    letters = {
        way: "".join(path.read_text("utf-8") for path in (tmp_path / "demo" / "letters").glob(f"*-{way}.eml"))
        for way in ("from-bob", "to-ann", "from-ann")
    }
    for blocks, page in zip((shown, played), PAGES, strict=True):
        (form,) = (block for block in blocks if "# - intercept: {with: []}" in block)
        assert form.strip() in letters["to-ann"], f"{page} shows another form"
    (sheet,) = (block for block in shown if "path: [taurini, boii]" in block)
    assert sheet.strip() in letters["from-bob"], "the README shows another sheet"
    assert f"\nPHRASE {PHRASES['rome']}\n" in letters["from-ann"]
    assert f"\nPHRASE {PHRASES['carthage']}\n" in letters["from-bob"]
    with open_game(tmp_path / "demo" / "games", tmp_path / "demo" / "keys", GAME) as game:
        joined = game.ledger.public_turn(1)["joined"]
    assert {side: said["phrase"] for side, said in joined.items()} == PHRASES
    (proof,) = (block for block in played if "HMAC-SHA-256" in block)
    checked = subprocess.run(
        [sys.executable, VERIFY_ONE, _checked_out(tmp_path), "13", "1"], capture_output=True, text=True, check=True
    )
    pieces = [re.escape(piece) for piece in re.split(r"\.\.\.|\n", proof) if piece]
    assert re.match(r"[^\n]*\n?".join(pieces), checked.stdout), f"{PAGES[1]} shows another proof"


def _checked_out(folder: Path) -> Path:
    """Return a folder with the files of the demonstration's game as `git clone` makes it."""
    subprocess.run(["git", "clone", "-q", folder / "demo" / "games" / f"{GAME}.git", folder / "look"], check=True)
    return folder / "look"


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch()
    with pytest.raises(SystemExit):
        run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
