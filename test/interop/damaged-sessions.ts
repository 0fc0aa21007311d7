// Damaged sessions for the question whether a repair ever makes it worse: real and public sessions with one to three
// classes of damage from a seed, and the comparison of what the client sends for the damaged and the repaired file.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { asString, isArray, isObject, type JsonObject } from '../../src/base/json/json.ts';
import type { NormalMessage } from '../../src/session/resume/messages/normalise.ts';
import { corpusFolder } from '../support/corpus.ts';
import { healthyFiles } from '../support/healthy.ts';
import { filesBelow } from '../support/paths.ts';
import { isFertile, plantDamage, plantedCodes } from '../support/plant.ts';
import { moreDamage } from '../support/plant-more.ts';
import { seededRandom } from '../support/seeded-random.ts';

export interface DamagedSession {
  readonly name: string;
  readonly sessionId: string;
  readonly bytes: Buffer;
}

const maxBytes = 150_000;
const named = '5e5e5e5e-1111-4111-8111-5e5e5e5e5e5e';

/** Sessions of the real client and of other projects with a conversation in them. */
function soundFiles(): readonly string[] {
  const published = filesBelow(path.join(corpusFolder, 'corpus/public'), '.jsonl').filter(
    (file) => !file.includes('/subagents/') && !path.basename(file).startsWith('agent-'),
  );
  return [...healthyFiles(), ...published].filter((file) => {
    const bytes = readFileSync(file);
    return bytes.length < maxBytes && isFertile(bytes);
  });
}

/**
 * `A-too-long` is not repaired but stripped, and a session that is too long is compacted before it is sent. The encodings
 * are among `moreDamage`.
 */
const codes = plantedCodes.filter((code) => code !== 'A-too-long' && code !== 'L-utf16');
const classes: readonly string[] = [...codes, ...Object.keys(moreDamage)];

/** Every class is in turn the first one of a session; one or two more are drawn. */
export function damagedSessions(count: number): readonly DamagedSession[] {
  const files = soundFiles();
  return Array.from({ length: count }, (_, i) => {
    const random = seededRandom(7000 + i);
    const file = files[Math.floor(random() * files.length)] ?? '';
    const wanted = new Set([classes[(i * 11) % classes.length] ?? '']);
    for (let more = Math.floor(random() * 3); more > 0; more--)
      wanted.add(classes[Math.floor(random() * classes.length)] ?? '');
    const planted = plantDamage(
      readFileSync(file),
      codes.filter((code) => wanted.has(code)),
      random,
    );
    let { bytes } = planted;
    const further = Object.entries(moreDamage).filter(([name]) => wanted.has(name));
    // A file has one encoding.
    const encodings = further.filter(([name]) => name.startsWith('utf16'));
    for (const [name, damage] of further)
      if (!name.startsWith('utf16') || name === encodings[0]?.[0]) bytes = damage(bytes, random);
    const name = `#${i} ${[...planted.codes, ...further.map(([each]) => each)].join(' ')} in ${path.basename(file)}`;
    return { name, sessionId: named, bytes };
  });
}

/** What the client itself adds. */
const made =
  /^\[Tool call interrupted|^No response requested\.$|^\[Tool result missing|^\[Orphaned tool result|^\(no content\)$|^\[Tool use interrupted\]$/;

interface Said {
  readonly calls: readonly string[];
  readonly texts: readonly string[];
}

function saidIn(messages: readonly NormalMessage[]): Said {
  const blocks = messages.flatMap(({ content }) => content);
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ name, input }) => JSON.stringify([nameOf(name), input]));
  return { calls, texts: blocks.flatMap(textsOf).filter((text) => text !== '' && !made.test(text)) };
}

/** A repair gives a call whose name the API does not take another one. */
function nameOf(name: unknown): string {
  return String(name).replace(/[^a-zA-Z0-9_-]/g, '_');
}

function textsOf(block: JsonObject): readonly string[] {
  if (block.type === 'text') return [asString(block.text)?.trim() ?? ''];
  if (block.type !== 'tool_result') return [];
  if (typeof block.content === 'string') return [block.content.trim()];
  return isArray(block.content) ? block.content.filter(isObject).flatMap(textsOf) : [];
}

/** What the first request says and the second does not. A result may have become a part of a longer text. */
export function missingIn(after: readonly NormalMessage[], before: readonly NormalMessage[]): readonly string[] {
  const [now, then] = [saidIn(after), saidIn(before)];
  const calls = new Set(now.calls);
  const exact = new Set(now.texts);
  const all = now.texts.join('\n\0\n');
  return [
    ...then.calls.filter((call) => !calls.has(call)),
    ...then.texts.filter((text) => !exact.has(text) && !all.includes(text)),
  ];
}
