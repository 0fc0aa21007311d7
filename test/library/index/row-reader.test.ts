import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { contentOf } from '../../../src/format/entry/entry.ts';
import { parseLine } from '../../../src/format/line/line.ts';
import { scanRecord } from '../../../src/format/scan/scan.ts';
import { type CallRow, readRows } from '../../../src/library/index/row-reader.ts';
import { classifyUser } from '../../../src/session/transcript/node.ts';
import { promptText } from '../../../src/session/transcript/prompt-text.ts';
import { referenceHead } from '../../support/reference-head.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { corpusFiles, linesOf, recordedFiles } from '../../support/transcripts.ts';

const ownId = (file: string): string => path.basename(file, '.jsonl');
const rowsOf = (file: string) =>
  readRows({ path: file, sessionId: ownId(file), offset: 0, line: 0, maxBytes: Number.POSITIVE_INFINITY });

function isCopyIn(file: string, entry: JsonObject): boolean {
  const { forkedFrom } = entry as { forkedFrom?: { sessionId?: unknown } | null };
  const origin = forkedFrom?.sessionId;
  return typeof origin === 'string' && origin !== '' && origin !== ownId(file);
}

/** The same rows, from lines that were parsed. */
function referenceRows(file: string): object {
  const prompts: object[] = [];
  const calls = new Map<string, CallRow>();
  const results = new Map<string, { isError: boolean; agentId: string | undefined }>();
  const facts = { startedAt: Number.POSITIVE_INFINITY, endedAt: Number.NEGATIVE_INFINITY };
  const said: { firstPrompt?: string } = {};
  for (const [index, bytes] of linesOf(file).entries()) {
    for (const { entry } of parseLine(bytes).pieces) {
      if (entry === undefined) continue;
      const line = index + 1;
      const head = referenceHead(entry);
      const { time, message } = head;
      if (time < facts.startedAt) facts.startedAt = time;
      if (time > facts.endedAt) facts.endedAt = time;
      const type = head.type === '' ? message?.role : head.type;
      if (type === 'assistant') {
        for (const { id, name, file: touched } of message?.calls ?? []) {
          const call = { toolUseId: id, line, time, name, touched, isError: undefined, agentId: undefined };
          if (!calls.has(id)) calls.set(id, call);
        }
      }
      if (type !== 'user') continue;
      for (const { toolUseId, isError } of message?.results ?? [])
        results.set(toolUseId, { isError, agentId: head.resultAgentId });
      const { prompt } = classifyUser(head);
      if (prompt === undefined || head.isSidechain) continue;
      prompts.push({ line, uuid: head.uuid, time, kind: prompt, isCopy: isCopyIn(file, entry) });
      if (said.firstPrompt === undefined && prompt !== 'slash-command') {
        const text = promptText(contentOf(entry)).trim().slice(0, 500);
        if (text !== '') said.firstPrompt = text;
      }
    }
  }
  for (const call of calls.values()) Object.assign(call, results.get(call.toolUseId) ?? {});
  const { startedAt, endedAt } = facts;
  return { prompts, calls: [...calls.values()], startedAt, endedAt, firstPrompt: said.firstPrompt };
}

function readAgain(file: string): object {
  const { prompts, calls, facts } = rowsOf(file);
  const { startedAt, endedAt, firstPrompt } = facts;
  return { prompts, calls, startedAt, endedAt, firstPrompt };
}

/** A torn last line is left for the next time by one, and is damage for the other. */
const isTerminated = (file: string): boolean => readFileSync(file).at(-1) === 0x0a;

test('the rows of every recorded file are what its parsed lines say', () => {
  for (const file of recordedFiles().filter(isTerminated)) assert.deepEqual(readAgain(file), referenceRows(file), file);
});

test('the rows of every file of the corpora are what its parsed lines say', () => {
  for (const file of corpusFiles().filter(isTerminated)) assert.deepEqual(readAgain(file), referenceRows(file), file);
});

test('a file read in two parts has the rows of one reading', () => {
  for (const file of recordedFiles().filter(isTerminated).slice(0, 40)) {
    const size = readFileSync(file).length;
    const sessionId = ownId(file);
    const first = readRows({ path: file, sessionId, offset: 0, line: 0, maxBytes: size / 2 });
    const { offset, line } = first;
    const second = readRows({ path: file, sessionId, offset, line, maxBytes: Number.POSITIVE_INFINITY });
    const whole = rowsOf(file);
    assert.deepEqual([...first.prompts, ...second.prompts], whole.prompts, file);
    const ids = (calls: readonly CallRow[]): string[] => calls.map(({ toolUseId }) => toolUseId);
    assert.deepEqual([...new Set([...ids(first.calls), ...ids(second.calls)])], ids(whole.calls), file);
    const answered = (calls: readonly CallRow[]): string[] => ids(calls.filter((call) => call.isError !== undefined));
    const late = second.results.map(({ toolUseId }) => toolUseId).filter((id) => ids(first.calls).includes(id));
    const inParts = new Set([...answered(first.calls), ...answered(second.calls), ...late]);
    assert.deepEqual([...inParts].sort(), answered(whole.calls).sort(), file);
  }
});

test('a result that comes before its call, or twice, belongs to the call', (t) => {
  const file = path.join(temporaryFolder(t), 'a.jsonl');
  const result = (id: string, isError: boolean): object => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, is_error: isError }] },
  });
  const call = {
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read' }] },
  };
  const outcomes = [
    [result('a', false), result('a', true), call],
    [result('a', true), call, result('a', false)],
    [call, result('a', true), result('b', true), call],
  ].map((lines) => {
    writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    const { calls, results } = rowsOf(file);
    return [calls.map(({ isError }) => isError), results.map(({ toolUseId }) => toolUseId)];
  });
  assert.deepEqual(outcomes, [
    [[true], []],
    [[false], []],
    [[true], ['b']],
  ]);
});

test('damaged files have the rows of what is left of them', (t) => {
  const damaged = path.join(temporaryFolder(t), 'a.jsonl');
  const sources = recordedFiles()
    .filter(isTerminated)
    .map((file) => readFileSync(file))
    .filter((bytes) => bytes.length < 100_000);
  const flips = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\\n\r \0ét')), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.nat(sources.length - 1), flips, (index, changes) => {
      const bytes = Buffer.from(sources[index] as Buffer);
      for (const [at, letter] of changes) bytes.write(letter, at % (bytes.length - 2), 'latin1');
      writeFileSync(damaged, bytes);
      // The scan checks only the shape: it accepts a line that looks like a record and is not JSON.
      fc.pre(linesOf(damaged).every((line) => scanRecord(line) === undefined || isObject(parseJson(line.toString()))));
      assert.deepEqual(readAgain(damaged), referenceRows(damaged));
    }),
    { numRuns: 150 },
  );
});
