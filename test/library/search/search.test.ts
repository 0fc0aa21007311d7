import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../../src/library/index/database.ts';
import { planScan } from '../../../src/library/search/scan.ts';
import { type SearchQuery, search } from '../../../src/library/search/search.ts';
import { parseWords } from '../../../src/library/text/query.ts';
import { projectRoot } from '../../support/paths.ts';
import { refusalOf } from '../../support/refusal.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { recordedFiles } from '../../support/transcripts.ts';
import { checkExact, checkRecall, checkRegex, indexOf } from '../exact-check.ts';
import { currentIndex, update } from '../index-check.ts';

interface Library {
  readonly root: string;
  readonly database: Database;
  find(text: string, more?: Partial<SearchQuery>): string[];
}

function library(context: TestContext, sessions: Readonly<Record<string, string>>): Library {
  const root = temporaryFolder(context);
  writeTree(root, Object.fromEntries(Object.entries(sessions).map(([name, text]) => [`projects/${name}.jsonl`, text])));
  const database = currentIndex(temporaryFolder(context), root);
  context.after(() => database.close());
  const nowMs = Date.UTC(2026, 2, 2);
  return {
    root,
    database,
    find: (text, more = {}) =>
      search(database, { text, mode: 'words', roots: [root], limit: 20, nowMs, ...more }).sessions.flatMap((found) =>
        found.hits.map((hit) => `${found.session.sessionId} ${hit.line} ${hit.kind}`),
      ),
  };
}

const lamp = sessionText([
  user('Why does the Lamp flicker at Größe 10? 灯台の光は霧の日に役に立つ。'),
  assistant([{ type: 'text', text: 'The wick is wet: see trimWick() and snake_case_name in src/lamp.ts.' }]),
  assistant([toolUse('t1', 'Read', { file_path: '/home/kim/src/lamp.ts' })]),
  user([toolResult('t1', 'export function trimWick(lampId) { return "配置文件"; }')]),
  assistant([toolUse('t2', 'Bash', { command: 'npm test -- --grep wick' })]),
  user([toolResult('t2', 'Exit code 1: wick is wet, the light is out')]),
]);

const fog = sessionText([user('a horn for the fog'), assistant('The fog horn calls. The lamp does not flicker.')], {
  sessionId: 'fog',
  cwd: '/home/kim/horn',
  startMinute: 60,
});

test('all words must be there, whatever their case and accents', (context) => {
  const { find } = library(context, { 'p/lamp': lamp, 'p/fog': fog });
  assert.deepEqual(find('lamp flicker').sort(), ['fog 2 answer', 'lamp 1 prompt']);
  assert.deepEqual(find('GROSSE lamp'), []);
  assert.deepEqual(find('große LAMP'), ['lamp 1 prompt']);
});

test('if no text has all words, the exchanges that have most of them are returned, and say how many', (context) => {
  const { root, database, find } = library(context, { 'p/lamp': lamp, 'p/fog': fog });
  const found = (text: string) =>
    search(database, { text, mode: 'words', roots: [root], limit: 5 }).sessions.flatMap(({ hits }) =>
      hits.map(({ words }) => words),
    );
  assert.deepEqual(find('lamp horn wick').length, 2);
  assert.deepEqual(found('lamp horn wick'), [
    { matched: 2, of: 3 },
    { matched: 2, of: 3 },
  ]);
  assert.deepEqual(found('lamp flicker'), [undefined, undefined]);
  assert.deepEqual(find('lamp zebra giraffe quagga'), []);
  assert.deepEqual(find('lamp horn wick -fog'), ['lamp 5 tool-input']);
});

test('a phrase matches adjacent words, and a prefix matches longer words', (context) => {
  const { find } = library(context, { 'p/lamp': lamp, 'p/fog': fog });
  assert.deepEqual(find('"fog horn"'), ['fog 2 answer']);
  assert.deepEqual(find('"horn fog"'), []);
  assert.deepEqual(find('flick*').sort(), ['fog 2 answer', 'lamp 1 prompt']);
  assert.deepEqual(find('flick'), []);
  assert.deepEqual(find('"lamp does not fli"*'), ['fog 2 answer']);
});

