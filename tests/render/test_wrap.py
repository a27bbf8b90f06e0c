"""Prose folds as the standard library folds it, by whichever way is the shorter."""

from __future__ import annotations

from random import Random
from textwrap import wrap

from pbem.render.text.text_lines import GLUE, folded
from tests.support.chance import seed_of

PIECES = ("a", "Bc", "é", "-", " ", " ", "  ", "\t", "\n", "\u2009", "\x85", GLUE)
"""No digits and no rules: nothing that is kept together."""


def test_texts_fold_as_the_library_folds_them() -> None:
    rng = Random(seed_of())
    for _ in range(3000):
        text = "".join(rng.choices(PIECES, k=rng.randrange(12)))
        width, first, later = rng.randrange(3, 20), rng.choice(("", "  ", "- ", "\t")), rng.choice(("", "  "))
        lines = wrap(first + text, width, subsequent_indent=later, break_long_words=False, break_on_hyphens=False)
        assert folded(text, width, first, later) == [line.replace(GLUE, " ") for line in lines], repr(text)
