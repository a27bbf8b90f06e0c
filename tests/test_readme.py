"""The pages for readers: their links lead somewhere, and what the README promises is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def test_help_lists_every_verb_once_under_its_heading() -> None:
    from pbem.cli.verbs import VERBS, app

    code = "import sys; sys.argv = ['pbem', '--help']; from pbem.cli import main; main()"
    helped = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True).stdout
    _, _, commands = helped.partition("--help")
    shown = re.findall(r"^(?:  ([a-z][\w-]*)|(\w.*):$)", commands, re.MULTILINE)
    expected = [row for heading, verbs in VERBS.items() for row in [("", heading), *((verb, "") for verb in verbs)]]
    assert shown == expected
    assert sorted(verb for verb, _ in shown if verb) == sorted(get_command(app).list_commands(None))  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if target.startswith("https:"):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), target
        assert not anchor or anchor in slugs(file.read_text("utf-8")), target


def slugs(text: str) -> set[str]:
    """Return the headings of a page as links name them."""
    lines = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line).strip().lower().replace(" ", "-") for line in lines}


def test_every_page_of_docs_can_be_reached_from_readme() -> None:
    found, todo = set[Path](), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in found or not page.is_file():
            continue
        found.add(page)
        targets = re.findall(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", page.read_text("utf-8"))
        todo += [(page.parent / target).resolve() for target in targets if not target.startswith("https:")]
    front_page_of_the_site = ROOT / "docs" / "index.md"
    assert sorted(set((ROOT / "docs").rglob("*.md")) - found - {front_page_of_the_site}) == []


def test_architecture_names_files_that_are_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    files = re.findall(r"`([\w/]+\.py)`", page)
    assert len(files) > 20
    assert [file for file in files if not any((folder / file).is_file() for folder in (ROOT, ROOT / "pbem"))] == []


def test_what_the_pages_make_can_be_made() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    asked = re.findall(r"(?:^|`)make ([a-z-]+)", README + (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    assert {"demo", "test", "check"} <= set(asked) <= targets
