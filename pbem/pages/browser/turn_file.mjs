// Reads game.yaml and turn files. They are a small part of YAML; whatever else stands in them is refused.

const SIGNS = "!$%&'()*+./;<=>@^_`|~0-9A-Za-z\\u00a1-\\u2027\\u2030-\\uffff\\u{10000}-\\u{10ffff}\\-";
const ESCAPED = String.raw`\\(?:["\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})`;
const QUOTED = String.raw`"(?:[^"\\\x00-\x1f\x7f-\xa0\u2028-\u202f]|${ESCAPED})*"`;
const PLAIN = String.raw`(?:0|-?[1-9][0-9]{0,14}|null|true|false)(?! ?[${SIGNS}])|[\[\]{}]|, |: `;
const BARE = `(?![-!$%&')*+.;=>@^\`|~])[${SIGNS}]+(?: [${SIGNS}]+)*`;
const TOKEN = new RegExp(`${QUOTED}|${PLAIN}|${BARE}`, "gu");
const KEY = new RegExp(`^(${QUOTED}|${BARE}):(?: |$)`, "u");
const WORD = new RegExp(`^(?:${PLAIN})$`, "u");
const NO_TEXT = /^(?:[0-9][0-9a-fotxz_.+ -]*|null|true|false|yes|no|on|off|y|n|<<)$/i;

function must(is, reason) {
  if (!is) throw new Error(reason);
}

function put(found, key, value) {
  must(!found.has(key), `${key} comes twice`);
  found.set(key, value);
}

function scalar(word) {
  if (word[0] === '"') {
    return JSON.parse(word.replace(/\\(?:x(..)|U(.{8})|[^])/g, (all, two, eight) =>
      two || eight ? JSON.stringify(String.fromCodePoint(parseInt(two || eight, 16))).slice(1, -1) : all));
  }
  if (WORD.test(word)) return JSON.parse(word);
  must(!NO_TEXT.test(word), `cannot read ${word}`);
  return word;
}

function leaf(text, lines, indent) {
  if (text === "|" || text === "|-") {
    const rows = [];
    const within = () => !lines.at(-1) || lines.at(-1).startsWith(" ".repeat(indent));
    while (lines.length && within()) rows.push(lines.pop().slice(indent));
    return rows.join("\n") + (text === "|" ? "\n" : "");
  }
  const words = text.match(TOKEN) || [];
  must(words.join("") === text, `cannot read ${text}`);
  const take = (wanted) => must(words.shift() === wanted, `cannot read ${text}`);
  const value = () => {
    const word = words.shift(), listed = word === "[";
    must(word !== undefined, `cannot read ${text}`);
    if (!listed && word !== "{") return scalar(word);
    const found = listed ? [] : new Map(), end = listed ? "]" : "}";
    for (let first = true; words[0] !== end; first = false) {
      if (!first) take(", ");
      if (listed) found.push(value());
      else {
        const key = scalar(words.shift() || "");
        take(": ");
        put(found, key, value());
      }
    }
    take(end);
    return found;
  };
  const found = value();
  must(!words.length, `cannot read ${text}`);
  return found;
}

function block(lines, indent = 0) {
  const dashed = () => lines.at(-1).slice(indent).startsWith("- "), listed = dashed(), found = listed ? [] : new Map();
  while (lines.length && lines.at(-1).startsWith(" ".repeat(indent)) && dashed() === listed) {
    const line = lines.pop().slice(indent), key = KEY.exec(line);
    must(listed || key, `cannot read ${line}`);
    const behind = listed ? line.slice(2) : line.slice(key[0].length);
    const nested = listed && (behind.startsWith("- ") || KEY.test(behind));
    if (nested) lines.push(`${" ".repeat(indent)}  ${behind}`);
    const below = !listed && lines.length && dashed() ? indent : indent + 2;
    const value = nested || !behind ? block(lines, below) : leaf(behind, lines, indent + 2);
    if (listed) found.push(value);
    else put(found, leaf(key[1], [], 0), value);
  }
  must(listed ? found.length : found.size, `cannot read ${lines.at(-1)}`);
  return found;
}

export function read(text) {
  const lines = text.split("\n").reverse();
  must(lines.shift() === "" && lines.length, "the file is cut off");
  const found = block(lines);
  must(!lines.length, `cannot read ${lines.at(-1)}`);
  return found;
}