test('words with a minus are left out', (context) => {
  const { find } = library(context, { 'p/lamp': lamp, 'p/fog': fog });
  assert.deepEqual(find('flicker -horn'), ['lamp 1 prompt']);
  assert.deepEqual(find('wick -"exit code" -trimwick').sort(), ['lamp 5 tool-input']);
});

test('two CJK characters are found where they are adjacent', (context) => {
  const { find } = library(context, { 'p/lamp': lamp, 'p/fog': fog });
  assert.deepEqual(find('灯台'), ['lamp 1 prompt']);
  assert.deepEqual(find('台灯'), []);
  assert.deepEqual(find('置文'), ['lamp 4 tool-output']);
  assert.deepEqual(find('光は霧'), ['lamp 1 prompt']);
});

test('code identifiers are found whole and by their parts', (context) => {
  const { find } = library(context, { 'p/lamp': lamp, 'p/fog': fog });
  assert.deepEqual(find('trimWick').sort(), ['lamp 2 answer', 'lamp 4 tool-output']);
  assert.deepEqual(find('snake_case_name'), ['lamp 2 answer']);
  assert.deepEqual(find('snake'), ['lamp 2 answer']);
  assert.deepEqual(find('src/lamp.ts').sort(), ['lamp 2 answer', 'lamp 3 tool-input']);
  assert.deepEqual(find('trimWick(lampId)'), ['lamp 4 tool-output']);
});

test('filters narrow by project, time, role, tool, file and session', (context) => {
  const { find } = library(context, { 'p/lamp': lamp, 'p/fog': fog });
  assert.deepEqual(find('lamp', { isOfProject: (row) => row.cwd === '/home/kim/horn' }), ['fog 2 answer']);
  const hour = Date.UTC(2026, 2, 1, 11);
  assert.deepEqual(find('lamp', { since: hour }), ['fog 2 answer']);
  assert.deepEqual(find('flicker', { until: hour }), ['lamp 1 prompt']);
  assert.deepEqual(find('flicker', { role: 'user' }), ['lamp 1 prompt']);
  assert.deepEqual(find('flicker', { role: 'assistant' }), ['fog 2 answer']);
  assert.deepEqual(find('wick', { tool: 'bash' }).sort(), ['lamp 5 tool-input', 'lamp 6 tool-output']);
  assert.deepEqual(find('trimWick', { tool: 'Read' }), ['lamp 4 tool-output']);
  for (const file of ['/home/kim/src/lamp.ts', 'lamp.ts', 'src/lamp.ts', './src/lamp.ts', '*.ts', '/home/*/lamp.??']) {
    assert.deepEqual(find('flicker', { file }), ['lamp 1 prompt'], file);
  }
  for (const file of ['amp.ts', '/src/lamp.ts', '*.js', '[l]amp.ts'])
    assert.deepEqual(find('flicker', { file }), [], file);
});

test('other roots in the same index are not searched', (context) => {
  const { find } = library(context, { 'p/lamp': lamp });
  assert.deepEqual(find('lamp', { roots: ['/elsewhere'] }), []);
});

test('text of the user comes before tool output, and newer text before older text of the same rank', (context) => {
  const said = (minute: number): string => sessionText([user('polish the brass')], { startMinute: minute });
  const put = sessionText([assistant([toolUse('t', 'Bash', {})]), user([toolResult('t', 'polish the brass')])], {
    startMinute: 700,
  });
  const { find } = library(context, { 'p/old': said(0), 'p/new': said(600), 'p/tool': put });
  assert.deepEqual(find('brass'), ['new 1 prompt', 'old 1 prompt', 'tool 2 tool-output']);
});

