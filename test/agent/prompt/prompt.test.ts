import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { smallerPictureCommand } from '../../../src/agent/access/file.ts';
import { imageLimits } from '../../../src/agent/media/image.ts';
import { loadCommands } from '../../../src/agent/prompt/command.ts';
import { expandPrompt } from '../../../src/agent/prompt/user-prompt.ts';
import { asObject, parseJson } from '../../../src/base/json/json.ts';
import { commandLine } from '../../../src/session/transcript/prompt-text.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { tinyImage } from '../../support/tiny-images.ts';
import { makePdf } from '../tools/parity/make-pdf.ts';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

async function plantProject(context: TestContext, files: Readonly<Record<string, string | Buffer>>) {
  const top = temporaryFolder(context);
  writeTree(top, { 'app/.keep': '', ...files });
  const cwd = path.join(top, 'app');
  const { commands } = await loadCommands({ cwd, root: path.join(top, 'user'), isProjectTrusted: true });
  return { top, cwd, options: { cwd, home: path.join(top, 'home'), commands } };
}

test('a plain prompt stays as it was typed', async (t) => {
  const { options } = await plantProject(t, {});
  for (const text of ['hello @kim and a@b.c', '/usr/bin/env is a path', '/nosuch command', '', '  '])
    assert.deepEqual(await expandPrompt(text, options), {
      lines: [{ content: text, isMeta: false }],
      files: [],
      notes: [],
    });
});

test('mentioned files follow the prompt as one meta line, numbered, and count as seen', async (t) => {
  const { cwd, options } = await plantProject(t, {
    'app/a.ts': 'one\r\ntwo\nthree\n',
    'app/my notes.md': '\uFEFFnote',
    'app/src/x.ts': '',
    'app/src/sub/y.ts': '',
  });
  const text = 'Compare @a.ts, @a.ts#L2-9 with @"my notes.md" in @src and @none.ts';
  assert.deepEqual(await expandPrompt(text, options), {
    lines: [
      { content: text, isMeta: false },
      {
        content: [
          { type: 'text', text: 'The file a.ts, lines 1-3 of 3:\n1\tone\n2\ttwo\n3\tthree' },
          { type: 'text', text: 'The file a.ts, lines 2-3 of 3:\n2\ttwo\n3\tthree' },
          { type: 'text', text: 'The file my notes.md, lines 1-1 of 1:\n1\tnote' },
          { type: 'text', text: 'The folder src:\nsub/\nx.ts' },
        ],
        isMeta: true,
      },
    ],
    files: [
      { file: path.join(cwd, 'a.ts'), seen: { sha256: sha256('one\r\ntwo\nthree\n'), isPartial: false } },
      { file: path.join(cwd, 'a.ts'), seen: { sha256: sha256('one\r\ntwo\nthree\n'), isPartial: true } },
      { file: path.join(cwd, 'my notes.md'), seen: { sha256: sha256('\uFEFFnote'), isPartial: false } },
    ],
    notes: [],
  });
});

test('what cannot be a file name is a word, and a pipe is reported', async (t) => {
  const { cwd, options } = await plantProject(t, { 'app/a.txt': 'a' });
  spawnSync('mkfifo', [path.join(cwd, 'pipe')]);
  symlinkSync('loop', path.join(cwd, 'loop'));
  const text = `@a\0b @${'x'.repeat(900)} @a.txt/b @loop @pipe @/dev/zero @../../../../../../nowhere`;
  assert.deepEqual(await expandPrompt(text, options), {
    lines: [{ content: text, isMeta: false }],
    files: [],
    notes: ['pipe cannot be read (special)'],
  });
});

test('images are attached as images, other binary files and unfit images are not', async (t) => {
  const png = tinyImage('png', 20, 10);
  const { options } = await plantProject(t, {
    'app/a.png': png,
    'app/wide.png': tinyImage('png', 9000, 1),
    'app/huge.png': Buffer.concat([png, Buffer.alloc(imageLimits.bytes)]),
    'app/three.pdf': makePdf(3),
    'app/twelve.pdf': makePdf(12),
    'app/cut.pdf': makePdf(3).subarray(0, 400),
    'app/b.bin': Buffer.from([0, 1, 2]),
  });
  const { lines, notes } = await expandPrompt(
    '@a.png @wide.png @huge.png @b.bin @three.pdf @twelve.pdf @cut.pdf',
    options,
  );
  assert.deepEqual(lines[1], {
    content: [
      { type: 'text', text: 'The image a.png:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
      { type: 'text', text: 'The PDF three.pdf:' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: makePdf(3).toString('base64') },
      },
      { type: 'text', text: 'The PDF twelve.pdf has 12 pages; Read shows them with pages.' },
    ],
    isMeta: true,
  });
  const smaller = (name: string): string =>
    `make a smaller copy and mention that: ${smallerPictureCommand(name, imageLimits.side)}`;
  assert.equal(notes.length, 5);
  for (const [i, name] of ['wide.png', 'huge.png'].entries()) {
    assert.match(notes[i] ?? '', new RegExp(`^${name} is not attached: it has .* pixels .* cannot be scaled`));
    assert.ok(notes[i]?.endsWith(smaller(name)), notes[i]);
  }
  assert.deepEqual(notes.slice(2), [
    'b.bin is binary: not attached',
    'twelve.pdf has 12 pages: the model reads the pages that it needs',
    'cut.pdf cannot be read as a PDF: its end is missing',
  ]);
});

