// Random transcripts for property tests: any parents (missing ones, cycles, later lines), repeated uuids, message and
// tool ids, side lines, notes, compactions that keep a part, pins and queues.
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';
import { type TranscriptBuilder, text, thinking, toolResult, toolUse, transcript } from './transcript-builder.ts';

interface Step {
  readonly kind: (typeof kinds)[number];
  readonly uuid: number;
  readonly parent: number;
  readonly ids: readonly number[];
  readonly texts: readonly string[];
  readonly flags: number;
  readonly pause: number;
}

const kinds = [
  'prompt',
  'string',
  'answer',
  'answer',
  'call',
  'call',
  'result',
  'result',
  'thinking',
  'mixed',
  'system',
  'local',
  'attachment',
  'progress',
  'boundary',
  'summary',
  'api-error',
  'meta',
  'broken',
  'pin',
  'queue',
] as const;

const sayings = ['', ' ', 'hello', '(no content)', '<command-name>/x</command-name>', '[Request interrupted by user]'];

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  uuid: fc.nat(19),
  parent: fc.nat(19),
  ids: fc.array(fc.nat(6), { minLength: 3, maxLength: 3 }),
  texts: fc.array(fc.constantFrom(...sayings), { minLength: 1, maxLength: 3 }),
  flags: fc.nat(63),
  pause: fc.constantFrom(0, 1, 1000, 4999, 6000, -3000),
});

export const randomTranscript: fc.Arbitrary<TranscriptBuilder> = fc
  .array(step, { maxLength: 30 })
  // Printed as a file if a property fails.
  .map((steps) => build(steps))
  .map((builder) => Object.assign(builder, { [fc.toStringMethod]: () => `\n${builder.text()}` }));

function build(steps: readonly Step[]): TranscriptBuilder {
  const builder = transcript();
  const uuids: string[] = [];
  for (const [i, each] of steps.entries()) {
    const uuid = each.uuid === 0 ? (uuids[each.parent % (i + 1)] ?? `n${i}`) : `n${i}`;
    add(
      builder.after(each.pause),
      each,
      {
        uuid: each.uuid === 1 ? undefined : uuid,
        ...parentOf(each, uuids),
        ...(each.flags % 8 === 7 ? { isSidechain: true } : {}),
        ...(each.flags === 48 ? { timestamp: 'never' } : {}),
      },
      uuids,
    );
    uuids.push(uuid);
  }
  return builder;
}

/** Mostly the line before; else any line, a later one, none, or one that is not in the file. */
function parentOf({ parent }: Step, uuids: readonly string[]): { parentUuid?: string | null } {
  if (parent < 12) return {};
  if (parent < 16) return { parentUuid: uuids[(parent * 7) % Math.max(1, uuids.length)] ?? null };
  if (parent === 16) return { parentUuid: `n${uuids.length + 1}` };
  if (parent === 17) return { parentUuid: 'missing' };
  return parent === 18 ? { parentUuid: null } : {};
}

function add(
  builder: TranscriptBuilder,
  { kind, ids, texts, flags }: Step,
  fields: { readonly [key: string]: JsonValue | undefined },
  uuids: readonly string[],
): TranscriptBuilder {
  const [a = 0, b = 0, c = 0] = ids;
  const said = texts.map(text);
  const first = texts[0] ?? '';
  const message: JsonObject = { id: flags < 4 ? undefined : `m${a}` };
  switch (kind) {
    case 'prompt':
      return builder.user(said, fields);
    case 'string':
      return builder.user(first, fields);
    case 'answer':
      return builder.assistant(said, { ...fields, message });
    case 'call':
      return builder.assistant([toolUse(`t${b}`, flags % 2 ? 'Task' : 'Read')], { ...fields, message });
    case 'mixed':
      return builder.assistant([...said, toolUse(`t${b}`), thinking('hm'), toolUse(`t${c}`)], { ...fields, message });
    case 'thinking':
      return builder.assistant([thinking('hm', flags % 3 ? 'sig' : '')], { ...fields, message });
    case 'result':
      return builder.user(
        [...[...new Set([b, c])].map((id) => toolResult(`t${id}`)), ...(flags % 5 ? [] : said)],
        fields,
      );
    case 'system':
      return builder.system('informational', fields);
    case 'local':
      return builder.system('local_command', { ...fields, content: first });
    case 'attachment':
      return builder.attachment('file', flags % 2 ? ['<system-reminder>x</system-reminder>'] : undefined, fields);
    case 'progress':
      return builder.progress(fields);
    case 'boundary':
      return builder.boundary(keeping(ids, flags, uuids), fields);
    case 'summary':
      return builder.summary('so far', fields);
    case 'api-error':
      return builder.assistant(said, {
        ...fields,
        isApiErrorMessage: true,
        message: { ...message, model: '<synthetic>' },
      });
    case 'meta':
      return builder.user(first, { ...fields, isMeta: true });
    case 'broken':
      return builder.user([null, 'no block'], fields);
    case 'pin':
      return builder.lastPrompt(uuids[a] ?? 'unknown', { explicit: flags % 2 === 0 });
    case 'queue':
      return builder.queue(['enqueue', 'dequeue', 'remove', 'popAll'][flags % 4] ?? '', flags % 3 ? first : undefined);
  }
}

function keeping(ids: readonly number[], flags: number, uuids: readonly string[]): JsonObject {
  const [head, tail, anchor] = ids.map((id) => uuids.at(-1 - id));
  if (flags % 3 === 0) return { trigger: 'auto' };
  if (flags % 3 === 1) return { preservedSegment: { headUuid: head, tailUuid: tail, anchorUuid: anchor } };
  return { preservedMessages: { uuids: [head ?? '', tail ?? ''], anchorUuid: anchor } };
}
