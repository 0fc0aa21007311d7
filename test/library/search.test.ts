import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { isArray, isObject, type JsonValue, parseJson } from '../../src/base/json.ts';
import type { Database } from '../../src/library/database.ts';
import { DocumentReader, type DocumentRow, documentColumns, documentRow } from '../../src/library/document.ts';
import { type SearchQuery, search } from '../../src/library/search.ts';
import { parseWords } from '../../src/library/search-query.ts';
import { planScan, scanDocuments } from '../../src/library/search-scan.ts';
import { hasShared, projectRoot, skipWithoutShared } from '../support/paths.ts';
import { refusalOf } from '../support/refusal.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { corpusFiles, linesOf, recordedFiles } from '../support/transcripts.ts';
import { currentIndex } from './index-check.ts';
import { linkTranscripts } from './library-root.ts';

interface Library {
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
  assert.deepEqual(find('lamp horn wick'), []);
});

test('a phrase is words side by side, and prefixes go on', (context) => {
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

test('two CJK characters are found where they stand side by side', (context) => {
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

test('what a person said comes before what a tool put out, and of equals the newer', (context) => {
  const said = (minute: number): string => sessionText([user('polish the brass')], { startMinute: minute });
  const put = sessionText([assistant([toolUse('t', 'Bash', {})]), user([toolResult('t', 'polish the brass')])], {
    startMinute: 700,
  });
  const { find } = library(context, { 'p/old': said(0), 'p/new': said(600), 'p/tool': put });
  assert.deepEqual(find('brass'), ['new 1 prompt', 'old 1 prompt', 'tool 2 tool-output']);
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

test('the snippet shows the match and what stands around it', (context) => {
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

test('letters that a transcript spells as escapes are found all the same', (context) => {
  const line = JSON.stringify(user('the hidden lamp/house'))
    .replace('hidden', '\\u0068idden')
    .replace('lamp/', 'lamp\\/');
  const { find } = library(context, { 'p/s': `${line}\n` });
  for (const text of ['the hidden lamp', 'idden', 'hidden', 'lamp/house']) {
    assert.deepEqual(find(text, { mode: 'exact' }), ['s 1 prompt'], text);
  }
  assert.deepEqual(find('h\\w+n lamp', { mode: 'regex' }), ['s 1 prompt']);
});

/** Pseudo-random, so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function allDocuments(database: Database): { row: DocumentRow; text: string }[] {
  const reader = new DocumentReader('sequential');
  return database
    .prepare(`SELECT ${documentColumns} FROM documents d JOIN files f ON f.id = d.file ORDER BY d.file, d.offset, d.id`)
    .all()
    .map((each) => documentRow(each))
    .map((row) => ({ row, text: reader.read(row)?.text ?? '' }));
}

const everything = { where: '', values: [] };

/** Hundreds of random parts of random documents: what the scan finds is what looking at every document finds. */
function checkExact(database: Database, count: number): void {
  const documents = allDocuments(database);
  const random = randomFrom(42);
  let narrowed = 0;
  for (let i = 0; i < count; i++) {
    const { text } = documents[random(documents.length)] as (typeof documents)[number];
    const start = random(text.length);
    const wanted = text.slice(start, start + (i % 20 === 0 ? 1 : 3) + random(30));
    const ignoreCase = i % 10 === 9;
    const scan = planScan({ text: ignoreCase ? swapCase(wanted) : wanted, mode: 'exact', ignoreCase });
    if (scan.words !== undefined) narrowed++;
    const one = new RegExp(scan.pattern.source, scan.pattern.flags.replace('g', ''));
    const expected = documents.filter((each) => (ignoreCase ? one.test(each.text) : each.text.includes(wanted)));
    assert.deepEqual(
      scanDocuments(database, scan, everything)
        .map((row) => row.id)
        .sort((a, b) => a - b),
      expected.map(({ row }) => row.id).sort((a, b) => a - b),
      JSON.stringify(wanted),
    );
  }
  assert.ok(narrowed > count / 5, `${narrowed} of ${count} used the index`);
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
}

/** By the plainest means: every string of the messages, as JSON.parse gives it, with the line it stands in. */
function plainStrings(files: readonly string[]): { file: string; line: number; text: string }[] {
  return files.flatMap((file) =>
    linesOf(file).flatMap((bytes, i) => {
      const entry = parseJson(bytes.toString('utf8'));
      if (!isObject(entry) || (entry.type !== 'user' && entry.type !== 'assistant') || !isObject(entry.message))
        return [];
      const { content } = entry.message;
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : isArray(content) ? content : [];
      return blocks.flatMap((block) => stringsOf(block)).map((text) => ({ file, line: i + 1, text }));
    }),
  );
}

function stringsOf(block: JsonValue): string[] {
  if (!isObject(block)) return [];
  if (block.type === 'text') return typeof block.text === 'string' ? [block.text] : [];
  if (block.type === 'thinking') return typeof block.thinking === 'string' ? [block.thinking] : [];
  if (block.type === 'tool_use' && isObject(block.input)) {
    return Object.values(block.input).filter((value) => typeof value === 'string');
  }
  if (block.type !== 'tool_result') return [];
  if (typeof block.content === 'string') return [block.content];
  return isArray(block.content) ? block.content.flatMap(stringsOf) : [];
}

function checkRecall(database: Database, root: string, files: readonly string[], count: number): void {
  const strings = plainStrings(files).filter(({ text }) => text.length > 0 && text.length < 20_000);
  const random = randomFrom(7);
  for (let i = 0; i < count; i++) {
    const { file, line, text } = strings[random(strings.length)] as (typeof strings)[number];
    const start = random(text.length);
    const wanted = text.slice(start, start + 3 + random(40));
    const found = search(database, { text: wanted, mode: 'exact', roots: [root], limit: 1_000_000 }).sessions;
    const place = `${path.join(root, 'projects', `p${files.indexOf(file)}`, path.basename(file))} ${line}`;
    const places = found.flatMap((each) => each.hits.map((hit) => `${hit.path} ${hit.line}`));
    assert.ok(places.includes(place), `${JSON.stringify(wanted)} of ${file}:${line}`);
  }
}

function checkRegex(database: Database): void {
  const documents = allDocuments(database);
  const patterns = [
    '\\bfunction\\s+\\w+\\(',
    'error[^\\n]{0,20}line',
    '^\\s*import .* from',
    '[a-z]+_[a-z]+_id',
    'lamp|fog|test',
    'exit code \\d+$',
    '\\p{Script=Han}{2,}',
    'node_modules/\\w+',
    '(?:foo)?\\.json"',
    'colou?r',
    'x{2,3}',
    '\\u0041\\w',
  ];
  for (const [i, source] of patterns.entries()) {
    for (const ignoreCase of [false, true]) {
      const scan = planScan({ text: source, mode: 'regex', ignoreCase });
      const plain = new RegExp(source, i === 8 ? (ignoreCase ? 'im' : 'm') : ignoreCase ? 'imu' : 'mu');
      assert.deepEqual(
        scanDocuments(database, scan, everything).map((row) => row.id),
        documents.filter(({ text }) => plain.test(text)).map(({ row }) => row.id),
        source,
      );
    }
  }
}

function indexOf(context: TestContext, files: readonly string[]): { database: Database; root: string } {
  const root = temporaryFolder(context);
  linkTranscripts(root, files);
  const database = currentIndex(temporaryFolder(context), root);
  context.after(() => database.close());
  return { database, root };
}

function demoFiles(): string[] {
  return recordedFiles().filter((_, i) => i % 6 === 0);
}

test('--exact finds all there is in the recordings, for any part of any text', (context) => {
  const files = [
    ...demoFiles(),
    path.join(projectRoot, 'demo/projects/-home-ada-lighthouse/e45ab231-efa0-4724-8c96-3eaad8f3a593.jsonl'),
  ];
  const { database, root } = indexOf(context, files);
  checkExact(database, 300);
  checkRecall(database, root, files, 60);
  checkRegex(database);
});

test('--exact finds all there is in the corpora, for any part of any text', { skip: skipWithoutShared }, (context) => {
  const files = hasShared ? corpusFiles() : [];
  const { database, root } = indexOf(context, files);
  const isLong = process.env.CLEW_LONG === '1';
  checkExact(database, isLong ? 1000 : 60);
  checkRecall(database, root, files, isLong ? 300 : 25);
  checkRegex(database);
});
