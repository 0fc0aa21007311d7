// The scanner in WebAssembly against `UsageReader`, which reads the same lines in JavaScript; and `UsageReader` against
// lines that were parsed.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { parseLine } from '../../../src/format/line/line.ts';
import { field } from '../../../src/format/scan/places.ts';
import { PackedRows } from '../../../src/library/rows/packed-rows.ts';
import { RowScanner } from '../../../src/library/rows/row-scanner.ts';
import { readUsageLines } from '../../../src/library/rows/usage-reader.ts';
import { countUsage, type UsageLine } from '../../../src/session/usage/usage.ts';
import { proveFile } from '../../../src/store/file-proof.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { projectRoot } from '../../support/paths.ts';
import { referenceHead } from '../../support/reference-head.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { corpusFiles, linesOf, recordedFiles } from '../../support/transcripts.ts';
import { answerLine } from '../../support/usage-library.ts';

const ownId = (file: string): string => path.basename(file, '.jsonl');

interface Read {
  readonly offset: number;
  readonly line: number;
  readonly facts: object;
  readonly messages: readonly object[];
}

function messagesOf(lines: readonly UsageLine[]): readonly object[] {
  return countUsage(lines).messages.map(({ line, usage, isLowerBound }) => ({
    ...line,
    usage,
    isLowerBound,
    stopReason: undefined,
  }));
}

function scanned(file: string, scanner: RowScanner = new RowScanner()): Read {
  const size = statSync(file).size;
  const { offset, line, facts, parts, proof } = scanner.scan({
    path: file,
    sessionId: ownId(file),
    offset: 0,
    line: 0,
    size,
  });
  assert.deepEqual(proof, proveFile(file, offset));
  const lines: UsageLine[] = [];
  for (const part of parts)
    new PackedRows(part).unpack({ file, sessionId: ownId(file), models: scanner.models }, lines);
  return { offset, line, facts: sorted(facts), messages: messagesOf(lines) };
}

function read(file: string): Read {
  const { offset, line, facts, usage } = readUsageLines(file, { sessionId: ownId(file) });
  const lines = usage.map((each) => ({
    ...each,
    file,
    sessionId: ownId(file),
    uuid: each.messageId === undefined ? each.uuid : undefined,
  }));
  return { offset, line, facts: sorted(facts), messages: messagesOf(lines) };
}

function sorted(facts: { readonly origins: ReadonlySet<string> }): object {
  return { ...facts, origins: [...facts.origins].sort() };
}

test('the numbers of fields in the scanner are those of places.ts', () => {
  const source = ['scan.as.ts', 'shared-walk.as.ts']
    .map((file) => readFileSync(path.join(projectRoot, 'src/format/scan', file), 'utf8'))
    .join('\n');
  const constants = [...source.matchAll(/^const field(\w+): usize = (\d+);$/gm)];
  assert.equal(constants.length, 27);
  const numbers = field as Readonly<Record<string, number>>;
  for (const [, name = '', number] of constants) {
    const key = name.charAt(0).toLowerCase() + name.slice(1);
    assert.equal(Number(number), numbers[key], key);
  }
});

test('of every file of the corpora the scanner reads what the reader reads', () => {
  const scanner = new RowScanner();
  for (const file of [...corpusFiles(), ...recordedFiles()]) assert.deepEqual(scanned(file, scanner), read(file), file);
});

test('of every file of the corpora the reader reads what its parsed lines say', () => {
  // A torn last line is left for the next time by one, and is damage for the other.
  const whole = [...corpusFiles(), ...recordedFiles()].filter((file) => readFileSync(file).at(-1) === 0x0a);
  assert.ok(whole.length > 500);
  for (const file of whole) {
    const { usage } = readUsageLines(file, { sessionId: ownId(file) });
    assert.deepEqual(usage, parsedUsage(file), file);
  }
});

