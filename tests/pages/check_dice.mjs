// Checks dice by the page's own modules: reads {modules, cases: [{files, dice, subtle}]}.
import { pathToFileURL } from "node:url";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const asked = JSON.parse(Buffer.concat(chunks).toString("utf8"));
const { checkDie } = await import(pathToFileURL(`${asked.modules}/dice.mjs`));
const results = []; // of each case what `checkDie` returns
for (const { files, dice, subtle } of asked.cases) {
  const native = subtle ? globalThis.crypto.subtle : undefined;
  results.push([]);
  for (const [n, number] of dice) results.at(-1).push(await checkDie(files, n, number, native));
}
process.stdout.write(JSON.stringify(results));
