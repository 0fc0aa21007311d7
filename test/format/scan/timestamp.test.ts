import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isoTime } from '../../../src/format/scan/spans.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

/** Read from inside a larger buffer, as the scanner does. */
function timeOf(text: string): number {
  const json = JSON.stringify(text);
  const bytes = Buffer.from(`{"timestamp":${json}}`);
  return isoTime(bytes, 14, bytes.length - 2);
}

test("the client's timestamps are read to the millisecond, on every day of a leap year and around it", () => {
  for (let day = Date.UTC(2023, 11, 1); day < Date.UTC(2025, 2, 1); day += 86_400_000) {
    for (const time of [day, day + 1, day + 43_210_987, day + 86_399_999]) {
      assert.equal(timeOf(new Date(time).toISOString()), time);
    }
  }
});

test('odd timestamps are what Date.parse says they are', () => {
  const odd = ['', 'x', '2026-01-03', 'Jan 3 2026', '2026-01-03T10:00:00+02:00', '1767434400000', '2026'];
  odd.push('2026-13-01T00:00:00.000Z', '2026-00-01T00:00:00.000Z', '2026-02-30T00:00:00.000Z');
  odd.push('2026-04-31T00:00:00.000Z', '2026-02-29T00:00:00.000Z', '2024-02-29T00:00:00.000Z');
  odd.push('2026-01-01T24:00:00.000Z', '2026-01-01T24:00:00.001Z', '2026-01-01T25:00:00.000Z');
  odd.push('2026-01-01T00:60:00.000Z', '2026-01-01T00:00:60.000Z', '2026-01-00T00:00:00.000Z');
  odd.push('1969-12-31T23:59:59.999Z', '0000-01-01T00:00:00.000Z', '0099-01-01T00:00:00.000Z');
  odd.push('2026-01-01T00:00:00.000z', '2026-01-01t00:00:00.000Z', '2026-01-01 00:00:00.000Z');
  odd.push('+012026-01-01T00:00:00Z', '2026-01-01T00:00:00.0000Z', '2026-01-01T00:00:00,000Z', '２026-01-01');
  for (const text of odd) assert.equal(timeOf(text), Date.parse(text), text);
});

test('every text is what Date.parse makes of it, whatever was read before', () => {
  const iso = fc
    .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') })
    .map((date) => date.toISOString());
  const changed = fc
    .tuple(iso, fc.nat(23), fc.constantFrom(...'0123456789-:.TZ+ é"\\/'))
    .map(([text, at, letter]) => text.slice(0, at) + letter + text.slice(at + 1));
  const text = fc.oneof(iso, changed, fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789-:TZ. ') }));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (texts) => {
      assert.deepEqual(texts.map(timeOf), texts.map(Date.parse));
    }),
    { numRuns: fuzzRuns(2000) },
  );
});

test('a text with illegal escapes is not a time', () => {
  const bytes = Buffer.from('"2026-01-0\\x"');
  assert.equal(isoTime(bytes, 1, bytes.length - 1), Number.NaN);
});
