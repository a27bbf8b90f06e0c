"""What the README promises is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from typer.main import get_command

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_table_of_verbs_is_the_command_line() -> None:
    """Both list every verb once, in one order, under the same headings."""
    from pbem.cli.verbs import VERBS, app

    told = re.findall(r"^\| (?:`pbem ([\w-]+)` \||\*\*(.*)\*\* \| \|)", README, re.MULTILINE)
    code = "import sys; sys.argv = ['pbem', '--help']; from pbem.cli import main; main()"
    helped = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    _, _, commands = helped.partition("--help")
    shown = re.findall(r"^(?:  ([a-z][\w-]*)|(\w.*):$)", commands, re.MULTILINE)
    assert told == [(verb, heading.lower()) for verb, heading in shown]
    listed = [verb for verbs in VERBS.values() for verb in verbs]
    assert [verb for verb, _ in told if verb] == listed
    assert sorted(listed) == sorted(get_command(app).commands)  # type: ignore[attr-defined]


def test_its_links_lead_somewhere() -> None:
    headings = {
        re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in re.findall(r"^#+ (.*)", README, re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target[1:] in headings if target.startswith("#") else (ROOT / target).is_file(), target


def test_what_it_makes_can_be_made() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    asked = re.findall(r"(?:^|`)make ([a-z]+)", README + (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    assert {"demo", "test", "check"} <= set(asked) <= targets
