// The Markdown of a very long session.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { exportMarkdown } from '../../../src/export/markdown/markdown.ts';
import { exportSource } from '../../../src/export/source/source.ts';
import type { Transcript } from '../../../src/session/transcript/transcript.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { sessionId } from '../kit.ts';

test('a session of 100 MB comes out as it is read, in pieces of a few lines', async (context) => {
  const folder = temporaryFolder(context);
  const file = path.join(folder, `${sessionId}.jsonl`);
  writeFileSync(file, longSession(340, 3000));
  const { session } = await loadSource(file);
  assert.ok(session.transcript.sizeBytes > 100_000_000);
  let bytesRead = 0;
  const transcript: Transcript = {
    ...session.transcript,
    read: (node) => {
      bytesRead += node.length;
      return session.transcript.read(node);
    },
  };
  let largest = 0;
  let readAtOnce = 0;
  let before = 0;
  for await (const piece of exportMarkdown(exportSource({ ...session, transcript }))) {
    largest = Math.max(largest, piece.length);
    readAtOnce = Math.max(readAtOnce, bytesRead - before);
    before = bytesRead;
  }
  // An output is read for its outcome and again for a diff; never more than one call's lines between two pieces.
  assert.deepEqual([largest < 8_000, readAtOnce < 1_000_000, bytesRead > 100_000_000], [true, true, true]);
});

/** Calls with an output of so many lines of a hundred characters, a turn each. */
function longSession(turns: number, lines: number): string {
  const output = `${'o'.repeat(99)}\n`.repeat(lines);
  const all = Array.from({ length: turns }, (_, i) => [
    user(`prompt ${i}`),
    assistant([toolUse(`toolu_${i}`, 'Bash', { command: 'make' })]),
    user([toolResult(`toolu_${i}`, output)]),
  ]);
  return sessionText(all.flat());
}
