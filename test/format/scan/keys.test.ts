import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyNames, keyNumber } from '../../../src/format/scan/places.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const names = [
  ...['type', 'subtype', 'uuid', 'parentUuid', 'logicalParentUuid', 'timestamp', 'sessionId', 'agentId', 'cwd'],
  ...['version', 'requestId', 'leafUuid', 'explicit', 'isSidechain', 'isMeta', 'isCompactSummary'],
  ...['isApiErrorMessage', 'permissionMode', 'message', 'toolUseResult', 'attachment'],
  ...['id', 'role', 'model', 'stop_reason', 'usage', 'parts', 'content'],
  ...['name', 'tool_use_id', 'is_error', 'text'],
];

const nameOf = (bytes: Buffer, start: number, end: number): string => keyNames[keyNumber(bytes, start, end) - 1] ?? '';
const known = (text: string): string => nameOf(Buffer.from(text), 0, Buffer.byteLength(text));

test('every key the scanner asks for is known, wherever it is', () => {
  const bytes = Buffer.from(names.join('"'));
  let start = 0;
  const found = names.map((name) => {
    const end = start + name.length;
    const key = nameOf(bytes, start, end);
    start = end + 1;
    return key;
  });
  assert.deepEqual(found, names);
});

test('a key that differs in one byte, or is cut or longer, is another key', () => {
  const isName = new Set(names);
  for (const name of names) {
    const others = [`${name}s`, `x${name}`, name.slice(1), name.slice(0, -1), name.toUpperCase(), `${name}\0`];
    for (let at = 0; at < name.length; at++) {
      for (const letter of 'aeiotIU_\0') others.push(name.slice(0, at) + letter + name.slice(at + 1));
    }
    for (const other of others) assert.equal(known(other), isName.has(other) ? other : '', other);
  }
});

test('no other text is a known key', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'typeuidxmsag'), maxLength: 18 }),
  );
  fc.assert(
    fc.property(text, (key) => assert.equal(known(key), names.includes(key) ? key : '')),
    { numRuns: fuzzRuns(2000) },
  );
});
