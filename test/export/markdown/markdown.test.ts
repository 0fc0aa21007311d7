// A session as Markdown: whole pages, and what a renderer makes of hostile ones.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { marked } from 'marked';
import { exportMarkdown } from '../../../src/export/markdown/markdown.ts';
import { safeMarkdown } from '../../../src/export/markdown/markdown-text.ts';
import { projectRoot } from '../../support/paths.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { canary, hostileSession } from '../hostile-session.ts';
import { sourceFrom, sourceOf, textFrom } from '../kit.ts';

const demo = path.join(projectRoot, 'demo/projects/-home-ada-lighthouse');

test('a demo session with a sub-agent reads as agent.md holds it', async () => {
  const source = await sourceOf(path.join(demo, '463b11e7-f2cd-4a8c-b793-f776502024ef.jsonl'));
  assertGolden('agent', await textFrom(exportMarkdown(source)));
});

test('a hostile session reads as hostile.md holds it', async (context) => {
  const source = await sourceFrom(context, hostileSession());
  assertGolden('hostile', await textFrom(exportMarkdown(source)));
});

test('nothing of a hostile session is rendered as HTML, and only turns are in the outline', async (context) => {
  const source = await sourceFrom(context, hostileSession());
  const html = marked.parse(await textFrom(exportMarkdown(source)), { async: false });
  const tags = [...html.matchAll(/<(?!\/)([^>]*)>/g)].map(([, tag = '']) => tag);
  // An entity that stays an entity names a page next to this one, which does not exist.
  const allowed =
    /^(?:h[1-6]|p|em|strong|del|br|hr|ul|ol(?: start="\d+")?|li|blockquote|pre|code(?: class="language-\w+")?|details|summary|b|table|thead|tbody|tr|t[hd]|a href="(?:https:|&amp;#106;)[^"]*"|input (?:checked="" )?disabled="" type="checkbox")$/;
  assert.deepEqual(
    tags.filter((tag) => !allowed.test(tag)),
    [],
  );
  assert.doesNotMatch(html, /[\u001b\u202e]/);
  const outline = [...html.matchAll(/<(h[12])>(.*?)<\/h/g)].map(([, level, words]) => `${level} ${words}`);
  assert.deepEqual(outline, ['h1 # Not a turn', 'h2 1. # Not a turn']);
  assert.equal(html.match(/<details>/g)?.length, html.match(/<\/details>/g)?.length);
});

test('a summary without a boundary, as 1.0 clients wrote it, is marked as a compaction', async (context) => {
  const text = sessionText([user('go'), assistant('Gone.'), user('What was said.', { isCompactSummary: true })]);
  const markdown = await textFrom(exportMarkdown(await sourceFrom(context, text)));
  const end =
    '**The history was compacted**\n\n<details>\n<summary>Summary of what was said before</summary>\n\nWhat was said.';
  assert.ok(markdown.includes(`Gone.\n\n---\n\n${end}`), markdown);
});

test('every single breakout stays inside, whatever follows it', () => {
  for (const text of hostileTexts()) {
    const html = marked.parse(`${safeMarkdown(text, { top: 3 })}\n\n<b>ours</b>\n`, { async: false });
    assert.deepEqual([text, html.includes(canary), html.includes('<b>ours</b>')], [text, false, true]);
  }
});

test('quotes and lists that are nested too deep for a renderer become text', () => {
  for (const text of ['> '.repeat(9_000), '>'.repeat(9_000), '- '.repeat(9_000), '1. '.repeat(9_000)]) {
    const html = marked.parse(safeMarkdown(`${text}x`), { async: false });
    assert.doesNotMatch(html, /<(blockquote|ul|ol)/);
  }
  assert.match(marked.parse(safeMarkdown('> > - quoted'), { async: false }), /<blockquote>\s*<blockquote>\s*<ul>/);
});

