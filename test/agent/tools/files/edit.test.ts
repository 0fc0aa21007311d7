import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { limits } from '../../../../src/agent/tools/shared/limits.ts';
import { makeBench, storedOf, type ToolBench } from '../tool-kit.ts';

async function readThenEdit(bench: ToolBench, name: string, old_string: string, new_string: string): Promise<void> {
  await bench.call('Read', { file_path: name });
  await bench.text('Edit', { file_path: name, old_string, new_string });
}

test('Edit replaces the one place and stores what Claude Code stores', async (t) => {
  const bench = makeBench(t, { 'src/new.js': 'export const answer = 41;\n' });
  const file_path = bench.file('src/new.js');
  await bench.call('Read', { file_path });
  assert.deepEqual(await bench.call('Edit', { file_path, old_string: '41', new_string: '42' }), {
    content: `The file ${file_path} has been updated.`,
    isError: false,
    stored: {
      filePath: file_path,
      oldString: '41',
      newString: '42',
      originalFile: 'export const answer = 41;\n',
      structuredPatch: [
        {
          oldStart: 1,
          oldLines: 1,
          newStart: 1,
          newLines: 1,
          lines: ['-export const answer = 41;', '+export const answer = 42;'],
        },
      ],
      userModified: false,
      replaceAll: false,
    },
  });
  assert.equal(readFileSync(file_path, 'utf8'), 'export const answer = 42;\n');
  assert.deepEqual(bench.kept, [file_path]);
});

test('edit after edit needs no second Read', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one two' });
  await readThenEdit(bench, 'a.txt', 'one', '1');
  await bench.text('Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' });
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), '1 2');
});

test('a file that was not read may be edited, because old_string must match, but not overwritten', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one' });
  assert.match(await bench.refusal('Write', { file_path: 'a.txt', content: '1' }), /has not been read yet/);
  assert.deepEqual(bench.kept, []);
  const outcome = await bench.call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' });
  assert.match(String(outcome.content), /You have not read this file/);
  assert.equal(storedOf(outcome).contentNotInModelContext, true);
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), '1');
  assert.match(await bench.refusal('Write', { file_path: 'a.txt', content: '2' }), /Only a part of .* has been read/);
});

test('a file that changed since it was read, even with the old time and size, is edited as it is now', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one two' });
  const file = bench.file('a.txt');
  await bench.call('Read', { file_path: file });
  const { atime, mtime } = statSync(file);
  writeFileSync(file, 'one TWO');
  utimesSync(file, atime, mtime);
  assert.match(await bench.refusal('Write', { file_path: file, content: '1' }), /has changed since it was read/);
  assert.match(await bench.refusal('Edit', { file_path: file, old_string: 'two', new_string: '2' }), /was not found/);
  const outcome = await bench.call('Edit', { file_path: file, old_string: 'one', new_string: '1' });
  assert.match(String(outcome.content), /had changed since it was read/);
  assert.equal(storedOf(outcome).staleRecovered, true);
  assert.equal(readFileSync(file, 'utf8'), '1 TWO');
});

test('straight quotation marks find curly ones, and the new text gets curly ones too', async (t) => {
  const text = 'He said \u201chello\u201d. Don\u2019t.\n';
  const bench = makeBench(t, { 'a.txt': text, 'b.txt': `${text}He said "hello".\n` });
  const edit = (file_path: string, old_string: string, new_string: string) =>
    bench.text('Edit', { file_path, old_string, new_string });
  await edit('a.txt', 'said "hello".', 'said "good ("very") day".');
  await edit('a.txt', "Don't.", "Don't 'ever'.");
  assert.equal(
    readFileSync(bench.file('a.txt'), 'utf8'),
    'He said \u201cgood (\u201cvery\u201d) day\u201d. Don\u2019t \u2018ever\u2019.\n',
  );
  // An exact match comes first, and is written as it is.
  await edit('b.txt', 'said "hello"', 'said "bye"');
  assert.equal(readFileSync(bench.file('b.txt'), 'utf8'), `${text}He said "bye".\n`);
});

