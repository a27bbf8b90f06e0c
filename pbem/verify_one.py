"""Check every die of a game without trusting pbem: nothing of it is imported here, only Python's own library.

`python verify_one.py GAME [TURN [ROLL]]`: GAME is a folder made by `git clone`, or a file made by `pbem log --json`.
TURN shows how the dice of that turn are made. Exit code 0: proven. 3: broken, by the first thing that does not fit.
4: not proven, for it cannot be read here.
"""

import hmac
import json
import re
import sys
from ast import literal_eval
from hashlib import sha256
from itertools import count
from pathlib import Path
from struct import unpack

ALL = ("joined", "sheets", "standing", "player_chains")  # what turns the dice, whole
PARTS = {"beacon": ("round", "signature"), "act": ("kind", "side", "to", "sealed")}  # and what else, in part
ACTS = {"rollback": "kind to", "ruling patch": "kind to", "ruling end": "kind", "migration": "kind"}
ACTS |= {"draw": "kind", "resignation": "kind side"}  # which parts each act has
ACTS |= dict.fromkeys(("ruling answer", "ruling default"), "kind sealed side")
BY = re.compile("sheet ([1-9][0-9]*)|standing|only|default|bot|the game master")
HOW = "\n  link {}\n  HMAC-SHA-256, so keyed, of {}\n  is the key {}\n  HMAC-SHA-256, so keyed, of {}: 16 numbers"
CHECKED = """{0}: proven, {1} turns, {2} rolls. Right are: {4}the links,
which lead to the tip {3} (is it the one in your first letter?);
players' own links, one for each sheet; what went into the dice, with no sheet and no standing orders left out; every
face, total and success. Not part of this: {5}signatures, beacon rounds, what was committed when (`pbem verify`),
whether the rules ask for these rolls and answers (`pbem verify` once the game is over)."""
SEEN = ("the digests from game.yaml to the last turn; ", "")
CLAIMED = ("", "the digests of the files, which a JSON file only claims (take a clone); ")
LARGEST, DEEPEST = 1 << 26, 40  # bytes of a file; blanks before a line
# ---- What the files say. They are a small part of YAML; whatever else stands in them is refused.
SIGNS = r"!$%&'()*+./;<=>@^_`|~0-9A-Za-z\xa1-\u2027\u2030-\uffff\U00010000-\U0010ffff-"
END = rf"(?! ?[{SIGNS}])"
QUOTED = r'"(?:[^"\\\x00-\x1f\x7f-\xa0\u2028-\u202f]|\\(?:["\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}))*"'
PLAIN = rf"(?:0|-?[1-9][0-9]{{0,17}}|null|true|false){END}|[\[\]{{}}]|, |: "  # as in JSON
NO_TEXT = rf"(?i:[0-9][0-9a-fotxz_.+ -]*|null|true|false|yes|no|on|off|y|n|<<){END}"  # not to every reader of YAML
BARE = rf"(?!{NO_TEXT})(?![-!$%&')*+.;=>@^`|~])[{SIGNS}]+(?: [{SIGNS}]+)*"
TOKEN = re.compile(rf"{QUOTED}|{PLAIN}|{BARE}")
KEY = re.compile(rf"({QUOTED}|{BARE}):(?: |$)")


def end(word, text):
    """End with a word and the reason."""
    print(f"{word}: {text}", file=sys.stderr)
    sys.exit({"broken": 3, "not proven": 4}[word])


def must(true, reason):
    """Go on only if something is true."""
    if not true:
        raise ValueError(reason)


def once(pairs):
    """Return a mapping, if no key of it comes twice."""
    must(len(dict(pairs)) == len(pairs), f"a key comes twice among {[key for key, _ in pairs]}")
    return dict(pairs)


def leaf(text, lines, indent):
    """Return the value that stands behind a key or a dash; a text of several lines is the next of `lines`."""
    if text in ("|", "|-"):
        rows = []
        while lines and (not lines[-1] or lines[-1].startswith(" " * indent)):
            rows.append(lines.pop()[indent:])
        return "\n".join(rows) + "\n" * (text == "|")
    words, at = [], 0
    while at < len(text):  # not `findall`, which would look at the rest once more for each sign that it skips
        must(found := TOKEN.match(text, at), f"cannot read {text[at : at + 40]!r}")
        words.append(found[0])
        at = found.end()
    words = [w if re.fullmatch(PLAIN, w) else json.dumps(literal_eval(w) if w[0] == '"' else w) for w in words]
    return json.loads("".join(words), object_pairs_hook=once)


