"""Run the benches and print one line a figure: name, value, unit, bar, and `ok` or `short`.

    python -m bench [--json] [NAME ...]        NAME: only bench_NAME.py; those that take many minutes run by name only

Exit code 0 when every bar is kept, 1 when one is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from bench import Figure

BY_NAME = ("bench_memory", "bench_policy")
"""Benches that play for many minutes: thousands of letters, hundreds of whole games."""


def modules(names: Iterable[str]) -> list[str]:
    """Return the benches found beside this file, or those named."""
    found = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    wanted = [f"bench_{name}" for name in names] or [name for name in found if name not in BY_NAME]
    for name in wanted:
        if name not in found:
            raise SystemExit(f"no bench is called {name[6:]}; there are {', '.join(one[6:] for one in found)}")
    return wanted


def figures(names: Iterable[str]) -> Iterator[Figure]:
    """Yield the figures of each bench as they come in."""
    for name in modules(names):
        yield from import_module(f"bench.{name}").figures()


def line(figure: Figure) -> str:
    """Return a figure as a line of the table."""
    bar = "" if figure.bar is None else f"{figure.sense} {number(figure.bar)}"
    verdict = "" if figure.bar is None else "ok" if figure.ok else "short"
    return f"{figure.name:<44} {number(figure.value):>10} {figure.unit:<14} {bar:<16} {verdict}".rstrip()


def number(value: float) -> str:
    """Return a number with three significant digits, and no exponent."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def as_plain(figure: Figure) -> dict[str, object]:
    """Return a figure as `--json` prints it."""
    return {
        "name": figure.name,
        "value": figure.value,
        "unit": figure.unit,
        "bar": figure.bar,
        "sense": figure.sense,
        "ok": figure.ok,
    }


def main() -> int:
    """Run what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure pbem against its bars.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="run bench_NAME.py only")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    asked = parser.parse_args()
    kept = True
    for figure in figures(asked.names):
        print(json.dumps(as_plain(figure)) if asked.json else line(figure), flush=True)
        kept = kept and figure.ok
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
