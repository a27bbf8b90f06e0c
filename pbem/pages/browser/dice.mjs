// Checks a die: that its link was promised, what went in with it, and that both give these faces.
import { digestOf, hex, hmacOf, unhex } from "./sha256.mjs";
import { read } from "./turn_file.mjs";

const utf8 = (text) => new TextEncoder().encode(text);
const ALL = ["joined", "sheets", "standing", "player_chains"]; // what turns the dice, whole; and what else, in part
const PARTS = { beacon: ["round", "signature"], act: ["kind", "side", "to", "sealed"] };

// Whole numbers, texts, lists and mappings as bytes, so that no two look alike.
export function canonical(value) {
  if (Number.isSafeInteger(value)) return utf8(`i${value}e`);
  if (typeof value === "string") return joined([utf8(`${utf8(value).length}:`), utf8(value)]);
  if (Array.isArray(value)) return joined([utf8("l"), ...value.map(canonical), utf8("e")]);
  if (!(value instanceof Map) || !value.size) throw new Error(`${value} cannot go into the dice`);
  const pairs = [...value].map(([key, each]) => [hex(utf8(key)), canonical(key), canonical(each)]);
  pairs.sort(([one], [other]) => (one < other ? -1 : 1));
  return joined([utf8("d"), ...pairs.flatMap(([, key, each]) => [key, each]), utf8("e")]);
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

async function drawn(key, roll, subtle) {
  const sides = roll.get("sides") ?? 6, count = roll.get("faces").length, faces = [];
  if (!(sides > 1 && sides <= 1000)) throw new Error(`there are no dice of ${sides} sides`);
  for (let block = 0; faces.length < count; block++) {
    const bytes = await hmacOf(key, canonical(["faces", roll.get("name"), block]), subtle);
    for (let at = 0; at < 32 && faces.length < count; at += 2) {
      const number = bytes[at] * 256 + bytes[at + 1];
      if (number < 65536 - 65536 % sides) faces.push(1 + number % sides); // the rest favours low faces
    }
  }
  return faces;
}

// `files` are texts by number, 0 that of game.yaml. Returns steps, each with its words, values, and whether it fits.
export async function checkDie(files, n, number, subtle) {
  const steps = [], step = (what, is, value) => steps.push({ what, is: Boolean(is), value: String(value) });
  try {
    const charter = read(files[0]), turn = read(files[n]), last = n > 1 ? read(files[n - 1]) : null;
    const dice = charter.get("dice"), fileBefore = hex(await digestOf(utf8(files[n - 1]), subtle));
    if (charter.get("format") !== 3) throw new Error("this page knows format 3 of games alone");
    step("the number of the turn file is", turn.get("adjudication") === n, turn.get("adjudication"));
    step("the file before it has the SHA-256 that it names", turn.get("previous") === fileBefore, fileBefore);
    const promised = last ? last.get("renewal") ?? last.get("link") : dice.get("tip");
    const opened = hex(await digestOf(unhex(turn.get("link")), subtle));
    step(`the SHA-256 of its link is the ${last ? "link before" : "tip in game.yaml"}`, opened === promised, opened);
    const wentIn = new Map([["before", last ? last.get("inputs") : fileBefore]]);
    for (const word of ALL) if (turn.has(word)) wentIn.set(word, turn.get(word));
    for (const [word, parts] of Object.entries(PARTS)) {
      const stated = turn.get(word);
      const pairs = parts.filter((part) => stated?.has(part)).map((part) => [part, stated.get(part)]);
      if (stated) wentIn.set(word, new Map(pairs));
    }
    const inputs = hex(await digestOf(canonical(wentIn), subtle));
    step("what went in has the SHA-256 that it states", inputs === turn.get("inputs"), inputs);
    const label = canonical([dice.get("scheme"), charter.get("game"), n, turn.get("inputs")]);
    const key = await hmacOf(unhex(turn.get("link")), label, subtle);
    step("link and inputs make the key", true, hex(key));
    const rolls = turn.get("rolls") ?? [], roll = rolls[number - 1];
    if (!roll || roll.get("number") !== number) throw new Error(`turn file ${n} has no roll ${number}`);
    const alike = rolls.filter((each) => each.get("name") === roll.get("name"));
    if (alike.length > 1) throw new Error("two rolls have this name");
    const faces = await drawn(key, roll, subtle);
    step(`the key and the name ${roll.get("name")} make the faces`, `${faces}` === `${roll.get("faces")}`, faces);
    const total = [...faces, ...(roll.get("modifiers") ?? new Map()).values()].reduce((sum, each) => sum + each, 0);
    const [word, bound] = (roll.get("need") ?? `>= ${total}`).split(" ");
    const met = word === ">=" ? total >= bound : total <= bound, success = roll.get("success") ?? true;
    step("faces and modifiers make the total", roll.get("total") === total && success === met, total);
    step("the turn file itself has the SHA-256", true, hex(await digestOf(utf8(files[n]), subtle)));
  } catch (wrong) {
    step(wrong.message, false, "");
  }
  return { right: steps.every((each) => each.is), steps };
}
