// The work that one append costs in a library of 1,000 transcripts.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { sessionText, user } from '../../support/session-text.ts';
import { more, start, talk } from '../live-index-kit.ts';

test('an append to one of 1,000 transcripts reads less than 64 KB, and asks no other file for its size', async (context) => {
  const tree: Record<string, string> = {};
  const filler = sessionText(Array.from({ length: 40 }, (_, i) => user(`prompt ${i} ${'word '.repeat(40)}`)));
  for (let i = 0; i < 1000; i++) tree[`projects/-p${i % 50}/s${i}.jsonl`] = i === 17 ? filler : talk;
  const live = await start(context, tree);
  assert.deepEqual(
    live.reports.map(({ files, filesRead }) => [files, filesRead]),
    [[1000, 1000]],
  );
  const before = bytesReadByThisProcess();
  appendFileSync(path.join(live.root, 'projects/-p17/s17.jsonl'), more);
  const [report, ...others] = await live.next();
  const after = bytesReadByThisProcess();
  assert.deepEqual(others, []);
  assert.ok(report !== undefined && report.bytesRead < 64 * 1024, `${report?.bytesRead} bytes`);
  assert.deepEqual([report.files, report.filesRead, report.problems], [1, 1, []]);
  // What the process read from all files, its database included, as the system counts it.
  if (before !== undefined && after !== undefined) assert.ok(after - before < 64 * 1024, `${after - before} bytes`);
  assert.equal(live.prompts().s17, 41);
});

function bytesReadByThisProcess(): number | undefined {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return undefined; // only Linux counts
  }
}