test('Markdown that is well meant stays as it was written', () => {
  const text = [
    'Use `Promise<string>` or `a && b`, see <https://example.org/a?b=c&d=e>.',
    '',
    '| a | b |',
    '| --- | --- |',
    '| `x` | **y** |',
    '',
    '1. one',
    '   ```ts',
    '   const a: Array<string> = [];',
    '',
    '   ```',
    '2. two',
    '',
    '~~~',
    '<div>&amp;</div>',
    '~~~',
  ].join('\n');
  assert.equal(safeMarkdown(text, { top: 3 }), text.replace(/<(https:.*)>/, '$1'));
});

test('headings of an answer begin below the turn, however they were written', () => {
  const top = { top: 3 };
  assert.equal(safeMarkdown('# A\n## B\n#### C', top), '### A\n#### B\n###### C');
  assert.equal(safeMarkdown('## A\n### B', top), '### A\n#### B');
  assert.equal(safeMarkdown('# A #1', {}), '\\# A #1');
});

test('thinking is left out unless asked for, and a long output is cut with a note unless all is wanted', async (context) => {
  const long = Array.from({ length: 200 }, (_, i) => `row ${i}`).join('\n');
  const source = await sourceFrom(
    context,
    sessionText([
      user('go'),
      assistant([
        { type: 'thinking', thinking: 'hm, perhaps', signature: '' },
        toolUse('toolu_1', 'Bash', { command: 'seq' }),
      ]),
      user([toolResult('toolu_1', long)]),
    ]),
  );
  const short = await textFrom(exportMarkdown(source));
  const full = await textFrom(exportMarkdown(source, { full: true, thinking: true }));
  const has = (text: string): readonly boolean[] =>
    ['hm, perhaps', 'row 0\n', 'row 100\n', 'row 199\n', '… 150 lines left out …'].map((each) => text.includes(each));
  assert.deepEqual(
    [has(short), has(full)],
    [
      [false, true, false, true, true],
      [true, true, true, true, false],
    ],
  );
});

test('the page names no folder of the machine, unless all is wanted', async (context) => {
  const text = sessionText([
    user('go'),
    assistant([toolUse('toolu_1', 'Read', { file_path: '/home/kim/project/a.ts' })]),
  ]);
  const source = await sourceFrom(context, text);
  assert.doesNotMatch(await textFrom(exportMarkdown(source)), /\/home\/kim/);
  assert.match(await textFrom(exportMarkdown(source, { full: true })), /\| Project \| `\/home\/kim\/project` \|/);
});

function* hostileTexts(): Generator<string> {
  const [first = ''] = hostileSession().split('\n');
  const { message } = JSON.parse(first) as { message: { content: string } }; // as the builder wrote it
  const parts = message.content.split('\n\n');
  yield* parts;
  for (const a of parts) for (const b of parts) yield `${a}\n${b}`;
}

function assertGolden(name: string, text: string): void {
  const folder = path.join(projectRoot, 'test/export/golden');
  const file = path.join(folder, `${name}.md`);
  if (process.env.CLEW_UPDATE_GOLDEN === '1') {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
  }
  assert.equal(text, readFileSync(file, 'utf8'));
}

test('of a huge message the beginning stays Markdown, and the rest is plain text that cannot break out', () => {
  const paragraph = `${'word '.repeat(19)}*ok*\n\n`; // 101 characters
  const hostile = '```\n\n<b>theirs</b>\n\n# theirs\n';
  const safe = safeMarkdown(paragraph.repeat(3_000) + hostile, { top: 3 });
  const html = marked.parse(`${safe}\n\n<b>ours</b>\n`, { async: false });
  assert.equal(html.match(/<em>ok<\/em>/g)?.length, 1_980);
  assert.equal(html.match(/\*ok\*/g)?.length, 1_020);
  assert.equal(html.match(/<b>/g)?.length, 1);
  assert.equal(html.match(/<h\d/g), null);
  assert.match(html, /<em>The rest is shown as plain text \(103,049 characters\)\.<\/em>/);
});
