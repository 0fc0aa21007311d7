// The answer of a server → what the model gets; what is too large or cannot be shown is in a file.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { defaultResultLimits, type SavePart, toOutcome } from '../../../src/agent/mcp/result.ts';
import { saveBelow } from '../../../src/agent/mcp/result-file.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { tinyImage } from '../../support/tiny-images.ts';

const text = (words: string) => ({ type: 'text', text: words });
const data = (width: number): string => tinyImage('png', width, 4).toString('base64');
const image = (width = 4) => ({ type: 'image', mimeType: 'image/png', data: data(width) });
const shown = (width = 4) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: data(width) },
});
const fullDisk: SavePart = () => undefined;

test('texts are shown up to 50,000 characters, images up to 20', () => {
  assert.deepEqual(defaultResultLimits, { chars: 50_000, images: 20 });
});

test('an answer at the limits is whole', async () => {
  const content = [text('a'.repeat(10)), image(), image()];
  assert.deepEqual((await toOutcome({ content }, { chars: 10, images: 2 }, fullDisk)).content, [
    text('a'.repeat(10)),
    shown(),
    shown(),
  ]);
});

test('images above the limit are saved, also those of resources', async (t) => {
  const folder = temporaryFolder(t);
  const blob = { type: 'resource', resource: { uri: 'x://y', mimeType: 'image/png', blob: data(7) } };
  const { content: blocks } = await toOutcome(
    { content: [image(), image(5), image(6), blob] },
    { chars: 10_000, images: 2 },
    saveBelow(folder, ['s', 't']),
  );
  const [first, second, ...others] = blocks as readonly { readonly text?: string }[];
  assert.deepEqual([first, second], [shown(), shown(5)]);
  assert.deepEqual(
    others.map(({ text: said }) => readFileSync(/saved to (.+)\]$/.exec(said ?? '')?.[1] ?? '').toString('base64')),
    [data(6), data(7)],
  );
});

test('a longer answer is saved whole to a file, and the model gets its path and its beginning', async (t) => {
  const folder = temporaryFolder(t);
  const lines = Array.from({ length: 3000 }, (_, i) => `line ${i}`).join('\n');
  const outcome = await toOutcome(
    { content: [text(lines), image(), text('the end')] },
    { chars: 10_000, images: 2 },
    saveBelow(folder, ['my server', 'get/lines']),
  );
  const [first, second] = outcome.content as readonly { readonly text: string }[];
  const file = /saved to: (.+)/.exec(first?.text ?? '')?.[1] ?? '';
  assert.match(path.relative(folder, file), /^tool-results\/mcp-my_server-get_lines-\d+-[0-9a-f]{6}\.txt$/);
  assert.equal(readFileSync(file, 'utf8'), `${lines}\nthe end`);
  assert.match(first?.text ?? '', /28,897 characters in 3,001 lines/);
  assert.match(first?.text ?? '', /line 0\nline 1\n/);
  assert.ok((first?.text.length ?? 0) < 3000);
  assert.deepEqual(second, shown());
  assert.deepEqual(outcome.stored, outcome.content);
});

test('if nothing can be saved, a long answer keeps its beginning and says how to get less', async () => {
  const outcome = await toOutcome({ content: [text('a'.repeat(30))] }, { chars: 10, images: 2 }, fullDisk);
  assert.deepEqual(outcome.content, [
    text(
      `${'a'.repeat(10)}\n[cut: only the first 10 of 30 characters; ask the tool for less (a filter, a page, a narrower question) if it can]`,
    ),
  ]);
});

test('structured content is shown instead of the texts, and saved as JSON if it is long', async (t) => {
  const structuredContent = { rows: [1, 2, 3] };
  const answer = { content: [text('1, 2, 3')], structuredContent };
  assert.deepEqual(await toOutcome(answer, defaultResultLimits, fullDisk), {
    content: '{"rows":[1,2,3]}',
    isError: false,
    stored: '{"rows":[1,2,3]}',
  });
  const saved = await toOutcome(answer, { chars: 10, images: 1 }, saveBelow(temporaryFolder(t), ['s', 'rows']));
  const file = /saved to: (.+\.json)/.exec(String(saved.content))?.[1] ?? '';
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), structuredContent);
});

test('an image that the API does not take is named instead', async () => {
  const content = [image(2000), image(2001), { ...image(), data: 'AAAA' }, { ...image(), data: 'no base64!' }];
  const [first, ...others] = (await toOutcome({ content }, defaultResultLimits, fullDisk)).content as unknown[];
  assert.deepEqual(first, shown(2000));
  // A header without pixels: larger than allowed, and it cannot be decoded.
  assert.match(JSON.stringify(others[0]), /2001×4 pixels.*cannot be scaled/);
  assert.deepEqual(others.slice(1), [
    text('[image (image/png): not a PNG, JPEG, GIF or WebP]'),
    text('[image (image/png): unreadable]'),
  ]);
});

test('audio and other data are saved, and the model gets the path', async (t) => {
  const folder = temporaryFolder(t);
  const content = [
    { type: 'audio', mimeType: 'audio/wav', data: Buffer.from('sound').toString('base64') },
    {
      type: 'resource',
      resource: { uri: 'x://y', mimeType: 'application/pdf', blob: Buffer.from('%PDF').toString('base64') },
    },
  ];
  const { content: blocks } = await toOutcome({ content }, defaultResultLimits, saveBelow(folder, ['s', 't']));
  const files = (blocks as readonly { text: string }[]).map(
    ({ text: said }) => /saved to (.+)\]$/.exec(said)?.[1] ?? '',
  );
  assert.deepEqual(
    files.map((file) => [path.extname(file), readFileSync(file, 'utf8')]),
    [
      ['.wav', 'sound'],
      ['.pdf', '%PDF'],
    ],
  );
});

test('one answer cannot fill the disk', async (t) => {
  const save = saveBelow(temporaryFolder(t), ['s']);
  const bytes = Buffer.alloc(40 * 1024 * 1024);
  assert.ok(save({ kind: 'blob', extension: 'bin', bytes }));
  assert.equal(save({ kind: 'blob', extension: 'bin', bytes }), undefined);
});
