// Reading under damage: whatever happens to a file, it loads, the lines that nothing happened to are the nodes they
// were, and `clew cat` returns every byte. CLEW_LONG=1 tries ten times as many damages.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Node } from '../../src/session/transcript/node.ts';
import { loadTranscript } from '../../src/session/transcript/transcript.ts';
import { damageLines, damages, joinLines } from '../support/damage.ts';
import { plainNode } from '../support/plain-node.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { linesOf, recordings } from '../support/transcripts.ts';
import { sample, serialised } from './damage-kit.ts';

const runs = process.env.CLEW_LONG === '1' ? 3000 : 300;

/** A node without its place in the file. */
function bare(node: Node): Record<string, unknown> {
  const { index, line, offset, ...rest } = plainNode(node);
  return rest;
}

const samples = [
  sample,
  path.join(recordings, 'vectors/041-compact-boundary-summary/0a0a0a0a-1111-4222-8333-444444444444.jsonl'),
  path.join(recordings, 'vectors/028-parallel-chain/0a0a0a0a-1111-4222-8333-444444444444.jsonl'),
  path.join(recordings, 'vectors/079-invalid-json-lines-mid/0a0a0a0a-1111-4222-8333-444444444444.jsonl'),
].map((file) => {
  const lines = linesOf(file).slice(0, -1);
  const { nodes } = loadTranscript(file);
  return { lines, nodesOf: lines.map((_, index) => nodes.filter(({ line }) => line === index + 1).map(bare)) };
});

test('whatever is damaged, the lines that are not are the nodes they were, and every byte comes back', (context) => {
  const file = path.join(temporaryFolder(context), 'session.jsonl');
  fc.assert(
    fc.property(fc.constantFrom(...samples), damages, fc.boolean(), fc.boolean(), (original, wanted, torn, strict) => {
      const lines = damageLines(original.lines, wanted);
      const bytes = joinLines(lines, torn);
      writeFileSync(file, bytes);
      const transcript = loadTranscript(file, { strict });
      assert.ok(serialised(file).equals(bytes));
      assert.equal(transcript.sizeBytes, bytes.length);
      checkPlaces(transcript.nodes, bytes.length);
      let offset = 0;
      for (const line of lines) {
        const [start, end] = [offset, offset + line.bytes.length];
        offset = end + 1;
        if (line.original === undefined) continue;
        const after = transcript.nodes.filter((node) => node.offset >= start && node.offset < end);
        assert.deepEqual(after.map(bare), original.nodesOf[line.original], line.bytes.toString());
      }
      for (const node of transcript.nodes) transcript.read(node);
    }),
    { numRuns: runs },
  );
});

/** Nodes are numbered, in the order of the file, inside it, and never overlap. */
function checkPlaces(nodes: readonly Node[], size: number): void {
  let end = 0;
  let line = 1;
  for (const [index, node] of nodes.entries()) {
    assert.equal(node.index, index);
    assert.ok(node.offset >= end && node.line >= line && node.length > 0);
    end = node.offset + node.length;
    line = node.line;
  }
  assert.ok(end <= size);
}
