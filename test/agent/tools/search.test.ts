import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { test } from 'node:test';
import { limits } from '../../../src/agent/tools/shared/limits.ts';
import { makeBench, storedOf, type ToolBench } from './tool-kit.ts';

function setAges(bench: ToolBench, names: readonly string[]): void {
  for (const [i, name] of names.entries()) utimesSync(bench.file(name), 1_700_000_000, 1_700_000_000 - i * 60);
}

test('Glob finds files at any depth, the oldest first, and stores them', async (t) => {
  const bench = makeBench(t, { 'src/a.js': '', 'src/deep/b.js': '', 'c.js': '', 'd.ts': '' });
  setAges(bench, ['src/deep/b.js', 'c.js', 'src/a.js']);
  const outcome = await bench.call('Glob', { pattern: '**/*.js' });
  const filenames = ['src/a.js', 'c.js', 'src/deep/b.js'];
  const { durationMs, ...stored } = storedOf(outcome);
  assert.equal(typeof durationMs, 'number');
  assert.deepEqual(stored, { filenames, numFiles: 3, truncated: false, totalMatches: 3, countIsComplete: true });
  assert.equal(outcome.content, filenames.join('\n'));
});

test('Glob patterns without a slash match at any depth, others in their folder', async (t) => {
  const bench = makeBench(t, {
    'a.js': '',
    'src/a.js': '',
    'src/b.ts': '',
    'src/x/c.ts': '',
    '.hidden/d.js': '',
    '!odd.js': '',
    'with space/e f.js': '',
  });
  const find = async (pattern: string, path?: string): Promise<string[]> => {
    const stored = storedOf(await bench.call('Glob', { pattern, ...(path === undefined ? {} : { path }) }));
    return (stored.filenames as string[]).sort();
  };
  assert.deepEqual(await find('*.js'), ['!odd.js', '.hidden/d.js', 'a.js', 'src/a.js', 'with space/e f.js']);
  assert.deepEqual(await find('!*.js'), ['.keep', 'src/b.ts', 'src/x/c.ts']);
  assert.deepEqual(await find('src/*'), ['src/a.js', 'src/b.ts']);
  assert.deepEqual(await find('src/**/*.{js,ts}'), ['src/a.js', 'src/b.ts', 'src/x/c.ts']);
  assert.deepEqual(await find('.hidden/*'), ['.hidden/d.js']);
  assert.deepEqual(await find('*.ts', 'src'), ['src/b.ts', 'src/x/c.ts']);
  assert.deepEqual(await find('../*.js', 'src'), ['!odd.js', 'a.js']);
  assert.deepEqual(await find(`${bench.folder}/src/?.js`), ['src/a.js']);
  assert.deepEqual(await find('with space/e f.js'), ['with space/e f.js']);
});

test('Glob finds ignored files but not the repository, unless the environment says otherwise', async (t) => {
  const bench = makeBench(t, { '.gitignore': 'dist/\n', 'dist/a.js': '', 'b.js': '', '.c.js': '' });
  spawnSync('git', ['init', '-q'], { cwd: bench.folder });
  const find = async (): Promise<string[]> =>
    (storedOf(await bench.call('Glob', { pattern: '**/*.js' })).filenames as string[]).sort();
  assert.deepEqual(await find(), ['.c.js', 'b.js', 'dist/a.js']);
  assert.equal(await bench.text('Glob', { pattern: '**/HEAD' }), 'No files found');
  bench.workspace.env.CLAUDE_CODE_GLOB_NO_IGNORE = 'false';
  t.after(() => delete bench.workspace.env.CLAUDE_CODE_GLOB_NO_IGNORE);
  assert.deepEqual(await find(), ['.c.js', 'b.js']);
  bench.workspace.env.CLAUDE_CODE_GLOB_HIDDEN = 'false';
  t.after(() => delete bench.workspace.env.CLAUDE_CODE_GLOB_HIDDEN);
  assert.deepEqual(await find(), ['b.js']);
});