def block(lines, indent=0):
    """Take the list or the mapping that comes next off `lines`, which are kept last first."""
    found, listed = [], lines[-1][indent:].startswith("- ")
    must(indent <= DEEPEST, "it is nested too deep")
    while lines and lines[-1].startswith(" " * indent) and lines[-1][indent:].startswith("- ") == listed:
        line = lines.pop()[indent:]
        key = KEY.match(line)
        must(listed or key, f"cannot read {line!r}")
        behind = line[2:] if listed else line[key.end() :]
        if nested := listed and (behind.startswith("- ") or KEY.match(behind)):
            lines.append(" " * indent + "  " + behind)
        below = indent if not listed and lines and lines[-1][indent:].startswith("- ") else indent + 2
        value = block(lines, below) if nested or not behind else leaf(behind, lines, indent + 2)
        found.append(value if listed else (leaf(key[1], [], 0), value))
    must(found, f"cannot read {lines[-1:]}")
    return found if listed else once(found)


def content(file):
    """Return what is in a file: no pipe, no device, nothing without an end."""
    must(file.is_file() and file.stat().st_size <= LARGEST, f"{file} is no file, or too large")
    return file.read_bytes()


def files(path):
    """Yield game.yaml and each turn file as Python has them, with the SHA-256 of each."""
    told = json.loads(content(path), object_pairs_hook=once) if path.is_file() else None
    yield from (told["game"], *told["turns"]) if told else ()
    for file in () if told else (path / "game.yaml", *sorted(path.glob("turns/*/????.yaml"))):
        lines = content(file).decode().split("\n")[::-1]
        must(lines.pop(0) == "" and lines, "the file is cut off")
        found = block(lines)
        must(not lines, f"cannot read {lines[-1:]}")
        yield found | {"sha256": sha256(content(file)).hexdigest()}


def canonical(value):
    """Write whole numbers, text, lists and mappings as bytes, so that no two look alike."""
    must(type(value) in (int, str, list, dict) and value != {}, f"{value!r} cannot go into the dice")
    if type(value) in (int, str):
        return b"i%de" % value if type(value) is int else b"%d:%b" % (len(value.encode()), value.encode())
    if type(value) is list:
        return b"l" + b"".join(map(canonical, value)) + b"e"
    return b"d" + b"".join(canonical(key) + canonical(value[key]) for key in sorted(value, key=str.encode)) + b"e"


def check_links(n, turn, length, links):
    """Check the links that a turn opens; `links` are the last of each chain ("" is the referee's) or its tip."""
    given, sheets = turn.get("player_chains", {}), turn.get("sheets", {})
    for side, own in turn.get("joined", {}).items():  # later than in turn 1, a new player: the chain before them ends
        must(n == 1 or own.get("player", 1) > 1, f"{side} joins a second time")
        links.pop(side, None)
    must(set(links) == {"", *given}, "who joins opens links later")
    for side, stated in {"": {"link": turn["link"]}, **given}.items():
        link, last, digest = stated.get("link", ""), links.pop(side), bytes.fromhex(stated.get("link", ""))
        count = len(sheets.get(side, {})) if side else 1
        for _ in range(count):
            digest = sha256(digest).digest()
        follows = count and digest.hex() == last and stated == {"link": bytes.fromhex(link).hex()}
        instead = {"lost" if count else "missing": sha256(bytes.fromhex(last) + b" %d" % n).hexdigest()}
        must(follows or (side and stated == instead), f"{stated} {side} does not follow {last} by {count}")
        links |= {} if "lost" in stated else {side: link or last}
    links |= {side: own["chain"]["tip"] for side, own in turn.get("joined", {}).items() if "chain" in own}
    must(("renewal" in turn) == (n % length == 0), "a chain is renewed with its last link, not else")
    links[""] = turn.get("renewal", turn["link"])


def check_history(turn, past):
    """Check what one turn may name after those before it; `past` is what they named."""
    came = past["sheets"]
    for side, path in [(side, path) for side, sheets in turn.get("sheets", {}).items() for path in sheets]:
        came[side] = came.get(side, 0) + 1
        must(path == f"sheets/{side}/{came[side] // 100:03}/{came[side]:04}.age", f"{path} is not the next sheet")
    missing = past["standing"] - set(turn.get("standing", {}))
    must(not missing, f"the digest of the standing orders of {sorted(missing)} is left out")
    for answer in turn.get("answers", []):
        by = BY.fullmatch(answer["by"])
        must(by and int(by[1] or 0) <= came.get(answer["side"], 0), f"an answer cannot come from {answer['by']}")
    must(turn["day"] >= past["day"], "its day is before that of the turn before")
    old, new = past["beacon"], turn.get("beacon", past["beacon"])
    again = new == old and not ("beacon" in turn and (past["act"] or turn.keys() & {"sheets", "late", "joined"}))
    must(again or new["round"] > old["round"], f"round {new['round']} of the beacon comes after round {old['round']}")
    past |= {"standing": set(turn.get("standing", {})), "day": turn["day"], "beacon": new, "act": "act" in turn}


