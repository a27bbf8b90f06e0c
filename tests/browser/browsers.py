"""The browsers of the tests: Chromium, driven by Playwright, and Firefox, which takes screenshots by itself."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageChops, ImageStat

ROOT: Final = Path(__file__).resolve().parents[2]
BUILD: Final = ROOT / "build" / "browser"
SHOTS: Final = BUILD / "shots"
KEPT: Final = Path(__file__).parent / "kept"
NAME: Final = "games.pbem.test"
"""A name that is not localhost, so that plain http gives a page no WebCrypto."""
_SMALL: Final = 160
"""Pixels across of the screenshots that are kept."""
MOST: Final = 14.0
"""So far, of 255, a screenshot may be from the one that is kept, in the mean of all pixels."""


def missing() -> str:
    """Return why these tests cannot run; empty if they can."""
    if not os.environ.get("PBEM_BROWSER"):
        return "run by `make browser` only"
    needed = {"chromium": shutil.which("chromium"), "firefox-esr": shutil.which("firefox-esr"), "axe-core": axe_file()}
    return ", ".join(f"{name} is not installed" for name, there in needed.items() if not there)


def axe_file() -> Path | None:
    path = BUILD / "node_modules" / "axe-core" / "axe.min.js"
    return path if path.is_file() else None


@cache
def _axe() -> str:
    path = axe_file()
    assert path is not None
    return path.read_text("utf-8")


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Debian's Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        words = [f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
        if os.geteuid() == 0:
            words.append("--no-sandbox")
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=words)
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page in Chromium, and everything that went wrong on it."""

    def __init__(self, browser: Any, width: int = 390, scheme: str = "light", **more: Any) -> None:
        self.width = width
        self.context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme, **more)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda said: self.wrong.append(said.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def open(self, url: str, *, script: bool = True) -> Any:
        """Open a page afresh, and wait until its script has begun."""
        self.page.goto("about:blank")
        self.page.goto(url)
        if script and self.page.locator("#packed").count():
            self.page.wait_for_selector("body.js #bar")
            self.page.wait_for_function("document.getElementById('bar').dataset.ready")
        return self.page

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the screen."""
        return int(self.page.evaluate("document.documentElement.scrollWidth")) - self.width

    def serious(self) -> list[str]:
        """Return what axe finds that is serious or worse."""
        self.page.evaluate(_axe())
        found = self.page.evaluate("axe.run({resultTypes: ['violations']})")
        return [
            f"{each['id']}: {each['nodes'][0]['html'][:150]}"
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        ]

    def shot(self, name: str) -> float:
        """Keep a screenshot; return how far it is from the one that was kept before."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        content = self.page.screenshot()
        (SHOTS / f"{name}.png").write_bytes(content)
        return apart(content, name)


def apart(content: bytes, name: str) -> float:
    """Return how far a screenshot is from the one that is kept, which is made if `PBEM_BROWSER=keep`."""
    with Image.open(io.BytesIO(content)) as whole:
        small = whole.convert("L").resize((_SMALL, round(_SMALL * whole.height / whole.width)), Image.Resampling.BOX)
    kept = KEPT / f"{name}.png"
    if os.environ.get("PBEM_BROWSER") == "keep":
        KEPT.mkdir(exist_ok=True)
        small.save(kept, optimize=True)
    with Image.open(kept) as before:
        assert before.size == small.size, name
        return float(ImageStat.Stat(ImageChops.difference(before.convert("L"), small)).mean[0])


def firefox_shot(url: str, target: Path, width: int) -> Image.Image:
    """Return the screenshot that Firefox takes of a page by itself."""
    profile = target.with_suffix(".profile")
    profile.mkdir(parents=True)
    words = ["firefox-esr", "--headless", "--no-remote", "--profile", str(profile), "--screenshot", str(target)]
    ran = subprocess.run(
        [*words, f"--window-size={width},844", url],
        capture_output=True,
        timeout=120,
        env={**os.environ, "HOME": str(profile), "MOZ_DISABLE_CONTENT_SANDBOX": "1"},
    )
    assert target.is_file(), ran.stderr.decode()[-2000:]
    with Image.open(target) as shot:
        return shot.convert("RGB")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder by plain http; yield its address under a name that is not localhost."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://{NAME}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