test('words next to each other, as typed, come before scattered ones', (context) => {
  const { find } = library(context, {
    'p/many': sessionText([user('code 3: exit. The exit of code 3, exit by code, 3 or code')]),
    'p/literal': sessionText([assistant(`${'much other text '.repeat(40)}ended with exit code 3 at last`)]),
    'p/few': sessionText([user('exit, then the code, and 3 times more')]),
  });
  const found = find('exit code 3');
  assert.deepEqual([found[0], found.length], ['literal 1 answer', 3]);
  assert.deepEqual(find('exit code 3 -last').includes('literal 1 answer'), false);
  assert.equal(find('exit code*')[0], 'literal 1 answer');
});

test('a prompt that went through the queue is found once, in whatever pieces the file was read', (context) => {
  const { root, database, find } = library(context, {});
  const queued = (content: string): string =>
    `${JSON.stringify({ type: 'queue-operation', operation: 'enqueue', content, timestamp: '2026-03-01T10:00:00.000Z' })}\n`;
  const file = path.join(root, 'projects/p/q.jsonl');
  writeTree(root, { 'projects/p/q.jsonl': queued('find the zeppelin') + sessionText([user('find the zeppelin')]) });
  const lines = (): string[] => {
    update(database, root);
    return find('zeppelin').sort();
  };
  assert.deepEqual(lines(), ['q 2 prompt']);
  appendFileSync(file, queued('another zeppelin'));
  assert.deepEqual(lines(), ['q 2 prompt', 'q 3 prompt']);
  appendFileSync(file, sessionText([user('another zeppelin')]));
  assert.deepEqual(lines(), ['q 2 prompt', 'q 4 prompt']);
  appendFileSync(file, queued('a zeppelin that was never sent'));
  assert.deepEqual(lines(), ['q 2 prompt', 'q 4 prompt', 'q 5 prompt']);
});

test('hits are grouped by session, and a session has no more than its share', (context) => {
  const many = sessionText(Array.from({ length: 6 }, (_, i) => user(`brass ${i}`)));
  const one = sessionText([user('much longer talk of brass and of other things besides, on and on')]);
  const { find } = library(context, { 'p/many': many, 'p/one': one });
  assert.deepEqual(
    find('brass', { perSession: 2 }).map((hit) => hit.split(' ')[0]),
    ['many', 'many', 'one'],
  );
  assert.equal(find('brass').length, 7);
  assert.equal(find('brass', { limit: 3 }).length, 3);
});

test('the snippet shows the match and the text around it', (context) => {
  const text = `${'before '.repeat(200)}the Keeper of the lamp ${'after '.repeat(200)}`;
  const root = temporaryFolder(context);
  writeTree(root, { 'projects/p/s.jsonl': sessionText([user(text)]) });
  const database = currentIndex(temporaryFolder(context), root);
  const [found] = search(database, { text: 'keeper lamp', mode: 'words', roots: [root], limit: 1 }).sessions;
  database.close();
  const snippet = found?.hits[0]?.snippet ?? [];
  assert.deepEqual(
    snippet.filter((piece) => piece.isMatch).map((piece) => piece.text),
    ['Keeper', 'lamp'],
  );
  const whole = snippet.map((piece) => piece.text).join('');
  assert.ok(whole.startsWith('…') && whole.endsWith('…') && whole.includes('the Keeper of the lamp after'));
  assert.ok(whole.length < 300);
});

test('a query without a word says what to do', async () => {
  const refused = (work: () => unknown) => refusalOf((async () => work())());
  assert.deepEqual(await refused(() => parseWords('→ **')), {
    message: 'the query has no word in it; use --exact to look for punctuation',
    exitCode: 2,
  });
  assert.deepEqual(await refused(() => parseWords('-foo')), {
    message: 'the query only says what to leave out; add a word to look for',
    exitCode: 2,
  });
  assert.deepEqual(await refused(() => planScan({ text: '(', mode: 'regex', ignoreCase: false })), {
    message: '"(" is not a regular expression (Unterminated group); use --exact to look for it as it is',
    exitCode: 2,
  });
});

