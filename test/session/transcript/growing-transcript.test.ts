// Reading the new lines of a transcript gives the same as reading it from the beginning, whatever its size was before.
import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeSession } from '../../../src/session/load/session.ts';
import { loadGrowing } from '../../../src/session/transcript/growing-transcript.ts';
import { loadTranscript, type Transcript } from '../../../src/session/transcript/transcript.ts';
import { turnsOf } from '../../../src/session/turns/turns.ts';
import { sessionFiles } from '../../../src/store/session-files.ts';
import { damageLines, damages, joinLines } from '../../support/damage.ts';
import { randomTranscript } from '../../support/random-transcript.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

/** Everything of a transcript that can be compared. */
function shapeOf({ nodes, diagnostics, sizeBytes, mayRepeat, foreign }: Transcript): object {
  return {
    nodes: nodes.map(({ index, line, offset, length, uuid, parentUuid, type, hidden }) => {
      return { index, line, offset, length, uuid, parentUuid, type, hidden };
    }),
    diagnostics: diagnostics.map(({ code, line, offset }) => [code, line, offset]),
    sizeBytes,
    mayRepeat,
    foreign,
  };
}

test('random transcripts, sound and damaged, cut anywhere', async (context) => {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 });
  fc.assert(
    fc.property(randomTranscript, damages, cuts, fc.boolean(), (builder, wanted, places, isTorn) => {
      const lines = builder
        .text()
        .split('\n')
        .slice(0, -1)
        .map((line) => Buffer.from(line));
      const bytes = joinLines(damageLines(lines, wanted), isTorn);
      const ends = [...places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b), bytes.length];
      writeFileSync(file, bytes.subarray(0, ends[0]));
      let growing = loadGrowing(file);
      for (let i = 1; i < ends.length; i++) {
        appendFileSync(file, bytes.subarray(ends[i - 1], ends[i]));
        growing = growing.grow();
        assert.deepEqual(shapeOf(growing.transcript), shapeOf(loadTranscript(file)));
      }
    }),
    { numRuns: 60 },
  );
});

test('what was made of a transcript before it grew stays as it was', async (context) => {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  const builder = transcript().user('one').assistant('1');
  builder.write(file);
  const before = loadGrowing(file);
  const session = makeSession(await sessionFiles(file), before.transcript);
  const known = builder.entries.length;
  builder.user('two').assistant('2');
  appendFileSync(
    file,
    builder.entries
      .slice(known)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(''),
  );
  const after = before.grow();
  assert.equal(turnsOf(session).length, 1);
  assert.equal(before.transcript.nodes.length, 2);
  assert.equal(turnsOf(makeSession(await sessionFiles(file), after.transcript)).length, 2);
  assert.deepEqual([before.canGrow, after.canGrow], [true, true]);
});

test('a line without its end, and an object over several lines, are read again', (context) => {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  writeFileSync(file, '{"type":"user","uuid":"u1","message":{"role":"user","content":"a"}}\n{"type":"user"');
  const torn = loadGrowing(file);
  assert.equal(torn.canGrow, false);
  appendFileSync(file, ',"uuid":"u2","message":{"role":"user","content":"b"}}\n{\n"type":"user",\n');
  const open = torn.grow();
  assert.deepEqual([open.transcript.nodes.map(({ uuid }) => uuid), open.canGrow], [['u1', 'u2'], false]);
  appendFileSync(file, '"uuid":"u3","message":{"role":"user","content":"c"}\n}\n');
  assert.deepEqual(shapeOf(open.grow().transcript), shapeOf(loadTranscript(file)));
});