test('long files and long lines are cut, and the model learns how to continue', async (t) => {
  const { cwd, options } = await plantProject(t, {
    'app/long.txt': 'x\n'.repeat(2500),
    'app/wide.txt': `${'w'.repeat(5000)}\nend`,
    'app/fat.txt': `${'f'.repeat(1999)}\n`.repeat(60),
  });
  const { lines, notes, files } = await expandPrompt('@long.txt @wide.txt @fat.txt', options);
  const texts = (lines[1]?.content as readonly { readonly text: string }[]).map(({ text }) => text);
  assert.match(texts[0] ?? '', /^The file long\.txt, lines 1-2000 of 2500:\n/);
  assert.ok(texts[0]?.endsWith(`\n2000\tx\n[cut here: read ${cwd}/long.txt from line 2001 for the rest]`));
  assert.equal(texts[1], `The file wide.txt, lines 1-2 of 2:\n1\t${'w'.repeat(2000)}…\n2\tend`);
  assert.match(texts[2] ?? '', /^The file fat\.txt, lines 1-50 of 60:\n/);
  assert.deepEqual(notes, [
    'long.txt is long: only lines 1-2000 were attached',
    'fat.txt is long: only lines 1-50 were attached',
  ]);
  assert.deepEqual(
    files.map(({ seen }) => seen.isPartial),
    [true, false, true],
  );
});

test('files outside the project are attached only with consent, also through a link', async (t) => {
  const { top, cwd, options } = await plantProject(t, { 'home/secret.txt': 'secret', 'more/extra.txt': 'extra' });
  symlinkSync(path.join(top, 'home'), path.join(cwd, 'link'));
  const text = '@~/secret.txt @../home/secret.txt @link/secret.txt @../more/extra.txt @../none.txt';
  const strict = await expandPrompt(text, { ...options, extraDirs: [path.join(top, 'more')] });
  assert.deepEqual(strict.lines[1]?.content, [
    { type: 'text', text: 'The file ../more/extra.txt, lines 1-1 of 1:\n1\textra' },
  ]);
  assert.deepEqual(
    strict.notes,
    ['~/secret.txt', '../home/secret.txt', 'link/secret.txt'].map(
      (name) => `${name} is outside the project: not attached`,
    ),
  );
  const asked: string[] = [];
  const mayRead = async (_: string, real: string) => asked.push(path.relative(top, real)) === 3;
  const allowed = await expandPrompt('@~/secret.txt @../home/secret.txt @link/secret.txt', {
    ...options,
    mayRead,
  });
  assert.deepEqual(asked, ['home/secret.txt', 'home/secret.txt', 'home/secret.txt']);
  assert.deepEqual(allowed.lines[1]?.content, [
    { type: 'text', text: 'The file link/secret.txt, lines 1-1 of 1:\n1\tsecret' },
  ]);
});

test('a command becomes its tags and its expansion, with the files it mentions but not those its output mentions', async (t) => {
  const { options } = await plantProject(t, {
    'app/.claude/commands/review.md': '---\nmodel: opus\n---\nReview @$0 after !`git diff`',
    'app/a.ts': 'one',
    'app/b.ts': 'two',
  });
  const runShell = async () => 'see @b.ts';
  const expanded = await expandPrompt('/review a.ts', { ...options, runShell });
  assert.deepEqual(expanded.lines, [
    {
      content:
        '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>a.ts</command-args>',
      isMeta: false,
    },
    { content: [{ type: 'text', text: 'Review @a.ts after see @b.ts' }], isMeta: true },
    { content: [{ type: 'text', text: 'The file a.ts, lines 1-1 of 1:\n1\tone' }], isMeta: true },
  ]);
  assert.equal(expanded.command?.model, 'opus');
});

test('a command without arguments has no tag for them, and reads back as it was typed', async (t) => {
  const { options } = await plantProject(t, { 'app/.claude/commands/go.md': 'Go.' });
  const [line] = (await expandPrompt(' /go ', options)).lines;
  assert.deepEqual(line, {
    content: '<command-message>go</command-message>\n<command-name>/go</command-name>',
    isMeta: false,
  });
  assert.equal(commandLine(line.content as string), '/go');
});

test('what is stored for a command is what Claude Code stored for it', async (t) => {
  const { options } = await plantProject(t, {
    'app/.claude/commands/hello.md': '---\ndescription: Greets\n---\nPlease greet $ARGUMENTS politely. [[skill]]\n',
  });
  const { lines } = await expandPrompt('/hello Alice', options);
  for (const version of ['2.1.29', '2.1.45', '2.1.325']) {
    const folder = path.join(corpusFolder, 'corpus/real', version, 'command/-home-dev-widgets');
    const entries = readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'))
      .map((line) => asObject(parseJson(line)))
      .filter((entry) => entry?.type === 'user' && JSON.stringify(entry).includes('Alice'));
    const stored = entries.map((entry) => ({
      content: asObject(entry?.message)?.content,
      isMeta: entry?.isMeta === true,
    }));
    assert.deepEqual(stored, lines, version);
  }
});