function parsedUsage(file: string): readonly object[] {
  const usage: object[] = [];
  for (const [index, bytes] of linesOf(file).entries()) {
    for (const { entry } of parseLine(bytes).pieces) {
      if (entry === undefined) continue;
      const { message, type, time, uuid, isSidechain, requestId } = referenceHead(entry);
      if ((type === '' ? message?.role : type) !== 'assistant' || message?.usage === undefined) continue;
      const { id: messageId, model, stopReason } = message;
      const names = { uuid: messageId === undefined ? uuid : undefined, messageId, requestId, model, stopReason };
      usage.push({ line: index + 1, time, ...names, isSidechain, usage: message.usage, isCopy: isCopyIn(file, entry) });
    }
  }
  return usage;
}

function isCopyIn(file: string, entry: JsonObject): boolean {
  const { forkedFrom } = entry as { forkedFrom?: { sessionId?: unknown } | null };
  const origin = forkedFrom?.sessionId;
  return typeof origin === 'string' && origin !== '' && origin !== ownId(file);
}

/** Bytes that change the meaning of JSON, and some that do not. */
const edits = fc.record({
  at: fc.nat(2 ** 20),
  kind: fc.constantFrom('insert', 'remove', 'replace', 'cut', 'swap'),
  text: fc.constantFrom(
    ...['"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\r', '\t', ' ', '0', '-', '1e3', 'null', 'true', '\\u0069'],
    ...['é', '\u0000', '\ufeff', '"usage":', '"type":"assistant"', '"id":"m"', '"model":"<synthetic>"', 'compaction'],
    ...[
      '"timestamp":"2026-02-29T00:00:00.000Z"',
      '"timestamp":"2026-01-01T24:00:00.000Z"',
      '"message":{',
      '\\"',
      '99999999999999999',
    ],
    ...['"sessionId":"other"', '"cwd":"/a\\\\b"', '"is\\u0053idechain":true', '"requestId":null', '"uuid":7'],
  ),
});
type Edit = typeof edits extends fc.Arbitrary<infer T> ? T : never;

function edited(line: Buffer, { at, kind, text }: Edit): Buffer {
  const place = line.length === 0 ? 0 : at % line.length;
  const [before, after] = [line.subarray(0, place), line.subarray(place)];
  if (kind === 'insert') return Buffer.concat([before, Buffer.from(text), after]);
  if (kind === 'remove') return Buffer.concat([before, after.subarray(1 + (at % 7))]);
  if (kind === 'replace') return Buffer.concat([before, Buffer.from(text), after.subarray(Buffer.byteLength(text))]);
  return kind === 'cut' ? before : Buffer.concat([after, before]);
}

/** Short lines of the corpora, by which a mutation is likely to hit something that matters. */
const samples: readonly Buffer[] = [...corpusFiles(), ...recordedFiles()]
  .flatMap((file) => linesOf(file).slice(0, 40))
  .filter((line) => line.length < 4096)
  .map((line) => Buffer.from(line));

const answers: readonly Buffer[] = [
  answerLine({ id: 'm', requestId: 'r', output: 5, stop: null }),
  answerLine({ id: 'm', requestId: 'r', output: 9 }),
  answerLine({ id: 'n', output: 3, usage: { speed: 'fast', service_tier: 'batch', inference_geo: 'us' } }),
  answerLine({ output: 3, top: { forkedFrom: { sessionId: 'origin', messageUuid: 'u' } } }),
  answerLine({ id: 'o', usage: { iterations: [{ type: 'compaction', input_tokens: 3, output_tokens: 4 }] } }),
  answerLine({ id: 'p', model: '<synthetic>' }),
].map((line) => Buffer.from(line));

