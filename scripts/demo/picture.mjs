// A small drawing of a lighthouse at night as PNG, encoded by hand: a compressor's output changes with its version,
// stored blocks do not, and the demo must have the same bytes on every machine.
const palette = { '.': [20, 27, 61], w: [244, 241, 232], r: [196, 60, 52], y: [255, 209, 102] };
const drawing = [
  '................',
  '.......rr.......',
  '......rrrr......',
  'yyyy..wyyw..yyyy',
  '..yyyywyywyyyy..',
  'yyyy..wyyw..yyyy',
  '......rrrr......',
  '......wwww......',
  '......wwww......',
  '.....rrrrrr.....',
  '.....rrrrrr.....',
  '.....wwwwww.....',
  '.....wwwwww.....',
  '....rrrrrrrr....',
  '....rrrrrrrr....',
  '..wwwwwwwwwwww..',
];
const scale = 5;

/** The picture in base64, as an image block holds it. */
export function lighthousePng() {
  const colours = Object.keys(palette);
  const rows = drawing.flatMap((row) => Array.from({ length: scale }, () => packRow(row, colours)));
  const size = drawing.length * scale;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([2, 3, 0, 0, 0], 8); // 2 bits a pixel, palette
  const chunks = [
    ['IHDR', header],
    ['PLTE', Buffer.from(Object.values(palette).flat())],
    ['IDAT', storeBlock(Buffer.concat(rows))],
    ['IEND', Buffer.alloc(0)],
  ];
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, ...chunks.map(([type, data]) => encodeChunk(type, data))]).toString('base64');
}

function packRow(row, colours) {
  const pixels = [...row].flatMap((letter) => Array(scale).fill(colours.indexOf(letter)));
  const bytes = [0]; // filter: none
  for (let i = 0; i < pixels.length; i += 4) {
    bytes.push((pixels[i] << 6) | (pixels[i + 1] << 4) | (pixels[i + 2] << 2) | pixels[i + 3]);
  }
  return Buffer.from(bytes);
}

function storeBlock(data) {
  const head = Buffer.from([0x78, 0x01, 0x01, 0, 0, 0, 0]);
  head.writeUInt16LE(data.length, 3);
  head.writeUInt16LE(data.length ^ 0xffff, 5);
  let [a, b] = [1, 0];
  for (const byte of data) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  const adler = Buffer.alloc(4);
  adler.writeUInt32BE(((b << 16) | a) >>> 0);
  return Buffer.concat([head, data, adler]);
}

function encodeChunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function crc32(data) {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
