import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type JsonValue } from '../../../src/base/json/json.ts';
import { type Edit, editJson, type JsonPath } from '../../../src/format/bytes/edit.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';
import { jsonValue, printJson, randomFrom } from '../../support/json-text.ts';

const edited = (text: string, ...edits: Edit[]): string =>
  editJson(Buffer.from(text, 'latin1'), edits).toString('latin1');

test('a value is replaced and every other byte stays', () => {
  const odd = ' {"b" : "\\u0041\xff\xfe", "a":1,"a" : { "x":[ 1 , 2 ] }\t,"c":1e2}\r\n';
  assert.equal(edited(odd, { path: ['a', 'x', 1], set: 'n' }), odd.replace('2 ]', '"n" ]'));
  assert.equal(edited(odd, { path: ['c'], set: { d: null } }), odd.replace('1e2', '{"d":null}'));
  assert.equal(edited(odd, { path: ['a'], set: 5 }), odd.replace('{ "x":[ 1 , 2 ] }', '5'));
  assert.equal(edited(odd, { path: [], set: 5 }), ' 5\r\n');
  assert.equal(edited(odd), odd);
});

test('an absent key becomes the last member', () => {
  assert.equal(edited('{}', { path: ['k'], set: 1 }), '{"k":1}');
  assert.equal(edited('{ }', { path: ['k'], set: 1 }), '{"k":1 }');
  assert.equal(edited('{"a":1}', { path: ['k"é'], set: [] }), '{"a":1,"k\\"\xc3\xa9":[]}');
  assert.equal(edited('{ "a": 1 }', { path: ['k'], set: 1 }, { path: ['l'], set: 2 }), '{ "a": 1,"k":1,"l":2 }');
  assert.equal(edited('[1 ]', { path: [2], set: 3 }, { path: [1], set: 2 }), '[1,2,3 ]');
  assert.equal(edited('[]', { path: [0], set: 1 }), '[1]');
});

test('a removed member or element takes one comma along', () => {
  assert.equal(edited('{ "a":1 , "b":2 , "c":3 }', { path: ['a'], remove: true }), '{ "b":2 , "c":3 }');
  assert.equal(edited('{ "a":1 , "b":2 , "c":3 }', { path: ['b'], remove: true }), '{ "a":1 , "c":3 }');
  assert.equal(edited('{ "a":1 , "b":2 , "c":3 }', { path: ['c'], remove: true }), '{ "a":1 , "b":2 }');
  assert.equal(edited('{"a":1,"b":2,"c":3}', { path: ['a'], remove: true }, { path: ['c'], remove: true }), '{"b":2}');
  assert.equal(edited('{ "a":1 }', { path: ['a'], remove: true }), '{  }');
  assert.equal(edited('[1,2,3,4]', { path: [1], remove: true }, { path: [2], remove: true }), '[1,4]');
  assert.equal(edited('[1,2]', { path: [1], remove: true }, { path: [0], remove: true }), '[]');
});

test('members are removed, set, entered and appended in one go', () => {
  assert.equal(
    edited(
      '{"a":1,"b":{"x":1},"c":3}',
      { path: ['a'], remove: true },
      { path: ['b', 'x'], set: 2 },
      { path: ['c'], remove: true },
      { path: ['d'], set: 4 },
    ),
    '{"b":{"x":2},"d":4}',
  );
  assert.equal(edited('{"a":1}', { path: ['a'], remove: true }, { path: ['b'], set: 2 }), '{"b":2}');
});

test('of duplicate keys the last is set, and all are removed', () => {
  assert.equal(edited('{"a":1,"b":2,"\\u0061":3}', { path: ['a'], set: 4 }), '{"a":1,"b":2,"\\u0061":4}');
  assert.equal(edited('{"a":1,"b":2,"\\u0061":3}', { path: ['a'], remove: true }), '{"b":2}');
});

test('setting below what is not there is a TypeError, removing it does nothing', () => {
  const text = '{"a":[1],"s":"x","o":{}}';
  const paths: JsonPath[] = [
    ['a', 2],
    ['a', -1],
    ['a', 0.5],
    ['a', '0'],
    ['s', 'k'],
    ['s', 0],
    [0],
    ['n', 'k'],
    ['a', 0, 'k'],
    ['o', 0],
  ];
  for (const path of paths) {
    assert.throws(() => edited(text, { path, set: 1 }), TypeError, JSON.stringify(path));
    assert.equal(edited(text, { path, remove: true }), text);
  }
  assert.throws(() => edited('{"a":1', { path: ['b'], set: 1 }), TypeError);
  assert.throws(() => edited('{"a":1', { path: [], set: 1 }), TypeError);
  assert.equal(edited('{"a":1', { path: ['a'], remove: true }), '{"a":1');
});

