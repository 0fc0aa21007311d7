// A seed → an archive with one to three kinds of damage, and what its bytes say is left: a copy can be restored if its
// record and those of its chunks are, byte for byte, in some pack.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { seededRandom } from '../../support/seeded-random.ts';
import type { NeededBytes } from './pack-by-hand.ts';

export interface Damage {
  /** Such as `flip 000003.pack at 812`. */
  readonly words: readonly string[];
  /** Whether the committed sums are no longer those that were written. */
  readonly hitsSums: boolean;
  /** Whether a pack is no longer what was committed: more bytes at its end are not. */
  readonly hitsPacks: boolean;
}

type Pick = <T>(from: readonly T[]) => T;

/** Damages the archive in `folder`. */
export function damageArchive(folder: string, seed: number): Damage {
  const random = seededRandom(seed);
  const pick: Pick = (from) => from[Math.floor(random() * from.length)] as (typeof from)[number];
  const before = bytesIn(folder);
  const words: string[] = [];
  const count = pick([1, 1, 1, 2, 3]);
  while (words.length < count) {
    const names = readdirSync(folder).filter((name) => name.endsWith('.pack') || name === 'committed');
    const name = random() < 0.15 ? 'committed' : pick(names);
    const kind = pick(kinds);
    if (existsSync(path.join(folder, name))) words.push(`${kind.name} ${name}${kind(folder, name, random, pick)}`);
  }
  const after = bytesIn(folder);
  const hitsSums = after.get('committed')?.equals(before.get('committed') ?? Buffer.alloc(0)) !== true;
  const isKept = ([name, bytes]: readonly [string, Buffer]): boolean =>
    name === 'committed' || after.get(name)?.subarray(0, bytes.length).equals(bytes) === true;
  return { words, hitsSums, hitsPacks: ![...before].every(isKept) };
}

/** Whether every byte that the copy needs is still in a pack. */
export function isLeft(folder: string, { records }: NeededBytes): boolean {
  const packs = [...bytesIn(folder)].filter(([name]) => name.endsWith('.pack')).map(([, bytes]) => bytes);
  return records.every((record) => packs.some((pack) => pack.includes(record)));
}

function bytesIn(folder: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pack') || name === 'committed');
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name))]));
}

type Kind = (folder: string, name: string, random: () => number, pick: Pick) => string;

function somewhere(file: string, random: () => number): number {
  return Math.floor(random() * Math.max(1, statSync(file).size));
}

const cut: Kind = (folder, name, random, pick) => {
  const file = path.join(folder, name);
  const size = statSync(file).size;
  const kept = pick([Math.max(0, size - 1), somewhere(file, random)]);
  truncateSync(file, kept);
  return ` to ${kept} of ${size}`;
};

const truncateToZero: Kind = (folder, name) => {
  truncateSync(path.join(folder, name), 0);
  return '';
};

const flip: Kind = (folder, name, random, pick) => {
  const file = path.join(folder, name);
  const bytes = readFileSync(file);
  const at = somewhere(file, random);
  if (bytes.length > 0) bytes[at] = (bytes[at] ?? 0) ^ pick([1, 2, 4, 8, 16, 32, 64, 128]);
  writeFileSync(file, bytes);
  return ` at ${at}`;
};

const takeOut: Kind = (folder, name, random, pick) => {
  const file = path.join(folder, name);
  const bytes = readFileSync(file);
  const at = somewhere(file, random);
  const length = pick([1, 7, 300]);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]));
  return `: ${length} bytes at ${at}`;
};

const putIn: Kind = (folder, name, random, pick) => {
  const file = path.join(folder, name);
  const bytes = readFileSync(file);
  const at = somewhere(file, random);
  const more = pick(garbage);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]));
  return `: ${more.length} bytes at ${at}`;
};

const append: Kind = (folder, name, _, pick) => {
  const more = pick(garbage);
  appendFileSync(path.join(folder, name), more);
  return `: ${more.length} bytes`;
};

/** As of a power cut: the length is right, the end is zeros. */
const zeroEnd: Kind = (folder, name, random) => {
  const file = path.join(folder, name);
  const size = statSync(file).size;
  const kept = somewhere(file, random);
  truncateSync(file, kept);
  truncateSync(file, size);
  return ` from ${kept}`;
};

const swap: Kind = (folder, name, _, pick) => {
  const other = pick(readdirSync(folder).filter((each) => each.endsWith('.pack')));
  const [a, b] = [readFileSync(path.join(folder, name)), readFileSync(path.join(folder, other))];
  writeFileSync(path.join(folder, name), b);
  writeFileSync(path.join(folder, other), a);
  return ` with ${other}`;
};

const duplicate: Kind = (folder, name, _, pick) => {
  const to = pick(['000090.pack', '000091.pack', '000000.pack']);
  copyFileSync(path.join(folder, name), path.join(folder, to));
  return ` as ${to}`;
};

const repeatRecord: Kind = (folder, name, random) => {
  const file = path.join(folder, name);
  const bytes = readFileSync(file);
  const at = Math.max(0, bytes.lastIndexOf('clew-archive ', somewhere(file, random)));
  writeFileSync(file, Buffer.concat([bytes, bytes.subarray(at)]));
  return ` from ${at}`;
};

const rename: Kind = (folder, name, _, pick) => {
  const to = pick(['000070.pack', '000071.pack']);
  renameSync(path.join(folder, name), path.join(folder, to));
  return ` to ${to}`;
};

const remove: Kind = (folder, name) => {
  rmSync(path.join(folder, name));
  return '';
};

const garbage: readonly Buffer[] = [
  Buffer.from('x'),
  Buffer.from('\n'),
  Buffer.alloc(700),
  Buffer.from('clew-archive 1 0123456789abcdef {"kind":"session","codec":"brotli"}\n'),
  Buffer.from('clew-archive 1 '),
  Buffer.from('{"kind":"chunks"}\n'.repeat(40)),
  Buffer.from([0xff, 0xfe, 0, 1, 2, 3]),
];

const kinds: readonly Kind[] = [
  cut,
  cut,
  truncateToZero,
  flip,
  flip,
  takeOut,
  putIn,
  append,
  zeroEnd,
  swap,
  duplicate,
  repeatRecord,
  rename,
  remove,
];
