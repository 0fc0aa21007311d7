// Plants damage: a healthy transcript comes in, the same with one or more classes of damage goes out, with the codes that
// doctor has to find. One function a class; those that change lines take lines that no other one has taken, those that
// add lines hang them on the end, so that any choice of classes can be planted together.
import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import type { DamageCode } from '../../src/doctor/checks/finding.ts';
import { isLink, PlantFile, type Random } from './plant-file.ts';
import { tinyImage } from './tiny-images.ts';

export interface Planted {
  readonly bytes: Buffer;
  readonly codes: readonly DamageCode[];
}

/** Plants these classes in an order in which none hides another; those that find no place are left out. */
export function plantDamage(healthy: Buffer, wanted: readonly DamageCode[], random: Random): Planted {
  const file = new PlantFile(healthy, random);
  // A file that is not resumed sends nothing that the API could reject.
  const isSent = !wanted.includes('G-refused') && !wanted.includes('G-retracted') && !wanted.includes('L-utf16');
  const possible = order.filter((code) => wanted.includes(code) && (isSent || !code.startsWith('A-')));
  const graph = possible.filter((code) => !code.startsWith('L-'));
  const lines = possible.filter((code) => code.startsWith('L-'));
  const plant = (code: DamageCode): boolean => plants[code]?.(file) === true;
  const inGraph = graph.filter(plant);
  // A pin from before would hold the resume at a line that the new ones no longer hang on.
  if (file.isPinned() && !inGraph.includes('G-lost-leaf')) file.pin(file.tail().uuid ?? null);
  return { codes: [...inGraph, ...lines.filter(plant)], bytes: file.bytes() };
}

/** Whether there is a conversation to plant damage in: a few turns, with an answer that a model gave. */
export function isFertile(healthy: Buffer): boolean {
  const file = new PlantFile(healthy, () => 0);
  const chain = file.chain().map((line) => file.entry(line));
  const answers = chain.filter((entry) => entry.type === 'assistant' && entry.isApiErrorMessage !== true);
  return answers.length >= 2 && chain.slice(1).some((entry) => entry.type === 'user');
}

/** In the order of planting. */
const order: readonly DamageCode[] = [
  'G-replayed',
  'G-phantom-parent',
  'G-progress-fork',
  'G-cycle',
  'G-duplicate-uuid',
  'G-foreign',
  'G-boundary-parent',
  'G-parallel-lost',
  'A-role-order',
  'A-unanswered-tool',
  'A-orphan-result',
  'A-duplicate-tool-id',
  'A-thinking-altered',
  'A-thinking-last',
  'A-image-size',
  'A-empty-text',
  'A-error-echo',
  'A-too-long',
  'G-retracted',
  'G-lost-leaf',
  'G-no-root',
  'G-refused',
  'L-wrapped',
  'L-split',
  'L-quoted',
  'L-spliced',
  'L-joined',
  'L-nul',
  'L-utf8',
  'L-surrogate',
  'L-not-json',
  'L-torn-tail',
  'L-no-newline',
  'L-crlf',
  'L-bom',
  'L-utf16',
];

/** Every class that is planted into the bytes of a transcript; those of folders are planted on disk. */
export const plantedCodes: readonly DamageCode[] = order;

type Plant = (file: PlantFile) => boolean;

