"""The templates of pages, `templates/pages/`: whatever a text says, it stays text in them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from pbem.paths import templates_folder

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)
"""What nobody sees, and what turns the direction of what stands behind it."""


def page(template: str, **values: object) -> str:
    """Return the page that `templates/pages/<template>` makes of some values; every text in them is escaped."""
    return _templates().get_template(f"pages/{template}").render(values)


def markup(text: str) -> Markup:
    """Return a text that is HTML already: a template takes it as it is."""
    from markupsafe import Markup

    return Markup(text)


def seen(value: object) -> object:
    """Return a value for a page; of a text only what a reader can see."""
    return _UNSEEN.sub("", value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(templates_folder()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        auto_reload=False,
        finalize=seen,
    )
