// The thirteen counting cases of the counting cases, on which other counters were measured, through the command.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { jsonOf } from '../support/clew.ts';
import { corpusFolder } from '../support/corpus.ts';

/** Output tokens of each session, in the order of its id. */
const right: Readonly<Record<string, readonly number[]>> = {
  '1_stream_final': [400],
  '2_no_requestId': [400],
  '3_no_requestId_gateway': [400],
  // Each alone; 500 over both.
  '4_fork_copy': [400, 500],
  '5_subagent_file': [450],
  '6_sidechain_replay_diff_req': [400],
  '7_truncated_tail': [400],
  '8_stream_last_smaller': [400],
  '9_cache_1h': [0],
  '10_unknown_model': [400],
  '11_crlf_bom': [500],
  '12_pretty_spaces': [400],
  '13_dup_key_text': [400],
};

test('every case of the bench has the right output tokens', () => {
  const folder = path.join(corpusFolder, 'counting');
  const counted = Object.keys(right).map((name) => {
    const root = path.join(folder, name);
    const rows = jsonOf(['ls', '--json', '--root', root]) as readonly JsonObject[];
    const ids = rows.map((row) => String(row.sessionId)).sort();
    return [name, ids.map((id) => usageOf(root, id).outputTokens)];
  });
  assert.deepEqual(Object.fromEntries(counted), right);
  const cache = usageOf(path.join(folder, '9_cache_1h'), '1111');
  assert.deepEqual([cache.cacheWrite1hTokens, cache.cacheWrite5mTokens], [1_000_000, 0]);
});

function usageOf(root: string, id: string): JsonObject {
  return (jsonOf(['show', '--json', '--root', root, id]) as JsonObject).usage as JsonObject;
}