test('edits that overlap, and removing the whole value, are a TypeError', () => {
  const overlapping: Edit[][] = [
    [
      { path: ['a'], set: 1 },
      { path: ['a'], set: 1 },
    ],
    [
      { path: ['a'], set: 1 },
      { path: ['a', 'b'], remove: true },
    ],
    [
      { path: ['a', 'b'], set: 1 },
      { path: ['a'], remove: true },
    ],
    [
      { path: [], set: 1 },
      { path: ['a'], set: 1 },
    ],
    [{ path: [], remove: true }],
  ];
  for (const edits of overlapping) assert.throws(() => edited('{"a":{"b":1}}', ...edits), TypeError);
});

test('random edits give what the same edits give on the parsed value', () => {
  let applied = 0;
  fc.assert(
    fc.property(jsonValue, fc.nat(), fc.array(jsonValue, { minLength: 1, maxLength: 6 }), (value, seed, news) => {
      const text = printJson(value, seed);
      const edits = randomEdits(JSON.parse(text), news, randomFrom(seed));
      const result = editJson(Buffer.from(text), edits).toString();
      assert.deepEqual(JSON.parse(result), editParsed(JSON.parse(text), edits));
      applied += edits.length;
    }),
    { numRuns: fuzzRuns(2000) },
  );
  assert.ok(applied > fuzzRuns(2000), `only ${applied} edits were made`);
});

test('bytes outside the edited values are the same, also where they are not UTF-8', () => {
  fc.assert(
    fc.property(
      jsonValue,
      jsonValue,
      jsonValue,
      fc.uint8Array({ maxLength: 8 }),
      fc.nat(),
      (left, old, right, raw, seed) => {
        const before = Buffer.concat([
          Buffer.from(`{"left":${printJson(left, seed)}, "raw":"`),
          Buffer.from(raw.map((byte) => byte | 0x80)),
          Buffer.from(`"${seed % 2 ? ' ' : ''}, "k" :\t`),
        ]);
        const oldText = Buffer.from(printJson(old, seed).trim());
        const after = Buffer.from(` ,"right": ${printJson(right, seed + 1)}} \n`);
        const line = Buffer.concat([before, oldText, after]);
        const expected = Buffer.concat([before, Buffer.from(JSON.stringify(left)), after]);
        assert.deepEqual(editJson(line, [{ path: ['k'], set: left }]), expected);
      },
    ),
  );
});

/** Edits of distinct places, none inside another. */
function randomEdits(value: JsonValue, news: readonly JsonValue[], random: (limit: number) => number): Edit[] {
  const edits: Edit[] = [];
  for (const set of news) {
    const path: (string | number)[] = [];
    let place: JsonValue | undefined = value;
    do {
      const keys: (string | number)[] = Array.isArray(place)
        ? [...place.keys()]
        : isObject(place)
          ? Object.keys(place)
          : [];
      if (keys.length === 0 || random(4) === 0) break;
      const key = keys[random(keys.length)] as string | number;
      path.push(key);
      place = (place as Record<string | number, JsonValue>)[key];
    } while (random(3) > 0);
    if (isObject(place) && random(2) === 0) path.push(`new${random(3)}`);
    else if (Array.isArray(place) && random(2) === 0) path.push(place.length);
    const edit: Edit = path.length > 0 && random(2) === 0 ? { path, remove: true } : { path, set };
    if (!edits.some((other) => isPrefix(other.path, path) || isPrefix(path, other.path))) edits.push(edit);
  }
  return edits;
}

function isPrefix(short: JsonPath, long: JsonPath): boolean {
  return short.every((key, index) => key === long[index]);
}

/** The same edits, made the plain way: elements are only marked while indexes still count. */
function editParsed(value: JsonValue, edits: readonly Edit[]): JsonValue {
  const removed = Symbol('removed');
  type Tree = Record<string | number, unknown>;
  const root: Tree = { value };
  for (const edit of edits) {
    let parent: Tree = root;
    let key: string | number = 'value';
    for (const step of edit.path) {
      parent = parent[key] as Tree;
      key = step;
    }
    const next = 'remove' in edit ? removed : JSON.parse(JSON.stringify(edit.set));
    Object.defineProperty(parent, key, { value: next, writable: true, enumerable: true, configurable: true });
  }
  const sweep = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.filter((element) => element !== removed).map(sweep);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(
      Object.entries(item)
        .filter(([, member]) => member !== removed)
        .map(([k, member]) => [k, sweep(member)]),
    );
  };
  return sweep(root.value) as JsonValue;
}