const plants: Readonly<Partial<Record<DamageCode, Plant>>> = {
  'G-replayed': (file) => {
    const chain = file.free().map((line) => file.entry(line));
    if (!chain.some((entry) => entry.type === 'assistant')) return false;
    let parentUuid: JsonValue = null;
    for (const entry of chain)
      parentUuid = file.append(String(entry.type), { ...fresh(file, entry), parentUuid }).uuid ?? null;
    file.pin(parentUuid);
    return true;
  },
  'G-phantom-parent': (file) => change(file, (entry) => ({ ...entry, parentUuid: file.uuid() })),
  'G-progress-fork': (file) => {
    const line = file.take();
    if (line === undefined) return false;
    const entry = file.entry(line);
    const { parentUuid = null, sessionId = null, timestamp = null } = entry;
    const progress = {
      parentUuid,
      isSidechain: false,
      type: 'progress',
      uuid: file.uuid(),
      timestamp,
      sessionId,
      data: { type: 'hook_progress' },
    };
    file.set(line, { ...entry, parentUuid: progress.uuid });
    file.insertAfter(line, Buffer.from(JSON.stringify(progress)));
    return true;
  },
  'G-cycle': (file) => {
    const [first, ...rest] = file.free();
    const last = rest.at(-2); // not the leaf, or every line would descend from it
    if (first === undefined || last === undefined) return false;
    last.isTaken = true;
    file.set(first, { ...file.entry(first), parentUuid: file.entry(last).uuid ?? null });
    return true;
  },
  'G-duplicate-uuid': (file) => {
    const line = file.take();
    if (line === undefined) return false;
    const entry = file.entry(line);
    const message = {
      ...(isObject(entry.message) ? entry.message : {}),
      content: [{ type: 'text', text: 'something else' }],
    };
    file.insertAfter(line, Buffer.from(JSON.stringify({ ...entry, message })));
    return true;
  },
  'G-foreign': (file) => {
    const line = file.take();
    if (line === undefined) return false;
    const { timestamp = null } = file.entry(line);
    const common = { isSidechain: false, timestamp, sessionId: file.uuid() };
    const asked = {
      ...common,
      parentUuid: null,
      type: 'user',
      uuid: file.uuid(),
      message: { role: 'user', content: 'elsewhere' },
    };
    const answer = {
      id: `msg_${file.uuid()}`,
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text: 'there' }],
    };
    const answered = { ...common, parentUuid: asked.uuid, type: 'assistant', uuid: file.uuid(), message: answer };
    file.insertBefore(line, Buffer.from(JSON.stringify(asked)));
    file.insertBefore(line, Buffer.from(JSON.stringify(answered)));
    return true;
  },
  'G-boundary-parent': (file) => {
    file.append('system', {
      subtype: 'compact_boundary',
      parentUuid: null,
      logicalParentUuid: file.uuid(),
      compactMetadata: { trigger: 'auto' },
    });
    return talk(file);
  },
  'G-parallel-lost': (file) => {
    const id = `msg_${file.uuid()}`;
    const [one, two] = [callId(file), callId(file)];
    const message = { id, role: 'assistant', model: file.model() };
    const first = file.append('assistant', { message: { ...message, content: [use(one)] } });
    file.append('assistant', { message: { ...message, content: [use(two)] } });
    const second = file.user([result(two)]);
    file.user([result(one)], { parentUuid: first.uuid ?? null });
    file.assistant([text('both done')], { parentUuid: second.uuid ?? null });
    return true;
  },
  'A-role-order': (file) => {
    const name = 'not a tool name';
    const id = callId(file);
    file.assistant([{ type: 'tool_use', id, name, input: {} }]);
    file.user([result(id)]);
    return talk(file);
  },
  'A-unanswered-tool': (file) => {
    file.assistant([use(callId(file))]);
    return talk(file);
  },
  'A-orphan-result': (file) => {
    file.user([result(callId(file))]);
    return talk(file);
  },
  'A-duplicate-tool-id': (file) => {
    const id = callId(file);
    for (let i = 0; i < 2; i++) {
      file.assistant([use(id)]);
      file.user([result(id)]);
    }
    return talk(file);
  },
  'A-thinking-altered': (file) => {
    file.user('think');
    file.assistant([{ type: 'thinking', thinking: 'so', signature: '' }, text('thought')]);
    return talk(file);
  },
  'A-thinking-last': (file) => {
    file.user('think again');
    file.assistant([text('said'), { type: 'thinking', thinking: 'so', signature: 'c2lnbmVk' }]);
    return talk(file);
  },
  'A-image-size': (file) => {
    file.user([
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: tinyImage('png', 9000, 10).toString('base64') },
      },
    ]);
    return talk(file);
  },
  'A-empty-text': (file) => {
    file.user([text(''), text('empty before')]);
    return talk(file);
  },
  'A-error-echo': (file) => {
    apiError(file, 'API Error: 500');
    return talk(file);
  },
  'A-too-long': (file) => {
    file.user('more');
    apiError(file, 'Prompt is too long');
    return true;
  },
  'G-lost-leaf': (file) => {
    const [before, last] = file.chain().slice(-2);
    if (before === undefined || last === undefined) return false;
    before.isTaken = true;
    last.isTaken = true;
    file.user('newer work', { parentUuid: file.entry(before).uuid ?? null });
    talk(file);
    file.pin(file.entry(last).uuid ?? null);
    return true;
  },
  'G-retracted': (file) => {
    file.user('too much');
    const refused = file.assistant([text('I do not')]);
    const retractedMessageUuids = [refused.uuid ?? null];
    file.append('system', {
      subtype: 'model_refusal_fallback',
      content: 'Another model goes on.',
      retractedMessageUuids,
    });
    file.assistant([text('gone on')]);
    return true;
  },
  'G-no-root': (file) => {
    for (const line of file.lines) {
      const entry = file.entry(line);
      if (isLink(entry) && typeof entry.parentUuid !== 'string') file.set(line, { ...entry, parentUuid: file.uuid() });
    }
    return true;
  },
  'G-refused': (file) => {
    if (file.isPinned()) return false;
    const last = file.assistant([text('when?')]);
    const line = file.lines.find((each) => file.entry(each).uuid === last.uuid);
    if (line !== undefined) file.set(line, { ...last, timestamp: 'yesterday' });
    return true;
  },
  'L-wrapped': (file) => {
    // Records of more than 2,000 lines, as with a large image, are not put together again.
    const line = file.take(({ bytes }) => bytes.length < 60 * 2000);
    if (line === undefined) return false;
    // As a program does that breaks long lines.
    const { bytes } = line;
    for (let at = Math.floor((bytes.length - 1) / 60) * 60; at > 0; at -= 60)
      file.insertAfter(line, bytes.subarray(at, at + 60));
    line.bytes = bytes.subarray(0, 60);
    return true;
  },
  'L-split': (file) => {
    const line = file.take((each) => file.lineAfter(each)?.isTaken === false);
    const next = line === undefined ? undefined : file.lineAfter(line);
    if (line === undefined || next === undefined) return false;
    next.isTaken = true;
    const cut = Math.floor(line.bytes.length * (0.2 + 0.6 * file.random()));
    const rest = line.bytes.subarray(cut);
    line.bytes = Buffer.concat([line.bytes.subarray(0, cut), next.bytes]);
    next.bytes = rest;
    return true;
  },
  'L-quoted': (file) => {
    const line = file.take();
    if (line !== undefined) line.bytes = Buffer.from(JSON.stringify(line.bytes.toString('utf8')));
    return line !== undefined;
  },
  'L-utf16': (file) => {
    // There the mark is part of the encoding, bytes that are not UTF-8 cannot be encoded, and a file that is not read hides damage of its graph.
    if (file.hasBom || !isUtf8(file.bytes()) || file.lines.some(({ isTaken }) => isTaken)) return false;
    file.encoding = file.random() < 0.5 ? 'utf16le' : 'utf16be';
    return true;
  },
  'L-spliced': (file) => {
    const line = file.take();
    if (line === undefined) return false;
    const cut = line.bytes.subarray(0, Math.floor(line.bytes.length * (0.2 + 0.6 * file.random())));
    line.bytes = Buffer.concat([cut, line.bytes]);
    return true;
  },
  'L-joined': (file) => {
    const line = file.take((each) => file.lineAfter(each)?.isTaken === false);
    const next = line === undefined ? undefined : file.lineAfter(line);
    if (line === undefined || next === undefined) return false;
    line.bytes = Buffer.concat([line.bytes, next.bytes]);
    file.lines.splice(file.lines.indexOf(next), 1);
    return true;
  },
  'L-nul': (file) => {
    const line = file.take();
    if (line === undefined) return false;
    line.bytes = Buffer.concat([Buffer.alloc(16), line.bytes]);
    return true;
  },
  'L-utf8': (file) => withNote(file, Buffer.from([0xff])),
  'L-surrogate': (file) => withNote(file, Buffer.from('\\ud800')),
  'L-not-json': (file) => {
    const line = file.take();
    if (line === undefined) return false;
    file.insertAfter(line, Buffer.from('<<<<<<< HEAD'));
    return true;
  },
  'L-torn-tail': (file) => {
    file.assistant([text('this one was never finished')]);
    const line = file.lines.at(-1);
    if (line === undefined) return false;
    line.bytes = line.bytes.subarray(0, line.bytes.length - 12);
    file.isTerminated = false;
    return true;
  },
  'L-no-newline': (file) => {
    const wasTerminated = file.isTerminated;
    file.isTerminated = false;
    return wasTerminated;
  },
  'L-crlf': (file) => {
    file.ending = '\r\n';
    return file.lines.length > 1;
  },
  'L-bom': (file) => {
    file.hasBom = true;
    return true;
  },
};

