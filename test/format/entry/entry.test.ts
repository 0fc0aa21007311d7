import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asString, isArray, isObject, type JsonObject, type JsonValue } from '../../../src/base/json/json.ts';
import {
  asEntry,
  contentOf,
  type Entry,
  type EntryType,
  isAssistant,
  isAttachment,
  isEntry,
  isKnownEntry,
  isProgress,
  isSystem,
  isUser,
  roleOf,
} from '../../../src/format/entry/entry.ts';
import { entryFields, envelopeFields } from '../../../src/format/entry/entry-fields.ts';
import { corpusValues } from '../../support/corpus-values.ts';
import { misdeclaredPaths, undeclaredKeys } from '../../support/table-check.ts';

const types = Object.keys(entryFields) as EntryType[];

test('any JSON object is an entry and is returned as it is; nothing else is one', () => {
  const value = { type: 'from-the-future', payload: [1] };
  assert.equal(asEntry(value), value);
  assert.deepEqual([null, 42, 'user', [], true, undefined].map(asEntry), Array(6).fill(undefined));
});

test('exactly the guard of its type accepts an entry, whatever its other fields hold', () => {
  for (const type of types) {
    const entry = { type, uuid: 7, message: 'odd', attachment: null } as unknown as Entry;
    assert.deepEqual(guardsOf(entry), [type]);
    assert.equal(isKnownEntry(entry), true);
  }
  const named = {
    user: isUser,
    assistant: isAssistant,
    system: isSystem,
    progress: isProgress,
    attachment: isAttachment,
  };
  for (const [type, guard] of Object.entries(named)) {
    assert.deepEqual(
      types.filter((other) => guard({ type: other })),
      [type],
    );
  }
});

test('a type that is new, absent, no string, or an inherited property is unknown', () => {
  const entries: Entry[] = [
    { type: 'from-the-future' },
    {},
    { type: 3 },
    { type: 'constructor' },
    { type: '__proto__' },
  ];
  assert.deepEqual(
    entries.filter((entry) => isKnownEntry(entry) || guardsOf(entry).length > 0),
    [],
  );
});

test('the content is that of the message, else the top-level content', () => {
  const text = [{ type: 'text', text: 'hi' }];
  assert.deepEqual(contentOf(entryOf({ type: 'user', message: { content: 'hi' } })), text);
  assert.deepEqual(contentOf(entryOf({ type: 'user', message: { content: text }, content: 'other' })), text);
  assert.deepEqual(contentOf(entryOf({ type: 'user', content: 'hi' })), text);
  assert.deepEqual(contentOf(entryOf({ type: 'user', message: 'hi' })), []);
  assert.deepEqual(contentOf(entryOf({ message: { role: 'assistant', content: text } })), text);
  assert.deepEqual(contentOf(entryOf({ type: 'user', message: null, content: [1, 'a'] })), []);
});

test('the role is the type, else that of the message', () => {
  assert.equal(roleOf(entryOf({ type: 'user', message: { role: 'assistant' } })), 'user');
  assert.equal(roleOf(entryOf({ message: { role: 'assistant' } })), 'assistant');
  assert.equal(roleOf(entryOf({ type: 1, message: { role: 2 } })), undefined);
});

test('a compaction boundary shows what it preserved', () => {
  const entry = entryOf({
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { preservedSegment: { headUuid: 'h', tailUuid: 9 }, preservedMessages: { uuids: ['a', 'b'] } },
  });
  assert.ok(isSystem(entry));
  const { preservedSegment, preservedMessages } = entry.compactMetadata ?? {};
  assert.equal(asString(preservedSegment?.headUuid), 'h');
  assert.equal(asString(preservedSegment?.tailUuid), undefined);
  assert.deepEqual(isArray(preservedMessages?.uuids) ? preservedMessages.uuids : [], ['a', 'b']);
});

test('no guard and no view throws on any object', () => {
  const type = fc.oneof(fc.constantFrom(...types), fc.anything());
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything()), type, fc.anything(), fc.anything(), (rest, type, a, b) => {
      const entry = asEntry({ ...rest, type, message: a, content: b } as JsonValue);
      assert.ok(entry);
      assert.equal(guardsOf(entry).length, isKnownEntry(entry) ? 1 : 0);
      assert.equal(contentOf(entry).every(isObject), true);
      roleOf(entry);
    }),
  );
  fc.assert(fc.property(fc.anything(), (value) => (asEntry(value as JsonValue) === undefined) === !isObject(value)));
});

test('every line of the corpora has one known type, but for those listed here as open', () => {
  const open = new Set<string>();
  for (const entry of corpusEntries('real', 'public')) {
    const accepted = guardsOf(entry).length;
    assert.equal(accepted, isKnownEntry(entry) ? 1 : 0);
    if (accepted === 0) open.add(String(entry.type));
  }
  assert.deepEqual([...open].sort(), [
    'result', // workflow journal
    'session_start', // fixture of another project
    'started', // workflow journal
    'tool_result', // fixture of another project
    'tool_use', // fixture of another project
    'undefined', // prompt history, hook events, typeless fixtures
  ]);
});

test('every key the real client wrote is declared, with its kind', () => {
  const wrong = new Set<string>();
  for (const entry of corpusEntries('real')) {
    if (!isKnownEntry(entry)) continue;
    const table = entryFields[entry.type];
    for (const key of undeclaredKeys(entry, envelopeFields, table)) wrong.add(`${entry.type}.${key} is not declared`);
    for (const path of [envelopeFields, table].flatMap((fields) => misdeclaredPaths(entry as JsonObject, fields))) {
      wrong.add(`${entry.type}.${path} is of another kind`);
    }
  }
  assert.deepEqual([...wrong], []);
});

function guardsOf(entry: Entry): EntryType[] {
  return types.filter((type) => isEntry(entry, type));
}

function entryOf(value: JsonObject): Entry {
  const entry = asEntry(value);
  assert.ok(entry);
  return entry;
}

function* corpusEntries(...corpora: readonly ('real' | 'public')[]): Generator<Entry> {
  for (const value of corpusValues(...corpora)) {
    const entry = asEntry(value);
    if (entry !== undefined) yield entry;
  }
}
