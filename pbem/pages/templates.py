"""The templates of pages, `templates/pages/`: whatever a text says, it stays text in them."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment
from markupsafe import Markup

from pbem.render.text.forum_post import visible
from pbem.render.text.report import templates


def page(template: str, **values: object) -> str:
    """Return the page that `templates/pages/<template>` makes of some values; every text in them is escaped."""
    return _page_templates().get_template(f"pages/{template}").render(values)


def markup(text: str) -> Markup:
    """Return a text that is HTML already: a template takes it as it is."""
    return Markup(text)


def visible_value(value: object) -> object:
    """Return a value for a page; of a text only what a reader can see."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _page_templates() -> Environment:
    return templates(autoescape=True, finalize=visible_value)