test('deleting whole lines deletes their line end, deleting a part of a line does not', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one\r\ntwo\r\nthree' });
  const remove = (old_string: string) => bench.text('Edit', { file_path: 'a.txt', old_string, new_string: '' });
  await remove('two');
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), 'one\r\nthree');
  await remove('ne');
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), 'o\r\nthree');
});

test('a file that was only touched since it was read is still edited', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one two' });
  await bench.call('Read', { file_path: 'a.txt' });
  utimesSync(bench.file('a.txt'), new Date(), new Date(Date.now() + 60_000));
  await bench.text('Edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' });
});

test('an ambiguous old_string is refused with its places, and replace_all takes them all', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'x = 1\ny\nx = 1\nx = 1' });
  await bench.call('Read', { file_path: 'a.txt' });
  assert.match(
    await bench.refusal('Edit', { file_path: 'a.txt', old_string: 'x = 1', new_string: 'z' }),
    /is 3 times in .*a\.txt \(lines 1, 3, 4\)\. Take more lines/,
  );
  assert.match(
    await bench.text('Edit', { file_path: 'a.txt', old_string: 'x = 1', new_string: '$& $1', replace_all: true }),
    /has been updated: 3 occurrences replaced\.$/,
  );
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), '$& $1\ny\n$& $1\n$& $1');
});

test('an old_string that is missing, or the same as the new one, is refused', async (t) => {
  const bench = makeBench(t, { 'a.txt': '  indented\nnext' });
  await bench.call('Read', { file_path: 'a.txt' });
  const edit = (old_string: string, new_string: string) =>
    bench.refusal('Edit', { file_path: 'a.txt', old_string, new_string });
  assert.match(await edit('absent', 'x'), /was not found in .* Read the file again/);
  assert.match(await edit('\tindented\nnext', 'x'), /Line 1 is like its first line: compare whitespace/);
  assert.match(await edit('next', 'next'), /are the same/);
  assert.match(await edit('d\nn', 'd\r\nn'), /differ only in their line ends/);
  assert.match(await edit('', 'x'), /old_string is empty, but/);
});

test('an empty old_string creates a file or fills an empty one, but nothing else', async (t) => {
  const bench = makeBench(t, { 'empty.txt': '' });
  await bench.text('Edit', { file_path: 'deep/new.txt', old_string: '', new_string: 'made' });
  await readThenEdit(bench, 'empty.txt', '', 'filled');
  assert.equal(readFileSync(bench.file('deep/new.txt'), 'utf8'), 'made');
  assert.equal(readFileSync(bench.file('empty.txt'), 'utf8'), 'filled');
});

test('CRLF line endings are kept, also in new lines', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one\r\ntwo\r\nthree\r\n' });
  await readThenEdit(bench, 'a.txt', 'one\ntwo', 'one\nand a half\ntwo');
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), 'one\r\nand a half\r\ntwo\r\nthree\r\n');
});

test('in a file with both line endings every untouched one stays', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'a\r\nb\nc\r\nd\ne\rf' });
  await readThenEdit(bench, 'a.txt', 'c\nd', 'C\nD');
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), 'a\r\nb\nC\r\nD\ne\rf');
});

test('Write keeps the line endings and the byte order mark of the file that it replaces', async (t) => {
  const bench = makeBench(t, { 'a.txt': '\ufeffone\r\ntwo\r\n' });
  await bench.call('Read', { file_path: 'a.txt' });
  const outcome = await bench.call('Write', { file_path: 'a.txt', content: 'one\n2\n' });
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), '\ufeffone\r\n2\r\n');
  assert.deepEqual(storedOf(outcome), {
    type: 'update',
    filePath: bench.file('a.txt'),
    content: 'one\n2\n',
    structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' one', '-two', '+2'] }],
    originalFile: 'one\r\ntwo\r\n',
    userModified: false,
  });
});