test('Glob cuts a long list and says so', async (t) => {
  const names = Array.from({ length: limits.search.globFiles + 5 }, (_, i) => `f${i}.txt`);
  const bench = makeBench(t, Object.fromEntries(names.map((name) => [name, ''])));
  const outcome = await bench.call('Glob', { pattern: '*.txt' });
  const { filenames, numFiles, truncated, totalMatches } = storedOf(outcome);
  assert.deepEqual([(filenames as string[]).length, numFiles, truncated, totalMatches], [100, 100, true, 105]);
  assert.match(
    String(outcome.content),
    /\(100 of 105 matching files are shown; 5 files more are not\. Use a narrower pattern or path\.\)$/,
  );
});

test('Glob refuses a path that is not a folder', async (t) => {
  const bench = makeBench(t, { 'a.js': '' });
  assert.match(await bench.refusal('Glob', { pattern: '*', path: 'a.js' }), /is a file; path must be a folder/);
  assert.match(await bench.refusal('Glob', { pattern: '*', path: 'nowhere' }), /does not exist/);
  assert.match(await bench.refusal('Glob', { pattern: '*/../x' }), /only at the beginning/);
  assert.match(await bench.refusal('Glob', { pattern: '{a' }), /The search failed/);
});

const sources = {
  'README.md': 'about widgets\n',
  'src/widget.js': 'const widget = 1;\nuse(widget);\nend\n',
  'src/other.js': 'nothing\n',
  '.env.example': 'WIDGET=1\n',
};

test('Grep lists files, the newest first', async (t) => {
  const bench = makeBench(t, sources);
  setAges(bench, ['README.md', 'src/widget.js']);
  assert.deepEqual(await bench.call('Grep', { pattern: 'widget' }), {
    content: 'Found 2 files\nREADME.md\nsrc/widget.js',
    isError: false,
    stored: { mode: 'files_with_matches', filenames: ['README.md', 'src/widget.js'], numFiles: 2, totalFiles: 2 },
  });
});

test('Grep shows lines with context, case and numbers as asked', async (t) => {
  const bench = makeBench(t, sources);
  const content = (more: Record<string, string | number | boolean>) =>
    bench.text('Grep', { pattern: 'widget', output_mode: 'content', ...more });
  assert.equal(
    await content({}),
    'README.md:1:about widgets\nsrc/widget.js:1:const widget = 1;\nsrc/widget.js:2:use(widget);',
  );
  assert.equal(await content({ '-n': false, glob: '*.md' }), 'README.md:about widgets');
  assert.equal(await content({ '-i': true, glob: '.env*' }), '.env.example:1:WIDGET=1');
  assert.equal(await content({ '-A': 1, path: 'src/widget.js' }), '1:const widget = 1;\n2:use(widget);\n3-end');
  assert.equal(await content({ type: 'md' }), 'README.md:1:about widgets');
  assert.equal(await content({ glob: '!*.js' }), 'README.md:1:about widgets');
  assert.equal(
    await bench.text('Grep', { pattern: '1;.use', multiline: true, output_mode: 'content', '-n': false, path: 'src' }),
    'src/widget.js:const widget = 1;\nsrc/widget.js:use(widget);',
  );
});

test('Grep counts matching lines', async (t) => {
  const bench = makeBench(t, sources);
  assert.deepEqual(await bench.call('Grep', { pattern: 'w', output_mode: 'count', path: 'src' }), {
    content: 'src/widget.js:2\n\nFound 2 matching lines in 1 file.',
    isError: false,
    stored: { mode: 'count', numFiles: 1, filenames: [], content: 'src/widget.js:2', numMatches: 2 },
  });
});

