// Damage beyond plant.ts and the classes of doctor, such as a kill, a circle through
// the first line or a file in another encoding. Each takes the bytes of a transcript and damages them once.
import { isObject, type JsonObject, parseJson } from '../../src/base/json/json.ts';
import type { Random } from './plant-file.ts';
import { tinyImage } from './tiny-images.ts';

export type MoreDamage = (bytes: Buffer, random: Random) => Buffer;

/** By name. Those that change the encoding of the whole file come last. */
export const moreDamage: Readonly<Record<string, MoreDamage>> = {
  killed: (bytes, random) => {
    const lines = linesOf(bytes);
    const answers = lines.flatMap((line, i) => (entryOf(line).type === 'assistant' ? [i] : []));
    const last = answers[Math.floor(answers.length * (0.5 + random() / 2))] ?? lines.length - 1;
    return joined(lines.slice(0, last + 1));
  },
  'circle-through-root': (bytes) => {
    const lines = linesOf(bytes);
    const root = lines.findIndex((line) => isMessage(entryOf(line)));
    const leaf = lines.findLast((line) => isMessage(entryOf(line)));
    return changed(lines, root, (entry) => ({ ...entry, parentUuid: entryOf(leaf ?? '').uuid ?? null }));
  },
  'two-lines-one-uuid': (bytes, random) => {
    const lines = linesOf(bytes);
    const messages = lines.flatMap((line, i) => (isMessage(entryOf(line)) ? [i] : []));
    const first = messages[Math.floor(random() * (messages.length - 1))] ?? 0;
    const later = messages.filter((at) => at > first);
    const second = later[Math.floor(random() * later.length)] ?? first;
    return changed(lines, second, (entry) => ({ ...entry, uuid: entryOf(lines[first] ?? '').uuid ?? null }));
  },
  'image-in-attachment': (bytes) => {
    const data = tinyImage('png', 9000, 10).toString('base64');
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    return withTurn(bytes, {
      type: 'attachment',
      attachment: {
        type: 'queued_command',
        commandMode: 'prompt',
        prompt: [{ type: 'text', text: 'see this' }, image],
      },
    });
  },
  'foreign-last': (bytes) => {
    const lines = linesOf(bytes);
    const last = entryOf(lines.findLast((line) => isMessage(entryOf(line))) ?? '');
    const foreign = {
      ...last,
      type: 'user',
      message: { role: 'user', content: 'typed elsewhere' },
      uuid: 'f0f0f0f0-1111-4111-8111-f0f0f0f0f0f0',
      parentUuid: null,
      sessionId: '77777777-7777-4777-8777-777777777777',
      timestamp: timeAfter(lines, 60),
    };
    return joined([...lines, JSON.stringify(foreign)]);
  },
  utf16le: (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  'utf16le-bom': (bytes) => Buffer.from(`\ufeff${bytes.toString('utf8')}`, 'utf16le'),
  utf16be: (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le').swap16(),
  'utf16be-bom': (bytes) => Buffer.from(`\ufeff${bytes.toString('utf8')}`, 'utf16le').swap16(),
};

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function joined(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

function entryOf(line: string): JsonObject {
  const value = parseJson(line);
  return isObject(value) ? value : {};
}

function isMessage({ type, uuid, isSidechain }: JsonObject): boolean {
  return (type === 'user' || type === 'assistant') && typeof uuid === 'string' && isSidechain !== true;
}

function changed(lines: readonly string[], at: number, change: (entry: JsonObject) => JsonObject): Buffer {
  return joined(lines.map((line, i) => (i === at ? JSON.stringify(change(entryOf(line))) : line)));
}

/** So many seconds after the newest line. */
function timeAfter(lines: readonly string[], seconds: number): string {
  const times = lines.map((line) => Date.parse(String(entryOf(line).timestamp))).filter((time) => !Number.isNaN(time));
  return new Date(Math.max(0, ...times) + seconds * 1000).toISOString();
}

/** A note and an answer after the last message of the file. */
function withTurn(bytes: Buffer, note: JsonObject): Buffer {
  const lines = linesOf(bytes);
  const last = entryOf(lines.findLast((line) => isMessage(entryOf(line))) ?? '');
  const { sessionId = null, cwd = null, version = null } = last;
  const time = (seconds: number): string => timeAfter(lines, seconds);
  const common = { isSidechain: false, userType: 'external', sessionId, cwd, version };
  const [first, second] = ['0a0a0a0a-1111-4111-8111-0a0a0a0a0a0a', '0b0b0b0b-1111-4111-8111-0b0b0b0b0b0b'];
  const noted = { ...common, ...note, parentUuid: last.uuid ?? null, uuid: first, timestamp: time(1) };
  const message = {
    id: 'msg_planted',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-6',
    content: [{ type: 'text', text: 'I see it' }],
  };
  const answer = { ...common, type: 'assistant', message, parentUuid: first, uuid: second, timestamp: time(2) };
  const pin = { type: 'last-prompt', leafUuid: second, sessionId };
  return joined([...lines, JSON.stringify(noted), JSON.stringify(answer), JSON.stringify(pin)]);
}
