// A transcript is hostile input: whatever it contains, in any place, the terminal gets text and our own colours.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';
import { jsonOf, type Run, runClew } from '../support/clew.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const sequences = [
  '\x1b[31mred\x1b[0m',
  '\x1b]8;;http://evil.example/\x07link\x1b]8;;\x1b\\',
  '\x1b]0;title\x07',
  '\x1bPq#0;2;0;0;0\x1b\\',
  '\x1b[2J\x1b[H\x1b[?1049h',
  '\x1b',
  '\x1b[',
  '\x9b31mC1\x9c',
  '\x90dcs\x9c',
  '\r\n\ttab\rover',
  '\b\b\x7f\x00\x07\x0b\x0c\x0e\x0f',
  '\u202eright to left\u202c\u2066\u2069\u200f\u061c',
  '\ud800 lone \udc00',
];
const hostile = sequences.join('|');
/** Without what a file name cannot hold. */
const hostileName = hostile.replaceAll('/', ':').replaceAll('\x00', '').toWellFormed();

/** Hostile text in every place that a reader may look at. */
function hostileLibrary(root: string): string {
  const id = `id ${hostileName.slice(0, 60)}`;
  const lines: JsonObject[] = [
    { type: 'custom-title', customTitle: `title ${hostile}` },
    user(`prompt ${hostile}`),
    assistant([{ type: 'thinking', thinking: hostile, signature: hostile }]),
    assistant([{ type: 'text', text: `answer ${hostile} \`${hostile}\` [${hostile}](${hostile}) &#27;[31m &#155;` }]),
    assistant([
      {
        type: 'text',
        text: `| a ${hostile} |\n| --- |\n| b |\n\n# ${hostile}\n\n> ${hostile}\n\n\`\`\`${hostile}\n${hostile}\n\`\`\``,
      },
    ]),
    assistant([toolUse(`call ${hostile}`, `Tool ${hostile}`, { command: hostile, [`key ${hostile}`]: [hostile] })]),
    user([toolResult(`call ${hostile}`, `out ${hostile}\nmore ${hostile}`)]),
    assistant([toolUse('c2', `Tool2 ${hostile}`, { todos: [hostile], other: { deep: hostile } })]),
    user([toolResult('c2', [{ type: 'text', text: hostile }], true)]),
    assistant([{ type: `block ${hostile}` }]),
    user(`[Request interrupted by user]${hostile}`),
    user(`<local-command-stdout>${hostile}</local-command-stdout>`),
    user(`<bash-input>${hostile}</bash-input>`),
    user(`<task-notification>${hostile}</task-notification>`),
    user(`injected ${hostile}`, { isMeta: true }),
    { type: 'system', subtype: 'api_error', error: { message: hostile }, retryAttempt: hostile, maxRetries: hostile },
    { type: 'system', subtype: 'informational', content: hostile },
    { type: 'system', subtype: `odd ${hostile}` },
    { type: 'attachment', attachment: { type: `odd ${hostile}` } },
    { type: 'queue-operation', operation: 'enqueue', content: `queued ${hostile}` },
    { type: 'queue-operation', operation: 'remove', content: `queued ${hostile}` },
    assistant(`API Error ${hostile}`, { isApiErrorMessage: true }),
    assistant(hostile, { message: { model: '<synthetic>' } }),
    {
      type: 'system',
      subtype: 'compact_boundary',
      compactMetadata: { trigger: hostile, preTokens: 1e308, postTokens: -5 },
    },
    user(`summary ${hostile}`, { isCompactSummary: true }),
    assistant([toolUse('a1', 'Agent', { description: hostile })]),
    user(`<command-name>${hostile}</command-name><command-args>${hostile}</command-args>`),
    assistant('bye', {
      version: hostile,
      message: { model: hostile, usage: { input_tokens: 1e308, output_tokens: 1e308 } },
    }),
    { type: `type ${hostile}` },
    { type: 'queue-operation', operation: 'enqueue', content: `waiting ${hostile}` },
  ];
  const odd = [
    '{"type":"__proto__","__proto__":{"type":"user"},"constructor":1}',
    '{"type":"user","uuid":"__proto__","parentUuid":"constructor","timestamp":"2026-03-01T11:00:00.000Z","message":{"role":"user","content":"proto","__proto__":[]}}',
    `not json ${hostile.replace(/[\r\n]/g, '')}`,
  ];
  const agent = sessionText([user(hostile), assistant(hostile)], { isSidechain: true, agentId: 'x' });
  const name = hostileName.slice(0, 40).replaceAll('\n', '');
  writeTree(root, {
    [`projects/-${name}/${id}.jsonl`]: `${sessionText(lines, { cwd: `/home/${hostile}` })}${odd.join('\n')}\n`,
    [`projects/-${name}/${id}/subagents/agent-${name}.jsonl`]: agent,
    [`projects/-${name}/${id}/subagents/agent-${name}.meta.json`]: JSON.stringify({
      agentType: `type ${hostile}`,
      description: hostile,
      toolUseId: 'a1',
    }),
    [`projects/-${name}/qwen${name}.jsonl`]: '{"type":"user","message":{"role":"user","parts":[]}}\n',
  });
  return path.join(root, `projects/-${name}/${id}.jsonl`);
}

const unsafe = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