test('Grep pages through many results and says how to continue', async (t) => {
  const bench = makeBench(t, { 'big.txt': Array.from({ length: 600 }, (_, i) => `line ${i + 1}`).join('\n') });
  const first = await bench.call('Grep', { pattern: 'line', output_mode: 'content', path: 'big.txt' });
  assert.match(
    String(first.content),
    /^1:line 1\n[\s\S]*\n250:line 250\n\(250 of 600\. Use offset=250 to go on, or narrow the search\.\)$/,
  );
  assert.equal(storedOf(first).appliedLimit, 250);
  const next = await bench.call('Grep', {
    pattern: 'line',
    output_mode: 'content',
    path: 'big.txt',
    head_limit: 2,
    offset: 598,
  });
  const { content, ...rest } = storedOf(next);
  assert.equal(content, '599:line 599\n600:line 600');
  assert.deepEqual(rest, {
    mode: 'content',
    numFiles: 0,
    filenames: [],
    numLines: 2,
    totalLines: 600,
    appliedOffset: 598,
  });
  const all = await bench.call('Grep', { pattern: 'line', output_mode: 'content', path: 'big.txt', head_limit: 0 });
  assert.equal(storedOf(all).numLines, 600);
});

test('Grep cuts a result that is too long', async (t) => {
  const bench = makeBench(t, { 'big.txt': `${'x'.repeat(400)}\n`.repeat(200), 'long.txt': 'y'.repeat(5_000_000) });
  const text = await bench.text('Grep', { pattern: 'x', output_mode: 'content', head_limit: 0 });
  assert.ok(text.length < limits.search.contentChars + 500);
  assert.match(text, /Use offset=\d+ to go on/);
  assert.ok((await bench.text('Grep', { pattern: 'y', output_mode: 'content' })).length < 1000);
});

test('Grep never reads patterns and paths as options', async (t) => {
  const bench = makeBench(t, { '--files': '-e value\n', 'a.txt': '--version\n' });
  assert.equal(await bench.text('Grep', { pattern: '--version' }), 'Found 1 file\na.txt');
  assert.equal(await bench.text('Grep', { pattern: '-e', path: '--files', output_mode: 'content' }), '1:-e value');
  assert.equal(await bench.text('Grep', { pattern: 'x', type: 'md', glob: '--pre=touch' }), 'No files found');
  assert.match(
    await bench.refusal('Grep', { pattern: 'x', type: '--pre' }),
    /The search failed: .*unrecognized file type/s,
  );
  assert.match(await bench.refusal('Grep', { pattern: '(' }), /The search failed: .*unclosed group/s);
  assert.match(await bench.refusal('Grep', { pattern: 'x', path: '/dev/zero' }), /neither a file nor a folder/);
});

test('a search starts in the working directory of the shell, and hides credentials there too', async (t) => {
  const bench = makeBench(t, { 'src/a.ts': 'needle\n', 'b.ts': 'needle\n' });
  await bench.call('Bash', { command: 'cd src' });
  assert.equal(await bench.text('Grep', { pattern: 'needle' }), 'Found 1 file\na.ts');
  assert.equal(await bench.text('Glob', { pattern: '*.ts' }), 'a.ts');
  assert.equal(await bench.text('Glob', { pattern: '../*.ts' }), bench.file('b.ts'));
});

test('Grep finds nothing without failing', async (t) => {
  const bench = makeBench(t, sources);
  assert.equal(await bench.text('Grep', { pattern: 'zzz' }), 'No files found');
  assert.equal(await bench.text('Grep', { pattern: 'zzz', output_mode: 'content' }), 'No matches found');
  assert.equal(await bench.text('Grep', { pattern: 'zzz', output_mode: 'count' }), 'No matches found');
});

test('a search is ended by an interrupt', async (t) => {
  const bench = makeBench(t, sources);
  assert.match(await bench.refusal('Grep', { pattern: 'x' }, { signal: AbortSignal.abort() }), /interrupted/);
});

test('without ripgrep the searches say what to use instead', async (t) => {
  const bench = makeBench(t, sources, { rgPath: '/nowhere/rg' });
  assert.match(await bench.refusal('Grep', { pattern: 'x' }), /ripgrep was not found.* Use find and grep in Bash/);
  assert.match(await bench.refusal('Glob', { pattern: '*' }), /ripgrep was not found/);
});
