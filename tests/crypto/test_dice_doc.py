"""What docs/dice.md says: the die worked out by hand, and a paragraph for each attack."""

from __future__ import annotations

import hmac
import re
from hashlib import sha256
from pathlib import Path

from pbem.audit.record.schemas import BY
from pbem.crypto.dice import INPUTS, ChainDice, canonical, inputs_digest, step_key
from tests.support.bencode import parse

ROOT = Path(__file__).resolve().parents[2]
DOC = (ROOT / "docs" / "dice.md").read_text("utf-8")
SHELL = re.search(r"```sh\n(.*?)```", DOC, re.DOTALL)
NAME = "intercept/publius_scipio/taurini"


def test_the_die_by_hand_is_right() -> None:
    assert SHELL is not None
    steps = SHELL[1]
    said = re.findall(r"^# ([0-9a-f]{64})", steps, re.MULTILINE)
    link = re.findall(r"^LINK=([0-9a-f]{64})$", steps, re.MULTILINE)[0]
    went_in, label, name = re.findall(r"^printf %s (\S+) \|", steps, re.MULTILINE)
    inputs = sha256(went_in.encode()).hexdigest()
    stated, _ = parse(went_in.encode())
    assert isinstance(stated, dict)
    assert inputs == inputs_digest(stated.pop("before"), stated)
    key = hmac.digest(bytes.fromhex(link), label.encode(), "sha256")
    block = hmac.digest(key, name.encode(), "sha256")
    assert said == [sha256(bytes.fromhex(link)).hexdigest(), inputs, key.hex(), block.hex()]
    assert label.encode() == canonical(["chain-v2", "punica", 13, inputs])
    assert name.encode() == canonical(["faces", NAME, 0])
    assert key == step_key(link, "punica", 13, inputs)
    assert f"0x{block.hex()[:4]} % 6 + 1" in steps
    face = int(block.hex()[:4], 16) % 6 + 1
    assert ChainDice(key, b"").faces(NAME, 1, 6) == [face]
    assert re.search(rf"^# {face}: ", steps, re.MULTILINE)


def slugs(text: str, marks: str) -> set[str]:
    """Return headings as links name them."""
    lines = re.findall(rf"^{marks} (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in lines}


def test_each_cell_of_the_attacks_says_how_far_one_comes() -> None:
    rows = re.findall(r"^\| (\[.*) \|$", DOC, re.MULTILINE)
    for row in rows:
        _, *cells, tests = [cell.strip() for cell in row.split("|")]
        assert len(cells) == 3, row
        for cell in cells:
            assert re.fullmatch(r"((stopped|shows on the day|shows at the end|open)( [¹²³⁴])?)?", cell), row
        assert re.fullmatch(r"-|`tests/attacks/\S+\.py::\w+`(, `tests/attacks/\S+\.py::\w+`)*", tests), row
    assert len(rows) > 35


def test_every_input_and_source_of_an_answer_is_named() -> None:
    for word in [*INPUTS, *(key for keys in INPUTS.values() for key in keys or ())]:
        assert f"`{word}`" in DOC, word
    for source in ("sheet 7", "standing", "only", "default", "bot", "the game master"):
        assert BY.fullmatch(source), source
        assert f"`{source}`" in DOC, source


def test_attacks_have_a_paragraph_and_links_lead_somewhere() -> None:
    """Each attack has a paragraph, and each link leads somewhere."""
    attacks = set(re.findall(r"^\| \[[^\]]+\]\(#([a-z-]+)\)", DOC, re.MULTILINE))
    assert len(attacks) > 12
    assert attacks == slugs(DOC[DOC.index("## Attacks") :], "###")
    for target in re.findall(r"\]\(([^)]+)\)", DOC):
        path, _, anchor = target.partition("#")
        file = ROOT / "docs" / path
        if path.startswith("https:"):
            continue
        assert not path or file.is_file(), target
        assert not anchor or anchor in slugs(file.read_text("utf-8") if path else DOC, "#+"), target
