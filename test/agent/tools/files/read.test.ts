import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { limits } from '../../../../src/agent/tools/shared/limits.ts';
import { tinyImage } from '../../../support/tiny-images.ts';
import { makeBench, storedOf } from '../tool-kit.ts';

test('Read numbers lines and stores the text as Claude Code does', async (t) => {
  const bench = makeBench(t, { 'README.md': '# My Project\n\nA CLI tool for managing widgets.\n' });
  const file_path = bench.file('README.md');
  assert.deepEqual(await bench.call('Read', { file_path }), {
    content: '1\t# My Project\n2\t\n3\tA CLI tool for managing widgets.\n4\t',
    isError: false,
    stored: {
      type: 'text',
      file: {
        filePath: file_path,
        content: '# My Project\n\nA CLI tool for managing widgets.\n',
        numLines: 4,
        startLine: 1,
        totalLines: 4,
      },
    },
  });
});

test('Read takes relative paths from the working directory, and ~ as the home folder', async (t) => {
  const bench = makeBench(t, { 'src/a.txt': 'here' });
  assert.equal(await bench.text('Read', { file_path: 'src/../src/a.txt' }), '1\there');
  await bench.call('Bash', { command: 'cd src' });
  assert.equal(await bench.text('Read', { file_path: ' a.txt ' }), '1\there');
  const home = process.env.HOME;
  process.env.HOME = bench.folder;
  t.after(() => {
    process.env.HOME = home;
  });
  assert.equal(await bench.text('Read', { file_path: '~/src/a.txt' }), '1\there');
  assert.match(await bench.refusal('Read', { file_path: '$HOME/src/a.txt' }), /does not exist/);
});

test('Read of a part says how to continue, and the next part begins there', async (t) => {
  const bench = makeBench(t, { 'a.txt': Array.from({ length: 10 }, (_, i) => `line ${i + 1}`).join('\n') });
  assert.equal(
    await bench.text('Read', { file_path: 'a.txt', offset: 4, limit: 2 }),
    '4\tline 4\n5\tline 5\n\n(This is lines 4 to 5 of 10. Use offset=6 to go on.)',
  );
  assert.equal(await bench.text('Read', { file_path: 'a.txt', offset: 10 }), '10\tline 10');
  assert.equal(
    await bench.text('Read', { file_path: 'a.txt', offset: 11 }),
    '(The file is there, but it has only 10 lines: there is nothing at offset 11.)',
  );
});

test('Read stops at a line when the result is full', async (t) => {
  const bench = makeBench(t, { 'a.txt': `${'x'.repeat(1000)}\n`.repeat(1000) });
  const text = await bench.text('Read', { file_path: 'a.txt' });
  assert.ok(text.length < limits.read.totalChars + 500);
  const next = Number(/Use offset=(\d+)/.exec(text)?.[1]);
  const more = await bench.text('Read', { file_path: 'a.txt', offset: next, limit: 1 });
  assert.ok(more.startsWith(`${next}\txxx`));
  const large = await bench.text('Read', { file_path: 'a.txt', allow_large: true });
  assert.ok(large.length > 3 * limits.read.totalChars && large.length < limits.read.largeChars + 500);
});

test('Read cuts a long line between characters and says how much is missing', async (t) => {
  const bench = makeBench(t, { 'a.txt': `${'x'.repeat(limits.read.lineChars - 1)}😀tail` });
  const text = await bench.text('Read', { file_path: 'a.txt' });
  assert.ok(text.isWellFormed());
  assert.match(text, /x… \(6 more characters of this line;/);
});

test('Read says of an empty file that it is empty', async (t) => {
  const bench = makeBench(t, { 'a.txt': '' });
  assert.equal(await bench.text('Read', { file_path: 'a.txt' }), '(The file is there, but it is empty.)');
});

test('Read shows every encoding as text and names the unusual ones', async (t) => {
  const bench = makeBench(t, {
    'bom.txt': Buffer.from('\ufeffgrün\r\nblau', 'utf8'),
    'le.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('grün\nblau', 'utf16le')]),
    'be.txt': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('grün\nblau', 'utf16le').swap16()]),
    'latin.txt': Buffer.from('grün\nblau', 'latin1'),
  });
  const shown = '1\tgrün\n2\tblau';
  assert.deepEqual(
    [
      await bench.text('Read', { file_path: 'bom.txt' }),
      await bench.text('Read', { file_path: 'le.txt' }),
      await bench.text('Read', { file_path: 'be.txt' }),
      await bench.text('Read', { file_path: 'latin.txt' }),
    ],
    [
      shown,
      `${shown}\n\n(The file is UTF-16 LE; an edit keeps it so.)`,
      `${shown}\n\n(The file is UTF-16 BE; an edit keeps it so.)`,
      `${shown}\n\n(The file is not UTF-8, taken as Latin-1; an edit keeps it so.)`,
    ],
  );
});

