"""How colours look: their CIE lightness, also to who sees colours otherwise (Machado et al. 2009, severity 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from PIL import ImageColor

GREY: Final = ((0.2126, 0.7152, 0.0722),) * 3
PROTAN: Final = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)
DEUTAN: Final = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
TRITAN: Final = (
    (1.255528, -0.076749, -0.178779),
    (-0.078411, 0.930809, 0.147602),
    (0.004733, 0.691367, 0.303900),
)
WAYS: Final = {"grey": GREY, "protan": PROTAN, "deutan": DEUTAN, "tritan": TRITAN}
"""Ways to see colours: what of red, green and blue light reaches the eye as red, green and blue."""


def lightness(colour: str, way: str = "grey") -> float:
    """Return the CIE L* of a colour as it is seen in a way, from 0 for black to 100 for white.

    >>> round(lightness("#777777"))
    50
    """
    red, green, blue = seen(colour, way)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 116 * light ** (1 / 3) - 16 if light > 216 / 24389 else light * 24389 / 27


def seen(colour: str, way: str) -> tuple[float, float, float]:
    """Return a colour as it is seen in a way, as shares of linear light."""
    light = list(_linear(colour))
    red, green, blue = (min(max(sum(a * b for a, b in zip(row, light, strict=True)), 0.0), 1.0) for row in WAYS[way])
    return red, green, blue


def _linear(colour: str) -> Iterator[float]:
    for part in ImageColor.getrgb(colour)[:3]:
        share = part / 255
        yield share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