def check_turn(n, turn, charter, before, shown):
    """Check what went into the dice of a turn, and its rolls; count these. `before` are the inputs before it."""
    must(turn["adjudication"] == n, f"the next turn file is that of turn {turn['adjudication']}")
    went_in = {"before": before} | {word: turn[word] for word in ALL if word in turn}
    for word in turn.keys() & PARTS.keys():
        went_in[word] = {part: turn[word][part] for part in PARTS[word] if part in turn[word]}
    must(turn["inputs"] == sha256(canonical(went_in)).hexdigest(), "`inputs` is not the SHA-256 of what went in")
    decided = "act" not in turn and charter["dice"].get("beacon") is not None
    must(("beacon" in turn) == decided, "a round of the beacon decides what is played, if the game has one")
    if act := turn.get("act"):
        what = " ".join(act[word] for word in ("kind", "what") if word in act)
        must(" ".join(sorted(went_in["act"])) == ACTS.get(what), f"{what} does not have {sorted(went_in['act'])}")
    label = canonical([charter["dice"]["scheme"], charter["game"], n, turn["inputs"]])
    key = hmac.digest(bytes.fromhex(turn["link"]), label, "sha256")
    for number, roll in enumerate(rolls := turn.get("rolls", []), 1):
        at, sides = f"roll {number}, {roll['name']}:", roll.get("sides", 6)
        must(1 < sides <= 1000, f"{at} there are no dice of {sides} sides")
        hmacs = (hmac.digest(key, canonical(["faces", roll["name"], block]), "sha256") for block in count())
        numbers = (draw for each in hmacs for draw in unpack(">16H", each))  # two bytes each, high byte first
        fair = (1 + draw % sides for draw in numbers if draw < 65536 - 65536 % sides)  # the rest favours low faces
        faces = [next(fair) for _ in roll["faces"]]
        must(roll["faces"] == faces and roll["number"] == number, f"{at} the faces are {faces}, not {roll['faces']}")
        total = sum(faces) + sum(roll.get("modifiers", {}).values())
        word, bound = roll.get("need", f">= {total}").split(" ")
        met = {">=": total >= int(bound), "<=": total <= int(bound)}[word]
        must((roll["total"], roll.get("success", True)) == (total, met), f"{at} the total is {total}, success {met}")
        if shown in (number, 0):
            print(at, faces, HOW.format(turn["link"], label, key.hex(), canonical(["faces", roll["name"], 0])))
    must(len({roll["name"] for roll in rolls}) == len(rolls), "two rolls have the same name")
    return len(rolls)


def main(path=".", turn="0", roll="0"):
    """Check a game, and say what was checked."""
    told, n, by_turn = files(Path(path)), 0, {}
    try:
        charter = next(told)
        if charter.get("format") != 3:
            end("not proven", "game.yaml: only format 3 is known here; others have a verify_one.py of their own")
        before = inputs = charter["sha256"]
        links, past = {"": charter["dice"]["tip"]}, {"sheets": {}, "standing": set(), "day": "", "beacon": {"round": 0}}
        while (n := n + 1) and (each := next(told, None)):
            must(each["previous"] == before, "`previous` is not the SHA-256 of the file before it")
            shown, before = int(roll) if n == int(turn) else None, each["sha256"]
            check_links(n, each, charter["dice"]["length"], links)
            check_history(each, past)
            by_turn[n] = check_turn(n, each, charter, inputs, shown)
            inputs = each["inputs"]
    except (AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as wrong:
        end("broken", f"{f'turn {n}' if n else 'game.yaml'}: {wrong if type(wrong) is ValueError else repr(wrong)}")
    if int(turn) and int(roll) > by_turn.get(int(turn), -1):
        end("not proven", f"there is no turn {turn}" if int(turn) not in by_turn else f"turn {turn} has no roll {roll}")
    rolls, seen = sum(by_turn.values()), CLAIMED if Path(path).is_file() else SEEN
    print(CHECKED.format(charter["game"], n - 1, rolls, charter["dice"]["tip"], *seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
