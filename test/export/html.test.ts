// A session as one HTML file: what it carries, and what a real browser shows of it, from disk and without a network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text, thinking, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { longSession } from '../web/page-sessions.ts';
import { chunksOf, code, demoFile } from './html-kit.ts';
import { sourceFrom, sourceOf, textFrom } from './kit.ts';

const secret = `AK${'IA'}Q7ZR3MTW5XK2VB4N`;

test('the same session gives the same file, and it refers to nothing outside', async () => {
  const html = await textFrom(chunksOf(await sourceOf(demoFile)));
  assert.equal(html, await textFrom(chunksOf(await sourceOf(demoFile))));
  const ours = html.replace(code.script, '').replace(/<script type="application\/json"[\s\S]*?<\/script>/g, '');
  assert.deepEqual(ours.match(/<(?:script|link|img|iframe|object|embed|meta http)[^>]*>/g)?.slice(1), [
    '<link rel="icon" href="data:,">',
    '<script>',
  ]);
  assert.match(
    html,
    /content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:;/,
  );
});

test('secrets are nowhere in the file, and it says how many there were; --no-redact leaves them in', async (context) => {
  const text = leaky();
  const source = await sourceFrom(context, text, sideFiles());
  const html = await textFrom(chunksOf(source, { thinking: true }));
  assert.equal(html.includes(secret), false);
  assert.match(html, /secrets were replaced by placeholders: 1 aws/);
  const plain = await textFrom(chunksOf(await sourceOf(source.session.files.main, true), { thinking: true }));
  const shown = ['title', 'prompt', 'thought', 'answer', 'command', 'output', 'tool', 'model', 'agent', 'of agent'];
  assert.deepEqual(
    shown.filter((where) => !plain.includes(`${where} ${secret}`)),
    [],
  );
  assert.match(plain, /secrets were not looked for/);
});

test('--raw adds the raw lines of the blocks, with everything in them but the secrets', async (context) => {
  const source = await sourceFrom(context, leaky(), sideFiles());
  const html = await textFrom(chunksOf(source, { raw: true }));
  assert.equal(html.includes(secret), false);
  const lines = [...html.matchAll(/<script type="application\/json" id="line-(\d+-\d+)">(.*?)<\/script>/g)];
  assert.deepEqual(
    lines.map(([, id]) => id),
    ['0-2', '0-3', '0-4', '0-5', '0-6', '0-7', '0-8', '0-9', '1-1', '1-2'],
  );
  const read = lines.map(
    ([, , json = '']) => JSON.parse(json) as { readonly text: string; readonly sizeBytes: number },
  );
  const entries = read.map(({ text: line }) => JSON.parse(line) as { readonly type: string; readonly cwd: string });
  assert.deepEqual(
    entries.map(({ type, cwd }) => [type, cwd]),
    entries.map((_, i) => [[0, 3, 5, 7, 8].includes(i) ? 'user' : 'assistant', '/home/dev/widgets']),
  );
  // The whole of an output that the page cuts, a placeholder in it.
  assert.match(read[3]?.text ?? '', /output \[redacted:aws-access-key-id:1\] (long ){3000}/);
  const without = await textFrom(chunksOf(source));
  assert.deepEqual([without.includes('id="line-'), without.includes('"hasRaw":false')], [false, true]);
});

test('thinking and the folders above the project are only there when asked for', async (context) => {
  const source = await sourceFrom(
    context,
    transcript()
      .user('hello')
      .assistant([thinking('deep thoughts'), text('hi')])
      .text(),
  );
  const [brief, whole] = [
    await textFrom(chunksOf(source)),
    await textFrom(chunksOf(source, { full: true, thinking: true })),
  ];
  assert.deepEqual(
    [brief, whole].map((html) => [html.includes('deep thoughts'), html.includes('/home/dev/widgets')]),
    [
      [false, false],
      [true, true],
    ],
  );
});

test('a long session is written in small pieces, each part of it once though two branches share it', async (context) => {
  const long = longSession(1_000, 3_000);
  const fork = { type: 'user', uuid: 'fork', parentUuid: 'a200', message: { role: 'user', content: 'another way' } };
  const source = await sourceFrom(
    context,
    `${long}${JSON.stringify({ ...fork, timestamp: '2026-01-01T00:00:00.000Z' })}\n`,
  );
  assert.equal(source.session.branches.length, 2);
  let largest = 0;
  let total = 0;
  let parts = 0;
  for await (const chunk of chunksOf(source)) {
    if (chunk.includes(code.script)) continue;
    largest = Math.max(largest, chunk.length);
    total += chunk.length;
    if (chunk.startsWith('<script type="application/json" id="part-')) parts++;
  }
  assert.ok(largest < 300_000 && total < 1.5 * long.length, `${largest} of ${total} characters at once`);
  // 21 turns of two parts, and where the other branch leaves, its own.
  assert.ok(parts > 40 && parts < 48, `${parts} parts`);
});

/** One secret in every place that the page shows, not only in the lines. */
function leaky(): string {
  return transcript({ cwd: '/home/dev/widgets' })
    .aside('custom-title', { customTitle: `title ${secret}` })
    .user(`prompt ${secret}`)
    .assistant([thinking(`thought ${secret}`), text(`answer ${secret}`)], { message: { model: `model ${secret}` } })
    .assistant([toolUse('c1', 'Bash', { command: `command ${secret}` })])
    .result('c1', {
      message: { content: [toolResult('c1', `output ${secret} ${'long '.repeat(3_000)}`)] },
      toolUseResult: { stdout: `output ${secret} ${'long '.repeat(3_000)}`, stderr: '' },
    })
    .assistant([toolUse('c2', `tool ${secret}`, { x: 1 })])
    .result('c2')
    .assistant([toolUse('c3', 'Task', { description: 'x', prompt: 'y', subagent_type: 'Explore' })])
    .result('c3')
    .text();
}

function sideFiles(): Record<string, string> {
  const folder = '3f2b8c1e-0000-4000-8000-000000000001/subagents';
  return {
    [`${folder}/agent-a1.jsonl`]: transcript({ isSidechain: true, agentId: 'a1' })
      .user('go')
      .assistant(`of agent ${secret}`)
      .text(),
    [`${folder}/agent-a1.meta.json`]: JSON.stringify({
      agentType: 'Explore',
      description: `agent ${secret}`,
      toolUseId: 'c3',
    }),
  };
}
