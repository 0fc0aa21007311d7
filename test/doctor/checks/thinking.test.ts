// Thinking that the API would refuse is found, by the client's copies of requests where the file has them and by the lines
// elsewhere, and both repairs make the session send none of it. The table is written by hand; the fake API judges the repairs.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { type Diagnosis, diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { planMark } from '../../../src/doctor/repair/mark.ts';
import { planRepair } from '../../../src/doctor/repair/repair.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource, type Source } from '../../../src/surgery/engine/plan.ts';
import { BoundWriter, boundSessionId, text } from '../../support/bound-session.ts';
import { judge, judgeLines, linesOf } from '../../support/bound-thinking.ts';
import { type Bench, benchWith } from '../../support/surgery-kit.ts';

type Json = Record<string, unknown>;

/** Four blocks: a turn, a turn with a call, a turn. */
function session(options: { model?: string; snapshot?: boolean } = {}): Json[] {
  const writer = new BoundWriter(options.model === undefined ? {} : { model: options.model }).user('Begin.');
  if (options.snapshot !== false) writer.note({ type: 'prompt_snapshot', systemPrompt: ['Help.'], cliPrefix: 'cli' });
  return writer
    .answer('th1', text('Yes.'))
    .user('Run it.')
    .answer('th2', { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } })
    .result('toolu_1', 'a.txt')
    .answer('th3', text('One file.'))
    .user('Thanks.')
    .answer('th4', text('Welcome.')).lines;
}

/** The copies of requests that the client writes: before each answer the hashes of all messages, the new ones in `tail`. */
function withRecords(lines: readonly Json[]): Json[] {
  const out: Json[] = [];
  const sent: { role: string; id: unknown; content: Json[] }[] = [];
  let base: string | null = null;
  let keep = 0;
  let current: unknown;
  for (const line of lines) {
    const message = line.message as { role: string; id?: string; content: string | Json[] } | undefined;
    if (message?.role === 'assistant' && message.id !== current) {
      current = message.id;
      const hashes = sent.map(({ role, content }) => hashOf({ content, role }));
      const id = `request-${String(message.id)}`;
      out.push({ type: 'api-request', sessionId: boundSessionId, id, base, keep, tail: hashes.slice(keep) });
      base = id;
      keep = hashes.length;
    }
    out.push(message?.role === 'assistant' ? { ...line, requestRef: `request-${String(message.id)}` } : line);
    if (message === undefined) continue;
    const content = typeof message.content === 'string' ? [{ text: message.content, type: 'text' }] : message.content;
    const open = sent.at(-1);
    if (open !== undefined && open.role === message.role && open.id === message.id) open.content.push(...content);
    else sent.push({ role: message.role, id: message.id, content: [...content] });
  }
  return out;
}

function hashOf(value: unknown): string {
  const sorted = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(sorted);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(
      Object.keys(each)
        .sort()
        .map((key) => [key, sorted((each as Json)[key])]),
    );
  };
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
}

const lineOf = (lines: readonly Json[], name: string): Json => {
  const found = lines.find(
    (line, i) => line.type === 'assistant' && judgeLines(lines.slice(0, i + 1)).sent.at(-1) === name,
  );
  assert.ok(found !== undefined, name);
  return found;
};

function without(lines: readonly Json[], gone: Json): Json[] {
  return lines
    .filter((line) => line !== gone)
    .map((line) => (line.parentUuid === gone.uuid ? { ...line, parentUuid: gone.parentUuid } : line));
}

function saying(lines: readonly Json[], words: string, other: string): Json[] {
  const changed = lines.map((line) =>
    line.message === undefined ? line : (JSON.parse(JSON.stringify(line).replace(words, other)) as Json),
  );
  assert.notDeepEqual(changed, lines);
  return changed;
}

function noted(lines: readonly Json[], attachment: Json): Json[] {
  return new BoundWriter({ lines: [...lines] }).note(attachment).lines;
}

interface Row {
  readonly name: string;
  readonly lines: () => Json[];
  readonly codes: readonly string[];
  /** What is left of the four blocks once it is repaired; none where there is nothing to repair. */
  readonly left?: readonly string[];
}

const recorded = (options = {}): Json[] => withRecords(session(options));

const bash = { name: 'Bash', description: 'Runs a command.' };

/** With the copy of the system prompt and the tools that the client keeps, and `changed` in the snapshot on the chain. */
function shaped(changed: Json = {}): Json[] {
  const shape = {
    system: [
      { type: 'text', text: 'cli' },
      { type: 'text', text: 'Help.' },
    ],
    tools: [bash],
  };
  const copy = { type: 'api-request-shape', sessionId: boundSessionId, shapeHash: hashOf(shape), shape };
  const lines = recorded().map((line) => {
    if (line.type === 'api-request') return { ...line, shapeHash: hashOf(shape) };
    const attachment = line.attachment as Json | undefined;
    if (attachment?.type !== 'prompt_snapshot') return line;
    return { ...line, attachment: { ...attachment, tools: [{ ...bash, schema: bash }], ...changed } };
  });
  return [copy, ...lines];
}