test('Read refuses files that are not text, and suggests an alternative', async (t) => {
  const bench = makeBench(t, { 'a.bin': Buffer.from([1, 2, 0, 4]), 'src/widget.ts': '', 'README.md': '' });
  spawnSync('mkfifo', [bench.file('pipe')]);
  symlinkSync('loop', bench.file('loop'));
  assert.match(await bench.refusal('Read', { file_path: 'a.bin' }), /is a binary file of 4 B and is not shown/);
  assert.match(await bench.refusal('Read', { file_path: 'src' }), /is a directory\. Use Glob with path/);
  assert.match(await bench.refusal('Read', { file_path: 'pipe' }), /not a regular file/);
  assert.match(await bench.refusal('Read', { file_path: '/dev/zero' }), /not a regular file/);
  assert.match(await bench.refusal('Read', { file_path: 'loop' }), /leads back to itself/);
  assert.match(
    await bench.refusal('Read', { file_path: 'src/wigdet.ts' }),
    /^File does not exist: .*wigdet\.ts\. The working directory .* Did you mean .*src\/widget\.ts\?$/,
  );
  assert.match(await bench.refusal('Read', { file_path: 'README.txt' }), /Did you mean .*README\.md\?$/);
  assert.match(await bench.refusal('Read', { file_path: 'src/widget.ts/x' }), /^File does not exist/);
});

test('Read picks lines from a file that is too large for memory', async (t) => {
  const bench = makeBench(t);
  const fd = openSync(bench.file('big.log'), 'w');
  const block = `${'y'.repeat(99)}\n`.repeat(1000);
  for (let i = 0; i < 120; i++) writeSync(fd, block);
  writeSync(fd, `the end ${'z'.repeat(50_000)}`);
  closeSync(fd);
  const outcome = await bench.call('Read', { file_path: 'big.log', offset: 120_000, limit: 5 });
  assert.match(String(outcome.content), /^120000\ty{99}\n120001\tthe end z+… \(/);
  const { content: _, ...rest } = storedOf(outcome).file as Record<string, unknown>;
  assert.deepEqual(rest, { filePath: bench.file('big.log'), numLines: 2, startLine: 120_000, totalLines: 120_001 });
  assert.equal(bench.workspace.files.seen(bench.file('big.log')), undefined);
  truncateSync(bench.file('big.log'), 0);
});

test('Read shows where a link leads', async (t) => {
  const bench = makeBench(t, { 'real.txt': 'content' });
  symlinkSync('real.txt', bench.file('link.txt'));
  assert.equal(
    await bench.text('Read', { file_path: 'link.txt' }),
    `1\tcontent\n\n(${bench.file('link.txt')} (leads to ${bench.file('real.txt')}).)`,
  );
});

test('Read returns an image as an image block, whatever its name', async (t) => {
  for (const [format, type] of [
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['gif', 'image/gif'],
    ['webp-vp8x', 'image/webp'],
  ] as const) {
    const bytes = tinyImage(format, 640, 480);
    const bench = makeBench(t, { 'picture.txt': bytes });
    const base64 = bytes.toString('base64');
    assert.deepEqual(await bench.call('Read', { file_path: 'picture.txt' }), {
      content: [{ type: 'image', source: { type: 'base64', data: base64, media_type: type } }],
      isError: false,
      stored: {
        type: 'image',
        file: {
          base64,
          type,
          originalSize: bytes.length,
          dimensions: { originalWidth: 640, originalHeight: 480, displayWidth: 640, displayHeight: 480 },
        },
      },
    });
  }
});

test('Read refuses an image that cannot be scaled, and suggests a command', async (t) => {
  const bench = makeBench(t, {
    'a.png': tinyImage('png', 4000, 3000),
    'b.webp': tinyImage('webp-vp8', 3000, 2000),
    'c.gif': tinyImage('gif', 60_000, 60_000),
    'd.png': 'no picture',
    'e.jpg': '',
  });
  assert.match(
    await bench.refusal('Read', { file_path: 'a.png' }),
    /4000×3000 pixels .* cannot be scaled: .* Make a smaller copy with Bash and read that: (?:magick|sips) .*a-small\.png/,
  );
  assert.match(await bench.refusal('Read', { file_path: 'b.webp' }), /3000×2000 pixels .* cannot be scaled/);
  assert.match(await bench.refusal('Read', { file_path: 'c.gif' }), /more than 50 million pixels are not decoded/);
  assert.match(await bench.refusal('Read', { file_path: 'd.png' }), /name of a picture, but its bytes are none of/);
  assert.match(await bench.refusal('Read', { file_path: 'e.jpg' }), /is empty/);
});

test('Read remembers the hash of a file, and whether all of it was shown', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one\ntwo\n' });
  await bench.call('Read', { file_path: 'a.txt', limit: 1 });
  assert.equal(bench.workspace.files.seen(bench.file('a.txt'))?.isPartial, true);
  await bench.call('Read', { file_path: 'a.txt' });
  const seen = bench.workspace.files.seen(bench.file('a.txt'));
  assert.equal(seen?.isPartial, false);
  assert.match(seen?.sha256 ?? '', /^[0-9a-f]{64}$/);
  mkdirSync(bench.file('d'));
  writeFileSync(bench.file('d/a.txt'), 'one\ntwo\n');
  await bench.call('Read', { file_path: 'd/a.txt' });
  assert.equal(bench.workspace.files.seen(bench.file('d/a.txt'))?.sha256, seen?.sha256);
});
