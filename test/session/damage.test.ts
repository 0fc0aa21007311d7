// Reading under damage: whatever happens to a file, it loads, the lines that nothing happened to are the nodes they
// were, except that some become a part of a value that the damage begins, and `clew cat` returns every byte. CLEW_LONG=1 tries ten times as many damages.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Node } from '../../src/session/transcript/node.ts';
import { loadTranscript } from '../../src/session/transcript/transcript.ts';
import { type Damage, damageLines, damages, joinLines } from '../support/damage.ts';
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

const invalidLines = samples[3] ?? { lines: [], nodesOf: [] };

/**
 * The lines that the client reads as a part of an array or object that begins before them (RESUME R14): where a line
 * begins one and does not end it, the first end that makes it JSON, or the end of the file if the rest of it is missing.
 */
function swallowedLines(lines: readonly string[]): ReadonlySet<number> {
  const swallowed = new Set<number>();
  for (let i = 0; i < lines.length; i++) {
    if (!/^[ \t\r]*[[{]/.test(lines[i] ?? '')) continue;
    const end = lastLineOf(lines.slice(i));
    for (let inside = 1; inside <= end; inside++) swallowed.add(i + inside);
    i += end;
  }
  return swallowed;
}

/** The index of the line that ends the value at the start of the first line; 0 for a broken one. */
function lastLineOf(lines: readonly string[]): number {
  let before = '';
  for (const [index, line] of lines.entries()) {
    for (const { index: at } of line.matchAll(/[\]}]/g)) if (isJson(before + line.slice(0, at + 1))) return index;
    before += `${line}\n`;
  }
  const closers = closersOf(before);
  const isCut = ['', 'null', ':null', '"k":null'].some((rest) => isJson(before + rest + closers));
  return isCut ? lines.length - 1 : 0;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function closersOf(text: string): string {
  const open: string[] = [];
  for (const char of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')) {
    if (char === '[' || char === '{') open.unshift(char === '[' ? ']' : '}');
    else if (char === ']' || char === '}') open.shift();
  }
  return open.join('');
}

/** `[` before an undamaged record and `]` after it. */
const arrayAroundRecord: readonly Damage[] = [
  { kind: 'flip', line: 1813719688, at: 0, length: 1, noise: Uint8Array.of(91) },
  { kind: 'join', line: 0, at: 0, length: 1, noise: Uint8Array.of(0) },
  { kind: 'swap-halves', line: 458755611, at: 363449500, length: 1, noise: Uint8Array.of(123) },
];

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
      const swallowed = swallowedLines(lines.map(({ bytes }) => bytes.toString()));
      let offset = 0;
      for (const [index, line] of lines.entries()) {
        const [start, end] = [offset, offset + line.bytes.length];
        offset = end + 1;
        if (line.original === undefined) continue;
        const after = transcript.nodes.filter((node) => node.offset >= start && node.offset < end);
        const before = (original.nodesOf[line.original] ?? []).map((node) => ({
          ...node,
          hidden: node.hidden === true || swallowed.has(index),
        }));
        assert.deepEqual(after.map(bare), before, line.bytes.toString());
      }
      for (const node of transcript.nodes) transcript.read(node);
    }),
    { numRuns: runs, examples: [[invalidLines, arrayAroundRecord, false, false]] },
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
