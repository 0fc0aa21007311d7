// Sessions of real clients with thinking that the API refuses, one for each cause: doctor finds and names it, the repair leaves
// out what no longer fits and nothing else, and the current client resumes the result without a refusal.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { diagnoseSession } from '../../src/doctor/diagnosis/diagnose.ts';
import { planRepair } from '../../src/doctor/repair/repair.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource } from '../../src/surgery/engine/plan.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { benchWith } from '../support/surgery-kit.ts';
import { tinyImage } from '../support/tiny-images.ts';
import { goOnWith, type Recording, recordRounds, recordTurns, verdictOn } from './bound-recording.ts';

const current = '2.1.325';
const old = '2.1.150';

// biome-ignore lint/suspicious/noExplicitAny: lines of a client, changed in many places
type Line = any;

interface Cause {
  readonly name: string;
  readonly by: typeof current | typeof old;
  readonly poison: (lines: Line[]) => Line[];
  readonly code: 'A-thinking-bound' | 'A-thinking-hole';
  /** How many blocks the repaired session sends. */
  readonly kept: number;
}

const same = (lines: Line[]): Line[] => lines;

/** Changes the lines that hold this text. */
const saying =
  (words: string, other: string) =>
  (lines: Line[]): Line[] =>
    lines.map((line) =>
      line.message === undefined || line.uuid === undefined
        ? line
        : JSON.parse(JSON.stringify(line).replace(words, other)),
    );

/** Changes the snapshot that counts: the last one. */
const snapshot =
  (change: (content: Line) => void) =>
  (lines: Line[]): Line[] => {
    change(lines.findLast(({ attachment }) => attachment?.type === 'prompt_snapshot').attachment);
    return lines;
  };

/** Takes lines out of the chain; their children hang on the line above. */
function without(lines: Line[], gone: readonly Line[]): Line[] {
  const parents = new Map(gone.map(({ uuid, parentUuid }) => [uuid, parentUuid]));
  const parentOf = (uuid: unknown): unknown => (parents.has(uuid) ? parentOf(parents.get(uuid)) : uuid);
  return lines
    .filter((line) => !gone.includes(line))
    .map((line) => (line.uuid === undefined ? line : { ...line, parentUuid: parentOf(line.parentUuid) }));
}

const holds = (line: Line, words: string): boolean => JSON.stringify(line.message ?? {}).includes(words);

/** The lines of a turn, from the prompt with this marker to before the next prompt. */
function turn(lines: Line[], marker: string): Line[] {
  const linked = lines.filter(({ uuid }) => uuid !== undefined);
  const start = linked.findIndex((line) => holds(line, marker));
  const end = linked.findIndex((line, i) => i > start && line.type === 'user' && holds(line, '[['));
  return linked.slice(start, end);
}

function moved(lines: Line[]): Line[] {
  const [three, four] = [turn(lines, '[[three]]'), turn(lines, '[[four]]')];
  const after = lines.find(({ parentUuid }) => parentUuid === four.at(-1).uuid);
  const before = three[0].parentUuid;
  after.parentUuid = three.at(-1).uuid;
  three[0].parentUuid = four.at(-1).uuid;
  four[0].parentUuid = before;
  return lines;
}

const thinkingLine = (lines: Line[], name: string): Line =>
  lines.find(({ message }) => message?.content?.[0]?.thinking === name);

const picture = tinyImage('png', 17, 17).toString('base64');