test('every encoding survives an edit, byte for byte outside of it', async (t) => {
  const le = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  const be = (text: string) => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]);
  const encodings = {
    'bom.txt': (text: string) => Buffer.from(`\ufeff${text}`, 'utf8'),
    'le.txt': le,
    'be.txt': be,
    'latin.txt': (text: string) => Buffer.from(text, 'latin1'),
    'plain.txt': (text: string) => Buffer.from(text, 'utf8'),
  };
  const bench = makeBench(
    t,
    Object.fromEntries(Object.entries(encodings).map(([name, encode]) => [name, encode('grün one ÿ')])),
  );
  for (const [name, encode] of Object.entries(encodings)) {
    await readThenEdit(bench, name, 'one', 'zwölf');
    assert.deepEqual(readFileSync(bench.file(name)), encode('grün zwölf ÿ'), name);
  }
});

test('a character that the file cannot hold is refused, not replaced', async (t) => {
  const bench = makeBench(t, { 'latin.txt': Buffer.from('grün', 'latin1') });
  await bench.call('Read', { file_path: 'latin.txt' });
  assert.match(
    await bench.refusal('Edit', { file_path: 'latin.txt', old_string: 'gr', new_string: '€' }),
    /lacks a character of the new text/,
  );
  assert.deepEqual(readFileSync(bench.file('latin.txt')), Buffer.from('grün', 'latin1'));
});

test('a lone surrogate is refused before anything is written', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one' });
  await bench.call('Read', { file_path: 'a.txt' });
  assert.match(
    await bench.refusal('Edit', { file_path: 'a.txt', old_string: 'one', new_string: '\ud83d' }),
    /surrogate pair/,
  );
  assert.match(await bench.refusal('Write', { file_path: 'b.txt', content: 'x\udc00' }), /surrogate pair/);
  assert.deepEqual(readdirSync(bench.folder).sort(), ['.keep', 'a.txt']);
});

test('an edit through a link changes its target, says so, and keeps the link', async (t) => {
  const bench = makeBench(t, { 'real.txt': 'one' });
  symlinkSync('real.txt', bench.file('link.txt'));
  await bench.call('Read', { file_path: 'link.txt' });
  assert.equal(
    await bench.text('Edit', { file_path: 'link.txt', old_string: 'one', new_string: '1' }),
    `The file ${bench.file('link.txt')} (leads to ${bench.file('real.txt')}) has been updated.`,
  );
  assert.equal(readFileSync(bench.file('real.txt'), 'utf8'), '1');
  assert.ok(lstatSync(bench.file('link.txt')).isSymbolicLink());
  assert.deepEqual(bench.kept, [bench.file('real.txt')]);
  // A file read through one link counts as read through the other.
  await bench.text('Edit', { file_path: 'real.txt', old_string: '1', new_string: '2' });
});

test('a broken link is not written through', async (t) => {
  const bench = makeBench(t);
  symlinkSync('/nowhere/at/all', bench.file('link.txt'));
  assert.match(
    await bench.refusal('Write', { file_path: 'link.txt', content: 'x' }),
    /is a link to \/nowhere\/at\/all, which is not there/,
  );
  assert.match(
    await bench.refusal('Edit', { file_path: 'link.txt', old_string: '', new_string: 'x' }),
    /does not exist/,
  );
});

test('binary files, folders and huge files are refused', async (t) => {
  const bench = makeBench(t, { 'a.bin': Buffer.from([0, 1, 2]), 'd/x': '', 'huge.txt': 'x' });
  truncateSync(bench.file('huge.txt'), limits.change.fileBytes + 1);
  const edit = (file_path: string) => bench.refusal('Edit', { file_path, old_string: 'x', new_string: 'y' });
  assert.match(await edit('a.bin'), /is a binary file/);
  assert.match(await edit('d'), /is a directory/);
  assert.match(await edit('huge.txt'), /is too large: 10 MB, the limit is 10 MB/);
  assert.match(await bench.refusal('Write', { file_path: 'd', content: '' }), /is a directory/);
  assert.match(
    await bench.refusal('Write', { file_path: 'd/x/y', content: '' }),
    /a file stands where its folder should be/,
  );
  assert.match(
    await bench.refusal('Write', { file_path: 'n.txt', content: 'x'.repeat(limits.change.fileBytes + 1) }),
    /too long/,
  );
});

