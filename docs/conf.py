"""The settings of the site that `make docs` builds with Sphinx."""

import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")

project = "pbem"
author = "the pbem authors"
project_copyright = "the pbem authors. MIT licence"
release = re.findall(r'__version__ = "(.*)"', (HERE.parent / "pbem" / "__init__.py").read_text("utf-8"))[0]
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"pbem {release}"
html_copy_source = False
html_use_index = False
highlight_language = "none"  # a block without a language is a letter or what a command prints
smartquotes = False  # they would make a dash of the two hyphens of an option


def without_links_out(app: Any, page: str, content: list[str]) -> None:
    """Replace links to files outside of the site by their text: they lead somewhere in the repository only."""

    def text_or_link(link: re.Match[str]) -> str:
        return link[0] if (HERE / page).parent.joinpath(link[2]).resolve().is_relative_to(HERE) else link[1]

    content[0] = LINK.sub(text_or_link, content[0])


def setup(app: Any) -> None:
    """Let the pages be read through the filter above."""
    app.connect("source-read", without_links_out)