const causes: readonly Cause[] = [
  {
    name: 'the system prompt changed',
    by: current,
    poison: snapshot((content) => {
      content.systemPrompt[0] += ' Be brief.';
    }),
    code: 'A-thinking-bound',
    kept: 0,
  },
  {
    name: 'a tool description changed',
    by: current,
    poison: snapshot((content) => {
      const tool = content.tools.find((each: Line) => each.name === 'Bash');
      tool.description += ' Carefully.';
      tool.schema.description += ' Carefully.';
    }),
    code: 'A-thinking-bound',
    kept: 0,
  },
  {
    name: 'a parameter added to a tool',
    by: current,
    poison: snapshot((content) => {
      const tool = content.tools.find((each: Line) => each.name === 'Read');
      tool.schema.input_schema.properties.extra = { type: 'string' };
    }),
    code: 'A-thinking-bound',
    kept: 0,
  },
  {
    name: 'the first prompt worded again',
    by: current,
    poison: saying('Explain the parser.', 'Explain the printer.'),
    code: 'A-thinking-bound',
    kept: 0,
  },
  {
    name: 'a result cut',
    by: current,
    poison: saying('\\n20\\n21\\n', '\\n'),
    code: 'A-thinking-bound',
    kept: 2,
  },
  { name: 'an input changed', by: current, poison: saying('seq 1 400', 'seq 1 40'), code: 'A-thinking-bound', kept: 2 },
  {
    name: 'an image encoded again',
    by: current,
    poison: saying(tinyImage('png', 16, 16).toString('base64'), picture),
    code: 'A-thinking-bound',
    kept: 4,
  },
  {
    name: 'a text block added',
    by: current,
    poison: saying(
      '{"type":"text","text":"All pass."}',
      '{"type":"text","text":"All pass."},{"type":"text","text":"!"}',
    ),
    code: 'A-thinking-bound',
    kept: 3,
  },
  {
    name: 'a turn dropped',
    by: current,
    poison: (lines) => without(lines, turn(lines, '[[two]]')),
    code: 'A-thinking-bound',
    kept: 1,
  },
  { name: 'a turn moved', by: current, poison: moved, code: 'A-thinking-bound', kept: 3 },
  {
    name: 'a hole in the middle',
    by: current,
    poison: (lines) => without(lines, [thinkingLine(lines, 'b5')]),
    code: 'A-thinking-hole',
    kept: 4,
  },
  { name: 'the system prompt of an old client', by: old, poison: same, code: 'A-thinking-bound', kept: 0 },
  {
    name: 'a result cut, old client',
    by: old,
    poison: saying('\\n20\\n21\\n', '\\n'),
    code: 'A-thinking-bound',
    kept: 0,
  },
  {
    name: 'a hole in the middle, old client',
    by: old,
    poison: (lines) => without(lines, [thinkingLine(lines, 'b4')]),
    code: 'A-thinking-bound',
    kept: 0,
  },
];

const linesOf = (bytes: Buffer): Line[] =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const bytesOf = (lines: readonly Line[]): Buffer =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

test(
  'poisoned sessions: found, named, repaired and resumed without a refusal',
  { concurrency: availableParallelism() + 1 },
  async (t) => {
    const [turns, rounds] = await Promise.all([recordTurns(current), recordRounds(old)]);
    const stripped = await strippedAndBack(turns);
    const putBack = {
      name: 'thinking put back',
      by: current,
      poison: same,
      code: 'A-thinking-bound',
      kept: 9,
    } as const;
    await Promise.all(
      // Half of the causes; all of them with CLEW_LONG=1.
      [...shareOf(causes, 0, 2), putBack].map((cause) =>
        t.test(cause.name, async (context) => {
          const recording = cause === putBack ? stripped : cause.by === current ? turns : rounds;
          const poisoned = cause.poison(linesOf(recording.bytes));
          const bench = benchWith(context, recording.sessionId, bytesOf(poisoned));
          assert.ok((await verdictOn(current, bench.main)).refused.length > 0, 'the API would take it');
          const source = await loadSource(bench.main);
          const diagnosis = await diagnoseSession(source.session);
          const codes = diagnosis.findings.map(({ code }) => code).filter((code) => code.startsWith('A-thinking'));
          assert.deepEqual(codes, [cause.code]);
          const plan = await planRepair(source, diagnosis);
          assert.ok(plan !== undefined, 'no repair is planned');
          const { to } = await operate(plan, [source], { env: bench.env });
          assert.deepEqual(await verdictOn(current, to.path), { sent: cause.kept, refused: [], requests: 1 });
        }),
      ),
    );
  },
);

/** The client continues after a mark that hides all thinking, and then the mark is removed. */
async function strippedAndBack(recording: Recording): Promise<Recording> {
  const lines = linesOf(recording.bytes);
  const leaf = lines.findLast(({ type }) => type === 'assistant');
  const { message: _, requestId: __, requestRef: ___, ...envelope } = leaf;
  const uuid = 'dddddddd-1111-4111-8111-dddddddddddd';
  const mark = {
    ...envelope,
    type: 'attachment',
    attachment: { type: 'thinking_stripped', scope: 'all' },
    uuid,
    parentUuid: leaf.uuid,
  };
  const marked = [...lines, mark, { type: 'last-prompt', leafUuid: uuid, sessionId: recording.sessionId }];
  const wentOn = linesOf((await goOnWith(current, { ...recording, bytes: bytesOf(marked) })).bytes);
  return {
    ...recording,
    bytes: bytesOf(
      without(
        wentOn,
        wentOn.filter((line) => line.uuid === uuid),
      ),
    ),
  };
}