function assertSafe({ stdout, stderr }: Pick<Run, 'stdout' | 'stderr'>, what: string): void {
  for (const [stream, text] of [
    ['stdout', stdout],
    ['stderr', stderr],
  ] as const) {
    const at = text.search(unsafe);
    assert.equal(at, -1, `${what}: ${stream} has ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 20))}`);
  }
}

test('without colours nothing but text, newlines and tabs reaches the terminal', (context) => {
  const root = temporaryFolder(context);
  const file = hostileLibrary(root);
  const calls: readonly (readonly string[])[] = [
    ['ls'],
    ['ls', '--json'],
    ['ls', '--ids'],
    ['show', file],
    ['show', file, '--full'],
    ['show', file, '--turn', '2', '--full'],
    ['show', file, '--json'],
    ['show', file, '--json', '--full'],
    ['messages', file, '--prompt', hostile.replaceAll('\x00', '')],
  ];
  for (const args of calls) {
    for (const columns of ['80', '33']) {
      const run = runClew([...args, ...(args[0] === 'ls' ? ['--root', root] : [])], { env: { COLUMNS: columns } });
      assert.equal(run.status, 0, `${args.join(' ')}: ${run.stderr}`);
      assertSafe(run, args.join(' '));
    }
  }
});

test('errors that quote what the user typed, or a file name, are one safe line', (context) => {
  const root = temporaryFolder(context);
  writeTree(root, {
    [`projects/-p/q ${hostileName.slice(0, 60)} 1.jsonl`]: '',
    [`projects/-p/q ${hostileName.slice(0, 60)} 2.jsonl`]: '',
  });
  const typed = hostile.replaceAll('\x00', '');
  const calls: readonly (readonly string[])[] = [
    [typed],
    ['ls', `--${typed}`],
    ['ls', '--root', typed],
    ['ls', '--root', root, '--project', typed],
    ['show', typed, '--root', root],
    ['show', `./${typed}`],
    ['show', '--demo', 'b8f420a0', '--turn', typed],
    ['show', '--demo', 'b8f420a0', '--branch', typed],
    ['messages', `/nowhere/${typed}`],
    ['completion', typed],
    ['show', '--root', root, 'q'],
  ];
  for (const args of calls) {
    const run = runClew(args, { cwd: root });
    assertSafe(run, args.join(' '));
    assert.match(run.stderr, /^clew: [^\n]+; [^\n]+\n$/, args.join(' '));
  }
});

test('with colours only our own reach the terminal', (context) => {
  const root = temporaryFolder(context);
  const file = hostileLibrary(root);
  for (const args of [
    ['ls', '--root', root],
    ['show', file],
    ['show', file, '--full'],
  ]) {
    const { stdout, stderr } = runClew(args, { env: { NO_COLOR: '', FORCE_COLOR: '1' } });
    assert.match(stdout, /\x1b\[/);
    assertSafe({ stdout: stdout.replace(/\x1b\[(?:[1-4]|2[2-4]|3[1-69]|90)m/g, ''), stderr }, args.join(' '));
  }
});

test('JSON gives the hostile text back exactly, and keys of every name', (context) => {
  const root = temporaryFolder(context);
  const file = hostileLibrary(root);
  const session = jsonOf(['show', file, '--json', '--full']) as JsonObject;
  assert.equal(session.title, `title ${hostile}`);
  assert.equal(session.cwd, `/home/${hostile}`);
  const byType = (session.entries as JsonObject).byType as JsonObject;
  assert.equal(Object.getOwnPropertyDescriptor(byType, '__proto__')?.value, 1);
  const texts = JSON.stringify(session.turns);
  assert.ok(texts.includes(JSON.stringify(`out ${hostile}\nmore ${hostile}`)));
  const [row] = jsonOf(['ls', '--json', '--root', root]) as readonly JsonObject[];
  assert.deepEqual([row?.title, row?.turns], [session.title, (session.turns as readonly JsonValue[]).length]);
});

test('very long words, huge numbers and deep nesting are shown in bounded lines', (context) => {
  const root = temporaryFolder(context);
  const word = 'w'.repeat(200_000);
  const depth = 20_000;
  const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const text = sessionText([
    { type: 'custom-title', customTitle: word },
    user('go'),
    assistant([toolUse('t1', word, { command: word })]),
    user([toolResult('t1', word)]),
    assistant([toolUse('t2', 'Deep', { number: 'NUMBER', deep: 'DEEP' })]),
    user([toolResult('t2', 'ok')]),
    assistant('done', { message: { usage: { input_tokens: 9e15, output_tokens: 9e15 } } }),
  ]);
  writeTree(root, {
    'projects/-p/s.jsonl': text.replace('"DEEP"', deep).replace('"NUMBER"', '123456789012345678901234567890e400'),
  });
  const file = path.join(root, 'projects/-p/s.jsonl');
  for (const args of [
    ['show', file],
    ['ls', '--root', root],
  ]) {
    const { status, stdout, stderr } = runClew(args);
    assert.deepEqual([status, stderr], [0, '']);
    assert.deepEqual(
      stdout.split('\n').filter((line) => [...line].length > 80),
      [],
    );
  }
  for (const flags of [['--full'], ['--full', '--json']]) {
    const { status, stdout, stderr } = runClew(['show', file, ...flags]);
    assert.deepEqual([status, stderr], [0, '']);
    assert.ok(stdout.includes(deep) && stdout.includes(word));
  }
});