function change(file: PlantFile, edit: (entry: JsonObject) => JsonObject): boolean {
  const line = file.take();
  if (line !== undefined) file.set(line, edit(file.entry(line)));
  return line !== undefined;
}

/** A turn after the planted damage, so that it is not at the end. */
function talk(file: PlantFile): boolean {
  file.user('go on');
  file.assistant([text('gone on')]);
  return true;
}

function apiError(file: PlantFile, says: string): void {
  const message = { id: file.uuid(), role: 'assistant', model: '<synthetic>', content: [text(says)] };
  file.append('assistant', { message, isApiErrorMessage: true });
}

function withNote(file: PlantFile, bytes: Buffer): boolean {
  const line = file.take();
  if (line === undefined) return false;
  line.bytes = Buffer.concat([Buffer.from('{"note":"'), bytes, Buffer.from('",'), line.bytes.subarray(1)]);
  return true;
}

function fresh(file: PlantFile, entry: JsonObject): JsonObject {
  const { parentUuid, timestamp, ...rest } = entry;
  return { ...rest, uuid: file.uuid() };
}

function callId(file: PlantFile): string {
  return `toolu_${file.uuid().replaceAll('-', '').slice(0, 24)}`;
}

function use(id: string): JsonObject {
  return { type: 'tool_use', id, name: 'Read', input: { file_path: '/w/x' } };
}

function result(id: string): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content: 'out' };
}

function text(content: string): JsonObject {
  return { type: 'text', text: content };
}
