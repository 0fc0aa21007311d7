// SHA-256 (FIPS 180-4) of a few bytes without `node:crypto`: loading that module takes 5 ms of CPU, hashing a kilobyte here
// 1 ms. For programs that start often and hash little, such as the trace hook. A test holds it equal to `node:crypto`.

const roundWords: Int32Array = wordsOf(`
  428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
  d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
  e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
  983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
  27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
  a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
  19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
  748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2`);
const startWords: Int32Array = wordsOf('6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19');

function wordsOf(hex: string): Int32Array {
  return Int32Array.from(hex.trim().split(/\s+/), (word) => Number.parseInt(word, 16));
}

export function sha256(data: Uint8Array): Buffer {
  const input = padded(data);
  const hash = startWords.slice();
  const words = new Int32Array(64);
  for (let offset = 0; offset < input.length; offset += 64) {
    for (let i = 0; i < 16; i++) words[i] = input.readInt32BE(offset + i * 4);
    mix(hash, words);
  }
  const bytes = Buffer.alloc(32);
  hash.forEach((word, i) => void bytes.writeInt32BE(word, i * 4));
  return bytes;
}

/** A one bit, zeros, and the length in bits as 64 bits at the end of a block. */
function padded(data: Uint8Array): Buffer {
  const blocks = Math.floor((data.length + 8) / 64) + 1;
  const input = Buffer.alloc(blocks * 64);
  input.set(data);
  input[data.length] = 0x80;
  input.writeBigUInt64BE(BigInt(data.length) * 8n, input.length - 8);
  return input;
}

/** One block, whose first 16 words are in `words`. The names are those of the standard. */
function mix(hash: Int32Array, words: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const [x = 0, y = 0] = [words[i - 15], words[i - 2]];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[i] = (words[i - 16] ?? 0) + s0 + (words[i - 7] ?? 0) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i++) {
    const e1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + e1 + ((e & f) ^ (~e & g)) + (roundWords[i] ?? 0) + (words[i] ?? 0)) | 0;
    const a0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = a0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    hash[i] = (hash[i] ?? 0) + word;
  });
}