const rows: readonly Row[] = [
  { name: 'a sound session with a copy of its prompt', lines: shaped, codes: [] },
  {
    name: 'another system prompt than the copy',
    lines: () => shaped({ systemPrompt: ['Help well.'] }),
    codes: ['loss A-thinking-bound'],
    left: [],
  },
  {
    name: 'another description of a tool than the copy',
    lines: () => shaped({ tools: [{ ...bash, schema: { ...bash, description: 'Runs it.' } }] }),
    codes: ['loss A-thinking-bound'],
    left: [],
  },
  {
    name: 'a tool that the copy does not have',
    lines: () => shaped({ tools: [{ name: 'Read', schema: { name: 'Read' } }] }),
    codes: ['loss A-thinking-bound'],
    left: [],
  },
  {
    name: 'a session of a client that kept no copy of its prompt',
    lines: () => session({ snapshot: false }).map((line) => ({ ...line, version: '2.1.150' })),
    codes: ['loss A-thinking-bound'],
    left: [],
  },
  { name: 'a sound session with records', lines: recorded, codes: [] },
  { name: 'a sound session without records', lines: session, codes: [] },
  {
    name: 'a result that was changed',
    lines: () => saying(recorded(), '"content":"a.txt"', '"content":"b.txt"'),
    codes: ['loss A-thinking-bound'],
    left: ['th1', 'th2'],
  },
  {
    name: 'a first prompt that was changed',
    lines: () => saying(recorded(), 'Begin.', 'Start.'),
    codes: ['loss A-thinking-bound'],
    left: [],
  },
  {
    name: 'an input of a call that was changed',
    lines: () => saying(recorded(), '"command":"ls"', '"command":"ls -l"'),
    codes: ['loss A-thinking-bound'],
    left: ['th1', 'th2'],
  },
  {
    name: 'a prompt that is gone',
    lines: () => {
      const lines = recorded();
      const prompt = lines.find(({ message }) => JSON.stringify(message)?.includes('Thanks.'));
      assert.ok(prompt !== undefined);
      return without(lines, prompt);
    },
    codes: ['loss A-thinking-bound'],
    left: ['th1', 'th2', 'th3'],
  },
  {
    name: 'thinking that is gone in the middle',
    lines: () => {
      const lines = recorded();
      return without(lines, lineOf(lines, 'th2'));
    },
    codes: ['loss A-thinking-hole'],
    left: ['th1'],
  },
  {
    name: 'thinking that is gone at the beginning',
    lines: () => {
      const lines = recorded();
      return without(lines, lineOf(lines, 'th1'));
    },
    codes: [],
  },
  {
    name: 'a session of a client that does not recover',
    lines: () => saying(recorded(), 'Begin.', 'Start.').map((line) => ({ ...line, version: '2.1.150' })),
    codes: ['fatal A-thinking-bound'],
    left: [],
  },
  {
    name: 'a model that does not check',
    lines: () => saying(recorded({ model: 'claude-opus-5' }), 'Begin.', 'Start.'),
    codes: [],
  },
  {
    name: 'a line before it that was written later, without records',
    lines: () =>
      session().map((line) =>
        JSON.stringify(line.message)?.includes('Run it.') ? { ...line, timestamp: '2026-11-10T11:00:00.000Z' } : line,
      ),
    codes: ['loss A-thinking-bound'],
    left: ['th1'],
  },
  {
    name: 'the mark of the client',
    lines: () => noted(saying(recorded(), 'Begin.', 'Start.'), { type: 'thinking_stripped', scope: 'all' }),
    codes: ['info I-thinking-stripped'],
  },
  {
    name: 'a note about dropped blocks',
    lines: () =>
      noted(recorded(), { type: 'thinking_drop', newlyDropped: { blockCount: 2, reason: 'model_mismatch' } }),
    codes: ['info I-thinking-dropped'],
  },
  {
    name: 'a prompt that nothing pins',
    lines: () => recorded({ snapshot: false }),
    codes: ['warn W-prompt-lost'],
  },
];

for (const { name, lines, codes, left } of rows) {
  test(`${name}: ${codes.join(', ') || 'nothing is found'}`, async (context) => {
    const { source, diagnosis } = await look(written(context, lines()));
    const about = diagnosis.findings.filter(({ code }) => /thinking|prompt/.test(code));
    assert.deepEqual(
      about.map(({ severity, code }) => `${severity} ${code}`),
      codes,
    );
    assert.equal((await planRepair(source, diagnosis)) === undefined, left === undefined);
    assert.equal(planMark(source, diagnosis) === undefined, left === undefined);
  });
}

for (const { name, lines, left } of rows.filter((row) => row.left !== undefined)) {
  test(`${name}: repaired, the session sends the thinking that fits, and after the mark none`, async (context) => {
    const bench = written(context, lines());
    const { source, diagnosis } = await look(bench);
    const [plan, mark] = [await planRepair(source, diagnosis), planMark(source, diagnosis)];
    assert.ok(plan !== undefined && mark !== undefined);
    const { to } = await operate(plan, [source], { env: bench.env });
    assert.deepEqual(judge(to.path).sent, left);
    const before = readFileSync(bench.main);
    await operate(mark, [source], { env: bench.env });
    assert.ok(readFileSync(bench.main).subarray(0, before.length).equals(before), 'only appended');
    assert.equal(linesOf(bench.main).length, lines().length + 2);
    assert.deepEqual(judge(bench.main).sent, []);
    const after = (await look(bench)).diagnosis.findings.map(({ code }) => code);
    assert.deepEqual(
      after.filter((code) => /thinking/.test(code)),
      ['I-thinking-stripped'],
    );
  });
}

function written(context: TestContext, lines: readonly Json[]): Bench {
  return benchWith(context, boundSessionId, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

async function look(bench: Bench): Promise<{ source: Source; diagnosis: Diagnosis }> {
  const source = await loadSource(bench.main);
  return { source, diagnosis: await diagnoseSession(source.session) };
}
