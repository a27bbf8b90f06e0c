"""Letters and the site in real browsers: what a reader sees, on a phone and on a desk, by day and by night."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.mail.intake import take_in
from pbem.mail.write.outgoing import Outgoing
from pbem.mail.write.report_letters import first_letters
from pbem.pages.game_page import GameRecord, read_record
from pbem.pages.site import build
from tests.browser.browsers import MOST, SHOTS, Watched, apart, chromium, firefox_shot, missing, served
from tests.support.kept import BUNDLES
from tests.support.live import Folder, letter, pick, sheet
from tests.support.walks import FOLDERS, GAMES

if reason := missing():
    pytest.skip(f"pages in real browsers: {reason}", allow_module_level=True)

SCREENS = [(390, "light"), (390, "dark"), (800, "light"), (800, "dark")]
LETTERS = 4
TURN = 21
"""A turn of the sample zama with several rolls."""
"""So many sheets of a game are answered by letters."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[GameRecord]:
    """Return the records of both samples as their clones have them."""
    found = []
    for name in ("zama", "cannae"):
        path = tmp_path_factory.mktemp("clones") / f"{name}.git"
        subprocess.run(["git", "clone", "-q", "--bare", str(BUNDLES / f"{name}.bundle"), str(path)], check=True)
        found.append(read_record(path))
    return found


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[Path], GameRecord]]:
    """Return the pages of the letters of some steps of each game, and the record of the game after them."""
    found = {}
    for rules in GAMES:
        folder, random = Folder(tmp_path_factory.mktemp(rules)), Random(7)
        office = replace(folder.office, plus=True)
        with folder.create(rules, rules.replace("_", "-")) as game:
            name, outs = game.name, list(first_letters(game, office))
        for number in range(1, LETTERS + 1):
            with folder.open(name) as game:
                side = game.open_decisions[0].side
                orders = [pick(game, each, random) for each in game.open_decisions if each.side == side]
                raw = letter(side, sheet(game, side, *orders), number=number)
            outs += take_in(raw, office).letters
        pages = pages_of(outs, folder.path / "pages")
        pages = [*pages[:2], *pages[-3:]]  # a first letter, and those in which somebody is asked
        found[rules] = (pages, read_record(folder.repo(name), FOLDERS))
    return found


