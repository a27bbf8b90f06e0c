"""The pictures of a scene as letters and pages show them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a letter encloses it or a page shows it: its file name, its PNG, and its words for who sees none."""

    name: str
    content: bytes
    alt: str
