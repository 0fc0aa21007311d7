// Secrets in every place that a client or Clew writes, in every encoding, planted by a seed; and a search for them that uses
// nothing of the sources: known bytes in files, in gzip and in the packs of the archive.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { sessionId } from '../../support/transcript-builder.ts';

export const otherId = '22222222-2222-4222-a222-222222222222';

/** Found by the rules in the transcript; the last one needs escapes in JSON. */
export const secrets: readonly string[] = [
  `gh${'p_'}k7Rq2mZx9TbXvLc8NpW1sYd6JgF3aKe5Hn4Q`,
  `npm_${'R4tYz8QmWx2LkP9sVbN3'}${'hJ6gFd1cAe7UoI5q'}`,
  'q8"Wn\\4zT%vR2xK7mLp',
];

type Encoding = (text: string) => Buffer;

const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1);
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

/** In the form of a file that has the text. */
const encodings: Readonly<Record<string, Encoding>> = {
  plain: (text) => Buffer.from(`one\nkey ${text} end\n`),
  json: (text) => Buffer.from(`${JSON.stringify({ note: `key ${text} end` })}\n`),
  'json in json': (text) => Buffer.from(`${JSON.stringify({ body: JSON.stringify({ note: text }) })}\n`),
  percent: (text) => Buffer.from(`https://example.org/?q=${percent(text)}&r=1\n`),
  base64: (text) => Buffer.from(`data: ${Buffer.from(`key=${text};more text here`).toString('base64')}\n`),
  'base64, shifted': (text) => Buffer.from(`data:x${Buffer.from(`k=${text};more text here`).toString('base64')}\n`),
  hex: (text) => Buffer.from(`bytes ${Buffer.from(`key ${text}`).toString('hex')}\n`),
  'utf-16': (text) => Buffer.from(`\ufeffkey ${text} end\n`, 'utf16le'),
  'utf-16 be': (text) => utf16be(`\ufeffkey ${text} end\n`),
  gzip: (text) => Buffer.concat([Buffer.from('{"head":1}\n'), gzipSync(JSON.stringify({ spans: [text] }))]),
  binary: (text) => Buffer.concat([Buffer.from([0, 1, 2, 0xff]), Buffer.from(text), Buffer.from([0, 0xfe])]),
};

/** Below the root; a name with `~` has a byte there that is not UTF-8, one with `?` has the secret there. */
const rootPlaces: readonly string[] = [
  ...['paste-cache/0a1b2c3d4e5f6071.txt', 'jobs/1f2e3d4c/state.json', `jobs/${otherId}/state.json`],
  ...[`image-cache/${sessionId}/1.png`, 'usage-data/facets/one.json', 'usage-data/report.html'],
  ...['telemetry/1p_failed_events.json', 'plans/quiet-river.md', 'shell-snapshots/snapshot-bash-1-abc.sh'],
  ...['sessions/4242.json', 'statsig/cached.evaluations', 'backups/.claude.json.backup.1', '.claude.json'],
  ...['projects/-home-kim-project/memory/MEMORY.md', 'projects/-home-kim-project/memory/deep/notes.md'],
  ...['projects/-home-kim-project/sessions-index.json', 'CLAUDE.md', 'settings.json', 'skills/mine/SKILL.md'],
  ...[`todos/${sessionId}-agent-${sessionId}.json`, `file-history/${sessionId}/aaaa@v1`, `tasks/${sessionId}/1.json`],
  ...[`file-history/${otherId}/bbbb@v1`, `debug/${sessionId}.txt`, `debug/${otherId}.txt`, 'unknown/new-feature.db'],
  ...['paste-cache/b~d.txt', 'plans/~/plan.md', 'jobs/?.json', 'telemetry/?/events.json', 'ide/?.lock'],
];
/** Below Clew's own folder. */
const statePlaces: readonly string[] = [
  ...['chat-history.jsonl', 'trace.log', 'archive.log', 'trace.json', 'guard/notice.json', 'push/waiting.bin'],
  ...['trace/outbox/default/000000000000001-aa.ready', 'trace/dead/default/000000000000002-bb.ready'],
  ...[`restored/${sessionId}.jsonl`, 'operations/lost/backup/0-x.jsonl', 'setup/old.json', 'b~d.log'],
];

export interface PlantedPlace {
  readonly place: string;
  readonly encoding: string;
}