test('exact text is found inside words, with its punctuation and its case', (context) => {
  const { find } = library(context, { 'p/lamp': lamp, 'p/fog': fog });
  const exact = (text: string, ignoreCase = false): string[] => find(text, { mode: 'exact', ignoreCase }).sort();
  assert.deepEqual(exact('rimWick('), ['lamp 2 answer', 'lamp 4 tool-output']);
  assert.deepEqual(exact('RIMwICK('), []);
  assert.deepEqual(exact('RIMwICK(', true), ['lamp 2 answer', 'lamp 4 tool-output']);
  assert.deepEqual(exact('"配置文件"; }'), ['lamp 4 tool-output']);
  assert.deepEqual(exact('GRÖSSE 10', true), []);
  assert.deepEqual(exact('gRÖßE 1', true), ['lamp 1 prompt']);
});

test('letters that a transcript spells as escapes are found too', (context) => {
  const line = JSON.stringify(user('the hidden lamp/house'))
    .replace('hidden', '\\u0068idden')
    .replace('lamp/', 'lamp\\/');
  const { find } = library(context, { 'p/s': `${line}\n` });
  for (const text of ['the hidden lamp', 'idden', 'hidden', 'lamp/house']) {
    assert.deepEqual(find(text, { mode: 'exact' }), ['s 1 prompt'], text);
  }
  assert.deepEqual(find('h\\w+n lamp', { mode: 'regex' }), ['s 1 prompt']);
});

test('--exact finds a text however JSON spells it, and nothing that only looks like it', (context) => {
  const spellings: readonly (readonly [wanted: string, spelled: string])[] = [
    ['say "hi" now', 'say \\"hi\\" now'],
    ['C:\\new\\lamp', 'C:\\\\new\\\\lamp'],
    ['one\ntwo\tthree', 'one\\ntwo\\tthree'],
    ['one\ntwo\tthree', 'one\\u000atwo\\u0009three'],
    ['Größe', 'Größe'],
    ['Größe', 'Gr\\u00f6\\u00DFe'],
    ['a 😀 b', 'a 😀 b'],
    ['a 😀 b', 'a \\ud83d\\ude00 b'],
    ['😀😀', '😀\\uD83D\\uDE00'],
    ['src/lamp/main', 'src\\/lamp\\/main'],
    ['src/lamp/main', 'src/lamp\\u002fmain'],
    ['return new', '\\u0072eturn new'],
  ];
  const line = (said: string): string => `{"type":"user","message":{"role":"user","content":"${said}"}}\n`;
  const { find } = library(context, { 'p/s': spellings.map(([, spelled]) => line(`<${spelled}>`)).join('') });
  for (const [wanted] of spellings) {
    const lines = spellings.flatMap(([other], i) => (other === wanted ? [`s ${i + 1} prompt`] : []));
    assert.deepEqual(find(wanted, { mode: 'exact' }).sort(), lines.sort(), wanted);
  }
  assert.deepEqual(find('ew\\lamp', { mode: 'regex' }), []);
  assert.deepEqual(find('ew\\\\lamp', { mode: 'regex' }), ['s 2 prompt']);
  for (const absent of ['u00f6', 'ntwo', 'nlamp', '\\u', '00e', 'n\\'])
    assert.deepEqual(find(absent, { mode: 'exact' }), [], absent);
});

function demoFiles(): string[] {
  return recordedFiles().filter((_, i) => i % 6 === 0);
}

test('--exact finds all there is in the recordings, for any part of any text', (context) => {
  const files = [
    ...demoFiles(),
    path.join(projectRoot, 'demo/projects/-home-ada-lighthouse/e45ab231-efa0-4724-8c96-3eaad8f3a593.jsonl'),
  ];
  const { database, root } = indexOf(context, files);
  checkExact(database, 60);
  checkRecall(database, root, files, 15);
  checkRegex(database);
});
