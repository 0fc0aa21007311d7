import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GroupBuilder, type LineParts, readGroup, splitLine } from '../../../../src/library/archive/pack/pieces.ts';

const [own, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;

test('the lines of a group come back, whatever their chunks are numbered', () => {
  const ids = fc.constantFrom(own, other, ...Array.from({ length: 200 }, (_, i) => idOf(i)));
  const line = fc.tuple(fc.array(ids, { maxLength: 4 }), fc.constantFrom('', '}\n', '\n')).map(([found, end]) => {
    return Buffer.from(`{"ids":${JSON.stringify(found)}${end}`);
  });
  const numbers = fc.oneof(fc.nat(300), fc.nat(2 ** 32), fc.constant(2 ** 40));
  fc.assert(
    fc.property(fc.array(fc.tuple(numbers, line), { maxLength: 300 }), (lines) => {
      const chunks = new Map<number, Buffer>();
      // One number is one chunk: a later line of the same number is made the same.
      const parts = lines.map(([number, bytes]): readonly [number, LineParts] => {
        const split = splitLine(bytes);
        const known = chunks.get(number);
        if (known === undefined || known.equals(split.body)) chunks.set(number, split.body);
        return [number, split];
      });
      const kept = parts.filter(([number, { body }]) => chunks.get(number)?.equals(body));
      const group = buildGroup(own, kept);
      const read = [...readGroup(group, own, (chunk) => chunks.get(chunk) ?? Buffer.alloc(0))];
      const wanted = lines.filter((_, i) => kept.includes(parts[i] as (typeof parts)[number]));
      assert.deepEqual(
        read.map(String),
        wanted.map(([, bytes]) => bytes.toString()),
      );
    }),
  );
});

test('a fork has the same groups as its original', () => {
  const group = (id: string): Buffer =>
    buildGroup(
      id,
      [1, 2, 3].map((i) => [i, splitLine(Buffer.from(`{"sessionId":"${id}","uuid":"${idOf(i)}"}\n`))] as const),
    );
  assert.deepEqual(group(own), group(other));
});

test('a run of new lines takes a few bytes, an id of its own sixteen more and one known before a single one', () => {
  const lines = (ids: (i: number) => string) =>
    Array.from({ length: 100 }, (_, i) => [1000 + i, splitLine(Buffer.from(`{"id":"${ids(i)}"}\n`))] as const);
  assert.deepEqual(
    [
      buildGroup(
        own,
        lines(() => own),
      ).length,
      buildGroup(
        own,
        lines(() => other),
      ).length,
      buildGroup(own, lines(idOf)).length,
    ],
    [105, 121, 1705],
  );
});

test('bytes that are not a group are refused', () => {
  const group = buildGroup(own, [[5, splitLine(Buffer.from(`{"id":"${other}"}\n`))]]);
  const chunk = (): Buffer => Buffer.from('{"id":"ÿ"', 'latin1');
  for (const bad of [Buffer.alloc(0), group.subarray(0, 2), group.subarray(0, 3), Buffer.concat([group, group])])
    assert.throws(() => [...readGroup(bad, own, chunk)], RangeError);
});

function buildGroup(ownId: string, lines: readonly (readonly [number, LineParts])[]): Buffer {
  const builder = new GroupBuilder(ownId);
  for (const [number, parts] of lines) builder.add(number, parts);
  return builder.finish();
}

function idOf(i: number): string {
  return `33333333-3333-4333-8333-${String(i).padStart(12, '0')}`;
}
