// The page of a game: shows the board after each adjudication, lights up what the log names, checks dice.
import { checkDie } from "./dice.mjs";

const at = (id) => document.getElementById(id);
const about = JSON.parse(at("about").textContent), articles = [...document.querySelectorAll("article")];
const native = globalThis.crypto?.subtle, slider = at("slider"), laid = new Map();
let packed = null, ready = null, shown = 0; // `packed` is there once `ready` is

async function unpacked() {
  const bytes = Uint8Array.from(atob(at("packed").textContent.trim()), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function fill(id, markup) {
  if (at(id)) at(id).innerHTML = markup;
}

function draw(n) {
  if (!packed) return;
  const frame = packed.frames[n - about.first];
  at("board").toggleAttribute("hidden", !frame);
  if (!frame) return;
  [...at("places").children].forEach((place, number) => {
    const owner = frame.c[number], shape = place.querySelector(".f");
    shape?.setAttribute("fill", about.owners[owner] || shape.dataset.empty);
    place.querySelector("use")?.setAttribute("href", `#m${owner}`);
    place.classList.toggle("new", frame.r.includes(number));
  });
  [...at("tints").children].forEach((region, number) => {
    region.setAttribute("fill", about.owners[frame.t[number]] || "none");
  });
  fill("arrows", frame.x);
  lay(frame.p);
}

function lay(pieces) { // a piece that lay on the map before keeps its element, and moves
  if (!laid.size) fill("pieces", "");
  const ids = new Set(pieces.map((each) => each[3]));
  for (const [id, piece] of laid) if (!ids.has(id) && laid.delete(id)) piece.remove();
  for (const [number, x, y, id] of pieces) {
    const piece = laid.get(id) ?? document.createElementNS(at("pieces").namespaceURI, "g");
    if (!laid.has(id)) laid.set(id, at("pieces").appendChild(piece));
    if (piece.dataset.look !== String(number)) piece.innerHTML = packed.symbols[piece.dataset.look = number];
    piece.setAttribute("transform", `translate(${x} ${y})`);
  }
}

function show(n, jump = true) {
  n = Math.min(about.last, Math.max(about.first, n));
  shown = n;
  slider.value = n;
  slider.setAttribute("aria-valuetext", `adjudication ${n}`);
  at("number").textContent = n;
  for (const each of articles) each.classList.toggle("now", each.id === `n=${n}`);
  light("");
  draw(n);
  if (jump) history.replaceState(null, "", `#n=${n}`);
  if (!document.body.classList.contains("one")) at(`n=${n}`)?.scrollIntoView({ block: "nearest" });
}

function light(id) {
  for (const each of document.querySelectorAll(".lit")) each.classList.remove("lit");
  if (id) at(id)?.classList.add("lit");
}

function paragraph(parent, text, kind) {
  const made = document.createElement("p");
  made.textContent = text;
  made.className = kind;
  parent.append(made);
}

async function check(id) {
  await ready;
  const [n, number] = id.split(".").map(Number), die = at(id), result = await checkDie(packed.files, n, number, native);
  die.classList.remove("right", "wrong");
  die.classList.add(result.right ? "right" : "wrong");
  const old = at(`how-${id}`), how = document.createElement("details");
  how.id = `how-${id}`;
  how.innerHTML = "<summary></summary>";
  how.firstChild.textContent = result.right ? `Die ${id} is right: how` : `Die ${id} is WRONG: why`;
  how.open = !result.right;
  for (const { is, what, value } of result.steps) {
    paragraph(how, `${is ? "✓" : "✗"} ${what}: ${value}`, is ? "right" : "wrong");
  }
  const both = native ? "and by the browser: they agree" : "alone: the browser offers its own on https only";
  paragraph(how, `SHA-256 by this page ${both}.`, "");
  paragraph(how, `Without trust in this page: python verify_one.py ${about.game} ${n} ${number}`, "");
  if (old) old.replaceWith(how);
  else die.closest("p").after(how);
  return result.right;
}

async function checkAll() {
  const dice = [...document.querySelectorAll("a.die")];
  let wrong = 0;
  for (const [done, die] of dice.entries()) {
    wrong += !(await check(die.id));
    at("checked").textContent = `${done + 1} of ${dice.length} dice checked, ${wrong} wrong.`;
  }
}

function follow() {
  const wanted = decodeURIComponent(location.hash.slice(1)), n = Number(/^(?:n=)?(\d+)/.exec(wanted)?.[1] ?? 0);
  const part = about.parts.find(([, first, last]) => n >= first && n <= last);
  if (part && part[0] !== about.part) location.assign(`${part[0]}#${wanted}`);
  else if (wanted.startsWith("p-")) light(wanted);
  else if (n) {
    show(n, false);
    window.scrollTo(0, 0);
    if (wanted.includes(".") && at(wanted)) check(wanted).then(() => at(wanted).scrollIntoView({ block: "nearest" }));
  }
}

function key(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, summary")) return;
  const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: about.first, End: about.last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  show(to);
}

async function begin() {
  if (typeof DecompressionStream === "undefined") return; // the log is read without the board
  document.body.classList.add("js", "one");
  ready = unpacked().then((found) => { packed = found; });
  slider.addEventListener("input", () => show(Number(slider.value)));
  at("back").addEventListener("click", () => show(shown - 1));
  at("on").addEventListener("click", () => show(shown + 1));
  at("whole").addEventListener("click", () => {
    at("whole").setAttribute("aria-pressed", String(!document.body.classList.toggle("one")));
  });
  at("all").addEventListener("click", checkAll);
  at("tip").addEventListener("input", () => {
    const typed = at("tip").value.trim().toLowerCase();
    at("same").textContent = typed && `It is ${typed === about.tip ? "" : "NOT "}the tip of this game.`;
  });
  document.addEventListener("click", (event) => {
    const die = event.target.closest("a.die");
    if (die && location.hash === `#${die.id}`) check(die.id);
  });
  document.addEventListener("keydown", key);
  window.addEventListener("hashchange", follow);
  show(about.last, false);
  follow();
  await ready;
  draw(shown);
  at("bar").dataset.ready = "yes";
}

begin();
