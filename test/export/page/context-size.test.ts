// The size of the context over the turns, and the turn that each compaction belongs to.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { sessionHead } from '../../../src/export/page/head.ts';
import type { SessionHead } from '../../../src/export/wire/view.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { type Fields, transcript } from '../../support/transcript-builder.ts';

/** An answer to a request with this much input. */
function sized(input: number, output = 10): Fields {
  return {
    message: {
      usage: { input_tokens: 0, cache_read_input_tokens: input, output_tokens: output },
      model: 'claude-opus-4-6',
    },
  };
}

const command =
  '<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args></command-args>';

type Row = readonly [turn: number, size: number | null, peak: number | null, drops: readonly (readonly unknown[])[]];

function rowsOf({ turns }: SessionHead): readonly Row[] {
  return turns.map(({ index, contextTokens, peakTokens, drops }) => [
    index,
    contextTokens,
    peakTokens,
    drops.map(({ line, before, after, place }) => [line, before, after, place]),
  ]);
}

test('a compaction in the middle of a turn belongs to that turn, which has its peak before it', () => {
  const session = transcript()
    .user('first')
    .assistant('one', sized(50_000))
    .user('second')
    .call('c1', sized(160_000))
    .result('c1')
    .boundary({ trigger: 'auto', preTokens: 165_000, postTokens: 4_000 })
    .summary('what was')
    .assistant('two', sized(30_000))
    .user('third')
    .assistant('three', sized(31_000))
    .session();
  assert.deepEqual(rowsOf(sessionHead(session)), [
    [1, 50_010, 50_010, []],
    [2, 30_010, 165_000, [[6, 165_000, 30_000, 'middle']]],
    [3, 31_010, 31_010, []],
  ]);
});

test('a compaction by /compact belongs to the turn of the command, whose line comes after it', () => {
  const session = transcript()
    .user('first')
    .assistant('one', sized(90_000))
    .boundary({ trigger: 'manual', preTokens: 90_500 })
    .summary('what was')
    .user(command)
    .user('third')
    .assistant('three', sized(20_000))
    .session();
  assert.deepEqual(rowsOf(sessionHead(session)), [
    [1, 90_010, 90_010, []],
    [2, null, null, [[3, 90_500, 20_000, 'start']]],
    [3, 20_010, 20_010, []],
  ]);
});

test('a compaction between two turns belongs to the later one', () => {
  const session = transcript()
    .user('first')
    .assistant('one', sized(90_000))
    .boundary({ trigger: 'auto' })
    .summary('what was')
    .user('second')
    .assistant('two', sized(20_000))
    .session();
  assert.deepEqual(rowsOf(sessionHead(session)), [
    [1, 90_010, 90_010, []],
    [2, 20_010, 20_010, [[3, 90_010, 20_000, 'start']]],
  ]);
});

test('a compaction at the end belongs to the last turn, with the size that the client wrote', () => {
  const session = transcript()
    .user('first')
    .assistant('one', sized(90_000))
    .boundary({ trigger: 'auto', preTokens: 90_100, postTokens: 3_000 })
    .summary('what was')
    .session();
  assert.deepEqual(rowsOf(sessionHead(session)), [[1, 90_010, 90_100, [[3, 90_100, 3_000, 'end']]]]);
});

test('the window is what the client counts with: 200k for 4.6 unless more was used, and it compacts before', () => {
  const windowOf = (input: number): unknown[] => {
    const head = sessionHead(transcript().user('first').assistant('one', sized(input)).session());
    return [head.contextLimit, head.compactsAt];
  };
  assert.deepEqual(windowOf(150_000), [200_000, 167_000]);
  assert.deepEqual(windowOf(300_000), [1_000_000, 967_000]);
});

/** Compactions that a real client made in the terminal or with `-p`, by raw JSON: the line of the compaction, that of `/compact`. */
function rawCompactions(file: string): readonly (readonly [compaction: number, command: number])[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const records = lines.map((line) => (line === '' ? {} : (JSON.parse(line) as Record<string, unknown>)));
  return records.flatMap((record, i) => {
    const isSummary = record.isCompactSummary === true && records[i - 1]?.subtype !== 'compact_boundary';
    if (record.subtype !== 'compact_boundary' && !isSummary) return [];
    const at = lines.findIndex((line, j) => j > i && line.includes('<command-name>/compact</command-name>'));
    return [[i + 1, at + 1] as const];
  });
}

test('compactions of real clients belong to the turn of their /compact', async () => {
  const real = path.join(corpusFolder, 'corpus/real');
  const files = readdirSync(real, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => path.join(real, file))
    .filter((file) => /"subtype":"compact_boundary"|"isCompactSummary":true/.test(readFileSync(file, 'utf8')));
  assert.ok(files.length >= 12, `${files.length} files`);
  for (const file of files) {
    const expected = rawCompactions(file);
    assert.ok(expected.length > 0 && expected.every(([, line]) => line > 0), file);
    const { turns } = sessionHead(await loadSession(file));
    const found = turns.flatMap(({ drops, partLines }) => drops.map(({ line }) => [line, partLines[0]]));
    assert.deepEqual(found, expected, file);
  }
});