test('an edit that would make a file too large is refused', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'ab'.repeat(1000) });
  await bench.call('Read', { file_path: 'a.txt' });
  const refusal = await bench.refusal('Edit', {
    file_path: 'a.txt',
    old_string: 'a',
    new_string: 'x'.repeat(20_000),
    replace_all: true,
  });
  assert.match(refusal, /is larger than/);
  assert.equal(statSync(bench.file('a.txt')).size, 2000);
});

test('Write creates files and folders with the usual permissions and stores a creation', async (t) => {
  const bench = makeBench(t);
  const file_path = bench.file('new/deep/a.txt');
  assert.deepEqual(await bench.call('Write', { file_path, content: 'text\n' }), {
    content: `File created: ${file_path}`,
    isError: false,
    stored: {
      type: 'create',
      filePath: file_path,
      content: 'text\n',
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    },
  });
  assert.equal(statSync(file_path).mode & 0o777, 0o666 & ~process.umask());
  assert.deepEqual(bench.kept, [file_path]);
  await bench.text('Write', { file_path, content: 'again' });
  assert.equal(readFileSync(file_path, 'utf8'), 'again');
});

test('an edit keeps the mode and other hard links of the file, and leaves no temporary file', async (t) => {
  const bench = makeBench(t, { 'run.sh': 'one' });
  chmodSync(bench.file('run.sh'), 0o751);
  linkSync(bench.file('run.sh'), bench.file('other.sh'));
  await readThenEdit(bench, 'run.sh', 'one', 'two');
  assert.equal(statSync(bench.file('run.sh')).mode & 0o777, 0o751);
  assert.equal(readFileSync(bench.file('other.sh'), 'utf8'), 'one');
  assert.deepEqual(readdirSync(bench.folder).sort(), ['.keep', 'other.sh', 'run.sh']);
});

test('a file of which only a part was read may be edited, not overwritten', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one\ntwo\nthree\n' });
  await bench.call('Read', { file_path: 'a.txt', limit: 1 });
  assert.match(await bench.refusal('Write', { file_path: 'a.txt', content: 'x' }), /Only a part of .* has been read/);
  await bench.text('Edit', { file_path: 'a.txt', old_string: 'three', new_string: '3' });
});

test('a change of very many lines is one hunk instead of a long computation', async (t) => {
  const before = Array.from({ length: 9000 }, (_, i) => `old ${i}`).join('\n');
  const after = Array.from({ length: 9000 }, (_, i) => `new ${i}`).join('\n');
  const bench = makeBench(t, { 'a.txt': `first\n${before}\nlast\n` });
  bench.workspace.files.remember(bench.file('a.txt'), {
    sha256: (await import('node:crypto')).createHash('sha256').update(`first\n${before}\nlast\n`).digest('hex'),
    isPartial: false,
  });
  const stored = storedOf(await bench.call('Write', { file_path: 'a.txt', content: `first\n${after}\nlast\n` }));
  const hunks = stored.structuredPatch as { oldStart: number; oldLines: number; newLines: number; lines: string[] }[];
  assert.deepEqual(
    hunks.map(({ oldStart, oldLines, newLines, lines }) => ({ oldStart, oldLines, newLines, count: lines.length })),
    [{ oldStart: 2, oldLines: 9000, newLines: 9000, count: 18_000 }],
  );
});

test('a file that is kept for rewind is kept before it changes', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one' });
  await bench.call('Read', { file_path: 'a.txt' });
  const seen: string[] = [];
  const keepFile = async (file: string): Promise<void> => void seen.push(readFileSync(file, 'utf8'));
  await bench.text('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, { keepFile });
  assert.deepEqual(seen, ['one']);
});

test('a program that writes while the file is kept loses nothing', async (t) => {
  const bench = makeBench(t, { 'a.txt': 'one' });
  await bench.call('Read', { file_path: 'a.txt' });
  const keepFile = async (file: string): Promise<void> => writeFileSync(file, 'one, and more');
  assert.match(
    await bench.refusal('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, { keepFile }),
    /has changed since it was read; nothing was written/,
  );
  assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), 'one, and more');
});