/** Writes a few files, chosen by the seed. */
export function plantPlaces(root: string, state: string, random: () => number): readonly PlantedPlace[] {
  const all = [...rootPlaces.map((place) => [root, place]), ...statePlaces.map((place) => [state, place])];
  const names = Object.keys(encodings);
  const count = 1 + Math.floor(random() * 8);
  return Array.from({ length: count }, () => {
    const [folder = '', place = ''] = pick(all, random);
    const secret = pick(secrets, random);
    const encoding = pick(names, random);
    const name = place.replace('?', `of-${secrets[0]}`);
    const file = Buffer.concat(
      name.split('~').flatMap((part, i) => [...(i === 0 ? [] : [Buffer.from([0xe9])]), Buffer.from(part)]),
    );
    const target = Buffer.concat([Buffer.from(`${folder}/`), file]);
    mkdirSync(target.subarray(0, target.lastIndexOf(0x2f)), { recursive: true });
    writeFileSync(target, (encodings[encoding] as Encoding)(secret));
    return { place, encoding };
  });
}

export function pick<T>(all: readonly T[], random: () => number): T {
  return all[Math.floor(random() * all.length)] as T; // in range
}

/** Every form in which an encoding writes a secret. */
const needles: readonly Buffer[] = secrets.flatMap((secret) => [
  ...[secret, jsonText(secret), jsonText(jsonText(secret)), percent(secret)].map((text) => Buffer.from(text)),
  ...[0, 1, 2].map((shift) => Buffer.from(base64Core(secret, shift))),
  Buffer.from(Buffer.from(secret).toString('hex')),
  Buffer.from(secret, 'utf16le'),
  utf16be(secret),
]);

/** The characters of base64 that depend only on the secret, if `shift` bytes are in front of it. */
function base64Core(secret: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
  const start = Math.ceil((shift * 8) / 6);
  return bytes.toString('base64').slice(start, Math.floor((bytes.length * 8) / 6));
}

/** The files that hold a secret, in their names or bytes; those of the archive as `archive`. */
export function findPlanted(folders: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const folder of folders) {
    for (const file of entriesBelow(Buffer.from(folder))) {
      const shown = file.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
      const isPack = shown.endsWith('.pack');
      // With the list of its copies, which has their titles.
      const isInArchive = isPack || /\/state\/archive\/[^/]+$/.test(shown);
      const name = file.subarray(file.lastIndexOf(0x2f) + 1);
      if ([name, ...contentsIn(file, isPack)].some(holdsSecret)) found.add(isInArchive ? 'archive' : shown);
    }
  }
  return [...found].sort();
}

export function holdsSecret(bytes: Buffer): boolean {
  return needles.some((needle) => bytes.includes(needle));
}

function entriesBelow(folder: Buffer): Buffer[] {
  return readdirSync(folder, { encoding: 'buffer' }).flatMap((name) => {
    const file = Buffer.concat([folder, Buffer.from('/'), name]);
    const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder ? [file, ...entriesBelow(file)] : [file];
  });
}

function contentsIn(file: Buffer, isPack: boolean): Buffer[] {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return [readlinkSync(file, 'buffer')];
  if (!stats.isFile()) return [];
  const bytes = readFileSync(file);
  if (isPack) return [bytes, ...blocksOf(bytes)];
  const at = bytes.indexOf(Buffer.from([0x1f, 0x8b, 0x08]));
  return at >= 0 && !file.includes('index.db') ? [bytes, gunzipSync(bytes.subarray(at))] : [bytes];
}

/** A killed writer leaves a record that is cut off. */
function blocksOf(pack: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let rest = pack; rest.length > 0; ) {
    const end = rest.indexOf('\n') + 1;
    const header = /\{.*\}/.exec(rest.toString('latin1', 0, end))?.[0];
    if (header === undefined) break;
    const { kind, count, bodyBytes } = JSON.parse(header) as { kind: string; count: number; bodyBytes: number };
    const body = rest.subarray(end, end + bodyBytes);
    if (body.length < bodyBytes) break;
    blocks.push(brotliDecompressSync(body.subarray(kind === 'chunks' ? 16 * count : 0)));
    rest = rest.subarray(end + bodyBytes);
  }
  return blocks;
}

export function placesAndEncodings(): { readonly places: readonly string[]; readonly encodings: readonly string[] } {
  return { places: [...rootPlaces, ...statePlaces], encodings: Object.keys(encodings) };
}

export function stateOfArchive(state: string): string {
  return path.join(state, 'archive');
}
