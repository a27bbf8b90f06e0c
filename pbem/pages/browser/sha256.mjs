// SHA-256 and HMAC of our own, because browsers offer theirs on https: alone. Where they do, both must agree.

const ROUNDS = [], START = [];
for (let n = 2; ROUNDS.length < 64; n++) {
  let prime = true;
  for (let d = 2; d * d <= n; d++) prime = prime && n % d > 0;
  if (!prime) continue;
  if (START.length < 8) START.push((Math.sqrt(n) % 1) * 2 ** 32 >>> 0);
  ROUNDS.push((Math.cbrt(n) % 1) * 2 ** 32 >>> 0);
}
const turned = (word, by) => word >>> by | word << 32 - by;

export function sha256(bytes) {
  const padded = new Uint8Array((bytes.length + 72) >> 6 << 6), view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = START.slice(), w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15], b = w[i - 2];
      const low = turned(a, 7) ^ turned(a, 18) ^ a >>> 3, high = turned(b, 17) ^ turned(b, 19) ^ b >>> 10;
      w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (e & f ^ ~e & g) + ROUNDS[i] + w[i] | 0;
      const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] = state[i] + word | 0; });
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setInt32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

export function hmac(key, bytes) { // a key has at most 64 bytes here
  const pad = (byte, rest) => {
    const whole = new Uint8Array(64 + rest.length).fill(byte, 0, 64);
    key.forEach((each, i) => { whole[i] ^= each; });
    whole.set(rest, 64);
    return sha256(whole);
  };
  return pad(0x5c, pad(0x36, bytes));
}

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export function unhex(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error(`${text} is not hexadecimal`);
  return Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
}

// Both ways: `subtle` is the browser's own (crypto.subtle), or nothing.
export async function digestOf(bytes, subtle) {
  return same(sha256(bytes), subtle && await subtle.digest("SHA-256", bytes));
}

export async function hmacOf(key, bytes, subtle) {
  const kind = { name: "HMAC", hash: "SHA-256" };
  const other = subtle && await subtle.sign("HMAC", await subtle.importKey("raw", key, kind, false, ["sign"]), bytes);
  return same(hmac(key, bytes), other);
}

function same(own, other) {
  const agree = !other || hex(own) === hex(new Uint8Array(other));
  if (!agree) throw new Error("this page and the browser disagree on SHA-256");
  return own;
}
