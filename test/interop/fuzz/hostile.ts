// A plausible session → a hostile one: a few lines are damaged in the ways that crashes, syncs, merges, other programs
// and editors damage them.
import type { JsonObject, JsonValue } from '../../../src/base/json/json.ts';
import { plausibleSession } from './plausible.ts';
import { Dice, textBlock } from './session-writer.ts';

/** Lines of text, since not all of them are JSON any more. */
export function hostileSession(seed: number): string[] {
  const dice = new Dice(seed ^ 0x5bd1e995);
  const entries = plausibleSession(seed);
  const count = 1 + dice.below(4);
  for (let i = 0; i < count; i++) dice.pick(entryDamages)(entries, dice);
  const lines = entries.map((entry) => JSON.stringify(entry));
  if (dice.chance(0.25)) dice.pick(lineDamages)(lines, dice);
  return lines;
}

type Damage<T> = (lines: T[], dice: Dice) => void;

function some(entries: readonly JsonObject[], dice: Dice): JsonObject {
  return dice.pick(entries);
}

function someMessage(entries: readonly JsonObject[], dice: Dice): JsonObject {
  const messages = entries.filter(({ message }) => message !== undefined);
  return messages.length === 0 ? some(entries, dice) : dice.pick(messages);
}

/** Sets or removes a member in place. */
function set(entry: JsonObject, key: string, value: JsonValue | undefined): void {
  const target = entry as Record<string, JsonValue | undefined>; // generated entries are ours to change
  if (value === undefined) delete target[key];
  else target[key] = value;
}

function setInMessage(entry: JsonObject, key: string, value: JsonValue | undefined): void {
  if (typeof entry.message !== 'object' || entry.message === null || Array.isArray(entry.message)) return;
  const message = { ...entry.message } as JsonObject;
  set(message, key, value);
  set(entry, 'message', message);
}

const missing = '99999999-0000-4000-9000-000000000000';
const oddContents: readonly JsonValue[] = [
  [],
  '',
  ' ',
  null,
  [{ text: 'no type' }],
  ['a string'],
  'plain',
  [textBlock('')],
];
const oddTimes: readonly (string | undefined)[] = [
  undefined,
  '',
  'yesterday',
  '2026-04-01T00:00:00.000Z',
  '2027-01-01',
];

const entryDamages: readonly Damage<JsonObject>[] = [
  (entries, dice) => void entries.splice(dice.below(entries.length), entries.length > 2 ? 1 : 0),
  (entries, dice) =>
    void entries.splice(dice.below(entries.length), 0, ...entries.splice(dice.below(entries.length), 1)),
  (entries, dice) => set(some(entries, dice), 'parentUuid', missing),
  (entries, dice) => set(some(entries, dice), 'parentUuid', null),
  (entries, dice) => set(some(entries, dice), 'parentUuid', some(entries, dice).uuid ?? null),
  (entries, dice) => set(some(entries, dice), 'uuid', some(entries, dice).uuid),
  (entries, dice) => set(some(entries, dice), 'timestamp', dice.pick(oddTimes)),
  (entries, dice) => set(some(entries, dice), 'isSidechain', true),
  (entries, dice) => set(some(entries, dice), 'type', dice.pick(['progress', 'news', 'summary'])),
  (entries, dice) => setInMessage(someMessage(entries, dice), 'id', dice.pick([undefined, 'msg_same', ''])),
  (entries, dice) => setInMessage(someMessage(entries, dice), 'model', dice.pick([undefined, '<synthetic>', 'other'])),
  (entries, dice) => setInMessage(someMessage(entries, dice), 'content', dice.pick(oddContents)),
  (entries, dice) => set(someMessage(entries, dice), 'requestId', undefined),
  (entries, dice) => void entries.push({ ...some(entries, dice) }),
  (entries, dice) => {
    const leafUuid = dice.chance(0.8) ? some(entries, dice).uuid : missing;
    const explicit = dice.chance(0.3) ? { explicit: true } : {};
    entries.splice(dice.below(entries.length + 1), 0, {
      type: 'last-prompt',
      leafUuid: leafUuid ?? missing,
      ...explicit,
    });
  },
  (entries, dice) => set(someMessage(entries, dice), 'isMeta', true),
  (entries, dice) => {
    const [head, anchor, tail] = [some(entries, dice), some(entries, dice), some(entries, dice)].map(
      ({ uuid }) => uuid ?? null,
    );
    const boundary = entries.find(({ subtype }) => subtype === 'compact_boundary');
    const segment = { headUuid: head ?? null, anchorUuid: anchor ?? null, tailUuid: tail ?? null };
    if (boundary !== undefined) set(boundary, 'compactMetadata', { trigger: 'auto', preservedSegment: segment });
  },
];

const lineDamages: readonly Damage<string>[] = [
  (lines, dice) =>
    void lines.splice(
      dice.below(lines.length + 1),
      0,
      dice.pick(['not json', '', '[', '{', 'null', '42', '"text"', '[]']),
    ),
  (lines, dice) => {
    const at = dice.below(lines.length);
    lines[at] = `${lines[at]}${lines[at + 1] ?? '{}'}`;
  },
  (lines, dice) => {
    const at = dice.below(lines.length);
    lines[at] = (lines[at] ?? '').slice(0, -1 - dice.below(40));
  },
  (lines, dice) => {
    const at = dice.below(lines.length);
    lines[at] = `${dice.pick(['\u0000\u0000', '  ', 'x', '\uFEFF'])}${lines[at]}`;
  },
];