def pages_of(outs: list[Outgoing], folder: Path) -> list[Path]:
    """Write the pages of letters beside their pictures, as a mail program puts them together."""
    folder.mkdir()
    pages = []
    for at, out in enumerate(outs):
        message = message_from_bytes(out.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        body = message.get_body(("html",))
        if body is None:
            continue
        text = str(body.get_content())
        for part in message.walk():
            if part["Content-ID"]:
                picture = folder / f"{at}-{part.get_filename()}"
                content = part.get_payload(decode=True)
                assert isinstance(content, bytes)
                picture.write_bytes(content)
                text = text.replace(f"cid:{part['Content-ID'].strip('<>')}", picture.name)
        assert "cid:" not in text
        pages.append(folder / f"{at}.html")
        pages[-1].write_text(text, "utf-8")
    return pages


@pytest.fixture(scope="module")
def site(records: list[GameRecord], live: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    build([*records, *(record for _, record in live.values())], out)
    return out


# ---- letters


@pytest.mark.parametrize("rules", GAMES)
def test_letters_are_read_on_every_screen(rules: str, live: dict[str, Any], browser: Any) -> None:
    pages = live[rules][0]
    assert len(pages) >= 4
    for width, scheme in SCREENS:
        with Watched(browser, width, scheme) as seen:
            for at, path in enumerate(pages):
                seen.open(path.as_uri())
                assert seen.overflow() <= 0, path
                assert seen.wrong == []
                assert all(url.startswith(("file:", "about:")) for url in seen.requests)
                if width == 390:
                    assert seen.serious() == [], path
                if at == len(pages) - 1:
                    assert seen.shot(f"letter-{rules}-{width}-{scheme}") <= MOST


@pytest.mark.parametrize("rules", GAMES)
def test_letters_are_read_without_pictures_and_style_blocks(rules: str, live: dict[str, Any], browser: Any) -> None:
    for width, scheme in SCREENS[:3]:
        with Watched(browser, width, scheme) as seen:
            seen.context.route("**/*.png", lambda route: route.abort())
            for at, path in enumerate(live[rules][0]):
                bare = path.with_name(f"bare-{path.name}")
                bare.write_text(re.sub(r"<style>.*?</style>", "", path.read_text("utf-8"), flags=re.DOTALL), "utf-8")
                page = seen.open(bare.as_uri())
                assert seen.overflow() <= 0, path
                alts = page.eval_on_selector_all("img", "all => all.map(each => each.alt)")
                assert all(10 < len(alt) <= 400 for alt in alts)
                taps = page.locator("a.b")
                assert all(taps.nth(n).bounding_box()["height"] >= 44 for n in range(taps.count()))
                if at == 0:
                    assert seen.shot(f"bare-{rules}-{width}-{scheme}") <= MOST


# ---- the site


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_the_site_are_read_on_every_screen(width: int, scheme: str, site: Path, browser: Any) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) == 3 + len(GAMES)
    with Watched(browser, width, scheme) as seen:
        for path in pages:
            seen.open(path.as_uri())
            assert seen.overflow() <= 0, path
            assert seen.wrong == [], path
            assert seen.serious() == [], path
            name = path.relative_to(site).as_posix().replace("/index.html", "").replace(".html", "")
            assert seen.shot(f"site-{name}-{width}-{scheme}") <= MOST
        assert all(url.endswith(".html") or url == "about:blank" for url in seen.requests)


def test_all_dice_are_right_from_a_folder_and_by_http(site: Path, browser: Any) -> None:
    """In a folder the browser offers its own SHA-256, on plain http it does not."""
    with served(site) as address, Watched(browser) as seen:
        for base, native in ((site.as_uri(), True), (address, False)):
            for name, count in (("zama", 72), ("cannae", 238)):
                page = seen.open(f"{base}/{name}/index.html")
                assert page.evaluate("Boolean(globalThis.crypto.subtle)") is native
                page.click("#all")
                page.wait_for_function(f"document.getElementById('checked').textContent.startsWith('{count} of')")
                assert page.inner_text("#checked") == f"{count} of {count} dice checked, 0 wrong."
                assert page.locator("a.die.right").count() == count
                words = page.locator("details").first.text_content()
                assert ("by the browser: they agree" in words) is native
        assert seen.wrong == []


def test_a_changed_turn_file_turns_its_die_red(records: list[GameRecord], tmp_path: Path, browser: Any) -> None:
    zama = records[0]
    true = zama.played[TURN - 1]
    changed = re.sub(r"(?m)^(- number: 2\n(?:  .*\n)*?  faces:) \[.*\]", r"\1 [7]", true.text, count=1)
    assert changed != true.text
    played = [*zama.played[: TURN - 1], replace(true, text=changed), *zama.played[TURN:]]
    build([replace(zama, played=played)], tmp_path)
    with Watched(browser) as seen:
        page = seen.open(f"{tmp_path.as_uri()}/zama/index.html#{TURN}.2")
        page.wait_for_selector("a.die.wrong")
        page.click("#all")
        page.wait_for_function("document.getElementById('checked').textContent.startsWith('72 of')")
        wrong = page.eval_on_selector_all("a.die.wrong", "all => all.map(each => each.id)")
        assert f"{TURN}.2" in wrong
        assert not set(wrong) & {f"{TURN}.{n}" for n in (1, 3, 4, 5)}
        assert page.locator(f"[id='how-{TURN}.2'] p.wrong").count() == 1


def test_links_slider_and_keyboard_lead_to_a_turn(site: Path, browser: Any) -> None:
    def shown(page: Any) -> tuple[str, list[str]]:
        now = page.eval_on_selector_all("article", "all => all.filter(e => e.checkVisibility()).map(e => e.id)")
        return page.inner_text("#number"), now

    with Watched(browser, 1280) as seen:
        page = seen.open(f"{site.as_uri()}/zama/index.html#n=77")
        assert shown(page) == ("77", ["n=77"])
        page.keyboard.press("ArrowLeft")
        assert shown(page) == ("76", ["n=76"])
        assert page.url.endswith("#n=76")
        page.keyboard.press("Home")
        assert shown(page)[0] == "1"
        page.focus("#slider")
        page.keyboard.press("ArrowRight")
        assert shown(page) == ("2", ["n=2"])
        page.evaluate(f"location.hash = '#{TURN}.4'")
        page.wait_for_selector(f"[id='{TURN}.4'].right")
        assert shown(page) == (f"{TURN}", [f"n={TURN}"])
        assert page.locator("#places .new").count() > 0
        page.click(f"[id='n={TURN}'] a[href^='#p-']")
        assert page.locator("#places .lit").count() == 1
        page.click("#whole")
        assert len(shown(page)[1]) == 218
        page.fill("#tip", "ab" * 32)
        assert "NOT" in page.inner_text("#same")
        page.fill("#tip", page.inner_text("code >> nth=0"))
        assert page.inner_text("#same") == "It is the tip of this game."
        assert seen.wrong == []


def test_turns_are_read_without_script_and_printed(site: Path, browser: Any) -> None:
    with Watched(browser, java_script_enabled=False) as seen:
        page = seen.open(f"{site.as_uri()}/zama/index.html", script=False)
        assert page.locator("article").count() == 218
        assert page.locator("article").nth(12).is_visible()
        assert not page.locator("#bar").is_visible()
        assert seen.shot("site-zama-without-script") <= MOST
    with Watched(browser, 800) as seen:
        page = seen.open(f"{site.as_uri()}/zama/index.html")
        page.emulate_media(media="print")
        assert not page.locator("#bar").is_visible()
        assert page.locator("article").nth(12).is_visible()
        assert page.pdf().startswith(b"%PDF")


def test_firefox_shows_letters_and_the_site(site: Path, live: dict[str, Any]) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    for name, url in (
        ("letter", live["rome_carthage"][0][-1].as_uri()),
        ("site", f"{site.as_uri()}/zama/index.html#n=77"),
    ):
        target = SHOTS / f"firefox-{name}.png"
        target.unlink(missing_ok=True)
        subprocess.run(["rm", "-rf", str(target.with_suffix(".profile"))], check=True)
        shot = firefox_shot(url, target, 390)
        colours = shot.getcolors(1 << 24)
        assert shot.width == 390
        assert colours is not None
        assert len(colours) > 200
        assert apart(target.read_bytes(), target.stem) <= MOST