test('of lines with any damage the scanner reads what the reader reads', (t) => {
  const file = path.join(temporaryFolder(t), 'a.jsonl');
  const scanner = new RowScanner();
  const line = fc
    .tuple(
      fc.oneof(fc.nat(samples.length - 1), fc.constantFrom(-1, -2, -3, -4, -5, -6)),
      fc.array(edits, { maxLength: 3 }),
    )
    .map(([sample, list]) => {
      const start = (sample < 0 ? answers[-1 - sample] : samples[sample]) as Buffer;
      return list.reduce(edited, start);
    });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), fc.boolean(), (lines, isTerminated) => {
      const bytes = Buffer.concat(lines.flatMap((each) => [each, Buffer.from('\n')]));
      writeFileSync(file, isTerminated ? bytes : bytes.subarray(0, -1));
      assert.deepEqual(scanned(file, scanner), read(file));
    }),
    { numRuns: fuzzRuns(1000) },
  );
});

test('lines that cross the pieces in which a file is read are read whole', (t) => {
  const file = path.join(temporaryFolder(t), 'a.jsonl');
  const long = (id: string, size: number): string =>
    `${answerLine({ id, output: size, top: { pad: `x\\"${'y'.repeat(size)}` } })}\n`;
  const sizes = [1 << 20, 10, (1 << 20) - 300, 1, 3 << 20, 400];
  writeFileSync(file, sizes.map((size, i) => long(`m${i}`, size)).join(''));
  const { messages, line } = scanned(file);
  assert.equal(line, 6);
  assert.deepEqual(
    messages.map((message) => (message as UsageLine).usage.outputTokens),
    sizes,
  );
});

test('a file continues where it was left, in the middle of a response', (t) => {
  const file = path.join(temporaryFolder(t), 'a.jsonl');
  const scanner = new RowScanner();
  writeFileSync(
    file,
    `${answerLine({ id: 'm', output: 1, stop: null })}\n${answerLine({ id: 'm', output: 2 }).slice(0, 40)}`,
  );
  const first = scanner.scan({ path: file, sessionId: 'a', offset: 0, line: 0, size: statSync(file).size });
  assert.equal(first.line, 1);
  truncateSync(file, first.offset);
  appendFileSync(file, `${answerLine({ id: 'm', output: 7 })}\n`);
  const { offset, line } = first;
  const second = scanner.scan({ path: file, sessionId: 'a', offset, line, size: statSync(file).size });
  const lines: UsageLine[] = [];
  for (const part of [...first.parts, ...second.parts])
    new PackedRows(part).unpack({ file, sessionId: 'a', models: scanner.models }, lines);
  assert.deepEqual(
    countUsage(lines).messages.map(({ line: { line: number }, usage }) => [number, usage.outputTokens]),
    [[2, 7]],
  );
});

test('more rows, models and origins than the scanner has room for', (t) => {
  const file = path.join(temporaryFolder(t), 'a.jsonl');
  const lines = Array.from({ length: 11_000 }, (_, i) =>
    answerLine({
      id: `m${i}`,
      output: i,
      model: i % 40 === 0 ? `claude-${i}-${'z'.repeat(i % 80)}` : 'claude-opus-4-6',
      sessionId: `s${i % 30}`,
    }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  const result = scanned(file);
  assert.equal(result.messages.length, 11_000);
  assert.deepEqual(result, read(file));
});

test('ids and names that are far too long are read', (t) => {
  const file = path.join(temporaryFolder(t), 'a.jsonl');
  const lines = [
    answerLine({ id: 'first', output: 7 }),
    answerLine({ id: 'i'.repeat(2_500_000), requestId: 'r'.repeat(9000), output: 1 }),
    answerLine({ id: 'i'.repeat(2_500_000), requestId: 'r'.repeat(9000), output: 2 }),
    answerLine({ id: 'short', output: 3, model: 'm'.repeat(100_000), cwd: `/${'c'.repeat(40_000)}` }),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const result = scanned(file);
  assert.deepEqual(
    result.messages.map((message) => (message as UsageLine).usage.outputTokens),
    [7, 2, 3],
  );
  assert.deepEqual(result, read(file));
});
