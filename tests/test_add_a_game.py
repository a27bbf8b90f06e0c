"""The game that `docs/add-a-game.md` builds: its blocks make a game that all of pbem accepts."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.cli.runtime import DONE
from pbem.game.boxes import shelf
from tests.support.command_line import pbem, said
from tests.support.walks import start, walk

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "add-a-game.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(?:yaml|python)\n# ([\w/.]+)(, continued)?\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write the files of the page, and let Python find the package."""
    folder = tmp_path_factory.mktemp("guide")
    files: dict[str, list[str]] = {}
    for file, continued, text in BLOCKS:
        assert (file in files) == bool(continued), f"{file}: the first block names the file, further ones continue it"
        files.setdefault(file, []).append(text)
    for file, texts in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(texts), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder


def run(folder: Path, command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the page in its folder."""
    words = shlex.split(command)
    path = os.pathsep.join([str(folder), str(ROOT)])
    world = {**os.environ, "PYTHONPATH": path, **variables}
    return subprocess.run(words, cwd=folder, env=world, capture_output=True, text=True)


def test_examples_of_the_page_about_cases_hold(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_RULES", str(built / "rules"))
    page = (ROOT / "docs" / "cases.md").read_text("utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for number, block in enumerate(blocks):
        (built / f"{number}.yaml").write_text(block, "utf-8")
        rules = "ford" if "{lay:" in block else "hannibal_italy"
        told = said(DONE, "case", built / f"{number}.yaml", "--rules", rules)
        assert ", 0 failed" in told, f"{block}{told}"
    assert len(blocks) == 3


def test_game_of_the_page_plays_to_its_end(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_RULES", str(built / "rules"))
    rules = shelf.load("ford").rules
    reasons = set()
    for seed in range(40):
        *_, last = walk(rules, "standard", seed)
        assert last.session.result is not None
        assert last.count == 8
        reasons.add(last.session.result.reason)
    assert reasons == {"crossings", "equal"}


def test_legal_orders_of_the_page_are_its_hand(built: Path) -> None:
    rules = shelf.load("ford", folders=[str(built / "rules")]).rules
    position = start(rules, "standard", 1)
    for at in walk(rules, "standard", 1, most=1):
        for decision in at.open_decisions:
            orders = rules.legal_orders(at.view(decision.side), decision)
            assert [order["card"] for order in orders] == position.hands[decision.side]


def test_commands_of_the_page_work(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (export, *commands) = COMMANDS[0].splitlines()
    assert export == "export PBEM_RULES=$PWD/rules PYTHONPATH=$PWD"
    assert len(commands) == 6
    for name, value in {"PBEM_RULES": "rules", "PBEM_KEYS": "keys", "PBEM_GAMES": "games"}.items():
        monkeypatch.setenv(name, str(built / value))
    monkeypatch.chdir(built)
    for command in commands:
        name, *words = shlex.split(command)
        assert name == "pbem"
        done = pbem(*words)
        assert (done.exit_code, done.stderr) == (0, ""), command
    assert "- lay: {card:" in said(DONE, "form", "first", "--side", "red")


@pytest.mark.soak
def test_properties_of_every_game_hold_for_the_page(built: Path) -> None:
    """The leak tests and the other generic properties, run as the page says."""
    _, _, _, *words = shlex.split(COMMANDS[1])
    files = [word for word in words if word.endswith(".py")]
    assert words == ["-m", "pytest", *files, "-k", "ford"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    command += [*(str(ROOT / file) for file in files), "-k", "ford"]
    done = run(built, shlex.join(command), PBEM_TEST_BOXES=str(built / "rules"))
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) >= 14


def test_game_of_the_page_is_formatted_and_clean(built: Path) -> None:
    for tool in (["ruff", "format", "--check"], ["ruff", "check"]):
        done = run(ROOT, shlex.join([str(Path(sys.executable).parent / tool[0]), *tool[1:], str(built / "ford")]))
        assert done.returncode == 0, done.stdout
